"""A page together with what a wrapper extracts from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from blogcrawler.crawl.duplicates import Shown
from blogcrawler.dom import parse_page
from blogcrawler.time_limit import time_limit
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from blogcrawler.items import Page
    from blogcrawler.wrapper import Extraction, Wrapper


@dataclass(frozen=True)
class ReadPage:
    """A page as a wrapper reads it."""

    page: Page
    tree: HtmlElement
    wrapper: Wrapper
    extraction: Extraction

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
        return Shown.of(self.extraction)

    def is_post(self, *, is_permalink: bool = False) -> bool:
        """True if the page has what the posts of the blog have, see `Wrapper.is_post`."""
        return self.wrapper.is_post(self.tree, self.url, self.page.fetched_at, is_permalink=is_permalink)

    def read_by(self, wrapper: Wrapper) -> ReadPage:
        """The same page as another wrapper reads it. Raises PageTooSlow."""
        return self if wrapper is self.wrapper else read(self.page, wrapper)


def read(page: Page, wrapper: Wrapper) -> ReadPage:
    """Parse a page, unless its tree is at hand, and extract its fields. Raises NotAWebPage, and so PageTooSlow."""
    tree = parse_page(page)
    with time_limit():
        return ReadPage(page, tree, wrapper, wrapper.extract(tree, page.url, page.fetched_at))
