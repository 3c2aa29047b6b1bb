"""What a fetched page means to a crawl: is it a post, where does it lead, is it another address of a page."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from blogcrawler.dates import Moment, date_in_url
from blogcrawler.dom import canonical, links
from blogcrawler.frontier import PermalinkPattern
from blogcrawler.urls import Scope, identity, is_page_like, resolve, same_site

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lxml.html import HtmlElement

    from blogcrawler.wrapper import Wrapper

__all__ = ["Reader", "trusts_canonical"]


@dataclass
class Reader:
    """Reads pages of one blog."""

    scope: Scope
    pattern: PermalinkPattern
    wrapper: Wrapper
    #: do posts name their own address as the canonical one? Some themes name the home page everywhere.
    trusts_canonical: bool = False
    #: pages that are no posts whatever they look like
    no_posts: frozenset[str] = frozenset()
    _contents: dict[bytes, str] = field(default_factory=dict)

    def is_permalink(self, url: str) -> bool:
        """Does a URL look like a post's, before it is fetched?"""
        return self.pattern.matches(url) and identity(url) not in self.no_posts

    def links(self, tree: HtmlElement, url: str) -> list[str]:
        """The pages of the blog that a page links to, in order, each once."""
        found: dict[str, None] = {}
        for link in links(tree, url):
            target = resolve(url, link.url) if link.kind in {"a", "area", "link"} else None
            if target and self.scope.covers(target) and is_page_like(target):
                found.setdefault(target)
        return list(found)

    def canonical(self, tree: HtmlElement, url: str) -> str | None:
        """The other address of the same site that a page says is its own; None where it has none, or none to be believed."""
        if not self.trusts_canonical:
            return None
        told = canonical(tree, url)
        target = resolve(url, told) if told else None
        if target is None or not same_site(target, url) or identity(target) == identity(url):
            return None
        return target

    def is_post(self, tree: HtmlElement, url: str) -> bool:
        """Is a page a post: by its URL and what it holds; or, at an address of another form, by what it holds and a date in
        the URL that is the page's own.
        """
        if identity(url) in self.no_posts or not self.wrapper.is_post(tree, url):
            return False
        return self.pattern.matches(url) or self._is_dated_post(tree, url)

    def is_copy(self, tree: HtmlElement, url: str) -> bool:
        """Was the same article, with the same title, read at another address before?"""
        found = self.wrapper.extract(tree, url)
        if found.article is None:
            return False
        text = " ".join("".join(found.article.itertext()).split())
        digest = hashlib.sha256(f"{found.title}\0{found.published}\0{text}".encode()).digest()
        return self._contents.setdefault(digest, url) != url

    def to_dict(self) -> dict[str, Any]:
        """All but the wrapper, as JSON types."""
        return {
            "sites": list(self.scope.sites),
            "folder": self.scope.folder,
            "pattern": self.pattern.to_dict(),
            "trusts_canonical": self.trusts_canonical,
            "no_posts": sorted(self.no_posts),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], wrapper: Wrapper) -> Self:
        """The reader of `to_dict`."""
        return cls(
            Scope(tuple(data["sites"]), data["folder"]),
            PermalinkPattern.from_dict(data["pattern"]),
            wrapper,
            data["trusts_canonical"],
            frozenset(data["no_posts"]),
        )

    def _is_dated_post(self, tree: HtmlElement, url: str) -> bool:
        day = date_in_url(url)
        if day is None or not any(character.isalpha() for character in url.rstrip("/").rpartition("/")[2]):
            return False
        found = self.wrapper.extract(tree, url).published
        moment = Moment.parse_iso(found) if found else None
        return moment is not None and moment.same_day(day)


def trusts_canonical(pages: Iterable[tuple[HtmlElement, str]]) -> bool:
    """Do the pages of a blog's posts name themselves as canonical, as far as they name any?"""
    own = other = 0
    for tree, url in pages:
        told = canonical(tree, url)
        if told and (target := resolve(url, told)):
            same = identity(target) == identity(url)
            own, other = own + same, other + (not same)
    return own > 0 and other == 0
