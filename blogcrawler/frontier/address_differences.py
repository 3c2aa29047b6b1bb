"""How addresses of one page differ: in their spelling, or by a part that is added to one of them.

Pure functions of URLs. Which differences lead to the same page is learned by `aliases` and `additions`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from babel import Locale

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

LEAST_NAME = 8
"""Characters of a page's name that no other page has by accident."""
FILE = "file"
"""Trait of an address that may end in a file's name, or has parameters: no slash is added to it."""
BELOW = "…/"
"""Start of the names of additions at the end of a path: pages below a post's address may be different ones."""
_MOST_PARAMETERS = 8
_DIGITS = re.compile(r"[0-9]+")
_TOKEN = re.compile(r"(?<![^/])(?=[^/]*[0-9])[^/]+")
_NUMBER = re.compile(r"[0-9][0-9._-]*")
_IN_FRONT = ((0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4))


def name_of(url: str) -> str:
    """The last segment of a URL's path."""
    return url.partition("?")[0].rstrip("/").rpartition("/")[2]


def traits_of(url: str) -> dict[str, str]:
    """The parts of an address that a server may change by a redirect: scheme, host, and slash at the end."""
    parts = urlsplit(url)
    may_be_file = "." in parts.path.rpartition("/")[2] or parts.query
    slash = FILE if may_be_file else "/" if parts.path.endswith("/") else ""
    return {"scheme": parts.scheme, "host": parts.netloc, "slash": slash}


def with_slash_toggled(url: str) -> str:
    """The address with a slash at the end of its path, or without where it has one."""
    address, mark, query = url.partition("?")
    return f"{address.removesuffix('/') if address.endswith('/') else f'{address}/'}{mark}{query}"


def lower_case(url: str) -> str:
    """A URL with its path in lower case; unchanged where parts are percent-encoded."""
    address, mark, query = url.partition("?")
    return f"{address.lower() if '%' not in address else address}{mark}{query}"


def path_spellings(path: str, endings: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Other spellings of a path, each after the name of the difference.

    `endings` are names of files that were served for their folder, and suffixes, as ".html", that a server leaves out.
    """
    folder, _, last = path.rpartition("/")
    if last:
        yield "slash", f"{path}/"
        stem, dot, suffix = last.rpartition(".")
        if dot:
            yield f"file {last}", f"{folder}/"
        if stem and suffix.isalpha():
            yield f"file .{suffix}", f"{folder}/{stem}"
    elif folder:
        yield "slash", folder
    for ending in endings:
        if ending.startswith(".") == ("." not in last and bool(last)):
            yield f"file {ending}", f"{path}{ending}"


def name_in_folder(url: str) -> tuple[str, str]:
    """The last part of a path and its folder; empty where the part is short or the folder has digits, as dates have."""
    address, mark, _ = url.partition("?")
    above, _, name = address.rstrip("/").rpartition("/")
    folder = above.partition("//")[2].partition("/")[2]
    is_named = bool(folder) and not any(character.isdigit() for character in folder)
    return (name, folder) if is_named and not mark and len(name) >= LEAST_NAME else ("", "")


def folder_difference(folder: str, other: str) -> str:
    """The name of the difference of two folders: "category", or the part, as a language, that one of them has more."""
    shorter, longer = sorted((folder.split("/"), other.split("/")), key=len)
    added = len(longer) - len(shorter)
    starts = (at for at in range(len(shorter)) if added and longer[:at] + longer[at + added :] == shorter)
    return next((f"folder {'/'.join(longer[at : at + added])}" for at in starts), "category")


def additions_to(
    url: str, is_known: Callable[[str], bool], names: Collection[str] | None = None
) -> Iterator[tuple[str, str]]:
    """Names of the parts that a canonical URL adds to known ones, each with the known URL; at most 18 are looked up.

    Parameters one by one and all together; a segment at the end, one or two in front or behind the blog's folder, of
    pages that have one of `names`, where these are given.
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
    if len(name) < LEAST_NAME or (names is not None and name not in names):
        return
    scheme, _, rest = address.partition("//")
    host, *segments = rest.split("/")
    tail = f"?{query}" if query else ""
    for first, end in _IN_FRONT:
        base = f"{scheme}//{host}/{'/'.join((*segments[:first], *segments[end:]))}{tail}"
        if len(list(filter(None, segments))) > end and is_known(base):
            yield f"{'/'.join(_TOKEN.sub('#', segment) for segment in segments[first:end])}/…", base


def _with_parameters(address: str, query: str, is_known: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    parameters = query.split("&")[:_MOST_PARAMETERS]
    for at, parameter in enumerate(parameters):
        kept = "&".join([*parameters[:at], *parameters[at + 1 :]])
        base = f"{address}?{kept}" if kept else address
        if is_known(base):
            yield f"?{parameter.partition('=')[0]}", base
    if len(parameters) > 1 and is_known(address):
        yield "?" + "&".join(sorted({parameter.partition("=")[0] for parameter in parameters})), address


def is_filter(url: str, is_known: Callable[[str], bool]) -> bool:
    """True if a known page's address has parameters added that are no single number, as that of a next page is."""
    address, _, query = url.partition("?")
    values = [parameter.partition("=")[2] for parameter in query.split("&")]
    return bool(query) and (len(values) > 1 or not values[0].isdecimal()) and is_known(address)


def is_sorted(url: str, is_known: Callable[[str], bool]) -> bool:
    """True if an added parameter is neither a number nor a date, as those that sort a list are."""
    values = [parameter.partition("=")[2] for parameter in url.partition("?")[2].split("&")]
    return not all(map(_NUMBER.fullmatch, values)) and is_filter(url, is_known)


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
    return codes, frozenset(str(part).casefold() for part in additions), frozenset(str(n).casefold() for n in names)
