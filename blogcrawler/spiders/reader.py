"""What a fetched page means to a crawl: is it a post, where does it lead, is it another address of a page."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from blogcrawler.dates import Moment, date_in_url
from blogcrawler.dom import canonical, links
from blogcrawler.frontier import PermalinkPattern
from blogcrawler.urls import Scope, identity, is_page_like, resolve, same_site

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from lxml.html import HtmlElement

    from blogcrawler.wrapper import Wrapper

__all__ = ["Reader", "menu", "trusts_canonical"]


FOLLOWED = frozenset({"next", "prev", "previous", "first", "last", "start", "up", "archives", "index", "contents"})
"""Relations of link elements that lead to further pages of a blog (HTML link types)."""
RELEARN = 3
"""Posts at addresses of an unknown form after which the permalink pattern is learned anew."""


@dataclass
class Reader:
    """Reads pages of one blog."""

    scope: Scope
    wrapper: Wrapper
    #: permalinks that are known for sure
    posts: list[str]
    #: pages that are no posts whatever they look like, as `urls.identity` writes them
    no_posts: frozenset[str] = frozenset()
    #: do posts name their own address as the canonical one? Some themes name the home page everywhere.
    trusts_canonical: bool = False
    #: forms of addresses at which lists of posts were found
    lists: set[str] = field(default_factory=set)
    #: pages that most posts' pages link to, known posts excepted, as `urls.identity` writes them
    menu: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self._learn_pattern()
        #: digest of a post's content → identity of its page
        self._contents: dict[bytes, str] = {}

    def is_permalink(self, url: str) -> bool:
        """Does a URL look like a post's, before it is fetched?"""
        return self.pattern.matches(url) and identity(url) not in self.no_posts

    def links(self, tree: HtmlElement, url: str) -> list[str]:
        """The pages of the blog that a page links to, in order, each once."""
        found: dict[str, None] = {}
        for link in links(tree, url):
            if link.kind == "iframe" or (link.kind == "link" and FOLLOWED.isdisjoint(link.rel)):
                continue
            target = resolve(url, link.url)
            if target and self.scope.covers(target) and is_page_like(target):
                found.setdefault(target)
        return list(found)

    def canonical(self, tree: HtmlElement, url: str) -> str | None:
        """The other address of the same site that a page says is its own.

        None where it has none, or none to be believed: posts are not a part of themselves, such as a page of their
        comments, which some software names when it shows the newest ones first.
        """
        if not self.trusts_canonical:
            return None
        told = canonical(tree, url)
        target = resolve(url, told) if told else None
        if target is None or not same_site(target, url) or identity(target) == identity(url):
            return None
        is_part = urlsplit(target).path.startswith(urlsplit(url).path.rstrip("/") + "/") and self.is_permalink(url)
        return None if is_part and not self.is_permalink(target) else target

    def is_post(self, tree: HtmlElement, url: str, fetched: datetime | None = None) -> bool:
        """Is a page a post?

        By its URL and what it holds; or, at an address of another form, by what it holds, when it stands in the folder
        of the posts, or has its own date in the URL, and neither it nor another page of its form is a list of posts.

        A page of another template than the newest posts' (old posts often keep theirs) must have a post's URL, be in no
        menu, and show in other ways that it is a post.
        """
        if identity(url) in self.no_posts:
            return False
        if not self.wrapper.is_post(tree, url, fetched):
            return self._is_other_post(tree, url, fetched)
        if self.pattern.matches(url):
            return True
        if _form(url) in self.lists or not (_folder(url) in self._folders or self._is_dated_post(tree, url, fetched)):
            return False
        if self.wrapper.holds_several(tree) or self._is_copy(tree, url, fetched):
            self.lists.add(_form(url))
            return False
        return True

    def _is_other_post(self, tree: HtmlElement, url: str, fetched: datetime | None) -> bool:
        return (
            self.pattern.matches(url)
            and identity(url) not in self.menu
            and self.wrapper.is_other_post(tree, url)
            and not self._is_copy(tree, url, fetched)
        )

    def add_post(self, tree: HtmlElement, url: str, fetched: datetime | None = None) -> bool:
        """A page turned out to be a post. True when the pattern of permalinks has changed by its address."""
        self._is_copy(tree, url, fetched)
        if self.pattern.matches(url):
            return False
        self.posts.append(url)
        self._unknown += 1
        if self._unknown < RELEARN:
            return False
        self._learn_pattern()
        return True

    def _learn_pattern(self) -> None:
        self._unknown = 0
        self.pattern = PermalinkPattern.learn(self.posts, negatives=[f"http://{url}" for url in self.no_posts])
        folders = Counter(_folder(url) for url in self.posts)
        self._folders = {
            folder
            for folder, count in folders.items()
            if 2 * count >= len(self.posts) and folder.count("/") > ROOT_SLASHES
        }

    def _is_copy(self, tree: HtmlElement, url: str, fetched: datetime | None) -> bool:
        """Has another page the same title and date, or, where one of them is missing, the same article?"""
        found = self.wrapper.extract(tree, url, fetched)
        if found.article is None:
            return False
        known = found.title and found.published
        text = "" if known else " ".join("".join(found.article.itertext()).split())
        digest = hashlib.sha256(f"{found.title}\0{found.published}\0{text}".encode()).digest()
        return self._contents.setdefault(digest, identity(url)) != identity(url)

    def to_dict(self) -> dict[str, Any]:
        """All but the wrapper, as JSON types."""
        return {
            "sites": list(self.scope.sites),
            "folder": self.scope.folder,
            "posts": self.posts,
            "no_posts": sorted(self.no_posts),
            "trusts_canonical": self.trusts_canonical,
            "lists": sorted(self.lists),
            "menu": sorted(self.menu),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], wrapper: Wrapper) -> Self:
        """The reader of `to_dict`."""
        scope = Scope(tuple(data["sites"]), data["folder"])
        return cls(
            scope,
            wrapper,
            data["posts"],
            frozenset(data["no_posts"]),
            data["trusts_canonical"],
            set(data["lists"]),
            frozenset(data.get("menu", ())),
        )

    def _is_dated_post(self, tree: HtmlElement, url: str, fetched: datetime | None) -> bool:
        day = date_in_url(url)
        if day is None or not any(character.isalpha() for character in url.rstrip("/").rpartition("/")[2]):
            return False
        found = self.wrapper.extract(tree, url, fetched).published
        moment = Moment.parse_iso(found) if found else None
        return moment is not None and moment.same_day(day)


