"""What the frontier costs: of a prediction by the number of pages seen, and of the memory that waiting URLs take.

python -m tests.benchmarks.frontier_cost [--urls N]
"""

from __future__ import annotations

import argparse
import resource
from time import process_time

from blogcrawler.frontier import Frontier, Link, LinkYieldEstimator

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


def memory_of_waiting(urls: int) -> float:
    """Kilobytes of memory for each URL that waits."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    frontier = Frontier(max_pending=urls)
    for start in range(0, urls, 1000):
        frontier.add_many(
            [Link(address(n), marks=(f"place {n % 11}",)) for n in range(start, min(urls, start + 1000))],
            found_on=f"{SITE}/list{start}",
        )
        frontier.flush()
    frontier.pop()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / urls


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--urls", type=int, default=100_000, help="URLs that wait (100,000)")
    urls = reader.parse_args().urls
    kilobytes = memory_of_waiting(urls)  # first, since memory that was freed would be used again
    print("| pages seen | ms for each URL |\n|---|---|")
    for seen in SEEN:
        print(f"| {seen:,} | {cost_of_a_prediction(seen):.3f} |")
    print(f"\n{urls:,} URLs that wait take {kilobytes:.2f} KB of memory each, with their rows in a store in memory.")


if __name__ == "__main__":
    main()
