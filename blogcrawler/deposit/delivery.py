"""Brings posts into one repository, one after the other: what stands against one of them does not stop the others."""

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
"""Posts in a row for which a repository does not answer, or breaks."""


@dataclass
class Outcome:
    """What became of posts in a repository."""

    name: str
    #: how many are `deposited`, or `submitted`
    stages: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    #: that were not tried
    left: int = 0
    #: the first sentence that says why some are not there
    because: str = ""

    def note(self, reason: str) -> None:
        """Keep why, where nothing is said yet."""
        self.because = self.because or reason


class Delivery:
    """Deposits posts; `tell` gets a sentence for each that could not be, `outcome` has what became of all."""

    def __init__(
        self, database_url: str, repository: Repository, depositor: Depositor, tell: Callable[[str], None]
    ) -> None:
        self._database_url, self._repository, self._depositor = database_url, repository, depositor
        self._tell = tell
        #: posts in a row that failed
        self.in_vain = 0
        self.outcome = Outcome(repository.name)

    def bring(self, chosen: Iterable[tuple[BlogRow, KeptPost]]) -> None:
        """Deposit these. Raises BackendUnavailable, and BeingCrawled where another process deposits posts of a blog."""
        held: set[str] = set()
        with closing(Hold(self._database_url)) as hold:
            for blog, post in chosen:
                if blog.home not in held:
                    self._take(hold, blog.home)
                    held.add(blog.home)
                if not self._bring(blog, post):
                    return

    def _take(self, hold: Hold, home: str) -> None:
        try:
            hold.take(f"{self._repository.name} {home}")
        except BeingCrawled as error:
            raise BeingCrawled(
                f"Another process deposits posts of {home} in {self._repository.name}; try again when it is done.",
                url=home,
            ) from error

    def _bring(self, blog: BlogRow, post: KeptPost) -> bool:
        """Deposit a post; return True if the next one can be deposited."""
        try:
            self.outcome.stages[self._depositor.bring(post, blog).stage] += 1
        except NotPermitted as error:
            self._fail(post, str(error))
            return False
        except DepositRefused as error:
            self._fail(post, str(error))
        except BackendUnavailable:  # what became of further posts could not be noted: they would come in twice
            raise
        except Exception as error:  # noqa: BLE001  a class of somebody's own may raise anything
            self._fail(post, str(error) if isinstance(error, BlogcrawlerError) else unforeseen(self._repository, error))
            self.in_vain += 1
            return self.in_vain < MOST_IN_VAIN
        self.in_vain = 0
        return True

    def _fail(self, post: KeptPost, why: str) -> None:
        self.outcome.failed += 1
        self.outcome.note(why)
        self._tell(f"{post.record.url} could not be deposited: {why}")


def unforeseen(repository: Repository, error: Exception) -> str:
    """What a programmer did not foresee, in one line."""
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{repository.name} broke off by an error of its own ({said[:300]})."
