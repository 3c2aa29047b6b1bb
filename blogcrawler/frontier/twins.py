"""Which pages that wait are known ones at other addresses, as far as was learned, and which may be: these are tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.frontier.mirrors import Mirrors
from blogcrawler.frontier.store import key_of
from blogcrawler.urls import canonicalise

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from blogcrawler.frontier.store import Candidate, Status
    from blogcrawler.frontier.underway import UnderWay

__all__ = ["Twins"]

FETCHED: tuple[Status, ...] = ("done", "claimed")


class Twins:
    """Compares pages at addresses that differ in how they are spelled, see `Mirrors`, and says what is one page.

    Pages are named by `store.key_of`; `status_of` tells what has become of one, `is_post` whether it is a post.
    """

    def __init__(self, status_of: Callable[[str], Status | None], is_post: Callable[[str], bool]) -> None:
        self._mirrors = Mirrors()
        self._status_of = status_of
        self._is_post = is_post
        #: pages that were handed out to see whether they are those of other addresses
        self._trials: set[str] = set()

    def meet(self, candidate: Candidate) -> None:
        """A page is waiting, or something has become of it."""
        self._mirrors.meet(candidate.key, candidate.url, is_post=candidate.is_post)

    # ---------------------------------------------------------------------------------------------- what was learned

    def known(self, url: str) -> str | None:
        """Key of the page at another address that was met, if such addresses have turned out to be one page's."""
        return self._same(url) if self._mirrors.has_learned else None

    def is_fetched(self, url: str) -> bool:
        """Was the same page fetched at another address, or is it being fetched?"""
        return self._same(url, FETCHED) is not None

    def _same(self, url: str, states: Container[Status] | None = None) -> str | None:
        for difference, key in self._mirrors.twins(url):
            status = self._status_of(key)
            if status is not None and self._mirrors.is_none(difference) and (states is None or status in states):
                return key
        return None

    # -------------------------------------------------------------------------------------------------- what is tried

    def may_be_post(self, url: str) -> bool:
        """Is a post known whose address differs from this one as was not tried yet?"""
        return any(not self._mirrors.is_tried(difference) for _, difference in self._posts(url))

    def has_post(self, url: str) -> bool:
        """Was a post found at an address that differs from this one in its spelling, or is it being fetched?"""
        return next(self._posts(canonicalise(url)), None) is not None

    def is_mirrored(self, url: str) -> bool:
        """True if a post's address differs in what makes no other page: as learned, or in its spelling if untried."""
        differences = [difference for _, difference in self._posts(url)]
        return any(self._mirrors.is_none(one) or self._mirrors.is_mere_spelling(one) for one in differences)

    def _posts(self, url: str) -> Iterator[tuple[str, str]]:
        """Keys of such posts, and what differs."""
        for difference, key in self._mirrors.twins(url):
            if self._status_of(key) in FETCHED and self._is_post(key):
                yield key, difference

    def begin_trial(self, key: str) -> None:
        """A page is handed out that will tell whether an address is another one's."""
        self._trials.add(key)

    def end_trial(self, key: str) -> None:
        """What a page links to was taken in."""
        self._trials.discard(key)

    def is_trying(self, under_way: UnderWay) -> bool:
        """Is such a page under way?"""
        return any(key in under_way for key in self._trials)

    # ---------------------------------------------------------------------------------------------- what is compared

    def is_spelling(self, url: str, other: str) -> bool:
        """Do two addresses differ in nothing but their spelling? They are said to be of one page, which is noted."""
        difference = self._mirrors.difference(canonicalise(url), canonicalise(other))
        if difference is not None:
            self._mirrors.note(difference, is_alike=True)
        return difference is not None

    def compare(self, url: str, other: str | None) -> bool:
        """Is a post, which was fetched, that of another address? `other` is that of a post with the same content.

        Other differences than those of spelling tell nothing.
        """
        url, other = canonicalise(url), other and canonicalise(other)
        same = self._mirrors.difference(url, other) if other and self._is_post(key_of(other)) else None
        for key, difference in self._posts(url):
            if difference != same and self._status_of(key) == "done":
                self._mirrors.note(difference, is_alike=False)
        if same is not None:
            self._mirrors.note(same, is_alike=True)
        return same is not None

    def compare_again(self, url: str) -> None:
        """Note once more, after a crawl was cut short, that a page was that of another address."""
        for difference, key in self._mirrors.twins(url):
            if self._status_of(key) == "done":
                self._mirrors.note(difference, is_alike=True)
