"""Addresses that are those of known pages with something added: a parameter, a folder in front, a name at the end.

Sessions, printable copies, forms of answers, sorted lists. What is added is learned to change nothing when a page with
it brought nothing; no list of names is needed for that.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from babel import Locale

from blogcrawler.frontier.features import LABEL
from blogcrawler.frontier.store import key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

__all__ = ["Addition", "Additions", "is_filter", "is_sorted", "names_language", "variants_of"]

_DIGITS = re.compile(r"[0-9]+")
_TOKEN = re.compile(r"(?<![^/])(?=[^/]*[0-9])[^/]+")
_NUMBER = re.compile(r"[0-9][0-9._-]*")
_LEAST_NAME = 8
"""Characters of a post's name that no other page has by accident."""
_MOST_PARAMETERS = 8
BELOW = "…/"
"""What the names of additions at the end of a path begin with: pages below a post's address may be others."""


def names_language(word: str) -> bool:
    """True for a language's code of two letters, also with a script or country, or its English name, before any dot."""
    codes, additions, names = _languages()
    word = word.casefold().partition(".")[0]
    code, *added = re.split("[-_]", word)
    return word in names or (code in codes and additions.issuperset(added))


@cache
def _languages() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    english = Locale("en")
    codes = frozenset(code for code in map(str, english.languages) if len(code) == 2)
    additions, names = (*english.scripts, *english.territories), english.languages.values()
    return codes, frozenset(str(one).casefold() for one in additions), frozenset(str(one).casefold() for one in names)


def name_of(url: str) -> str:
    """The last segment of a URL's path."""
    return url.partition("?")[0].rstrip("/").rpartition("/")[2]


def variants_of(
    url: str, is_known: Callable[[str], bool], names: Collection[str] | None = None
) -> Iterator[tuple[str, str]]:
    """What a canonical URL adds to known ones: names of what is added, each with the known URL.

    Parameters one by one and all together; a segment at the end, one or two in front or behind the blog's folder, of
    pages that have one of `names`, where these are given. At most 18 addresses are looked up.
    """
    address, _, query = url.partition("?")
    if query:
        yield from _with_parameters(address, query, is_known)
    yield from _in_front(address, query, is_known, names)
    above = address.rstrip("/").rpartition("/")[0]
    if not query and above.count("/") > 2 and (names is None or name_of(above) in names):
        base = next((base for base in (above, f"{above}/") if is_known(base)), None)
        if base is not None:
            yield f"{BELOW}{_DIGITS.sub('#', name_of(url))}", base


def _in_front(
    address: str, query: str, is_known: Callable[[str], bool], names: Collection[str] | None
) -> Iterator[tuple[str, str]]:
    name = name_of(address)
    if len(name) < _LEAST_NAME or (names is not None and name not in names):
        return
    scheme, _, rest = address.partition("//")
    host, *segments = rest.split("/")
    tail = f"?{query}" if query else ""
    for first, end in ((0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4)):
        base = f"{scheme}//{host}/{'/'.join((*segments[:first], *segments[end:]))}{tail}"
        if len(list(filter(None, segments))) > end and is_known(base):
            yield f"{'/'.join(_TOKEN.sub('#', segment) for segment in segments[first:end])}/…", base


def is_filter(url: str, is_known: Callable[[str], bool]) -> bool:
    """Are parameters added to a page of a kind that are no single number, as that of a next page is?"""
    address, _, query = url.partition("?")
    values = [parameter.partition("=")[2] for parameter in query.split("&")]
    return bool(query) and (len(values) > 1 or not values[0].isdecimal()) and is_known(address)


def is_sorted(url: str, is_known: Callable[[str], bool]) -> bool:
    """Are parameters added to a page of which one is neither a number nor a date, as those that sort a list are?"""
    values = [parameter.partition("=")[2] for parameter in url.partition("?")[2].split("&")]
    return not all(map(_NUMBER.fullmatch, values)) and is_filter(url, is_known)


