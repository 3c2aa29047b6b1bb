"""Brings the posts of a blog into one repository in a thread of its own, as long as there is time.

What does not come there is lost to nobody: the archive has it, and the next one brings what is missing.
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
"""Seconds for a request that is under way when the time is up."""

logger = logging.getLogger(__name__)


class Courier(threading.Thread):
    """Brings in what a repository lacks of some blogs. Whatever goes wrong is told in its `outcome`."""

    def __init__(self, database_url: str, repository: Repository, files: Files | None, homes: Iterable[str]) -> None:
        super().__init__(name=f"deposit in {repository.name}", daemon=True)
        self._database_url, self._repository, self._files = database_url, repository, files
        self._homes = list(homes)
        self._is_over = threading.Event()
        self.outcome = Outcome(repository.name)

    def run(self) -> None:
        """Bring all in, one after the other."""
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
        """The time is up: end with the request that is under way."""
        self._is_over.set()
        try:
            self._repository.stop()
        except Exception as error:  # noqa: BLE001  a class of somebody's own may raise anything
            logger.warning("%s", unforeseen(self._repository, error))
        self.join(_LAST_S)

    def _wanted(self, archive: Archive, depositor: Depositor) -> Iterator[tuple[BlogRow, KeptPost]]:
        """What the repository lacks, until the time is up."""
        wanted = [
            (blog, url)
            for blog in archive.blogs()
            if blog.home in self._homes
            for url in archive.deposits(self._repository.name).unsettled(blog.home, DEPOSITED)
        ]
        self.outcome.left = len(wanted)
        for blog, url in wanted:
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
        except Exception as error:  # noqa: BLE001  a class of somebody's own may raise anything
            self.outcome.note(unforeseen(self._repository, error))
