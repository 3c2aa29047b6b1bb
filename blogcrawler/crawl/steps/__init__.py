"""The steps of a crawl: each has a name, loads its state, runs, and dumps its state; none knows another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.tasks import Task
    from blogcrawler.frontier import Stop
    from blogcrawler.items import Page, Record

__all__ = ["LastWork", "PlainStep", "Step", "StepResult", "UrlSource"]


class StepResult(NamedTuple):
    """What a step brings."""

    #: at hand; they are taken in as if they had been fetched
    pages: Sequence[Page] = ()
    #: handed to the pipeline without their pages
    records: Iterable[Record] = ()


class Step(Protocol):
    """A part of a crawl before its frontier is read."""

    #: under which the archive keeps its state
    name: str

    def load(self, state: Mapping[str, Any]) -> None:
        """Take up the state of an earlier crawl; empty where there was none."""

    async def run(self, ctx: CrawlContext) -> StepResult:
        """Do the step's work."""

    def dump(self) -> Mapping[str, Any]:
        """The state to be kept, as JSON types."""


@dataclass(frozen=True)
class PlainStep:
    """A step that has no state of its own: a function over the context."""

    name: str
    run: Callable[[CrawlContext], Awaitable[StepResult]]
    #: a crawl can go on without it where the program breaks in it, or it takes too long
    is_optional: bool = False


class UrlSource(Protocol):
    """Knows further URLs when the frontier has none."""

    def refill(self, ctx: CrawlContext) -> None:
        """Add URLs to the frontier, if there are any."""


class LastWork(Protocol):
    """Has something to do when there is nothing to fetch."""

    def next_task(self, ctx: CrawlContext, stop: Stop | None) -> Task | None:
        """What is to be done, as a task of `crawl.tasks`; None where nothing is left."""
