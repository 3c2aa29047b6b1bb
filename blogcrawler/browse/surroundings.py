"""Resolves links in a post to archived files and posts, and to comments of the page."""

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
class PostLinks:
    """Links of a post's page: see `articles.Surroundings`."""

    #: local URLs by original URL
    files: Mapping[str, str]
    posts: Mapping[str, str]
    #: anchors of comments by the fragments of their URLs
    anchors: Mapping[str, str]
    own: str
    shown_types: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def of(cls, archive: Archive, blog: BlogRow, post_id: int, record: Record) -> PostLinks:
        """Return the links of an archived post's page."""
        urls = {url.partition("#")[0] for url in islice(_links(record), _MOST_LINKS)}
        posts = {url: f"/posts/{found}" for url, found in archive.queries.posts_at(blog.id, urls).items()}
        homes = {url: f"/blogs/{blog.id}" for url in urls if archive.key_of(url) == archive.key_of(blog.home)}
        stored = [media for media in record.media if media.path is not None and media.sha256 is not None]
        return cls(
            {media.url: file_address(media_name(media)) for media in stored},
            {**homes, **posts},
            anchors(record.comments),
            f"/posts/{post_id}",
            frozenset(media.url for media in stored if is_shown(media.type) or media.role == "track"),
        )

    def shown(self, url: str) -> str | None:
        """Return the local URL of a picture, sound or film."""
        for spelled in (url, url.partition("#")[0]):
            if spelled in self.shown_types:
                return self.files[spelled]
        return None

    def opened(self, url: str) -> str | None:
        """Return the local URL of a file, a comment of this post, or a post."""
        address, _, fragment = url.partition("#")
        if address in self.files:
            return self.files[address]
        page = self.posts.get(address)
        if page == self.own and fragment in self.anchors:
            return f"#{self.anchors[fragment]}"
        return page


def file_address(name: str) -> str:
    """Return the local URL of a file named by `media_name`."""
    return f"/files/{name}"


def _links(record: Record) -> Iterator[str]:
    for html in (record.content_html, *(comment.content_html for comment in record.comments)):
        for quoted, single in _LINK.findall(html or ""):
            yield unescape(quoted or single)
