"""Features of a URL that is not fetched yet: its parts, and the links that lead to it.

Most telling is a link's place in its page: ACEBot ranks by tag paths (Faheem and Senellart, "Adaptive Web Crawling
Through Structure-Based Link Classification", ICADL 2015), and SB-CLASSIFIER after it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PATTERN = "pattern"
"""Mark of a URL that fits the permalink pattern."""
MENU = "menu"
"""Mark of a URL that most pages of posts link to."""
TWIN = "twin"
"""Mark of a URL that differs from a known one by a trailing slash alone."""
VARIANT = "variant"
"""Mark of a URL that is a known post's with something added."""
PLACE = "place "
"""Start of the marks of places."""
LABEL = "text "
"""Start of the marks of short texts, in which # stands for numbers."""
NOFOLLOW = "rel nofollow"
"""Mark of a URL that a link says not to follow."""

MOST_MARKS = 6
"""Marks that are kept of one URL."""

#: URLs whose features are remembered, since they are ranked again and again
_KEPT = 1 << 11
_DIGITS = re.compile(r"[0-9]+")
_LETTER = re.compile(r"[^\W\d_]")
_YEAR = re.compile(r"\b(?:19|20)[0-9]{2}\b")
#: of a URL: what comes after is not looked at
_MAX_SEGMENTS, _MAX_TEXT = 8, 40
#: characters of a link's text that names a kind of link ("Older posts", "2") and not one page
_MOST_LABEL = 16
#: and of one that names a list by the years that it is of
_MOST_SPAN = 24


@dataclass(frozen=True)
class Link:
    """A link as it was found on a page, absolute."""

    url: str
    is_post: bool = False
    #: added to the estimated yield
    bonus: float = 0.0
    #: what it says about the page, see `marks_of`
    marks: tuple[str, ...] = ()
    #: whether it is in the site's menu, where posts seldom are
    in_menu: bool = False
    #: whether it has a post's address with parameters that posts do not have
    is_variant: bool = False

    @property
    def places(self) -> tuple[str, ...]:
        """Its places on the page, among its marks."""
        return places_of(self.marks)


def features(url: str, marks: Sequence[str] = ()) -> tuple[str, ...]:
    """The features by which URLs are compared: folders by name and form, with depth and path; parameters; marks."""
    return (*_url_features(url), *marks)


@lru_cache(_KEPT)
def _url_features(url: str) -> tuple[str, ...]:
    return tuple(map(intern, _of_url(url)))  # most are those of many URLs


@lru_cache(_KEPT // 4)  # the links that all pages have
def marks_of(place: int, rel: tuple[str, ...] = (), text: str = "") -> tuple[str, ...]:
    """What a link says about its target: its place on the page, its relations, and its text where that is short.
    Of a text that is longer, as "Archive 2004 to 2009", its first word is kept, and that it names a year."""
    label = _DIGITS.sub("#", " ".join(text.casefold().split()))
    if len(label) > _MOST_LABEL:
        label = f"{label.split()[0]} #" if len(text) <= _MOST_SPAN and _YEAR.search(text) else ""
    relations = (f"rel {name}" for name in sorted(rel) if name.isalpha())
    return tuple(mark for mark in (f"{PLACE}{place}", *relations, label and f"{LABEL}{label}") if mark)


def has_number(marks: Sequence[str]) -> bool:
    """True if the text of a link to it has a number, as "Before 2010"."""
    return any(mark.startswith(LABEL) and "#" in mark for mark in marks)


def names_a_time(marks: Sequence[str]) -> bool:
    """True if the text of a link to it has a number beside words; numbers alone are those of pages and days."""
    return any(mark.startswith(LABEL) and "#" in mark and _LETTER.search(mark, len(LABEL)) for mark in marks)


def places_of(marks: Sequence[str]) -> tuple[str, ...]:
    """The places among marks."""
    return tuple(mark for mark in marks if mark.startswith(PLACE))


def form_of(segment: str) -> str:
    """The kind of a segment: how long its number is, or that it is words, with its extension."""
    stem, dot, extension = segment.rpartition(".")
    text, ending = (stem, f".{extension}") if dot and len(extension) <= 5 else (segment, "")
    if text.isascii() and text.isdigit():
        return f"{'#' * min(len(text), 5)}{ending}"
    words = "words" if any(mark in text for mark in "-_%") else "word"
    return f"{words}{'#' if _DIGITS.search(text) else ''}{ending}"


def _of_url(url: str) -> Iterator[str]:
    address, _, query = url.partition("?")
    segments = [segment[:_MAX_TEXT] for segment in address.split("/")[3:] if segment][:_MAX_SEGMENTS]
    forms = [form_of(segment) for segment in segments]
    yield f"depth {len(segments)}"
    for depth, (segment, form) in enumerate(zip(segments, forms, strict=True)):
        yield f"form {depth} {form}"
        yield f"way {'/'.join(forms[: depth + 1])}"
        yield f"name {_DIGITS.sub('#', segment)}"
        yield f"start {depth} {_DIGITS.sub('#', segment)}"
    if segments:
        yield f"end {forms[-1]}{'/' if address.endswith('/') else ''}"
    for parameter in query.split("&")[:_MAX_SEGMENTS] if query else ():
        name, _, value = parameter[:_MAX_TEXT].partition("=")
        yield f"parameter {name}"
        yield f"value {name} {_DIGITS.sub('#', value)}"
