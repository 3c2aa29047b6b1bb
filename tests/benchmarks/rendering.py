"""What it costs to show pages in a browser: pages a second and memory, by the number of pages at once; and over many.

    python -m tests.benchmarks.rendering [--pages N] [--many N]

The pages are those of a generated blog of scripts on loopback: each asks for its text, and draws it. Memory is that of
the browser and its driver (proportional set size), as Linux tells it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from scrapy.utils.reactor import install_reactor

install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")

from twisted.internet.defer import Deferred  # noqa: E402
from twisted.internet.task import react  # noqa: E402

from tests.browser.rendering import show  # noqa: E402
from tests.crawl.blog import make_posts  # noqa: E402
from tests.crawl.scripted import ScriptedBlog  # noqa: E402
from tests.site import LocalSite  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

POOLS = (1, 2, 4)
LOOK_S = 0.5
MIB = 1024


def browser_mib() -> float:
    """What the processes that this one has started have in memory."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    ours = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(map(_pss_kib, ours - {os.getpid()})) / MIB


def _pss_kib(process: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


async def measure(site: LocalSite, paths: Sequence[str], pool: int) -> tuple[float, list[float]]:
    """Seconds that it takes to show pages, and the browser's memory after each tenth of them, the peak between looks."""
    looks: list[tuple[float, float]] = []

    async def look() -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            looks.append((perf_counter(), browser_mib()))

    looking = asyncio.ensure_future(look())
    begin = perf_counter()
    shown = await show(
        site.url, *paths, RENDER_CONCURRENCY=pool, CONCURRENT_REQUESTS=8, CONCURRENT_REQUESTS_PER_DOMAIN=8
    )
    elapsed = perf_counter() - begin
    looking.cancel()
    assert len([page for page in shown.pages.values() if "rendered" in page.flags]) == len(paths)
    tenths = [[mib for at, mib in looks if elapsed * n <= 10 * (at - begin) <= elapsed * (n + 1)] for n in range(10)]
    return elapsed, [max(tenth) for tenth in tenths if tenth]


async def main(pages: int, many: int) -> None:
    blog = ScriptedBlog(make_posts(max(pages, many)))
    with LocalSite({}) as site:
        site.routes = blog.routes(site.url)
        for pool in POOLS:
            elapsed, memory = await measure(site, blog.paths()[:pages], pool)
            print(f"{pool} at once: {pages / elapsed:.2f} pages/s, {max(memory):.0f} MiB at most", flush=True)
        elapsed, memory = await measure(site, blog.paths()[:many], 2)
        told = " ".join(f"{mib:.0f}" for mib in memory)
        print(f"{many} pages, 2 at once: {many / elapsed:.2f} pages/s; MiB at most in each tenth: {told}", flush=True)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--pages", type=int, default=60)
    arguments.add_argument("--many", type=int, default=500)
    options = arguments.parse_args()
    react(lambda _: Deferred.fromFuture(asyncio.ensure_future(main(options.pages, options.many))))
