"""Steps run one after another, and what they remember is loaded before and kept after that."""

from __future__ import annotations

from contextlib import suppress
from types import SimpleNamespace

import pytest

from blogcrawler.backend import Archive
from blogcrawler.crawl.steps import Step, StepResult, run_steps
from blogcrawler.items import Page, Record

HOME = "http://blog.example.org/"


class Counter:
    """A step that remembers how often it ran."""

    def __init__(self):
        self.count = None

    def load(self, states):
        self.count = states.get("counter", {}).get("count", 0)

    def dump(self):
        return {"counter": {"count": self.count}}

    async def run(self):
        self.count += 1
        url = f"{HOME}{self.count}"
        return StepResult([Page(url, b"")], [Record(HOME, url)])


async def break_down():
    raise RuntimeError


async def bring_nothing():
    return None


@pytest.fixture
def ctx(tmp_path):
    with Archive.open(f"sqlite:///{tmp_path}/archive.db") as archive:
        yield SimpleNamespace(
            tally=SimpleNamespace(phase=""), archive=archive, home=HOME, tolerating=lambda _: suppress(RuntimeError)
        )


async def run(ctx, *steps):
    """The addresses of the records that are handed on, and of the pages at hand."""
    pages = []
    tasks = [task async for task in run_steps(ctx, steps, pages)]
    return [record.url for task in tasks for record in task.records()], [page.url for page in pages]


async def test_the_next_crawl_goes_on_with_what_a_step_remembers(ctx):
    for count in (1, 2, 3):
        counter = Counter()
        expected = [f"{HOME}{count}"]
        assert await run(ctx, Step("nothing", bring_nothing), Step("count", counter.run, counter)) == (
            expected,
            expected,
        )
    assert ctx.archive.load_source_states(HOME) == {"counter": {"count": 3}}


async def test_a_step_that_breaks_ends_the_crawl_unless_it_is_optional(ctx):
    counter = Counter()
    count = Step("count", counter.run, counter)
    assert await run(ctx, Step("break", break_down, is_optional=True), count) == ([f"{HOME}1"], [f"{HOME}1"])
    with pytest.raises(RuntimeError):
        await run(ctx, Step("break", break_down), count)
    assert ctx.archive.load_source_state(HOME, "counter") == {"count": 1}
