"""What the frontier costs: of a prediction by the number of pages seen, and of the room that waiting URLs take.

    python -m tests.benchmarks.frontier_cost [--urls N] [--stored N]

Those of `--stored` go into a database, as in a crawl, of which most stay on disk; then the frontier is loaded again, as
after a crawl that was cut short.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

from blogcrawler.backend import Archive
from blogcrawler.frontier import Frontier, Link
from blogcrawler.frontier.estimators import LinkYieldEstimator

SEEN = (100, 1_000, 10_000, 50_000)
ASKED = 1_000
SITE = "http://blog.test"


def address(n: int) -> str:
    """One of a site's many: sections, numbers and words."""
    return f"{SITE}/{('forum', 'wiki', 'tag', 'archive')[n % 4]}/{n % 97}/words-{'xyz'[n % 3]}-{n}/"


def cost_of_a_prediction(seen: int) -> float:
    """Milliseconds of processor time for each URL, after so many pages."""
    estimator = LinkYieldEstimator()
    urls = [address(n) for n in range(seen)]
    estimator.fit(urls, [float(n % 7) for n in range(seen)], [(f"place {n % 11}",) for n in range(seen)])
    asked = [address(10**6 + n) for n in range(ASKED)]
    marks = [(f"place {n % 13}",) for n in range(ASKED)]
    estimator.predict(asked[:1], marks[:1])
    start = process_time()
    estimator.predict(asked, marks)
    return 1000 * (process_time() - start) / ASKED


def fill(frontier: Frontier, urls: int) -> None:
    """Let so many URLs wait, found on lists of a thousand."""
    for start in range(0, urls, 1000):
        frontier.add_many(
            [Link(address(n), marks=(f"place {n % 11}",)) for n in range(start, min(urls, start + 1000))],
            found_on=f"{SITE}/list{start}",
        )
        frontier.flush()


def memory_of_waiting(urls: int) -> float:
    """Kilobytes of memory for each URL that waits."""
    before = _peak()
    frontier = Frontier(max_pending=urls)
    fill(frontier, urls)
    frontier.pop()
    return (_peak() - before) / urls


class Stored(NamedTuple):
    """What a frontier in a database costs."""

    #: of the database, and of memory at its peak
    megabytes: float
    memory: float
    #: for each thousand URLs that are added; for all that are loaded
    milliseconds: float
    seconds: float


def cost_of_stored(urls: int) -> Stored:
    """Of so many URLs that wait in a database."""
    before = _peak()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "archive.db")
        archive = Archive.open(f"sqlite:///{file}")
        start = perf_counter()
        fill(Frontier(archive.frontier_store(f"{SITE}/")), urls)
        filled = perf_counter()
        Frontier(archive.frontier_store(f"{SITE}/")).pop()
        loaded = perf_counter()
        archive.close()
        size = sum(part.stat().st_size for part in Path(folder).iterdir()) / 2**20
    return Stored(size, (_peak() - before) / 1024, 10**6 * (filled - start) / urls, loaded - filled)


def _peak() -> int:
    """Kilobytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--urls", type=int, default=100_000, help="URLs that wait (100,000)")
    reader.add_argument("--stored", type=int, default=0, help="URLs that wait in a database (0)")
    arguments = reader.parse_args()
    urls = arguments.urls
    kilobytes = memory_of_waiting(urls)  # first, since memory that was freed would be used again
    print("| pages seen | ms for each URL |\n|---|---|")
    for seen in SEEN:
        print(f"| {seen:,} | {cost_of_a_prediction(seen):.3f} |")
    print(f"\n{urls:,} URLs that wait take {kilobytes:.2f} KB of memory each, with their rows in a store in memory.")
    if arguments.stored:
        cost = cost_of_stored(arguments.stored)
        print(
            f"{arguments.stored:,} URLs in a database take {cost.megabytes:.0f} MB on disk and {cost.memory:.0f} MB more "
            f"memory; a thousand are added in {cost.milliseconds:.0f} ms, all loaded in {cost.seconds:.1f} s."
        )


if __name__ == "__main__":
    main()
