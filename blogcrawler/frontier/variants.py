"""Addresses that are those of known pages with something added: a parameter, a folder in front, a name at the end.

Sessions, printable copies, forms of answers, sorted lists. What is added is learned to change nothing when a page with
it brought nothing; no list of names is needed for that.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

__all__ = ["Variants", "is_filter", "name_of", "variants_of"]

_DIGITS = re.compile(r"[0-9]+")
_TOKEN = re.compile(r"(?=[^/]*[0-9])[^/]+")
_LEAST_NAME = 8
"""Characters of a post's name that no other page has by accident."""
_MOST_PARAMETERS = 8


def name_of(url: str) -> str:
    """The last segment of a URL's path."""
    return url.partition("?")[0].rstrip("/").rpartition("/")[2]


def variants_of(
    url: str, is_known: Callable[[str], bool], names: Collection[str] | None = None
) -> Iterator[tuple[str, str]]:
    """What a canonical URL adds to known ones: names of what is added, each with the known URL.

    Parameters one by one and all together; a segment at the end, one or two in front, of pages that have one of
    `names`, where these are given. At most 14 addresses are looked up.
    """
    address, _, query = url.partition("?")
    if query:
        yield from _with_parameters(address, query, is_known)
    yield from _in_front(address, query, is_known, names)
    above = address.rstrip("/").rpartition("/")[0]
    if not query and above.count("/") > 2 and (names is None or name_of(above) in names):
        base = next((base for base in (above, f"{above}/") if is_known(base)), None)
        if base is not None:
            yield f"…/{_DIGITS.sub('#', name_of(url))}", base


def _in_front(
    address: str, query: str, is_known: Callable[[str], bool], names: Collection[str] | None
) -> Iterator[tuple[str, str]]:
    name = name_of(address)
    if len(name) < _LEAST_NAME or (names is not None and name not in names):
        return
    scheme, _, rest = address.partition("//")
    host, *segments = rest.split("/")
    tail = f"?{query}" if query else ""
    for front in (1, 2):
        base = f"{scheme}//{host}/{'/'.join(segments[front:])}{tail}"
        if len(segments) > front and is_known(base):
            yield f"{'/'.join(_TOKEN.sub('#', segment) for segment in segments[:front])}/…", base


def is_filter(url: str, is_known: Callable[[str], bool]) -> bool:
    """Are parameters added to a page of a kind that are no single number, as that of a next page is?"""
    address, _, query = url.partition("?")
    values = [parameter.partition("=")[2] for parameter in query.split("&")]
    return bool(query) and (len(values) > 1 or not values[0].isdecimal()) and is_known(address)


def _with_parameters(address: str, query: str, is_known: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    parameters = query.split("&")[:_MOST_PARAMETERS]
    for at, parameter in enumerate(parameters):
        kept = "&".join([*parameters[:at], *parameters[at + 1 :]])
        base = f"{address}?{kept}" if kept else address
        if is_known(base):
            yield f"?{parameter.partition('=')[0]}", base
    if len(parameters) > 1 and is_known(address):
        yield "?" + "&".join(sorted({parameter.partition("=")[0] for parameter in parameters})), address


class Variants:
    """Learns from pages that were fetched which additions change nothing."""

    #: pages that show it; of posts, of other pages, of what looks like a post itself
    FOR_A_POST, FOR_A_PAGE, AGAINST_PATTERN = 1, 2, 3

    def __init__(self) -> None:
        self._in_vain: Counter[str] = Counter()
        self._useful: set[str] = set()

    def record(self, names: Iterable[str], *, brings_something: bool) -> None:
        """A page with these additions was fetched."""
        for name in names:
            if brings_something:
                self._useful.add(name)
            else:
                self._in_vain[name] += 1

    def is_tried(self, name: str) -> bool:
        """Was a page with this addition fetched?"""
        return name in self._useful or name in self._in_vain

    def changes_nothing(self, name: str, needed: int) -> bool:
        """Did so many pages with this addition bring nothing, and no page something?"""
        return name not in self._useful and self._in_vain[name] >= needed
