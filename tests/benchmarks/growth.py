"""How time grows: the exponent of learning a blog's rules and of applying them, on generated pages.

    python -m tests.benchmarks.growth [--runs N]

For each kind of growth the size is doubled four times, and a line is fitted to the logarithms of size and time (least
squares): its slope is the exponent, 1 where time grows as the size does. "Last doubling" is the time of the largest size
over that of the one before. Times are medians over the runs, of processor
time. Exit code 1: an exponent is above the bar.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from statistics import linear_regression, median

from blogcrawler.wrapper import Example, learn
from tests.benchmarks.timing import empty_caches, timed
from tests.wrapper.growing import Examples, comments, feed, lines, links, paragraphs, post_pages, spans

BAR = 1.15
"""The highest exponent: 1, and some room for the noise of a shared machine."""
DOUBLINGS = 4
RUNS = 5

Step = Callable[[Sequence[Example]], object]


@dataclass(frozen=True)
class Series:
    """What grows, and what is done with it."""

    name: str
    examples: Examples
    #: the first size, from which on the time is steady
    size: int
    step: str = "learn"

    def __str__(self) -> str:
        return f"{self.step}: {self.name}"

    @property
    def sizes(self) -> list[int]:
        """Each twice the one before."""
        return [self.size * 2**power for power in range(DOUBLINGS + 1)]


SERIES = [
    Series("posts in the feed", feed, 8),
    Series("paragraphs of the article", post_pages(paragraphs), 100),
    Series("lines of the article", post_pages(lines), 100),
    Series("comments below the article", post_pages(lambda _: paragraphs(5), comments), 100),
    Series("links beside the article", post_pages(lambda _: paragraphs(5), links), 200),
    Series("elements that hold the same text", post_pages(spans), 1024),
    Series("paragraphs of the article", post_pages(paragraphs), 200, "apply"),
    Series("comments below the article", post_pages(lambda _: paragraphs(5), comments), 200, "apply"),
    Series("elements that hold the same text", post_pages(spans), 1024, "apply"),
]


def main() -> int:
    runs = _arguments().runs
    print(f"| what grows | sizes | milliseconds | last doubling | exponent |\n|{'---|' * 5}")
    exponents = []
    for series in SERIES:
        times = measure(series, runs)
        exponents.append(exponent(series.sizes, times))
        sizes = ", ".join(map(str, series.sizes))
        taken = ", ".join(f"{time:.1f}" for time in times)
        print(f"| {series} | {sizes} | {taken} | {times[-1] / times[-2]:.2f} | {exponents[-1]:.2f} |", flush=True)
    kept = max(exponents) <= BAR
    print(f"\nEach exponent at most {BAR}: {'kept' if kept else 'MISSED'}, the highest is {max(exponents):.2f}.")
    return 0 if kept else 1


def measure(series: Series, runs: int = RUNS) -> list[float]:
    """Milliseconds for each size; one run before the others does not count.

    The sizes take turns, so that the machine's other work costs all alike.
    """
    examples = [series.examples(size) for size in series.sizes]
    steps = [_step(series, one) for one in examples]
    times: list[list[float]] = [[] for _ in steps]
    gc.collect()
    gc.disable()
    try:
        for run in range(runs + 1):
            for taken, step, one in zip(times, steps, examples, strict=True):
                if series.step == "learn":
                    empty_caches()
                else:
                    step(one)  # the larger size before it has emptied the processor's caches
                time = timed(step, one)[0]
                if run:
                    taken.append(time)
    finally:
        gc.enable()
    return [median(taken) for taken in times]


def _step(series: Series, examples: Sequence[Example]) -> Step:
    if series.step == "learn":
        return learn
    wrapper = learn(examples)
    return lambda pages: [wrapper.extract(page.tree, page.url) for page in pages]


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """The slope of the line through the logarithms, by least squares."""
    return linear_regression([log(size) for size in sizes], [log(time) for time in times]).slope


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--runs", type=int, default=RUNS, help=f"medians are over so many runs ({RUNS})")
    return reader.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