def _with_parameters(address: str, query: str, is_known: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    parameters = query.split("&")[:_MOST_PARAMETERS]
    for at, parameter in enumerate(parameters):
        kept = "&".join([*parameters[:at], *parameters[at + 1 :]])
        base = f"{address}?{kept}" if kept else address
        if is_known(base):
            yield f"?{parameter.partition('=')[0]}", base
    if len(parameters) > 1 and is_known(address):
        yield "?" + "&".join(sorted({parameter.partition("=")[0] for parameter in parameters})), address


class Addition(NamedTuple):
    """What a URL adds to that of a known page."""

    name: str
    #: key of the known page
    base: str
    #: is the known page a post, or looks like one?
    is_of_post: bool


class Additions:
    """Learns which additions change nothing, from pages that were fetched. Pages are named by `store.key_of`."""

    #: pages in vain that show it: additions to a post; those at its end; and to another page, or that look like posts
    FOR_A_POST, FOR_BELOW, FOR_OTHERS = 1, 8, 20
    #: so many that repeat the post are enough
    FOR_COPIES = 2

    def __init__(self, is_known: Callable[[str], bool]) -> None:
        self._is_known = is_known
        #: keys of pages that are posts, or look like ones and were not fetched yet, and the last parts of their paths
        self._posts: set[str] = set()
        self._names: set[str] = set()
        #: pages in vain, by the name of what they add, for the page that they add it to
        self._in_vain: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._useful: set[str] = set()

    def note_page(self, key: str, url: str, *, is_post: bool) -> None:
        """A page was met or fetched: is it a post, as far as is known?"""
        if is_post:
            self._posts.add(key)
            self._names.add(name_of(url))
        else:
            self._posts.discard(key)

    def is_post(self, key: str) -> bool:
        """Is a page a post, as far as is known?"""
        return key in self._posts

    def of(self, url: str) -> list[Addition]:
        """What a canonical URL adds to those of known pages."""
        found = ((name, key_of(base)) for name, base in variants_of(url, self._is_known, self._names))
        return [Addition(name, base, base in self._posts) for name, base in found]

    def is_variant(self, url: str) -> bool:
        """Is it the address of a post with something added, or of another page with filters?"""
        return any(one.is_of_post for one in self.of(url)) or is_filter(url, self._is_known)

    def is_new(self, url: str) -> bool:
        """Does it add to a post's address what was not tried yet, before it or as a parameter?"""
        return any(
            one.is_of_post and not one.name.startswith(BELOW) and not self._is_tried(one) for one in self.of(url)
        )

    def is_idle(self, url: str, *, is_post: bool) -> bool:
        """Does a page add what was learned to change nothing? `is_post`: does it look like a post itself?"""
        return any(self._changes_nothing(one, is_post=is_post) for one in self.of(url))

    def _changes_nothing(self, addition: Addition, *, is_post: bool) -> bool:
        needed = self.FOR_OTHERS
        if addition.is_of_post and not is_post:
            needed = self.FOR_BELOW if addition.name.startswith(BELOW) else self.FOR_A_POST
        return addition.name not in self._useful and self._tries_in_vain(addition) >= needed

    def _tries_in_vain(self, addition: Addition) -> int:
        """Pages in vain; what lists in other orders, or languages, show tells nothing of what is added to posts."""
        counts = self._in_vain.get(addition.name, Counter())
        return sum(count for base, count in counts.items() if not addition.is_of_post or base in self._posts)

    def is_open(self, url: str, under_way: Collection[str]) -> bool:
        """Is none of its additions that nobody has tried among those, by name, of pages under way?"""
        return not any(one.name in under_way and not self._is_tried(one) for one in self.of(url))

    def may_be_version(self, url: str, marks: Collection[str] = ()) -> bool:
        """True if an address may be a post's in another language, by what it adds or by the marks of links to it."""
        is_named = "rel alternate" in marks or any(names_language(mark.removeprefix(LABEL)) for mark in marks)
        words = url.partition("?")[2].replace("=", "&").split("&")
        return any(
            one.is_of_post
            and (is_named or any(map(names_language, words if one.name.startswith("?") else one.name.split("/"))))
            and not self._changes_nothing(one, is_post=False)
            for one in self.of(url)
        )

    def _is_tried(self, addition: Addition) -> bool:
        return addition.name in self._useful or self._tries_in_vain(addition) > 0

    def record(self, url: str, *, brings_something: bool) -> None:
        """A page was fetched."""
        for addition in self.of(url):
            if brings_something:
                self._useful.add(addition.name)
            else:
                self._in_vain[addition.name][addition.base] += 1

    def record_copy(self, url: str) -> None:
        """A page was fetched that repeats the post whose address it adds to: that tells much more."""
        for addition in self.of(url):
            self._in_vain[addition.name][addition.base] += self.FOR_OTHERS // self.FOR_COPIES
