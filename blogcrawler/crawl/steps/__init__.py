"""The steps of a crawl before its loop: each has a name, runs, and may remember something about the blog.

No step knows another one. They share the context; steps of an update also share its state, in which each field is set
by one step.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from blogcrawler.crawl.tasks import HandOn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.tasks import Task
    from blogcrawler.items import Page, Record

__all__ = ["Memory", "States", "Step", "StepResult", "keep", "run_steps"]

States = Mapping[str, Mapping[str, Any]]
"""What the archive stores for steps, as JSON types by name."""

logger = logging.getLogger(__name__)


class StepResult(NamedTuple):
    """The result of a step."""

    #: pages that the step has fetched; they are processed like pages of the frontier
    pages: Sequence[Page] = ()
    #: records that go to the pipeline without their pages
    records: Iterable[Record] = ()


class Memory(Protocol):
    """What a step remembers about a blog from one crawl to the next."""

    def load(self, states: States) -> None:
        """Restore what earlier crawls have stored."""

    def dump(self) -> States:
        """What is to be stored now."""

    def complete(self) -> None:
        """Note that the crawl is complete, so that everything that the step has found is processed."""


class Step(NamedTuple):
    """A step of a crawl."""

    name: str
    run: Callable[[], Awaitable[StepResult | None]]
    #: loaded before the step runs, and stored afterwards
    memory: Memory | None = None
    #: if True, an unexpected error in this step does not end the crawl
    is_optional: bool = False


async def run_steps(ctx: CrawlContext, steps: Sequence[Step], pages: list[Page]) -> AsyncIterator[Task]:
    """Run steps one after another: yield the records of each, and add its pages to `pages`."""
    states = ctx.archive.load_source_states(ctx.home) if any(step.memory for step in steps) else {}
    for step in steps:
        logger.debug("Next step: %s.", step.name)
        ctx.tally.phase = step.name
        if step.memory is not None:
            step.memory.load(states)
        result = StepResult()
        with ctx.tolerating(step.name) if step.is_optional else nullcontext():
            result = await step.run() or result
        if step.memory is not None:
            keep(ctx, step.memory)
        pages += result.pages
        if result.records:
            yield HandOn(partial(iter, result.records))
    ctx.tally.phase = ""


def keep(ctx: CrawlContext, memory: Memory) -> None:
    """Store what a step remembers, if it has changed."""
    for name, state in memory.dump().items():
        if state != ctx.archive.load_source_state(ctx.home, name):
            ctx.archive.save_source_state(ctx.home, name, state)
