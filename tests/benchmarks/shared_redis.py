"""What a Redis that crawlers share costs them for each page, beside what a process keeps for itself.

    python -m tests.benchmarks.shared_redis [--pages N] [--urls N]

It starts a Redis of its own, on loopback and written to disk each second. Milliseconds are of the clock, the best of
five runs, since what another program does on the machine only adds to them. A page of the frontier has 20 links, two
of them to pages that nobody knew.
"""

from __future__ import annotations

import argparse
import asyncio
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from twisted.internet import asyncioreactor

from blogcrawler.backend import Archive
from blogcrawler.frontier import Candidate, Frontier, Journal, Link, MemoryStore, SharedFrontier
from blogcrawler.frontier.store import key_of
from blogcrawler.shared import Gate, Redis, RedisFrontierStore
from tests.shared.server import PROGRAM, Server

if TYPE_CHECKING:
    from collections.abc import Callable

    from blogcrawler.frontier import FrontierStore

T = TypeVar("T", bound="FrontierStore")
RUNS = 5
HOME = "http://example.org/"


def best(run: Callable[[], float], pages: int) -> float:
    """Milliseconds for each page."""
    return 1000 * min(run() for _ in range(RUNS)) / pages


async def pass_gate(url: str, pages: int) -> float:
    """Seconds that so many requests of different hosts take that need not wait."""
    async with Gate(url) as gate:
        await gate.turn("first.test", "first.test", delay_s=1, server_delay_s=0.1)
        begun = perf_counter()
        for number in range(pages):
            await gate.turn(f"{number}.test", f"{number}.test", delay_s=0.01, server_delay_s=0.001)
        return perf_counter() - begun


async def pass_process(pages: int) -> float:
    """The same of requests that only the process counts."""
    from blogcrawler.downloader.hosts import Hosts

    hosts = Hosts()
    begun = perf_counter()
    for number in range(pages):
        async with hosts.turn(f"{number}.test", 1, delay=0.01, most=4):
            pass
    return perf_counter() - begun


def links_of(number: int) -> list[str]:
    """The addresses that a page links to."""
    return [f"{HOME}{(37 * number + n) % (number + 1)}/" for n in range(18)] + [
        f"{HOME}{2 * number + n}/" for n in (1, 2)
    ]


def work_off(make: Callable[[], Frontier], pages: int) -> float:
    """Seconds that a frontier takes for so many pages, each written down when it is done."""
    frontier = make()
    frontier.add(f"{HOME}0/", is_post=True)
    begun = perf_counter()
    for number in range(pages):
        if isinstance(frontier, SharedFrontier):
            frontier.catch_up()
        _work(frontier, number)
    return perf_counter() - begun


def _empty(store: T) -> T:
    store.clear()
    return store


def _work(frontier: Frontier, number: int) -> None:
    candidate = frontier.pop()
    assert candidate is not None
    links = [Link(url, is_post=True) for url in links_of(number)]
    frontier.commit_page(candidate.url, yield_=2, links=links, is_post=True)


def replay(store: RedisFrontierStore, other: RedisFrontierStore, pages: int) -> float:
    """Seconds that a frontier takes to do what another one has told of so many pages."""
    _empty(store), _empty(other)
    teller, hearer = SharedFrontier(store, Journal()), SharedFrontier(other, Journal())
    teller.add(f"{HOME}0/", is_post=True)
    hearer.catch_up()
    seconds = 0.0
    for number in range(pages):
        _work(teller, number)
        begun = perf_counter()
        hearer.catch_up()
        seconds += perf_counter() - begun
    return seconds


def bytes_of_urls(server: Server, store: RedisFrontierStore, urls: int) -> float:
    """Bytes of Redis's memory for each URL that waits."""
    store.clear()
    before = _memory(server)
    for start in range(0, urls, 1000):
        addresses = [f"{HOME}2026/11/a-post-of-some-words-{number}/" for number in range(start, start + 1000)]
        store.save([Candidate(key_of(url), url, 0, found_on=HOME).to_row() for url in addresses])
    return (_memory(server) - before) / urls


def _memory(server: Server) -> int:
    redis = Redis(server.url)
    used = int(redis.ask(lambda: redis.client.info("memory"))["used_memory"])
    redis.close()
    return used


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--pages", type=int, default=2_000, help="pages of each run (2,000)")
    reader.add_argument("--urls", type=int, default=100_000, help="URLs that wait in Redis (100,000)")
    arguments = reader.parse_args()
    pages = arguments.pages
    if PROGRAM is None:
        raise SystemExit("Redis is not installed (apt-get install redis-server).")
    asyncioreactor.install()
    with Server() as server, Archive.open(f"sqlite:///{server.folder}/archive.db") as archive:
        print("| part of a page | ms |\n|---|---|")
        own = best(lambda: asyncio.run(pass_process(pages)), pages)
        shared = best(lambda: asyncio.run(pass_gate(server.url, pages)), pages)
        print(f"| its host's turn in the process | {own:.2f} |\n| its host's gate in Redis, besides | {shared:.2f} |")
        redis = Redis(server.url)
        store, other = RedisFrontierStore(redis, HOME), RedisFrontierStore(redis, HOME)
        frontiers: dict[str, Callable[[], Frontier]] = {
            "a frontier kept in memory": lambda: Frontier(MemoryStore()),
            "a frontier kept in SQLite": lambda: Frontier(_empty(archive.frontier_store(HOME))),
            "a frontier that spiders share in Redis": lambda: SharedFrontier(_empty(store), Journal()),
        }
        for name, make in frontiers.items():
            print(f"| {name} | {best(partial(work_off, make, pages), pages):.2f} |")
        print(f"| the same for a page of another spider | {best(partial(replay, store, other, pages), pages):.2f} |")
        print(f"\nA URL that waits in Redis takes {bytes_of_urls(server, store, arguments.urls):.0f} bytes there.")


if __name__ == "__main__":
    main()
