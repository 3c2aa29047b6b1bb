"""Learn which additions to an address lead to the same page: parameters, leading folders, trailing names.

Examples are session parameters, printable and AMP copies, translations and sorted lists. No list of names is needed: an
addition counts as one that changes nothing after several pages with it brought no new post.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.frontier.address_differences import BELOW, additions_to, is_filter, name_of, names_language
from blogcrawler.frontier.features import LABEL
from blogcrawler.frontier.store import key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from blogcrawler.frontier.store import Candidate


class Addition(NamedTuple):
    """The part that a URL adds to the URL of a known page."""

    name: str
    #: key of the known page
    base: str
    #: whether the known page is a post, or looks like one
    is_of_post: bool


class Additions:
    """Learns which additions change nothing, from pages that were fetched. Pages are named by `store.key_of`."""

    #: fruitless pages after which an addition is ignored: one added to a post's address; one added at the end of a
    #: post's path; any other addition, also where the longer address looks like a post
    FOR_A_POST, FOR_BELOW, FOR_OTHERS = 1, 8, 20
    #: pages that are enough where each repeats the post whose address it extends
    FOR_COPIES = 2

    def __init__(self, is_known: Callable[[str], bool]) -> None:
        self._is_known = is_known
        #: keys of pages that are posts or look like unfetched posts, and the last path segments of posts
        self._posts: set[str] = set()
        self._names: set[str] = set()
        #: number of fruitless pages, by name of the addition and key of the page that it is added to
        self._fruitless: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._useful: set[str] = set()

    def note_page(self, page: Candidate) -> None:
        """Note a page that was discovered or fetched."""
        if page.was_post or (page.is_post and page.was_post is None):
            self._posts.add(page.key)
            self._names.add(name_of(page.url))
        else:
            self._posts.discard(page.key)

    def is_post(self, key: str) -> bool:
        """True if a page is a post, or looks like a post and was not fetched yet."""
        return key in self._posts

    def of(self, url: str) -> list[Addition]:
        """The parts that a canonical URL adds to the URLs of known pages."""
        pairs = ((name, key_of(base)) for name, base in additions_to(url, self._is_known, self._names))
        return [Addition(name, base, base in self._posts) for name, base in pairs]

    def is_variant(self, url: str) -> bool:
        """True if a URL extends a post's address, or filters the list on another known page."""
        return any(addition.is_of_post for addition in self.of(url)) or is_filter(url, self._is_known)

    def is_untried(self, url: str) -> bool:
        """True if a URL extends a post's address by an untried parameter or leading folder."""
        return any(
            addition.is_of_post and not addition.name.startswith(BELOW) and not self._is_tried(addition)
            for addition in self.of(url)
        )

    def is_idle(self, url: str, *, is_post: bool) -> bool:
        """True if the URL's addition was learned to change nothing; `is_post` says whether the URL itself looks like a
        post."""
        return any(self._changes_nothing(addition, is_post=is_post) for addition in self.of(url))

    def is_open(self, url: str, under_way: Collection[str]) -> bool:
        """True unless a page in flight is the first to try an addition of this URL; `under_way` names the additions in
        flight."""
        return not any(addition.name in under_way and not self._is_tried(addition) for addition in self.of(url))

    def may_be_version(self, url: str, marks: Collection[str] = ()) -> bool:
        """True if a URL may be a translation of a post, judged by its addition or by the marks of links to it."""
        is_named = "rel alternate" in marks or any(names_language(mark.removeprefix(LABEL)) for mark in marks)
        words = url.partition("?")[2].replace("=", "&").split("&")
        return any(
            addition.is_of_post
            and (is_named or any(map(names_language, words if addition.name[0] == "?" else addition.name.split("/"))))
            and not self._changes_nothing(addition, is_post=False)
            for addition in self.of(url)
        )

    def record(self, url: str, *, brings_something: bool) -> None:
        """Note whether the page's extra URL parameters or path segments led to new posts."""
        for addition in self.of(url):
            if brings_something:
                self._useful.add(addition.name)
            else:
                self._fruitless[addition.name][addition.base] += 1

    def record_copy(self, url: str) -> None:
        """Learn from a page that repeats the post whose address it extends; this is stronger evidence than a fruitless
        page."""
        for addition in self.of(url):
            self._fruitless[addition.name][addition.base] += self.FOR_OTHERS // self.FOR_COPIES

    def _changes_nothing(self, addition: Addition, *, is_post: bool) -> bool:
        needed = self.FOR_OTHERS
        if addition.is_of_post and not is_post:
            needed = self.FOR_BELOW if addition.name.startswith(BELOW) else self.FOR_A_POST
        return addition.name not in self._useful and self._fruitless_pages(addition) >= needed

    def _is_tried(self, addition: Addition) -> bool:
        return addition.name in self._useful or self._fruitless_pages(addition) > 0

    def _fruitless_pages(self, addition: Addition) -> int:
        """Number of fruitless pages with an addition. For an addition to a post only additions to posts are counted,
        since lists in another order or language are no evidence."""
        counts = self._fruitless.get(addition.name, Counter())
        return sum(count for base, count in counts.items() if not addition.is_of_post or base in self._posts)
