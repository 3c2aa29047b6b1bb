"""Brings the posts of a blog into one repository in a thread of its own, as long as there is time.

What does not come there is lost to nobody: the archive has it, and the next one brings what is missing.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blogcrawler.backend import Archive, Hold
from blogcrawler.deposit.depositing import Depositor
from blogcrawler.deposit.repository import DEPOSITED
from blogcrawler.errors import BeingCrawled, BlogcrawlerError, DepositRefused, NotPermitted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.backend import BlogRow, Files, KeptPost
    from blogcrawler.deposit.repository import Repository

_MOST_IN_VAIN = 3
"""Posts in a row for which a repository does not answer, or breaks."""
_LAST_S = 5.0
"""Seconds for a request that is under way when the time is up."""

logger = logging.getLogger(__name__)


@dataclass
class Outcome:
    """What became of a blog's posts in a repository."""

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


class Courier(threading.Thread):
    """Brings in what a repository lacks of some blogs. Whatever goes wrong is told in its `outcome`."""

    def __init__(self, database_url: str, repository: Repository, files: Files | None, homes: Iterable[str]) -> None:
        super().__init__(name=f"deposit in {repository.name}", daemon=True)
        self._database_url, self._repository, self._files = database_url, repository, files
        self._homes = list(homes)
        self._is_over = threading.Event()
        self._in_vain = 0
        self.outcome = Outcome(repository.name)

    def run(self) -> None:
        """Bring all in, one after the other."""
        try:
            with Archive.open(self._database_url, make=False) as archive:
                depositor = Depositor(archive, self._repository, self._files)
                wanted = [
                    (blog, url)
                    for blog in archive.blogs()
                    if blog.home in self._homes
                    for url in archive.deposits(self._repository.name).unsettled(blog.home, DEPOSITED)
                ]
                self._bring_all(archive, depositor, wanted)
        except BlogcrawlerError as error:
            self.outcome.note(str(error))
        finally:
            self._close()

    def stop(self) -> None:
        """The time is up: end with the request that is under way."""
        self._is_over.set()
        try:
            self._repository.stop()
        except Exception as error:  # noqa: BLE001  a class of somebody's own may raise anything
            logger.warning("%s", _told(self._repository, error))
        self.join(_LAST_S)

    def _bring_all(self, archive: Archive, depositor: Depositor, wanted: list[tuple[BlogRow, str]]) -> None:
        hold = Hold(self._database_url)
        held: set[str] = set()
        self.outcome.left = len(wanted)
        try:
            for blog, url in wanted:
                if self._is_over.is_set():
                    self.outcome.note("the time was up")
                    return
                post = archive.post(blog.home, url)
                self.outcome.left -= 1
                if post is None or depositor.need(post) == "same":
                    continue
                if blog.home not in held:
                    hold.take(f"{self._repository.name} {blog.home}")
                    held.add(blog.home)
                if not self._bring(depositor, blog, post):
                    return
        except BeingCrawled:
            self.outcome.left += 1
            self.outcome.note("another process deposits posts of the blog there")
        finally:
            hold.close()

    def _bring(self, depositor: Depositor, blog: BlogRow, post: KeptPost) -> bool:
        """Deposit a post; return True if the next one can be deposited."""
        try:
            self.outcome.stages[depositor.bring(post, blog).stage] += 1
        except DepositRefused as error:
            self._fail(post, str(error))
        except NotPermitted as error:
            self._fail(post, str(error))
            return False
        except Exception as error:  # noqa: BLE001  a class of somebody's own may raise anything
            told = str(error) if isinstance(error, BlogcrawlerError) else _told(self._repository, error)
            self._in_vain += 1
            self._fail(post, told)
            return self._in_vain < _MOST_IN_VAIN and not self._is_over.is_set()
        self._in_vain = 0
        return True

    def _fail(self, post: KeptPost, told: str) -> None:
        self.outcome.failed += 1
        self.outcome.note(told)
        logger.warning("%s could not be deposited: %s", post.record.url, told)

    def _close(self) -> None:
        try:
            self._repository.close()
        except Exception as error:  # noqa: BLE001  a class of somebody's own may raise anything
            self.outcome.note(_told(self._repository, error))


def _told(repository: Repository, error: Exception) -> str:
    """What a programmer did not foresee, in one line."""
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{repository.name} broke off by an error of its own ({said[:300]})."
