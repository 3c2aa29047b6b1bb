"""A page together with what a wrapper extracts from it; a worker hands that over as JSON types."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from blogcrawler.crawl.duplicates import Shown
from blogcrawler.dom import (
    asks_for_password,
    background_links,
    base_url,
    inline_text,
    parse_page,
    readable_text,
    sanitise,
)
from blogcrawler.items import FieldSource
from blogcrawler.serialise import dump, load
from blogcrawler.time_limit import time_limit
from blogcrawler.urls import identity
from blogcrawler.wrapper import Extraction

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.items import Page
    from blogcrawler.wrapper import Wrapper

MAX_LOCKED = 400
"""Characters around a field for a password, at most, where it stands instead of an article."""


@dataclass(frozen=True)
class Content:
    """The article of a page, as records have it."""

    html: str = ""
    text: str = ""
    #: addresses of pictures that it has in the background
    backgrounds: tuple[str, ...] = ()
    #: the language of the text, and where that came from
    language: str | None = None
    language_source: FieldSource | None = None
    #: true if the page asks for a password in its place
    is_locked: bool = False


@dataclass(frozen=True)
class HandedIn:
    """What a worker has read in a page at an address, by a wrapper; the elements of the page are not at hand."""

    wrapper: Wrapper
    url: str
    #: without the article
    extraction: Extraction
    shown: Shown
    #: None where the page has no article
    content: Content | None

    def to_dict(self) -> dict[str, Any]:
        """All but the wrapper, as JSON types."""
        extraction = {**vars(self.extraction), "article": None, "sources": dump(self.extraction.sources)}
        return {
            "url": self.url,
            "extraction": extraction,
            "shown": self.shown.to_dict(),
            "content": dump(self.content) if self.content is not None else None,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], wrapper: Wrapper) -> HandedIn:
        """The value of `to_dict`, which this wrapper has read elsewhere."""
        content = load(Content, data["content"]) if data["content"] is not None else None
        sources = load(dict[str, FieldSource], data["extraction"]["sources"])
        extraction = Extraction(**{**data["extraction"], "sources": sources})
        return cls(wrapper, data["url"], extraction, Shown.from_dict(data["shown"]), content)


@dataclass(frozen=True)
class ReadPage:
    """A page as a wrapper reads it."""

    page: Page
    tree: HtmlElement
    wrapper: Wrapper
    #: without the article where the page was `handed_in`
    extraction: Extraction
    handed_in: HandedIn | None = None

    @property
    def url(self) -> str:
        """The page's address."""
        return self.page.url

    @cached_property
    def key(self) -> str:
        """The page's address as `urls.identity` writes it."""
        return identity(self.page.url)

    @cached_property
    def shown(self) -> Shown:
        """What the page shows, to be compared with other pages."""
        return Shown.of(self.extraction) if self.handed_in is None else self.handed_in.shown

    def is_post(self, *, is_permalink: bool = False) -> bool:
        """True if the page has what the posts of the blog have, see `Wrapper.is_post`."""
        return self.wrapper.is_post(self.tree, self.url, self.page.fetched_at, is_permalink=is_permalink)

    def read_by(self, wrapper: Wrapper) -> ReadPage:
        """The same page as another wrapper reads it. Raises PageTooSlow."""
        return self if wrapper is self.wrapper else read(self.page, wrapper)


def read(page: Page, wrapper: Wrapper, handed_in: HandedIn | None = None) -> ReadPage:
    """Parse a page, unless its tree is at hand, and extract its fields. Raises NotAWebPage, and so PageTooSlow.

    What a worker has handed in stands for that, if this wrapper has read it at the page's address.
    """
    tree = parse_page(page)
    if handed_in is not None and handed_in.wrapper is wrapper and handed_in.url == page.url:
        return ReadPage(page, tree, wrapper, handed_in.extraction, handed_in)
    with time_limit():
        return ReadPage(page, tree, wrapper, wrapper.extract(tree, page.url, page.fetched_at))


def hand_in(page: Page, wrapper: Wrapper) -> HandedIn:
    """Read a page for another process. Raises NotAWebPage, and so PageTooSlow."""
    found = read(page, wrapper)
    article, content = found.extraction.article, None
    if article is not None:
        with time_limit():
            content = content_of(wrapper, found.tree, [(article, base_url(found.tree, page.url))])
    return HandedIn(wrapper, page.url, found.extraction, found.shown, content)


def content_of(wrapper: Wrapper, tree: HtmlElement, parts: Sequence[tuple[HtmlElement, str]]) -> Content:
    """The article of a page that consists of parts, each with the address that its links count from. O(n)."""
    article, _ = parts[0]
    if asks_for_password(article) and len(inline_text(article)) <= MAX_LOCKED:
        return Content(is_locked=True)
    html = "\n".join(sanitise(part, url) for part, url in parts)
    backgrounds = dict.fromkeys(link.url for part, url in parts for link in background_links(part, url, tree))
    text = "\n\n".join(filter(None, (readable_text(part) for part, _ in parts)))
    language, source = wrapper.languages.read(tree, article) or (None, None)
    return Content(html, text, tuple(backgrounds), language, source)
