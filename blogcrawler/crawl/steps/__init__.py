"""The steps of a crawl: functions over its context, each of which returns a `StepResult`; none knows another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.tasks import Task
    from blogcrawler.frontier import Stop
    from blogcrawler.items import Page, Record

__all__ = ["LastWork", "StepResult", "UrlSource"]


class StepResult(NamedTuple):
    """What a step brings."""

    #: at hand; they are taken in as if they had been fetched
    pages: Sequence[Page] = ()
    #: handed to the pipeline without their pages
    records: Iterable[Record] = ()


class UrlSource(Protocol):
    """Knows further URLs when the frontier has none."""

    def refill(self, ctx: CrawlContext) -> None:
        """Add URLs to the frontier, if there are any."""


class LastWork(Protocol):
    """Has something to do when there is nothing to fetch."""

    def next_task(self, ctx: CrawlContext, stop: Stop | None) -> Task | None:
        """What is to be done, as a task of `crawl.tasks`; None where nothing is left."""
