"""Addresses that differ in how they are spelled and lead to the same pages: learned from pages that were fetched.

A site may answer under several hosts, with a slash at the end and without, whatever the case of letters, for a folder
and for the file that stands for it, and for a post below each of its categories. `urls.identity` knows what is the same
everywhere; the rest differs from site to site. Where pages at two addresses turned out to be the same, twice for the
same difference, other addresses that differ like this are fetched once.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from blogcrawler.frontier.store import key_of
from blogcrawler.urls import site

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Mirrors"]

ENOUGH = 2
"""Pages alike that show a difference to be none of pages."""
SHARE = 0.9
"""Share of the pages that were compared that must be alike."""
LEAST_NAME = 8
"""Characters of a name that posts do not share by accident."""
MOST_HOSTS = 4
"""Hosts of a blog that are compared."""
MOST_FILES = 4
"""Names of files for folders that are looked up."""


class Mirrors:
    """Learns which differences of addresses make none of pages. Differences are named by what differs."""

    def __init__(self) -> None:
        self._alike: Counter[str] = Counter()
        self._compared: Counter[str] = Counter()
        #: of each site that was met, one host
        self._hosts: dict[str, str] = {}
        self._met: set[str] = set()
        #: names of files that stood for a folder
        self._files: list[str] = []
        #: by the last part of a post's path, the key of the first that has it, and its folder
        self._named: dict[str, tuple[str, str]] = {}
        #: by the key of a post's address in lower case, that of the one with capital letters
        self._capitals: dict[str, str] = {}

    def meet(self, key: str, url: str, *, is_post: bool) -> None:
        """A canonical URL that is waiting, with its key."""
        host = url.split("/", 3)[2]
        if host not in self._met and len(self._hosts) < MOST_HOSTS:
            self._met.add(host)
            self._hosts.setdefault(site(url), host)
        if is_post and (lower := _lower(url)) != url:
            self._capitals.setdefault(key_of(lower), key)
        if is_post and (named := _name_in_folder(url)) is not None:
            self._named.setdefault(named[0], (key, named[1]))

    def twins(self, url: str) -> Iterator[tuple[str, str]]:
        """Keys of the addresses that differ from a canonical URL in one way, each after the name of the difference.

        At most 4 + MOST_HOSTS + MOST_FILES, whether pages are there or not.
        """
        parts = urlsplit(url)
        own = site(url) if len(self._hosts) > 1 else ""
        for name, host in self._hosts.items():
            if own and name != own:
                yield f"host {' '.join(sorted((own, name)))}", key_of(urlunsplit(parts._replace(netloc=host)))
        for difference, path in _paths(parts.path, self._files):
            yield difference, key_of(urlunsplit(parts._replace(path=path)))
        lower = _lower(url)
        other = key_of(lower) if lower != url else self._capitals.get(key_of(url))
        if other is not None:
            yield "letters", other
        name, folder = _name_in_folder(url) or ("", "")
        namesake, other_folder = self._named.get(name, ("", ""))
        if namesake and namesake != key_of(url):
            yield _folder_difference(folder, other_folder), namesake

    def difference(self, url: str, other: str) -> str | None:
        """What differs between two canonical URLs, where it is how they are spelled; None for any others."""
        for one, key in ((url, key_of(other)), (other, key_of(url))):
            found = next((name for name, twin in self.twins(one) if twin == key), None)
            if found is not None:
                return found
        return None

    def note(self, difference: str, *, is_alike: bool) -> None:
        """Pages at addresses that differ in this way were compared."""
        self._compared[difference] += 1
        self._alike[difference] += is_alike
        name = difference.removeprefix("file ")
        if is_alike and name != difference and name not in self._files and len(self._files) < MOST_FILES:
            self._files.append(name)

    @property
    def has_learned(self) -> bool:
        """Is any difference none of pages?"""
        return any(map(self.is_none, self._alike))

    def is_tried(self, difference: str) -> bool:
        """Have pages that differ in this way been compared often enough?"""
        return self._compared[difference] >= ENOUGH

    def is_mere_spelling(self, difference: str) -> bool:
        """True for an untried difference that makes no other page on most sites; folders may be those of languages."""
        return not self.is_tried(difference) and not difference.startswith(("category", "folder "))

    def is_none(self, difference: str) -> bool:
        """Are pages at addresses that differ in this way the same?"""
        alike = self._alike[difference]
        return alike >= ENOUGH and alike >= SHARE * self._compared[difference]


def _paths(path: str, files: list[str]) -> Iterator[tuple[str, str]]:
    """What a path may be spelled as, each after the name of the difference."""
    folder, _, last = path.rpartition("/")
    if last:
        yield "slash", f"{path}/"
        if "." in last:
            yield f"file {last}", f"{folder}/"
        return
    if folder:
        yield "slash", folder
    for name in files:
        yield f"file {name}", f"{path}{name}"


def _name_in_folder(url: str) -> tuple[str, str] | None:
    """The last part of a path and its folder, where the part is a name and the folder is no date; else None."""
    address, mark, _ = url.partition("?")
    above, _, name = address.rstrip("/").rpartition("/")
    folder = above.partition("//")[2].partition("/")[2]
    is_named = bool(folder) and not any(character.isdigit() for character in folder)
    return (name, folder) if is_named and not mark and len(name) >= LEAST_NAME else None


def _folder_difference(folder: str, other: str) -> str:
    """The name of the difference of two folders: "category", or the part of one that is put into the other.

    A folder of a language is such a part, and tells nothing of the categories of a post.
    """
    one, two = sorted((folder.split("/"), other.split("/")), key=len)
    added = len(two) - len(one)
    starts = (at for at in range(len(one)) if added and two[:at] + two[at + added :] == one)
    return next((f"folder {'/'.join(two[at : at + added])}" for at in starts), "category")


def _lower(url: str) -> str:
    """A URL whose path is in lower case, but for what is percent-encoded."""
    address, mark, query = url.partition("?")
    return f"{address.lower() if '%' not in address else address}{mark}{query}"
