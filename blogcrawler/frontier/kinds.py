"""Kinds of URLs: their shape, their area of the site, and the list that they are a page of. Pure functions of URLs."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from blogcrawler.frontier.features import form_of
from blogcrawler.urls import MAX_URL_LENGTH

MOST_PAGED = 1990
"""Smallest number that may be a year or begin with a year."""
MOST_ROOT = 4
"""Maximum number of leading folders of a path after which an area may begin."""
MAX_DEPTH, MAX_REPEATS, MAX_PARAMETERS = 12, 2, 6
"""Maximum number of folders of a path, of repetitions of one folder (numbers aside), and of parameters. They keep a
crawl out of paths and queries that grow without end."""
ALONE = "//**"
"""End of the area of a page outside all folders; without parameters, the page is alone in its area."""
_KEPT = 1 << 14
"""Number of URLs whose kinds are cached, about 300 bytes each: more than are ranked again at once
(`pending.MOST_RANKED`)."""
_DIGITS = re.compile(r"[0-9]+")
_BEHIND_HOST = re.compile(r"[/?]")
_NUMBERS = re.compile(r"(?:p|page)?[-_]?#[#._-]*(?:\.[a-z]{2,5})?", re.IGNORECASE)
"""The number or date of a page, in a URL whose digits are replaced by #."""


@lru_cache(_KEPT)
def shape_of(url: str) -> str:
    """The part that the URLs of one endless space share: first folder, form of the rest, parameters.

    All of /tag/anything have one shape, and so have /2014/05 and /2015/06, and ?page=2 and ?page=3. Each page at the
    root has a shape of its own, by its name. Segments that are numbers keep the form in which they are written.
    """
    address, _, query = url.partition("?")
    segments = [_DIGITS.sub("#", segment) for segment in address.rstrip("/").split("/")[2:]]
    forms = [segment if _NUMBERS.fullmatch(segment) else "*" for segment in segments[2:]]
    names = sorted({_parameter(part) for part in query.split("&")}) if query else []
    return "/".join([*segments[:2], *forms]) + (f"?{'&'.join(names)}" if query else "")


def _parameter(text: str) -> str:
    name, _, value = _DIGITS.sub("#", text).partition("=")
    return f"{name}=#" if _NUMBERS.fullmatch(value) else name


def is_numbered(shape: str) -> bool:
    """True if URLs of this shape differ in numbers only."""
    path, mark, query = shape.partition("?")
    if mark:
        return all(part.endswith("=#") for part in query.split("&"))
    return path.count("/") > 0 and _NUMBERS.fullmatch(path.rpartition("/")[2]) is not None


def is_numbered_url(url: str) -> bool:
    """True if a number or date distinguishes the page from others of its shape, as with list pages and days."""
    return is_numbered(shape_of(url))


def is_paged(url: str) -> bool:
    """True if a small number distinguishes the page from others, as with list pages. Dates are excluded, since lists of
    dates go on after a pause."""
    shape = shape_of(url)
    if not is_numbered(shape) or _BEHIND_HOST.split(shape, maxsplit=1)[1].count("#") != 1:
        return False
    return int(_DIGITS.findall(url)[-1]) < MOST_PAGED


def series_of(url: str) -> str:
    """The part that the pages of one list share: all but the last number."""
    start, _, end = url.rpartition(_DIGITS.findall(url)[-1])
    return f"{start}#{end}"


@lru_cache(_KEPT)
def area_of(url: str, root: int = 0) -> str:
    """The area of the site that a URL is in: all pages below a folder, all under one path, or all names of one form.
    The first `root` folders count as part of the host."""
    address, _, query = url.partition("?")
    host, *segments = [_DIGITS.sub("#", segment) for segment in address.split("/")[2:]]
    above, below = "/".join([host, *segments[:root]]), segments[root:]
    if len(below) > 1 or query or not below:
        return f"{above}/{below[0] if below else ''}/**"
    form = form_of(address.rpartition("/")[2])
    return f"{above}/{below[0]}/**" if form.startswith("word") and not form.startswith("words") else f"{above}/{form}"


def is_within_bounds(url: str) -> bool:
    """True if the form of a canonical URL is within the bounds. Linear."""
    address, _, query = url.partition("?")
    folders = [folder for folder in address.split("/")[3:] if folder]
    repeats = Counter(folder for folder in folders if not folder.isdigit()).values()
    is_bounded = len(url) <= MAX_URL_LENGTH and len(folders) <= MAX_DEPTH
    return is_bounded and max(repeats, default=0) <= MAX_REPEATS and query.count("&") < MAX_PARAMETERS
