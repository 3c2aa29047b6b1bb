"""What a source lists: how far it is believed, and when nothing else needs to be fetched.

A source is believed by and by: of its addresses a few are fetched first, and more as long as most of them turn out to
be posts. That it has all posts is believed until too many are found that it does not list. Once all are fetched, a few
other pages are, as a proof: what is linked where posts are, and pages of different forms of address, the most frequent
form first. If none of them leads to a further post, the crawl is over; if one does, more pages have to prove it.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Coverage"]

PORTION = 20
"""Addresses of a source that are fetched as posts before it has proven anything; each next portion is twice that."""
LOW = 8
"""Posts that wait, below which the next portion is taken."""
DOUBT = 10
"""Addresses that were no posts, and more than were, at which the rest is not believed."""
PROOFS = 1
"""Pages that are fetched as a proof, at least …"""
PROOF_SHARE = 0.02
"""… and as a share of the posts."""
PROOFS_FOR_STRAY = 10
"""The same once more for each post that the source does not list."""
STRAYS = 2
STRAY_SHARE = 0.02
"""Posts that the source does not list, above which it is disproved: at least two, and a share of the posts."""
_NUMBER = re.compile(r"\d+")
_EXTENSION = re.compile(r"\.[a-z]{2,5}$", re.IGNORECASE)


class Coverage:
    """Posts that a source lists, by `urls.identity`."""

    def __init__(self, source: str, *, is_whole: bool) -> None:
        self.source = source
        #: has the source all posts, as far as is known?
        self.is_whole = is_whole
        self._listed: set[str] = set()
        self._waiting: deque[str] = deque()
        self._portion = PORTION
        self._good = self._bad = 0
        self._strays = 0
        self._proofs: deque[str] | None = None
        self._proven = 0

    def __len__(self) -> int:
        return len(self._listed)

    def add(self, urls: Iterable[str]) -> None:
        """Posts that the source lists."""
        self._listed.update(map(identity, urls))

    def add_doubtful(self, urls: Iterable[str]) -> None:
        """Pages that the source lists and that look like posts; see `next_portion`."""
        for url in urls:
            if identity(url) not in self._listed:
                self._listed.add(identity(url))
                self._waiting.append(url)

    def lists(self, *urls: str) -> bool:
        """Does the source list a page under one of its addresses?"""
        return any(identity(url) in self._listed for url in urls)

    def alias(self, url: str, target: str) -> None:
        """A page turned out to have another address."""
        if self.lists(url):
            self._listed.add(identity(target))

    def judge(self, *urls: str, is_post: bool) -> bool:
        """A page, under whatever addresses, turned out to be a post or none. True when that disproves the source."""
        if self.lists(*urls):
            self._good, self._bad = self._good + is_post, self._bad + (not is_post)
            return self._is_doubtful() and self._disprove()
        if not is_post or not self.is_whole:
            return False
        self._strays += 1
        self._proofs = None
        return self._strays > max(STRAYS, STRAY_SHARE * len(self)) and self._disprove()

    def _disprove(self) -> bool:
        was_whole, self.is_whole = self.is_whole, False
        return was_whole

    def _is_doubtful(self) -> bool:
        return self._bad >= DOUBT and self._bad > self._good

    def next_portion(self, pending_posts: int) -> list[str]:
        """Pages that are to be fetched as posts now."""
        if pending_posts >= LOW or not self._waiting or self._is_doubtful():
            return []
        taken = [self._waiting.popleft() for _ in range(min(self._portion, len(self._waiting)))]
        self._portion *= 2
        return taken

    # ----------------------------------------------------------------------------------------------------------- proof

    def next_proof(self, pending: Callable[[], Iterable[str]], is_linked: Callable[[str], bool]) -> str | None:
        """A page to fetch as a proof; None when all was fetched. `is_linked` says whether one is linked where posts are.

        `pending` gives the pages that wait; it is called once, and again for each post that the source does not list.
        O(n) in them.
        """
        if self._proofs is None:
            least = max(PROOFS, int(PROOF_SHARE * len(self)), PROOFS_FOR_STRAY * self._strays)
            self._proofs = deque(_proofs(list(pending()), is_linked, linked=10 + len(self) // 10, others=least))
        if not self._proofs:
            return None
        self._proven += 1
        return self._proofs.popleft()

    @property
    def is_proven(self) -> bool:
        """Has the source all posts, and was the proof fetched?"""
        return self.is_whole and self._proofs is not None and not self._proofs

    @property
    def because(self) -> str:
        """Why the crawl is over, as a part of a sentence."""
        pages = f"{self._proven} other {'page' if self._proven == 1 else 'pages'}"
        return f"all posts that the {self.source} lists were fetched, and {pages} led to no further one"


def _proofs(pending: list[str], is_linked: Callable[[str], bool], *, linked: int, others: int) -> list[str]:
    """Some pages that are linked where posts are, and some of each form of address in turn, frequent forms first."""
    first = list(islice((url for url in pending if is_linked(identity(url))), linked))
    forms: defaultdict[str, list[str]] = defaultdict(list)
    for url in pending:
        forms[_form(url)].append(url)
    columns = zip_longest(*sorted(forms.values(), key=len, reverse=True)[:others])
    mixed = islice((url for column in columns for url in column if url is not None), others)
    return list(dict.fromkeys([*first, *mixed]))


def _form(url: str) -> str:
    """What addresses of pages of one sort share: the first folder, the depth, the extension, the parameters' names."""
    address, _, query = url.partition("?")
    site, *path = address.split("/")[2:]
    last = path[-1] if path else ""
    extension = _EXTENSION.search(last)
    folder = _NUMBER.sub("0", path[0]) if len(path) > 1 and path[1] else ""
    names = "&".join(sorted(part.partition("=")[0] for part in query.split("&"))) if query else ""
    return f"{site}/{folder}/{len(path)}/{extension[0] if extension else ''}?{names}"
