"""Blogs whose posts are being read again from their archived pages, in the background; how far that is."""

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

__all__ = ["Renewal", "Renewals"]

logger = logging.getLogger(__name__)

_BROKEN = "The program broke; its log tells how. What was read again is kept."


@dataclass
class Renewal:
    """One blog's."""

    total: int
    done: int = 0
    outcome: Outcome | None = None
    #: why it could not be done
    error: str | None = None

    @property
    def is_over(self) -> bool:
        """Is nothing to come any more?"""
        return self.outcome is not None or self.error is not None


class Renewals:
    """At most one of a blog at a time; the last one of each is remembered."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: dict[int, Renewal] = {}

    def of(self, blog: BlogRow) -> Renewal | None:
        """The last one of a blog."""
        return self._last.get(blog.id)

    def start(self, holdings: Holdings, blog: BlogRow, *, learns: bool = True) -> Renewal:
        """Begin one; where one is under way it is that."""
        with self._lock:
            last = self._last.get(blog.id)
            if last is not None and not last.is_over:
                return last
            renewal = self._last[blog.id] = Renewal(holdings.archive.count(blog.home))
        threading.Thread(
            target=_run, args=(holdings, blog.home, renewal), kwargs={"learns": learns}, name="renewal", daemon=True
        ).start()
        return renewal


def _run(holdings: Holdings, home: str, renewal: Renewal, *, learns: bool) -> None:
    def advance() -> None:
        renewal.done += 1

    try:
        renewal.outcome = renew(
            holdings.database_url,
            home,
            holdings.warcs,
            learns=learns,
            least=holdings.least,
            keeps_files=holdings.keeps_files,
            on_post=advance,
        )
    except BlogcrawlerError as error:
        renewal.error = str(error)
    except Exception:
        logger.exception("The posts of %s could not be read again", home)
        renewal.error = _BROKEN