MENU = 0.8
"""Share of the posts' pages that link to what stands in the site's menu."""
FEW = 3
"""Pages; fewer do not tell a menu from links between neighbours."""


def menu(pages: Sequence[Iterable[str]], posts: Iterable[str]) -> frozenset[str]:
    """What most pages of posts link to and is no known post, as `urls.identity` writes it. O(n) in the links.

    `pages` holds the links of each page.
    """
    if len(pages) < FEW:
        return frozenset()
    counts = Counter(key for targets in pages for key in {identity(target) for target in targets})
    known = {identity(url) for url in posts}
    return frozenset(key for key, count in counts.items() if count >= MENU * len(pages) and key not in known)


ROOT_SLASHES = 1
"""In what `_folder` gives for the top of a site."""


def _folder(url: str) -> str:
    """The folder that a page stands in: "example.org/blog/" for a page or folder below it."""
    return identity(url).partition("?")[0].rstrip("/").rpartition("/")[0] + "/"


def _form(url: str) -> str:
    """A URL with all numbers alike: that of one month's list has the form of all months'."""
    return re.sub(r"\d+", "0", identity(url))


def trusts_canonical(pages: Iterable[tuple[HtmlElement, str]]) -> bool:
    """Do the pages of a blog's posts name themselves as canonical, as far as they name any?"""
    own = other = 0
    for tree, url in pages:
        told = canonical(tree, url)
        if told and (target := resolve(url, told)):
            same = identity(target) == identity(url)
            own, other = own + same, other + (not same)
    return own > 0 and other == 0
