"""Features of an unfetched URL: its parts, and the links that lead to it.

The strongest feature is a link's place in its page. ACEBot ranks by tag paths (Faheem and Senellart, "Adaptive Web
Crawling Through Structure-Based Link Classification", ICADL 2015), and so does SB-CLASSIFIER after it.
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
"""Mark of a URL that most posts link to."""
TWIN = "twin"
"""Mark of a URL that differs from a known one only by a trailing slash."""
VARIANT = "variant"
"""Mark of a URL that extends the address of a known post."""
PLACE = "place "
"""Prefix of marks that name a place."""
LABEL = "text "
"""Prefix of marks that hold the short text of a link, with # in place of numbers."""
NOFOLLOW = "rel nofollow"
"""Mark of a URL whose link has rel=nofollow."""

MOST_MARKS = 6
"""Maximum number of marks kept for one URL."""

#: URLs whose features are cached, some 200 bytes each: more than are ranked again at once (`pending.MOST_RANKED`)
_KEPT = 1 << 14
_DIGITS = re.compile(r"[0-9]+")
_LETTER = re.compile(r"[^\W\d_]")
_YEAR = re.compile(r"\b(?:19|20)[0-9]{2}\b")
#: maximum number of segments or parameters of a URL that are read, and maximum length of each
_MAX_SEGMENTS, _MAX_TEXT = 8, 40
#: maximum length, in characters, of a link text that names a kind of link ("Older posts", "2") instead of one page
_MOST_LABEL = 16
#: maximum length, in characters, of a link text that names a list by its years
_MOST_SPAN = 24


@dataclass(frozen=True)
class Link:
    """A link that was found on a page, with an absolute URL."""

    url: str
    is_post: bool = False
    #: added to the estimated yield
    bonus: float = 0.0
    #: what the link says about its target, see `marks_of`
    marks: tuple[str, ...] = ()
    #: whether it is in the site's menu, which seldom links to posts
    in_menu: bool = False
    #: whether it is a post's address with parameters that posts do not have
    is_variant: bool = False

    @property
    def places(self) -> tuple[str, ...]:
        """The places of the link on its page, taken from its marks."""
        return places_of(self.marks)


def features(url: str, marks: Sequence[str] = ()) -> tuple[str, ...]:
    """The features by which URLs are compared: names and forms of folders, with depth and path; parameters; marks."""
    return (*_url_features(url), *marks)


@lru_cache(_KEPT)
def _url_features(url: str) -> tuple[str, ...]:
    return tuple(map(intern, _of_url(url)))  # interned, since many URLs share them


@lru_cache(512)  # the links that all pages have
def marks_of(place: int, rel: tuple[str, ...] = (), text: str = "") -> tuple[str, ...]:
    """What a link says about its target: its place on the page, its relations, and its text if this is short. Of a
    longer text with a year, like "Archive 2004 to 2009", the first word and a # are kept."""
    label = _DIGITS.sub("#", " ".join(text.casefold().split()))
    if len(label) > _MOST_LABEL:
        label = f"{label.split()[0]} #" if len(text) <= _MOST_SPAN and _YEAR.search(text) else ""
    relations = (f"rel {name}" for name in sorted(rel) if name.isalpha())
    return tuple(mark for mark in (f"{PLACE}{place}", *relations, label and f"{LABEL}{label}") if mark)


def has_number(marks: Sequence[str]) -> bool:
    """True if the text of a link has a number, like "Before 2010"."""
    return any(mark.startswith(LABEL) and "#" in mark for mark in marks)


def names_a_time(marks: Sequence[str]) -> bool:
    """True if the text of a link has a number beside words; a number alone is that of a page or day."""
    return any(mark.startswith(LABEL) and "#" in mark and _LETTER.search(mark, len(LABEL)) for mark in marks)


def places_of(marks: Sequence[str]) -> tuple[str, ...]:
    """The marks that name places."""
    return tuple(mark for mark in marks if mark.startswith(PLACE))


def form_of(segment: str) -> str:
    """The form of a path segment: the length of its number, or that it consists of words, and its extension."""
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
