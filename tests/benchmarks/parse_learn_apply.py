"""What a page costs: libxml2's bare parser, our parse, learning a blog's rules, and applying them.

    python -m tests.benchmarks.parse_learn_apply [FOLDER] [--blogs N] [--runs N]

FOLDER holds archives of real blogs; without it the demonstration blog is measured. Times are milliseconds of processor
time a page, medians over the runs. What counts are the ratios, which hold on any machine; for each blog they are medians,
too, each of times that were taken one after the other. A bar is kept when both the quotient of all blogs' mean times and
the median of the blogs' ratios are below it: slow pages of one blog may move the one, not the other. Exit code 1: a bar
is missed.

Each run is as in a crawl: it learns from trees that were just parsed, with the wrapper's caches empty, and then reads
post by post. Only tables, which are the same for all blogs (of dates, of languages), are loaded before, once.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path
from statistics import mean, median
from typing import Any

from lxml import etree, html

from blogcrawler.wrapper import Example, Wrapper, learn
from tests.benchmarks.blogs import Blog, Page, blogs
from tests.benchmarks.timing import empty_caches, timed

APPLIED = 40
"""Posts of a blog, at most, that rules are applied to."""
BARS = {"parse / bare lxml": 4.0, "learn / parse of the same pages": 10.0, "apply / parse of the same pages": 1.0}


@dataclass(frozen=True)
class Cost:
    """Milliseconds a page."""

    bare: float
    parse: float
    #: our parse of the pages that are learned from
    parse_training: float
    learn: float
    apply: float

    @property
    def ratios(self) -> tuple[float, float, float]:
        """In the order of `BARS`."""
        return self.parse / self.bare, self.learn / self.parse_training, self.apply / self.parse


def _parse_bare(page: Page) -> html.HtmlElement:
    """libxml2's tree; it is told the charset of the header, as our parse is."""
    _, _, charset = page.content_type.partition("charset=")
    return html.document_fromstring(page.body, parser=_bare_parser(charset.strip()))


def _is_readable(page: Page) -> bool:
    """Can libxml2 read the page? (Ours reads all pages of a `Blog`.)"""
    try:
        _parse_bare(page)
    except (etree.ParserError, LookupError):
        return False
    return True


@cache
def _bare_parser(charset: str) -> html.HTMLParser:
    return html.HTMLParser(encoding=charset or None)


def main() -> int:
    arguments = _arguments()
    _heading()
    costs, ratios = [], []
    for blog in blogs(arguments.folder, most=arguments.blogs):
        posts = list(filter(_is_readable, blog.posts))[:: -(-len(blog.posts) // APPLIED)]
        runs = measure(blog, posts, arguments.runs)
        costs.append(Cost(*map(median, zip(*map(astuple, runs), strict=True))))
        ratios.append([median(values) for values in zip(*(run.ratios for run in runs), strict=True)])
        _row(blog.name, f"{len(blog.training)}+{len(posts)}", costs[-1], ratios[-1])
    if not costs:
        print(f"There is no blog to measure on in {arguments.folder}.", file=sys.stderr)
        return 1
    whole = Cost(*map(mean, zip(*map(astuple, costs), strict=True)))
    _row("all blogs, mean", "", whole, whole.ratios)
    return 0 if _verdict(whole, ratios) else 1


def measure(blog: Blog, posts: Sequence[Page], runs: int) -> list[Cost]:
    """The cost of each step on one blog, in each run; one run before them does not count."""
    return [_run(blog.training, posts) for _ in range(runs + 1)][1:]


def _run(pages: Sequence[Page], posts: Sequence[Page]) -> Cost:
    gc.collect()
    training, trees = _each(Page.parse, pages)
    pairs = zip(trees, pages, strict=True)
    examples = [Example(tree, page.entry, page.url) for tree, page in pairs if page.entry is not None]
    empty_caches()
    learning, wrapper = timed(learn, examples)
    times = [_read_post(page, wrapper) for page in posts]
    bare, ours, applying = (sum(column) / len(times) for column in zip(*times, strict=True))
    return Cost(bare, ours, training, learning / len(examples), applying)


def _read_post(page: Page, wrapper: Wrapper) -> tuple[float, float, float]:
    """Milliseconds for libxml2's parse, ours and the rules; no tree outlives this, so that memory costs all alike."""
    bare = timed(_parse_bare, page)[0]
    ours, tree = timed(Page.parse, page)
    applying = timed(wrapper.extract, tree, page.url)[0]
    return bare, ours, applying


def _each(step: Callable[[Any], Any], things: Sequence[Any]) -> tuple[float, list[Any]]:
    times, results = zip(*(timed(step, thing) for thing in things), strict=True)
    return mean(times), list(results)


# ----------------------------------------------------------------------------------------------------- what is printed


def _heading() -> None:
    print(f"{'':20}{'pages':>9}{'ms a page':>40}{'ratios':>28}")
    steps = "".join(f"{step:>8}" for step in ("lxml", "parse", "(train)", "learn", "apply"))
    print(f"{'blog':20}{'':>9}{steps}{'parse':>12}{'learn':>8}{'apply':>8}")


def _row(name: str, pages: str, cost: Cost, ratios: Sequence[float]) -> None:
    times = "".join(f"{taken:8.2f}" for taken in astuple(cost))
    parsing, *others = ratios
    print(f"{name[:19]:20}{pages:>9}{times}{parsing:12.2f}{''.join(f'{ratio:8.2f}' for ratio in others)}", flush=True)


def _verdict(whole: Cost, ratios: Sequence[Sequence[float]]) -> bool:
    print()
    every = True
    for (name, bar), ratio, each in zip(BARS.items(), whole.ratios, zip(*ratios, strict=True), strict=True):
        kept = max(ratio, median(each)) <= bar
        every &= kept
        print(
            f"{name:32}at most {bar}: {'kept  ' if kept else 'MISSED'}  all blogs {ratio:.2f}, median {median(each):.2f},"
            f" highest {max(each):.2f}, {sum(one > bar for one in each)} of {len(each)} above"
        )
    return every


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("folder", nargs="?", type=Path, help="archives of real blogs (*.tar.xz)")
    reader.add_argument("--blogs", type=int, help="measure on the first so many blogs only")
    reader.add_argument("--runs", type=int, default=5, help="medians are over so many runs (5)")
    return reader.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
