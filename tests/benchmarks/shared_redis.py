"""What a Redis that crawlers share costs them for each page, beside what a process keeps for itself.

    python -m tests.benchmarks.shared_redis [--pages N]

It starts a Redis of its own, on loopback and written to disk each second. Milliseconds are of the clock, the best of
three runs, since what another program does on the machine only adds to them.
"""

from __future__ import annotations

import argparse
import asyncio
from time import perf_counter
from typing import TYPE_CHECKING

from twisted.internet import asyncioreactor

from blogcrawler.shared import Gate
from tests.shared.server import PROGRAM, Server

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 3


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


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--pages", type=int, default=2_000, help="pages of each run (2,000)")
    pages = reader.parse_args().pages
    if PROGRAM is None:
        raise SystemExit("Redis is not installed (apt-get install redis-server).")
    asyncioreactor.install()
    with Server() as server:
        print("| part of a page | in the process, ms | in Redis besides, ms |\n|---|---|---|")
        own = best(lambda: asyncio.run(pass_process(pages)), pages)
        shared = best(lambda: asyncio.run(pass_gate(server.url, pages)), pages)
        print(f"| the gate of its host | {own:.3f} | {shared:.3f} |")


if __name__ == "__main__":
    main()
