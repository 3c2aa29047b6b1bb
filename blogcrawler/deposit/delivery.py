"""Deposits posts in one repository, one after another; a failed post does not stop the next ones."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blogcrawler.backend import Hold
from blogcrawler.errors import BackendUnavailable, BeingCrawled, BlogcrawlerError, DepositRefused, NotPermitted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from blogcrawler.backend import BlogRow, KeptPost
    from blogcrawler.deposit.depositing import Depositor
    from blogcrawler.deposit.repository import Repository

MOST_IN_VAIN = 3
"""Number of consecutive failures after which a delivery stops."""


@dataclass
class Outcome:
    """How many posts were deposited, failed or not attempted, and why."""

    name: str
    #: number of posts by reached stage, such as `deposited` or `submitted`
    stages: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    #: number of posts that were not attempted
    left: int = 0
    #: the first reason why a post is missing in the repository
    because: str = ""

    def note(self, reason: str) -> None:
        """Store the reason unless an earlier reason is stored."""
        self.because = self.because or reason


class Delivery:
    """Deposits posts, collects the results in `outcome`, and calls `tell` with a message for each failed post."""

    def __init__(
        self, database_url: str, repository: Repository, depositor: Depositor, on_failure: Callable[[str], None]
    ) -> None:
        self._database_url, self._repository, self._depositor = database_url, repository, depositor
        self._on_failure = on_failure
        #: number of consecutive failures
        self.in_vain = 0
        self.outcome = Outcome(repository.name)

    def bring(self, chosen: Iterable[tuple[BlogRow, KeptPost]]) -> None:
        """Deposit posts. Raises BackendUnavailable, and BeingCrawled if another process deposits posts of the same
        blog."""
        homes_held: set[str] = set()
        with closing(Hold(self._database_url)) as hold:
            for blog, post in chosen:
                if blog.home not in homes_held:
                    self._take(hold, blog.home)
                    homes_held.add(blog.home)
                if not self._bring(blog, post):
                    return

    def _take(self, hold: Hold, home: str) -> None:
        try:
            hold.take(f"{self._repository.name} {home}")
        except BeingCrawled as error:
            raise BeingCrawled(
                f"Another process deposits posts of {home} in {self._repository.name}; try again after it has ended.",
                url=home,
            ) from error

    def _bring(self, blog: BlogRow, post: KeptPost) -> bool:
        """Deposit a post; return False if no further post should be attempted."""
        try:
            self.outcome.stages[self._depositor.bring(post, blog).stage] += 1
        except NotPermitted as error:
            self._fail(post, str(error))
            return False
        except DepositRefused as error:
            self._fail(post, str(error))
        except BackendUnavailable:  # without the database, results cannot be saved, and posts would be deposited twice
            raise
        except Exception as error:  # noqa: BLE001  custom classes may raise anything
            self._fail(post, str(error) if isinstance(error, BlogcrawlerError) else unforeseen(self._repository, error))
            self.in_vain += 1
            return self.in_vain < MOST_IN_VAIN
        self.in_vain = 0
        return True

    def _fail(self, post: KeptPost, reason: str) -> None:
        self.outcome.failed += 1
        self.outcome.note(reason)
        self._on_failure(f"{post.record.url} could not be deposited: {reason}")


def unforeseen(repository: Repository, error: Exception) -> str:
    """A one-line message for an error that the repository class did not handle."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{repository.name} failed with an unexpected error ({text[:300]})."
