"""Deposits posts in a repository in a background thread during a crawl, until the crawl's time is up.

Posts that do not reach the repository stay in the archive; the next run deposits them.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from blogcrawler.backend import Archive
from blogcrawler.deposit.delivery import Delivery, Outcome, unforeseen
from blogcrawler.deposit.depositing import Depositor
from blogcrawler.deposit.repository import DEPOSITED
from blogcrawler.errors import BeingCrawled, BlogcrawlerError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from blogcrawler.backend import BlogRow, Files, KeptPost
    from blogcrawler.deposit.repository import Repository

_LAST_S = 5.0
"""Seconds to wait for the current request when the time is up."""

logger = logging.getLogger(__name__)


class Courier(threading.Thread):
    """Deposits the missing or changed posts of some blogs. `outcome` reports successes and failures."""

    def __init__(self, database_url: str, repository: Repository, files: Files | None, homes: Iterable[str]) -> None:
        super().__init__(name=f"deposit in {repository.name}", daemon=True)
        self._database_url, self._repository, self._files = database_url, repository, files
        self._homes = list(homes)
        self._is_over = threading.Event()
        self.outcome = Outcome(repository.name)

    def run(self) -> None:
        """Deposit all missing or changed posts, one after another."""
        try:
            with Archive.open(self._database_url, make=False) as archive:
                depositor = Depositor(archive, self._repository, self._files)
                delivery = Delivery(self._database_url, self._repository, depositor, logger.warning)
                self.outcome = delivery.outcome
                delivery.bring(self._wanted(archive, depositor))
        except BeingCrawled as error:
            self.outcome.left += 1
            self.outcome.note(str(error))
        except BlogcrawlerError as error:
            self.outcome.note(str(error))
        finally:
            self._close()

    def stop(self) -> None:
        """Stop because the time is up: finish with the current request."""
        self._is_over.set()
        try:
            self._repository.stop()
        except Exception as error:  # noqa: BLE001  custom classes may raise anything
            logger.warning("%s", unforeseen(self._repository, error))
        self.join(_LAST_S)

    def _wanted(self, archive: Archive, depositor: Depositor) -> Iterator[tuple[BlogRow, KeptPost]]:
        """Yield the posts that the repository lacks, until the time is up."""
        unsettled = [
            (blog, url)
            for blog in archive.blogs()
            if blog.home in self._homes
            for url in archive.deposits(self._repository.name).unsettled(blog.home, DEPOSITED)
        ]
        self.outcome.left = len(unsettled)
        for blog, url in unsettled:
            if self._is_over.is_set():
                self.outcome.note("the time was up")
                return
            post = archive.post(blog.home, url)
            self.outcome.left -= 1
            if post is not None and depositor.need(post) != "same":
                yield blog, post

    def _close(self) -> None:
        try:
            self._repository.close()
        except Exception as error:  # noqa: BLE001  custom classes may raise anything
            self.outcome.note(unforeseen(self._repository, error))
