"""The status of every URL that a frontier has met, changes that are not in the store yet, and pages under way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from blogcrawler.frontier.observation import Findings
from blogcrawler.frontier.store import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.frontier.store import FrontierStore, Status


class Ledger:
    """Keeps a short name and the status of each candidate in memory; the rest is in the store, written by `flush`."""

    def __init__(self, store: FrontierStore) -> None:
        self.store = store
        self._status: dict[str, Status] = {}
        self._unsaved: dict[str, dict[str, Any]] = {}
        self._position = 0
        #: how many candidates wait in the store alone
        self.shelved = 0

    def __contains__(self, key: str) -> bool:
        return key in self._status

    def status(self, key: str) -> Status | None:
        """The status of a candidate; None for one that was not met."""
        return self._status.get(key)

    def expect(self, key: str) -> None:
        """Note that a candidate will wait, whose place is not known yet."""
        self._status[key] = "pending"

    def note(self, candidate: Candidate) -> None:
        """Note that a candidate has changed."""
        self._status[candidate.key] = candidate.status
        self._unsaved[candidate.key] = candidate.to_row()

    def shelve(self, candidate: Candidate) -> None:
        """Let a candidate wait in the store alone."""
        self.shelved += 1
        self.note(replace(candidate, status="shelved"))

    def unshelve(self, limit: int) -> list[Candidate]:
        """The first candidates that wait in the store alone, which wait in memory from now on."""
        self.flush()
        found = [replace(Candidate.from_row(row), status="pending") for row in self.store.load("shelved", limit)]
        self.shelved = max(0, self.shelved - len(found))
        return found

    def next_position(self) -> int:
        """The place of a candidate in the order of discovery."""
        self._position += 1
        return self._position - 1

    def restore(self) -> Iterator[Candidate]:
        """All candidates that are in the store when a crawl begins."""
        for candidate in map(Candidate.from_row, self.store.load()):
            self._position = max(self._position, candidate.position + 1)
            self._status[candidate.key] = candidate.status
            self.shelved += candidate.status == "shelved"
            yield candidate

    def in_state(self, status: Status) -> list[Candidate]:
        """All candidates in one state."""
        self.flush()
        return [Candidate.from_row(row) for row in self.store.load(status)]

    def flush(self) -> None:
        """Write all changes since the last flush to the store, in one transaction."""
        self.store.save(list(self._unsaved.values()))
        self._unsaved.clear()


class UnderWay:
    """The candidates that were handed out, by key, and their findings until these are taken."""

    def __init__(self) -> None:
        self._claimed: dict[str, Candidate] = {}
        self._findings: dict[str, Findings] = {}

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._claimed.values())

    def __contains__(self, key: str) -> bool:
        return key in self._claimed

    def get(self, key: str) -> Candidate | None:
        """The candidate of a page under way."""
        return self._claimed.get(key)

    def add(self, candidate: Candidate) -> None:
        """Note that a page is fetched from now on."""
        self._claimed[candidate.key] = candidate

    def remove(self, key: str) -> Candidate | None:
        """Forget a page, but not its findings."""
        return self._claimed.pop(key, None)

    def findings(self, key: str) -> Findings:
        """The findings of a page, to read or to add to."""
        return self._findings.setdefault(key, Findings())

    def take_findings(self, key: str) -> Findings:
        """The findings of a page, which are forgotten."""
        return self._findings.pop(key, None) or Findings()
