"""The status of every URL known to a frontier, changes that are not in the store yet, and pages in flight."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from blogcrawler.frontier.observation import Findings
from blogcrawler.frontier.store import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.frontier.store import FrontierStore, Status


class Ledger:
    """Keeps the key and status of each candidate in memory; `flush` writes the changed candidates to the store."""

    def __init__(self, store: FrontierStore) -> None:
        self.store = store
        self._status: dict[str, Status] = {}
        self._unsaved: dict[str, dict[str, Any]] = {}
        self._position = 0
        #: number of candidates that wait in the store only
        self.shelved = 0

    def __contains__(self, key: str) -> bool:
        return key in self._status

    def status(self, key: str) -> Status | None:
        """The status of a candidate; None if it is unknown."""
        return self._status.get(key)

    def expect(self, key: str) -> None:
        """Mark a candidate as pending before its position is known."""
        self._status[key] = "pending"

    def note(self, candidate: Candidate) -> None:
        """Note that a candidate has changed."""
        self._status[candidate.key] = candidate.status
        self._unsaved[candidate.key] = candidate.to_row()

    def shelve(self, candidate: Candidate) -> None:
        """Let a candidate wait in the store only."""
        self.shelved += 1
        self.note(replace(candidate, status="shelved"))

    def unshelve(self, limit: int) -> list[Candidate]:
        """Move the first candidates that wait in the store into memory, and return them."""
        self.flush()
        candidates = [replace(Candidate.from_row(row), status="pending") for row in self.store.load("shelved", limit)]
        self.shelved = max(0, self.shelved - len(candidates))
        return candidates

    def next_position(self) -> int:
        """The next position in the order of discovery."""
        self._position += 1
        return self._position - 1

    def restore(self) -> Iterator[Candidate]:
        """All candidates that the store holds when a crawl begins."""
        for candidate in map(Candidate.from_row, self.store.load()):
            self._position = max(self._position, candidate.position + 1)
            self._status[candidate.key] = candidate.status
            self.shelved += candidate.status == "shelved"
            yield candidate

    def in_state(self, status: Status) -> list[Candidate]:
        """All candidates with this status."""
        self.flush()
        return [Candidate.from_row(row) for row in self.store.load(status)]

    def flush(self) -> None:
        """Write all changes since the last flush to the store, in one transaction."""
        self.store.save(list(self._unsaved.values()))
        self._unsaved.clear()


class UnderWay:
    """The candidates in flight, by key, and what was found on their pages until `take_findings` is called."""

    def __init__(self) -> None:
        self._claimed: dict[str, Candidate] = {}
        self._findings: dict[str, Findings] = {}

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._claimed.values())

    def __contains__(self, key: str) -> bool:
        return key in self._claimed

    def get(self, key: str) -> Candidate | None:
        """The candidate of a page in flight."""
        return self._claimed.get(key)

    def add(self, candidate: Candidate) -> None:
        """Mark a page as in flight."""
        self._claimed[candidate.key] = candidate

    def remove(self, key: str) -> Candidate | None:
        """Remove a page from those in flight, but keep its findings."""
        return self._claimed.pop(key, None)

    def findings(self, key: str) -> Findings:
        """The findings of a page, to read or to extend."""
        return self._findings.setdefault(key, Findings())

    def take_findings(self, key: str) -> Findings:
        """Remove and return the findings of a page."""
        return self._findings.pop(key, None) or Findings()
