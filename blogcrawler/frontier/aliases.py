"""Learn aliases, the other addresses of known pages, from redirects, canonical links and repeated posts.

Redirects show how the server rewrites addresses: scheme, "www." and trailing slash (the slash may depend on the shape
of the address). Once several redirects agree, pages are requested at the rewritten address. A site may also serve a
page under several hosts, with and without a trailing slash, in any letter case, as a folder and as its index file, with
and without ".html", and below each category of a post. Once two pairs of addresses with the same difference led to the
same page, only one address of further such pairs is fetched. Print and AMP copies and translations are handled by
`additions`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from blogcrawler.frontier.additions import Additions
from blogcrawler.frontier.address_differences import (
    FILE,
    folder_difference,
    lower_case,
    name_in_folder,
    path_spellings,
    traits_of,
    with_slash_toggled,
)
from blogcrawler.frontier.kinds import shape_of
from blogcrawler.frontier.store import key_of
from blogcrawler.urls import canonicalise, site

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from blogcrawler.frontier.store import Candidate, Status

FETCHED: tuple[Status, ...] = ("done", "claimed")
REDIRECTS_ALIKE = 3
"""Number of redirects after which a change is applied to other addresses, unless a page answered at an unchanged
address."""
ENOUGH = 2
"""Number of pairs of identical pages that prove that a difference leads to the same page."""
SHARE = 0.9
"""Share of the compared pairs that must be identical."""
MOST_HOSTS = 4
"""Maximum number of hosts of a blog that are compared."""
MOST_ENDINGS = 4
"""Maximum number of index file names and file suffixes that are looked up."""


class Aliases:
    """The table of aliases of a frontier. Pages are identified by `store.key_of`, differences by their names."""

    def __init__(self, status_of: Callable[[str], Status | None], is_known: Callable[[str], bool]) -> None:
        self._status_of = status_of
        self.additions = Additions(is_known)
        #: new values of each trait that redirects changed, and traits of addresses that answered without a redirect
        self._changed: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._kept: set[tuple[str, str]] = set()
        #: by difference: number of identical pairs of pages, and number of compared pairs
        self._same: Counter[str] = Counter()
        self._compared: Counter[str] = Counter()
        #: one known host of each site
        self._hosts: dict[str, str] = {}
        self._met: set[str] = set()
        #: index file names that were served for their folder, and file suffixes that the server omits
        self._endings: list[str] = []
        #: by last path segment of a post: key of the first post that has it, and the folder of this post
        self._named: dict[str, tuple[str, str]] = {}
        #: by key of a post's address in lower case: key of its address with capital letters
        self._capitals: dict[str, str] = {}
        #: keys of pages that were fetched to test whether their addresses are aliases
        self.trials: set[str] = set()

    def note_page(self, page: Candidate) -> None:
        """Note a page that was discovered or whose status has changed."""
        url = page.url
        host = url.split("/", 3)[2]
        if host not in self._met and len(self._hosts) < MOST_HOSTS:
            self._met.add(host)
            self._hosts.setdefault(site(url), host)
        if page.is_post:
            if (lower := lower_case(url)) != url:
                self._capitals.setdefault(key_of(lower), page.key)
            name, folder = name_in_folder(url)
            if name:
                self._named.setdefault(name, (page.key, folder))
        self.additions.note_page(page)

    def note_redirect(self, source: str, target: str) -> None:
        """Count the traits that a redirect changed, if the two addresses differ in nothing else."""
        before, after = _traits(source, shape_of(source)), _traits(target, shape_of(source))
        if _without_traits(source) == _without_traits(target):
            for name, value in before.items():
                if value != after[name] and FILE not in (value, after[name]):
                    self._changed[name, value][after[name]] += 1

    def note_answer(self, url: str) -> None:
        """Note that a page answered at this address, or that the address should not be rewritten."""
        self._kept.update(_traits(url, shape_of(url)).items())

    def request_url(self, url: str) -> str:
        """The address that the server would redirect `url` to; `url` itself if no redirect is expected."""
        if not self._changed:
            return url
        traits = traits_of(url)
        wanted = {name: self._wanted(name, value) for name, value in traits.items()}
        if wanted["slash"] == traits["slash"]:
            wanted["slash"] = self._wanted(_slash_in(shape_of(url)), traits["slash"])
        if wanted == traits:
            return url
        parts = urlsplit(url)
        path = parts.path if wanted["slash"] == traits["slash"] else f"{parts.path.rstrip('/')}{wanted['slash']}"
        return urlunsplit((wanted["scheme"], wanted["host"], path or "/", parts.query, ""))

    def _wanted(self, name: str, value: str) -> str:
        if (name, value) in self._kept:
            return value
        changed = self._changed.get((name, value), Counter())
        count, new = max(((count, new) for new, count in changed.items()), default=(0, value))
        return new if count >= REDIRECTS_ALIKE else value

    def resolve(self, url: str, states: Container[Status | None] | None = None) -> str | None:
        """Key of a known page in one of `states` (default: any) that was learned to be the same as `url`; None if there
        is none."""
        for difference, key in self.spellings(url) if self._same else ():
            status = self._status_of(key)
            if status is not None and self.makes_no_page(difference) and (states is None or status in states):
                return key
        return None

    def is_fetched(self, url: str) -> bool:
        """True if the page was fetched, or is being fetched, at a learned alias of this address."""
        return self.resolve(url, FETCHED) is not None

    def is_fetched_with_slash_toggled(self, url: str) -> bool:
        """True if the page was fetched without the trailing slash of this address, or with one that it lacks."""
        twin = key_of(with_slash_toggled(url))
        return twin != key_of(url) and self._status_of(twin) == "done"

    def versions(self, url: str) -> Iterator[tuple[str, str]]:
        """Fetched posts whose addresses are other spellings of `url`, as pairs (key, name of the difference)."""
        for difference, key in self.spellings(url):
            if self._status_of(key) in FETCHED and self.additions.is_post(key):
                yield key, difference

    def has_version(self, url: str) -> bool:
        """True if a post was fetched, or is being fetched, at another spelling of this address."""
        return next(self.versions(canonicalise(url)), None) is not None

    def is_alias(self, url: str) -> bool:
        """True if a post was fetched at another spelling of this address, by a learned difference or a common untested
        one."""
        for _, difference in self.versions(url):
            is_usual = not self._is_tried(difference) and not difference.startswith(("category", "folder "))
            if is_usual or self.makes_no_page(difference):
                return True
        return False

    def spellings(self, url: str) -> Iterator[tuple[str, str]]:
        """Other spellings of a canonical URL, as pairs (name of the difference, key)."""
        parts = urlsplit(url)
        own = site(url) if len(self._hosts) > 1 else ""
        for name, host in self._hosts.items():
            if own and name != own:
                yield f"host {' '.join(sorted((own, name)))}", key_of(urlunsplit(parts._replace(netloc=host)))
        for difference, path in path_spellings(parts.path, self._endings):
            yield difference, key_of(urlunsplit(parts._replace(path=path)))
        lower = lower_case(url)
        other_case = key_of(lower) if lower != url else self._capitals.get(key_of(url))
        if other_case is not None:
            yield "letters", other_case
        name, folder = name_in_folder(url)
        namesake, other_folder = self._named.get(name, ("", ""))
        if namesake and namesake != key_of(url):
            yield folder_difference(folder, other_folder), namesake

    def difference(self, url: str, other_url: str) -> str | None:
        """Name of the spelling difference between two canonical URLs; None if they differ in another way."""
        for first, key in ((url, key_of(other_url)), (other_url, key_of(url))):
            spelling = next((name for name, spelled in self.spellings(first) if spelled == key), None)
            if spelling is not None:
                return spelling
        return None

    def makes_no_page(self, difference: str) -> bool:
        """True if addresses with this difference were learned to lead to the same page."""
        same = self._same[difference]
        return same >= ENOUGH and same >= SHARE * self._compared[difference]

    def _is_tried(self, difference: str) -> bool:
        return self._compared[difference] >= ENOUGH

    def note(self, difference: str, *, is_same: bool) -> None:
        """Count a compared pair of pages whose addresses have this difference."""
        self._compared[difference] += 1
        self._same[difference] += is_same
        name = difference.removeprefix("file ")
        if is_same and name != difference and name not in self._endings and len(self._endings) < MOST_ENDINGS:
            self._endings.append(name)

    def note_alias(self, url: str, other_url: str) -> bool:
        """Note a statement that two addresses belong to one page; False if they differ in more than spelling."""
        difference = self.difference(canonicalise(url), canonicalise(other_url))
        if difference is not None:
            self.note(difference, is_same=True)
        return difference is not None

    def compare(self, url: str, same_content: str | None) -> bool:
        """Learn from a fetched post; True if its address is another spelling of `same_content`, the address of
        a post with the same content."""
        url, same_content = canonicalise(url), same_content and canonicalise(same_content)
        same = (
            self.difference(url, same_content)
            if same_content and self.additions.is_post(key_of(same_content))
            else None
        )
        for key, difference in self.versions(url):
            if difference != same and self._status_of(key) == "done":
                self.note(difference, is_same=False)
        if same is not None:
            self.note(same, is_same=True)
        return same is not None

    def compare_again(self, url: str) -> None:
        """Count a page again, in a resumed crawl, whose address was found to be an alias."""
        for difference, key in self.spellings(url):
            if self._status_of(key) == "done":
                self.note(difference, is_same=True)

    def needs_trial(self, url: str) -> bool:
        """True if a fetched post's address differs from this one in a way that was not tested yet."""
        return any(not self._is_tried(difference) for _, difference in self.versions(url))


def _traits(url: str, shape: str) -> dict[str, str]:
    """The traits of an address, with a further trait for the trailing slash of addresses of its shape."""
    traits = traits_of(url)
    return {**traits, _slash_in(shape): traits["slash"]}


def _slash_in(shape: str) -> str:
    return f"slash in {shape}"


def _without_traits(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    return parts.netloc.removeprefix("www."), parts.path.rstrip("/"), parts.query
