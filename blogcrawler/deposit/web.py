"""What repositories have in common that are asked over HTTP."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from blogcrawler.deposit.client import Client, Conflict, Unanswered
from blogcrawler.deposit.repository import Repository

if TYPE_CHECKING:
    from blogcrawler.deposit.client import Answer, Credentials, Pace
    from blogcrawler.deposit.repository import Deposit, Progress

GONE = (404, 410)


class WebRepository(Repository):
    """A repository with a client, which looks what came of a request whose answer was lost."""

    def __init__(self, name: str, address: str, credentials: Credentials, pace: Pace | None = None) -> None:
        self.name = name
        self._client = Client(address, credentials, pace)

    def stop(self) -> None:
        """Wait for nothing any more."""
        self._client.stop()

    def close(self) -> None:
        """Give up connections."""
        self._client.close()

    def deposit(self, deposit: Deposit, progress: Progress) -> None:
        """Bring a post in; where an answer is lost, look what came of the request, and go on from there."""
        for attempt in range(self._client.pace.tries):
            try:
                self._bring(deposit, progress)
                return
            except (Unanswered, Conflict):
                if attempt + 1 == self._client.pace.tries:
                    raise
                self._client.pause(self._client.pace.delay_s * 2**attempt)

    @abstractmethod
    def _bring(self, deposit: Deposit, progress: Progress) -> None:
        """Bring a post in from where it stands. Called again when an answer was lost."""


def json_object(answer: Answer) -> dict[str, Any]:
    """What an answer says; an empty object where it says something else."""
    value = answer.json()
    return value if isinstance(value, dict) else {}


def quoted(text: str | None) -> str:
    """A text as one part of a path."""
    return quote(text or "", safe="")
