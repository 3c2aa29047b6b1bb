"""A frontier that several spiders of one blog share: each has all of it, and the store says which page is whose.

What one does to its frontier the others do to theirs, see `journal`, before they choose a page. So each ranks what
waits by all that was learned, and no page is fetched twice: it must be claimed in the store first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

from blogcrawler.frontier.observation import REDIRECT
from blogcrawler.frontier.queue import Frontier
from blogcrawler.frontier.store import Candidate, FrontierStore, key_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from blogcrawler.frontier.journal import Command, Journal

FOLLOWED = ("add_many", "done", "learn", "undecided", "failed", "is_spelling", "set_aside")
"""Methods that the other frontiers repeat."""


class Remaining(Protocol):
    """What is still to be done."""

    @property
    def claimed(self) -> frozenset[str]:
        """Keys of pages that other spiders have claimed."""

    @property
    def waiting(self) -> tuple[Mapping[str, Any], ...]:
        """Rows that wait, some thousand of them."""


class SharedStore(FrontierStore, Protocol):
    """A store that several frontiers write to."""

    def write(self, rows: Sequence[Mapping[str, Any]], told: Iterable[Any] = (), *, again: Container[str] = ()) -> None:
        """Save rows as far as no other spider has claimed or ended them, and tell the others something."""

    def claim(
        self,
        row: Mapping[str, Any],
        told: Any,  # noqa: ANN401
        *,
        is_again: bool = False,
    ) -> Literal["ours", "claimed", "done"]:
        """Claim a page, and tell the others; what becomes of it. `is_again`: it may have ended before."""

    def holds(self, key: str) -> bool:
        """Has this spider claimed a page, and not ended it?"""

    def lose(self, key: str) -> None:
        """A claim of this spider has run out."""

    def news(self) -> list[Command]:
        """What other spiders have told since the last time."""

    def still(self) -> Remaining:
        """What others are at work on, and what waits."""


class SharedFrontier(Frontier):
    """A frontier whose store others write to, too; else as any.

    `journal` tells the others what is done; it may follow more than this. `catch_up` does what they have told.
    """

    def __init__(self, store: SharedStore, journal: Journal, **more: Any) -> None:  # noqa: ANN401
        self._shared = store
        self._journal = journal
        #: keys of pages of others that were read, whatever is still to be done with them
        self._are_read: set[str] = set()
        #: keys of pages that have ended and are to be fetched again
        self._again: set[str] = set()
        super().__init__(store, **more)
        self._ledger.forget_unsaved()
        self._ledger.save = self._write
        journal.follow("frontier", self, *FOLLOWED)
        for name in ("learn", "undecided"):
            journal.on("frontier", name, self._read_elsewhere(name))
        journal.on("frontier", "claimed", self.note_claimed)
        for name in ("redirected", "mirrors", "respelled", "wait_again", "given_up"):
            journal.on("frontier", name, getattr(self, f"_{name}_elsewhere"))

    @property
    def claimed_elsewhere(self) -> list[str]:
        """Keys of the pages that other spiders have claimed, as far as they have told."""
        return [candidate.key for candidate in self._under_way if not self._shared.holds(candidate.key)]

    @property
    def is_reading_elsewhere(self) -> bool:
        """Does another spider ask for a page, or read one, that may lead to others?"""
        return any(key not in self._are_read for key in self.claimed_elsewhere)

    def pop(self, *, posts_only: bool = False) -> Candidate | None:
        """The best pending URL, which is claimed from now on, for this spider alone; None when nothing is pending."""
        while (best := super().pop(posts_only=posts_only)) is not None:
            if (asked_as := self._under_way.findings(best.key).asked_as) is not None:
                self._journal.tell("frontier", "respelled", asked_as.url, best.url)
            if self._claim_for_us(best):
                return best
        return None

    def redirected(self, source: str, target: str) -> bool:
        """Fetching `source` led to `target`, which is claimed now. False when it is fetched, or claimed by anybody."""
        is_ours = super().redirected(source, target)
        if is_ours:
            claimed = self._under_way.get(key_of(target))
            is_ours = claimed is not None and self._claim_for_us(claimed)
        self._journal.tell("frontier", "redirected", source, target, is_ours)
        return is_ours

    def is_under_way(self, url: str) -> bool:
        """Was a page handed out to this spider, and has not ended?"""
        return super().is_under_way(url) and self._shared.holds(key_of(url))

    def mirrors(self, url: str, other: str | None) -> bool:
        """Is a post, which was fetched, that of another address? See `Frontier.mirrors`."""
        is_mirrored = super().mirrors(url, other)
        self._journal.tell("frontier", "mirrors", url, other, is_mirrored)
        return is_mirrored

    def flush(self) -> None:
        """Write all changes since the last flush to the store, and tell the others, in one transaction."""
        self._write(self._ledger.take_unsaved())

    def _write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        if self._journal.is_replaying:  # who has told it has written it
            return
        rows = [row for row in rows if row["status"] != "claimed" or self._shared.holds(row["key"])]
        told = self._journal.take()
        if rows or told:
            self._shared.write(rows, [told] if told else [], again=self._again)
        self._again.clear()

    def failed(self, url: str, reason: str, *, gone: bool = False, detours: int = 0) -> None:
        """The page could not be fetched, see `Frontier.failed`; one that it was asked for as may wait again."""
        asked_as = self._under_way.findings(key_of(url)).asked_as
        super().failed(url, reason, gone=gone, detours=detours)
        if asked_as is not None and self._ledger.status(asked_as.key) == "pending":
            self._again.add(asked_as.key)

    def _wait_again(self, pages: Iterable[Candidate]) -> None:
        pages = list(pages)
        self._again |= {page.key for page in pages if page.status in ("failed", "dropped")}
        super()._wait_again(pages)

    def catch_up(self) -> None:
        """Do what the other spiders have told. Each of them has written that."""
        news = self._shared.news()
        if news:
            self.flush()
            self._journal.replay(news)
            self.forget_unsaved()

    def forget_unsaved(self) -> None:
        """What has changed here is in the store: others have told it."""
        self._ledger.forget_unsaved()
        self._again.clear()

    def look_again(self) -> bool:
        """Compare with the store what waits; are other spiders at work?

        What they have claimed and given back, or lost, waits here, too, after that.
        """
        self.flush()
        before, still = set(self.claimed_elsewhere), self._shared.still()
        self.catch_up()
        waiting = {str(row["key"]): row for row in still.waiting}
        for candidate in list(self._under_way):
            if candidate.key in before and candidate.key not in still.claimed and not self._shared.holds(candidate.key):
                self._under_way.remove(candidate.key)
        for key, row in waiting.items():
            if not self._is_settled_here(key):
                self._let_wait(Candidate.from_row(row))
        self._ledger.forget_unsaved()
        return bool(still.claimed)

    def _is_settled_here(self, key: str) -> bool:
        """Does a page wait here, too, or is it under way, or left out?"""
        is_waiting = self._posts.get(key) is not None or self._pages.get(key) is not None
        return is_waiting or key in self._under_way or self._ledger.status(key) in ("dropped", "done", "failed")

    def _claim_for_us(self, candidate: Candidate) -> bool:
        told = [["frontier", "claimed", [candidate.url], {}]]
        outcome = self._shared.claim(candidate.to_row(), told, is_again=candidate.key in self._again)
        self._again.discard(candidate.key)
        if outcome != "ours":
            self._ledger.forget_unsaved(candidate.key)
        if outcome == "done":
            self._under_way.remove(candidate.key)
            self._end(candidate, "done")
            self._ledger.forget_unsaved(candidate.key)
        return outcome == "ours"

    # ------------------------------------------------------------------------------------------ what others have told

    def note_claimed(self, url: str) -> None:
        """Another spider has claimed a page."""
        key = key_of(url)
        if key not in self._under_way:
            self._are_read.discard(key)
            self._claim(self._take(url))

    def _redirected_elsewhere(self, source: str, target: str, is_theirs: bool) -> None:
        key = key_of(target)
        if is_theirs and key != key_of(source) and not self._shared.holds(key):  # the claim was told before
            self._under_way.remove(key)
            self._ledger.expect(key)
        super().redirected(source, target)

    def _mirrors_elsewhere(self, url: str, other: str | None, is_mirrored: bool) -> None:
        if not super().mirrors(url, other) and is_mirrored:
            self._end_as_mirrored(url)

    def _respelled_elsewhere(self, source: str, target: str) -> None:
        origin = self._take(source)
        self._under_way.findings(key_of(target)).asked_as = origin
        self._end(origin, "done", reason=REDIRECT)

    def _wait_again_elsewhere(self, url: str) -> None:
        key = key_of(url)
        self._shared.lose(key)
        self._let_wait(self._take(url))

    def _given_up_elsewhere(self, url: str, reason: str) -> None:
        self._shared.lose(key_of(url))
        super().failed(url, reason)

    def _read_elsewhere(self, name: str) -> Any:  # noqa: ANN401
        original = getattr(super(), name)

        def read(url: str, **more: Any) -> None:  # noqa: ANN401
            original(url, **more)
            self._are_read.add(key_of(url))

        return read

    def _let_wait(self, candidate: Candidate) -> None:
        self._ledger.shelved -= self._ledger.status(candidate.key) == "shelved"
        self._wait(candidate.anew())
