"""Differences between addresses of one page: another spelling, or a part that is added to one of them.

Pure functions of URLs. `aliases` and `additions` learn which differences lead to the same page.
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
"""Minimum length of a page's name that no other page has by accident."""
FILE = "file"
"""Trait of an address whose path may end in a file name, or that has parameters: no trailing slash is added to it."""
BELOW = "…/"
"""Start of the names of additions at the end of a path: a page below a post's address may be a different page."""
_MOST_PARAMETERS = 8
_DIGITS = re.compile(r"[0-9]+")
_TOKEN = re.compile(r"(?<![^/])(?=[^/]*[0-9])[^/]+")
_NUMBER = re.compile(r"[0-9][0-9._-]*")
_IN_FRONT = ((0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4))


def name_of(url: str) -> str:
    """The last segment of a URL's path."""
    return url.partition("?")[0].rstrip("/").rpartition("/")[2]


def traits_of(url: str) -> dict[str, str]:
    """The parts of an address that a server may change by a redirect: scheme, host and trailing slash."""
    parts = urlsplit(url)
    may_be_file = "." in parts.path.rpartition("/")[2] or parts.query
    slash = FILE if may_be_file else "/" if parts.path.endswith("/") else ""
    return {"scheme": parts.scheme, "host": parts.netloc, "slash": slash}


def with_slash_toggled(url: str) -> str:
    """The address with a slash appended to its path, or removed if it has one."""
    address, mark, query = url.partition("?")
    return f"{address.removesuffix('/') if address.endswith('/') else f'{address}/'}{mark}{query}"


def lower_case(url: str) -> str:
    """A URL with its path in lower case; unchanged if it contains percent-encoded characters."""
    address, mark, query = url.partition("?")
    return f"{address.lower() if '%' not in address else address}{mark}{query}"


def path_spellings(path: str, endings: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Other spellings of a path, as pairs (name of the difference, path).

    `endings` are index file names that were served for their folder, and suffixes such as ".html" that the server
    omits.
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
    """The last segment of a path and its folder; empty strings if the segment is short, the folder has digits as
    folders of dates have, or the URL has a query."""
    address, mark, _ = url.partition("?")
    above, _, name = address.rstrip("/").rpartition("/")
    folder = above.partition("//")[2].partition("/")[2]
    is_named = bool(folder) and not any(character.isdigit() for character in folder)
    return (name, folder) if is_named and not mark and len(name) >= LEAST_NAME else ("", "")


def folder_difference(folder: str, other_folder: str) -> str:
    """Name of the difference between two folders: "category", or "folder" and the segment that only one of them has,
    such as a language."""
    shorter, longer = sorted((folder.split("/"), other_folder.split("/")), key=len)
    added = len(longer) - len(shorter)
    starts = (at for at in range(len(shorter)) if added and longer[:at] + longer[at + added :] == shorter)
    return next((f"folder {'/'.join(longer[at : at + added])}" for at in starts), "category")


def additions_to(
    url: str, is_known: Callable[[str], bool], names: Collection[str] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield (name of the added part, known URL) for each known URL that a canonical URL extends; at most 18 lookups.

    Each parameter, all parameters, the last segment, and one or two segments at the start or behind the blog's folder
    are removed on trial. If `names` are given, only pages whose last segment is among them are looked up.
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
        remaining = "&".join([*parameters[:at], *parameters[at + 1 :]])
        base = f"{address}?{remaining}" if remaining else address
        if is_known(base):
            yield f"?{parameter.partition('=')[0]}", base
    if len(parameters) > 1 and is_known(address):
        yield "?" + "&".join(sorted({parameter.partition("=")[0] for parameter in parameters})), address


def is_filter(url: str, is_known: Callable[[str], bool]) -> bool:
    """True if a known page's address has added parameters. A single number is excluded, since it may be that of a next
    page."""
    address, _, query = url.partition("?")
    values = [parameter.partition("=")[2] for parameter in query.split("&")]
    return bool(query) and (len(values) > 1 or not values[0].isdecimal()) and is_known(address)


def is_sorted(url: str, is_known: Callable[[str], bool]) -> bool:
    """True if an added parameter is neither a number nor a date; such parameters sort a list."""
    values = [parameter.partition("=")[2] for parameter in url.partition("?")[2].split("&")]
    return not all(map(_NUMBER.fullmatch, values)) and is_filter(url, is_known)


def names_language(word: str) -> bool:
    """True for a two-letter language code, also with a script or country, or an English language name; text after a dot
    is ignored."""
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
