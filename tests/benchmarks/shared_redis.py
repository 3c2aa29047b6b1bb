"""What a Redis that crawlers share costs them for each page, beside what a process keeps for itself.

    python -m tests.benchmarks.shared_redis [--pages N]

It starts a Redis of its own, on loopback and written to disk each second. Milliseconds are of the clock, the best of
five runs, since what another program does on the machine only adds to them. A page has 50 kB.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from time import perf_counter
from typing import TYPE_CHECKING

from twisted.internet import asyncioreactor

from blogcrawler.items import Page
from blogcrawler.shared import Gate, PageQueue
from blogcrawler.shared_crawl.page_messages import page_from_json, page_to_json
from tests.shared.server import PROGRAM, Server

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

RUNS = 5
AT_ONCE = 4
HOME = "http://example.org/"


def best(run: Callable[[], Coroutine[None, None, float]], pages: int) -> float:
    """Milliseconds for each page."""
    return 1000 * min(asyncio.run(run()) for _ in range(RUNS)) / pages


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


async def pass_queue(url: str, pages: int) -> float:
    """Seconds that a crawl and a worker together take to hand over so many pages, some at once."""
    queue = PageQueue(url, "benchmark")
    await queue.ask("terms", {})
    await queue.work("worker", {}, capacity=0, lease_s=60)
    page = Page(HOME, b"<p>" + 50_000 * b"x", "text/html")
    begun = perf_counter()
    taken: list[int] = []
    for first in range(1, pages, AT_ONCE):
        wanted = {number: json.dumps({"url": f"{HOME}{number}/"}) for number in range(first, first + AT_ONCE)}
        await queue.ask("terms", wanted, taken=taken)
        claimed = await queue.work("worker", {}, capacity=AT_ONCE, lease_s=60)
        answers = {number: json.dumps({"page": page_to_json(page)}) for number in claimed.pages}
        await queue.work("worker", answers, capacity=0, lease_s=60)
        taken = list(wanted)
        for answer in (await queue.ask("terms", wanted)).answers.values():
            page_from_json(answer["page"])
    seconds = perf_counter() - begun
    await queue.forget()
    await queue.close()
    return seconds


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--pages", type=int, default=2_000, help="pages of each run (2,000)")
    pages = reader.parse_args().pages
    if PROGRAM is None:
        raise SystemExit("Redis is not installed (apt-get install redis-server).")
    asyncioreactor.install()
    with Server() as server:
        print("| part of a page | ms |\n|---|---|")
        print(f"| its host's turn in the process | {best(lambda: pass_process(pages), pages):.2f} |")
        print(f"| its host's gate in Redis, besides | {best(lambda: pass_gate(server.url, pages), pages):.2f} |")
        print(f"| to hand it to a worker, and back | {best(lambda: pass_queue(server.url, pages), pages):.2f} |")


if __name__ == "__main__":
    main()
