"""A chapter of a book: a post with its comments, in XHTML."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lxml import etree
from markupsafe import Markup

from blogcrawler.backend import Archive
from blogcrawler.export.articles import article
from blogcrawler.export.epub.conforming import conform
from blogcrawler.export.fixity import Digested
from blogcrawler.export.media import opened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blogcrawler.export.chronology import Chronology, Listed
    from blogcrawler.export.epub.book import Book
    from blogcrawler.export.selection import Selection
    from blogcrawler.items import Media, Record

_CHUNK = 1 << 20


@dataclass
class Chapter:
    """Resolves the URLs of an article in the chapter of its post: see `articles.Surroundings`."""

    selection: Selection
    book: Book
    chronology: Chronology
    post: Listed
    #: archived files of the post by URL
    names: Mapping[str, Media]
    #: URLs of files that the chapter has shown
    used: set[str] = field(default_factory=set)

    def shown(self, url: str) -> str | None:
        """Add the file at a URL to the book and return its path; None if e-book readers cannot show it."""
        media = self.names.get(url) or self.names.get(url := url.partition("#")[0])
        if media is None:
            return None
        name = self.book.find_file(media)
        if name is None:
            name = self._added(media)
        if not name:
            return None
        self.used.add(url)
        return f"../{name}"

    def _added(self, media: Media) -> str:
        source = None if self.selection.files is None else opened(self.selection, media)
        if source is None:
            return self.book.refuse_file(media)
        with source, self.book.scratch() as copy:
            digest = Digested(copy, ("sha256",))
            shutil.copyfileobj(source, digest, _CHUNK)
            if digest.written().digests["sha256"] != media.sha256:
                self.selection.on_lost(str(media.path), "its content does not match its digest")
                return self.book.refuse_file(media)
            return self.book.add_file(media, copy)

    def opened(self, url: str) -> str | None:
        """Return the link to a post in the book, or to the first page of its blog. Links to files are not changed."""
        address, _, fragment = url.partition("#")
        post = self.chronology.find(url) or self.chronology.find(address)
        if post is None:
            return self.book.find_home(Archive.key_of(address)) if address else None
        anchor = self.chronology.anchor(post.id, fragment) if fragment else None
        name = self.book.chapter_name(post).rpartition("/")[2]
        return f"{name}#{anchor}" if anchor else name


def markup(html: str | None, text: str | None, record: Record, chapter: Chapter) -> Markup:
    """Return an article or a comment for the chapter of its post."""
    root = article(html, text, record.url, chapter)
    conform(root)
    inner = etree.tostring(root, encoding="unicode", method="xml", with_tail=False)
    return Markup(inner)  # noqa: S704 - sanitised by `article`
