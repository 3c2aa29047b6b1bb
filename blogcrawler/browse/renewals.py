"""Background tasks that extract a blog's posts again from their archived pages."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.errors import BlogcrawlerError
from blogcrawler.reextraction import Outcome, renew

if TYPE_CHECKING:
    from blogcrawler.backend import BlogRow
    from blogcrawler.browse.holdings import Holdings

logger = logging.getLogger(__name__)

_BROKEN = "The program failed; see its log. Posts that were extracted again are kept."


@dataclass
class Renewal:
    """The task of one blog."""

    total: int
    done: int = 0
    outcome: Outcome | None = None
    #: the error message, if it failed
    error: str | None = None
    #: True if there was a new correction after the start, so that everything must run once more
    is_outdated: bool = False

    @property
    def is_over(self) -> bool:
        """True if it has ended, with or without an error."""
        return self.outcome is not None or self.error is not None


class Renewals:
    """Runs at most one task for each blog at a time, and remembers the latest one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: dict[int, Renewal] = {}

    def of(self, blog: BlogRow) -> Renewal | None:
        """Return the latest task of a blog."""
        return self._last.get(blog.id)

    def start(self, holdings: Holdings, blog: BlogRow) -> Renewal:
        """Start a task; if one is running, return it and let it run once more."""
        with self._lock:
            last = self._last.get(blog.id)
            if last is not None and not last.is_over:
                last.is_outdated = True
                return last
            renewal = self._last[blog.id] = Renewal(holdings.archive.count(blog.home))
        threading.Thread(target=self._run, args=(holdings, blog.home, renewal), name="renewal", daemon=True).start()
        return renewal

    def _run(self, holdings: Holdings, home: str, renewal: Renewal) -> None:
        while True:
            outcome, error = _renewed(holdings, home, renewal)
            with self._lock:
                if not renewal.is_outdated:
                    renewal.outcome, renewal.error = outcome, error
                    return
                renewal.is_outdated, renewal.done = False, 0


def _renewed(holdings: Holdings, home: str, renewal: Renewal) -> tuple[Outcome | None, str | None]:
    """Return the result or the error message."""

    def advance() -> None:
        renewal.done += 1

    try:
        outcome = renew(
            holdings.database_url,
            home,
            holdings.warcs,
            least=holdings.least,
            keeps_files=holdings.keeps_files,
            on_post=advance,
        )
    except BlogcrawlerError as error:
        return None, str(error)
    except Exception:
        logger.exception("The posts of %s could not be extracted again", home)
        return None, _BROKEN
    return outcome, None
