"""The pages that workers fetch: each by one of them at a time, and none is lost with its worker."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from blogcrawler.shared import PageQueue, has_queue
from blogcrawler.shared.page_queue import LISTENS_S, MOST_CLAIMS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PAGES = {number: json.dumps({"url": f"http://example.org/{number}"}) for number in range(1, 6)}
LONG_S, SHORT_S = 60.0, 0.05


@pytest.fixture
def run(redis_server) -> Callable[[Callable[[PageQueue], Awaitable[Any]]], Any]:
    """Run a coroutine on a queue, in another thread: this one has the reactor's loop."""

    def run(use: Callable[[PageQueue], Awaitable[Any]]) -> Any:
        async def use_one() -> Any:
            queue = PageQueue(redis_server.url, "crawl")
            try:
                return await asyncio.wait_for(use(queue), 60)
            finally:
                await queue.close()

        with ThreadPoolExecutor() as pool:
            return pool.submit(asyncio.run, use_one()).result()

    return run


async def work(queue: PageQueue, name: str, answers: Any = (), *, capacity: int = 2, lease_s: float = LONG_S) -> Any:
    return await queue.work(name, dict(answers), capacity=capacity, lease_s=lease_s)


def test_without_workers_no_page_is_left_to_them(run):
    async def use(queue: PageQueue) -> Any:
        before = await queue.ask("terms", PAGES)
        found = await work(queue, "a")
        return before, found, (await queue.ask("terms", {})).workers

    before, found, workers = run(use)
    assert before == (0, {})
    assert (found.terms, found.pages, workers) == ("terms", {}, 1)


def test_each_page_is_claimed_by_one_worker_in_the_order_in_which_they_are_wanted(run):
    async def use(queue: PageQueue) -> Any:
        await queue.ask("terms", {})
        await work(queue, "a", capacity=0)
        await queue.ask("terms", PAGES)
        await queue.ask("terms", PAGES)  # as the answer to a script may be lost
        return [set((await work(queue, name)).pages) for name in ("a", "a", "b", "c")]

    assert run(use) == [{1, 2}, {1, 2}, {3, 4}, {5}]


def test_what_is_handed_in_comes_until_it_is_taken(run):
    async def use(queue: PageQueue) -> Any:
        await queue.ask("terms", {})
        await work(queue, "a", capacity=0)
        await queue.ask("terms", PAGES)
        await work(queue, "a")
        then = set((await work(queue, "a", {1: '{"failed": "no"}'})).pages)
        first = (await queue.ask("terms", PAGES)).answers
        again = (await queue.ask("terms", PAGES)).answers
        left = {number: page for number, page in PAGES.items() if number != 1}
        return then, first, again, (await queue.ask("terms", left, taken=[1])).answers

    then, first, again, after = run(use)
    assert then == {2, 3}
    assert first == again == {1: {"failed": "no"}}
    assert after == {}


def test_a_page_of_a_worker_that_died_is_another_ones_and_what_the_first_hands_in_counts_no_more(run):
    async def use(queue: PageQueue) -> Any:
        await queue.ask("terms", {})
        await work(queue, "b", capacity=0)
        await queue.ask("terms", {1: PAGES[1]})
        await work(queue, "a", lease_s=SHORT_S)
        await asyncio.sleep(2 * SHORT_S)
        others = set((await work(queue, "b")).pages)
        await work(queue, "a", {1: '{"page": "late"}'})
        late = (await queue.ask("terms", {1: PAGES[1]})).answers
        await work(queue, "b", {1: '{"page": "good"}'})
        return others, late, (await queue.ask("terms", {1: PAGES[1]})).answers

    assert run(use) == ({1}, {}, {1: {"page": "good"}})


def test_a_page_of_which_several_workers_died_is_given_up(run):
    async def use(queue: PageQueue) -> Any:
        await queue.ask("terms", {})
        await work(queue, "b", capacity=0)
        await queue.ask("terms", {1: PAGES[1]})
        for number in range(MOST_CLAIMS):
            assert (await work(queue, f"{number}", lease_s=SHORT_S)).pages
            await asyncio.sleep(2 * SHORT_S)
        return (await work(queue, "b")).pages, (await queue.ask("terms", {1: PAGES[1]})).answers

    left, answers = run(use)
    assert (left, list(answers)) == ({}, [1])
    assert answers[1]["failed"] == "its worker processes died several times"


def test_what_a_worker_had_that_leaves_is_free_at_once(run):
    async def use(queue: PageQueue) -> Any:
        await queue.ask("terms", {})
        await work(queue, "a", capacity=0)
        await queue.ask("terms", PAGES)
        await work(queue, "a")
        await queue.leave("a")
        return set((await work(queue, "b")).pages), (await queue.ask("terms", PAGES)).workers

    assert run(use) == ({1, 2}, 1)


def test_pages_come_back_when_the_last_worker_has_left(run):
    async def use(queue: PageQueue) -> Any:
        await queue.ask("terms", {})
        await work(queue, "a")
        await queue.ask("terms", PAGES)
        await queue.leave("a")
        none = (await queue.ask("terms", PAGES)).workers
        return none, (await work(queue, "b")).pages

    assert run(use) == (0, {})


def test_workers_are_given_the_newest_wrapper(run):
    async def use(queue: PageQueue) -> Any:
        await queue.ask("terms", {})
        none = await queue.wrapper()
        await queue.ask("terms", {}, wrapper=(3, '{"a": 1}'))
        await queue.ask("terms", {})
        return none, (await work(queue, "a")).version, await queue.wrapper()

    assert run(use) == ((0, None), 3, (3, {"a": 1}))


def test_both_sides_are_told_at_once_of_pages_and_answers(run):
    async def use(queue: PageQueue) -> Any:
        new, come = asyncio.Event(), asyncio.Event()
        await queue.ask("terms", {})
        await work(queue, "a", capacity=0)
        tasks = [asyncio.create_task(queue.listen("new", new)), asyncio.create_task(queue.listen("come", come))]
        await asyncio.sleep(SHORT_S)
        told = [new.is_set() or come.is_set()]
        await queue.ask("terms", {1: PAGES[1]})
        await asyncio.wait_for(new.wait(), LISTENS_S / 2)
        told.append(come.is_set())
        await work(queue, "a")
        await work(queue, "a", {1: "{}"})
        await asyncio.wait_for(come.wait(), LISTENS_S / 2)
        for task in tasks:
            task.cancel()
        return told

    assert run(use) == [False, False]


def test_nothing_is_left_of_a_crawl_that_has_ended(run, redis_server):
    async def use(queue: PageQueue) -> Any:
        await queue.ask("terms", {})
        there = [await has_queue(redis_server.url, name, patience_s=5) for name in ("crawl", "other")]
        await work(queue, "a")
        await queue.forget()
        return there, await work(queue, "a"), await has_queue(redis_server.url, "crawl", patience_s=5)

    there, after, is_there = run(use)
    assert there == [True, False]
    assert (after.terms, after.pages, is_there) == ("", {}, False)
    assert redis_server.size == 0
