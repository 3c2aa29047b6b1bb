"""What the addresses in a post lead to: files and posts of the archive, and comments of the page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING

from blogcrawler.browse.files import is_shown
from blogcrawler.export.media import media_name
from blogcrawler.export.parts import anchors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from blogcrawler.backend import Archive, BlogRow
    from blogcrawler.items import Record

_LINK = re.compile(r"""\bhref=(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_MOST_LINKS = 5000


@dataclass(frozen=True)
class Within:
    """The page of a post: see `articles.Surroundings`."""

    #: addresses here, by those on the web
    files: Mapping[str, str]
    posts: Mapping[str, str]
    #: what names the comments, by the fragments of their addresses
    anchors: Mapping[str, str]
    own: str
    shown_types: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def of(cls, archive: Archive, blog: BlogRow, post_id: int, record: Record) -> Within:
        """The page of a post that is kept."""
        urls = {url.partition("#")[0] for url in islice(_links(record), _MOST_LINKS)}
        posts = {url: f"/posts/{found}" for url, found in archive.shelf.posts_at(blog.id, urls).items()}
        homes = {url: f"/blogs/{blog.id}" for url in urls if archive.key_of(url) == archive.key_of(blog.home)}
        kept = [media for media in record.media if media.path is not None and media.sha256 is not None]
        return cls(
            {media.url: file_address(media_name(media)) for media in kept},
            {**homes, **posts},
            anchors(record.comments),
            f"/posts/{post_id}",
            frozenset(media.url for media in kept if is_shown(media.type) or media.role == "track"),
        )

    def shown(self, url: str) -> str | None:
        """The kept file of a picture, a sound or a film."""
        for spelled in (url, url.partition("#")[0]):
            if spelled in self.shown_types:
                return self.files[spelled]
        return None

    def opened(self, url: str) -> str | None:
        """A kept file, a comment of this post, or a page here."""
        address, _, fragment = url.partition("#")
        if address in self.files:
            return self.files[address]
        page = self.posts.get(address)
        if page == self.own and fragment in self.anchors:
            return f"#{self.anchors[fragment]}"
        return page


def file_address(name: str) -> str:
    """Where a file of `media_name` is."""
    return f"/files/{name}"


def _links(record: Record) -> Iterator[str]:
    for html in (record.content_html, *(comment.content_html for comment in record.comments)):
        for quoted, single in _LINK.findall(html or ""):
            yield unescape(quoted or single)
