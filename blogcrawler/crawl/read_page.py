"""A page together with its links and declarations, and with the fields that a wrapper extracts from it.

A worker sends this as JSON types, so that the process that decides parses a page only if it needs its elements.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from blogcrawler.crawl.duplicates import ComparableContent
from blogcrawler.dom import (
    Link,
    asks_for_password,
    background_links,
    base_url,
    canonical,
    comment_pages,
    inline_text,
    links,
    parse_page,
    readable_text,
    sanitise,
    versions,
)
from blogcrawler.items import FieldSource  # noqa: TC001  (serialise)
from blogcrawler.serialise import dump, load
from blogcrawler.time_limit import time_limit
from blogcrawler.urls import identity
from blogcrawler.wrapper import Extraction
from blogcrawler.wrapper.fallback.head_titles import head_title

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.items import Page, RecordSource
    from blogcrawler.wrapper import Wrapper

MAX_LOCKED = 400
"""Maximum number of characters of a part with a password field that is taken for the article."""


@dataclass(frozen=True)
class Content:
    """The article of a page in the form of records."""

    html: str = ""
    text: str = ""
    #: addresses of its background pictures
    backgrounds: tuple[str, ...] = ()
    #: language of the text, and its source
    language: str | None = None
    language_source: FieldSource | None = None
    #: whether the page asks for a password instead
    is_locked: bool = False


@dataclass(frozen=True)
class Outline:
    """What a page declares about itself and other pages, independent of the wrapper."""

    url: str
    #: the title in its head
    title: str
    #: the address that it declares as canonical
    canonical: str | None
    links: tuple[Link, ...]
    #: addresses of the page in other languages
    versions: tuple[str, ...]

    @classmethod
    def of(cls, tree: HtmlElement, url: str) -> Self:
        """The outline of the page at an address. O(n). Raises PageTooSlow."""
        page_links = tuple(links(tree, url))
        return cls(url, head_title(tree), canonical(tree, url), page_links, tuple(versions(tree, url)))


@dataclass(frozen=True)
class ReadPage:
    """A page with the fields that a wrapper extracts from it. Values that need the parsed page raise NotAWebPage if it
    cannot be parsed."""

    page: Page
    wrapper: Wrapper

    @property
    def url(self) -> str:
        """The page's address."""
        return self.page.url

    @cached_property
    def key(self) -> str:
        """The page's address, written as by `urls.identity`."""
        return identity(self.page.url)

    @property
    def tree(self) -> HtmlElement:
        """The page's elements; they are kept with the page."""
        self.page.tree = parse_page(self.page)
        return self.page.tree

    @cached_property
    def outline(self) -> Outline:
        """What the page declares about itself and other pages."""
        return Outline.of(self.tree, self.url)

    @cached_property
    def extraction(self) -> Extraction:
        """The fields that the wrapper extracts; without the article if a worker has read the page."""
        return self.wrapper.extract(self.tree, self.url, self.page.fetched_at)

    @cached_property
    def shown(self) -> ComparableContent:
        """The content of the page in a form for comparison."""
        return ComparableContent.of(self.extraction)

    @cached_property
    def content(self) -> Content | None:
        """The article, if the page has one, without further pages of it."""
        article = self.extraction.article
        if article is None:
            return None
        return content_of(self.wrapper, self.tree, [(article, base_url(self.tree, self.url))])

    @cached_property
    def comment_pages(self) -> list[str]:
        """The addresses of further pages of the post's comments."""
        return comment_pages(self.tree, self.url, self.outline.links)

    @cached_property
    def generator(self) -> str | None:
        """The software that the page declares as its generator."""
        for meta in self.tree.iterfind("head/meta"):
            if (meta.get("name") or "").lower() == "generator" and meta.get("content") is not None:
                return " ".join(meta.get("content").split())[:200] or None
        return None

    @cached_property
    def fits(self) -> bool:
        """True if any article rule matches."""
        return self.wrapper.fits(self.tree)

    @cached_property
    def is_post(self) -> bool:
        """True if the page has what the posts of the blog have, see `Wrapper.is_post`."""
        return self.wrapper.is_post(self.tree, self.url, self.page.fetched_at)

    @cached_property
    def is_post_at_permalink(self) -> bool:
        """True if it has what a page at a post's address must have."""
        return self.wrapper.is_post(self.tree, self.url, self.page.fetched_at, is_permalink=True)

    def read_by(self, wrapper: Wrapper) -> ReadPage:
        """The same page read by this wrapper. Raises NotAWebPage, including PageTooSlow."""
        read_page = self
        if wrapper is not self.wrapper:
            read_page = ReadPage(self.page, wrapper)
            vars(read_page)["outline"] = self.outline
        with time_limit():
            _ = read_page.extraction
        return read_page

    @time_limit()
    def to_dict(self) -> dict[str, Any]:
        """All values that depend only on page and wrapper, as JSON types; the article without its elements. Raises
        NotAWebPage."""
        values = {one.name: getattr(self, one.name) for one in fields(_HandedIn)}
        extraction = {**vars(self.extraction), "article": None, "sources": dump(self.extraction.sources)}
        dumped = {"outline": dump(self.outline), "content": dump(self.content), "shown": self.shown.to_dict()}
        return {**values, **dumped, "extraction": extraction}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], page: Page, wrapper: Wrapper, *, is_by_other: bool) -> Self:
        """Restore a page from another process's `to_dict`; only its outline if that process used another wrapper.

        Raises KeyError, TypeError or ValueError for invalid data.
        """
        read_page = cls(page, wrapper)
        vars(read_page)["outline"] = load(Outline, data["outline"])
        if not is_by_other:
            vars(read_page).update(
                vars(load(_HandedIn, data)),
                extraction=load(Extraction, data["extraction"]),
                shown=ComparableContent.from_dict(data["shown"]),
                content=load(Content | None, data["content"]),  # type: ignore[arg-type]
            )
        return read_page


@dataclass(frozen=True)
class _HandedIn:
    """Values that another process has read from a page, as JSON types."""

    comment_pages: list[str]
    generator: str | None
    fits: bool
    is_post: bool
    is_post_at_permalink: bool


def read(page: Page, wrapper: Wrapper, known: ReadPage | None = None) -> ReadPage:
    """A page with its fields; a page `known` at the same address is used again. Raises NotAWebPage, including
    PageTooSlow."""
    read_page = known if known is not None and known.url == page.url else ReadPage(page, wrapper)
    return read_page.read_by(wrapper)


def reading_of(material: RecordSource) -> ReadPage:
    """The page of a record as it was read or is to be read."""
    return material.read_page or ReadPage(material.page, material.wrapper)


def content_of(wrapper: Wrapper, tree: HtmlElement, parts: Sequence[tuple[HtmlElement, str]]) -> Content:
    """The article of a page, given as parts, each with the base address of its links. O(n)."""
    article, _ = parts[0]
    if asks_for_password(article) and len(inline_text(article)) <= MAX_LOCKED:
        return Content(is_locked=True)
    html = "\n".join(sanitise(part, url) for part, url in parts)
    backgrounds = dict.fromkeys(link.url for part, url in parts for link in background_links(part, url, tree))
    text = "\n\n".join(filter(None, (readable_text(part) for part, _ in parts)))
    language, source = wrapper.languages.read(tree, article) or (None, None)
    return Content(html, text, tuple(backgrounds), language, source)
