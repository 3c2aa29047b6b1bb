"""The steps of a crawl: functions over its context, which may return a `StepResult`; none knows another one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from blogcrawler.crawl.tasks import HandOn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence

    from blogcrawler.crawl.tasks import Task
    from blogcrawler.items import Page, Record

__all__ = ["StepResult", "run_steps"]

T = TypeVar("T")


class StepResult(NamedTuple):
    """What a step brings."""

    #: at hand; they are taken in as if they had been fetched
    pages: Sequence[Page] = ()
    #: handed to the pipeline without their pages
    records: Iterable[Record] = ()


async def run_steps(
    shared: T, steps: Iterable[Callable[[T], Awaitable[StepResult | None]]], pages: list[Page]
) -> AsyncIterator[Task]:
    """Run steps one after another: hand on the records of each, and add what is at hand to `pages`.

    They share a crawl's context, or an update.
    """
    for step in steps:
        result = await step(shared) or StepResult()
        pages += result.pages
        if result.records:
            yield HandOn(partial(iter, result.records))
