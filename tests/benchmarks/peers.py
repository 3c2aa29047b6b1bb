"""This project beside other extractors, on the same pages in one run: how good, and how fast.

    python -m tests.benchmarks.peers [FOLDER] [--blogs N] [--pages N] [--runs N]

FOLDER holds archives of real blogs (*.tar.xz); without it the demonstration blog is measured. The pages are posts that the
feed no longer holds; this project learns from the pages of those that it does. `pip install '.[benchmark]'` installs
the others; those that are missing are left out. Scores are means over the blogs (see `scoring`; "article" is the share with
an F1 of at least 0.9; authors count on the blogs whose pages name them). A dash: the extractor does not look for the field.

Times are milliseconds of processor time a page, from bytes to fields, decoding included; the tools take turns page by
page. A blog's time is the median of its runs, the table's the mean of the blogs. Ours holds the time of learning, with the
parse of the pages that are learned from, divided over a blog of 100 posts. The first line of ours gives what the others
give: title, authors, date, tags and text; the "whole record" is what a crawl keeps: on top of that the sanitised HTML, the
language that the text is written in, and the page's checksum. Exit code 1: a bar is missed.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import Any

from blogcrawler.dom import fragment, readable_text
from blogcrawler.dom.encoding import decode
from blogcrawler.wrapper import Wrapper
from tests.benchmarks import ours
from tests.benchmarks.blogs import Blog, Page, blogs
from tests.benchmarks.scoring import RIGHT, scores
from tests.benchmarks.timing import empty_caches, timed
from tests.benchmarks.tools import Extract, Tool, installed, silence

OURS, WHOLE = "blogcrawler", "blogcrawler, whole record"
POSTS = 100
"""Posts of the blog that the cost of learning is divided over."""
FASTER = 3.0
"""Times that this project must be faster than `RIVAL`."""
RIVAL = "trafilatura"
PAGES = 40
"""Of a blog, at most: evenly spread."""
COLUMNS = {
    "article F1": "content",
    "article": "content",
    "title": "title",
    "date": "published",
    "author": "authors",
    "tags": "tags",
}
"""Heads of the table, and the fields that they are about."""


@dataclass
class Outcome:
    """What one tool did on one blog."""

    #: scores by head of the table, of all pages
    scores: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    #: milliseconds of the pages of each run
    runs: list[list[float]] = field(default_factory=list)
    #: milliseconds that come once a blog, of each run
    once: list[float] = field(default_factory=list)
    failures: int = 0

    @property
    def page_ms(self) -> float:
        """Milliseconds a page, what comes once left out."""
        return median(map(fmean, self.runs))

    @property
    def once_ms(self) -> float:
        """Milliseconds a page of what comes once, on a blog of `POSTS` posts."""
        return median(self.once) / POSTS if self.once else 0.0

    @property
    def ms(self) -> float:
        """Milliseconds a page of a blog of `POSTS` posts."""
        return self.page_ms + self.once_ms


def main() -> int:
    arguments = _arguments()
    with silence():
        return _compare(arguments)


def _compare(arguments: argparse.Namespace) -> int:
    tools = installed()
    outcomes, pages = [], 0
    for blog in blogs(arguments.folder, most=arguments.blogs):
        sample = blog.beyond[:: -(-len(blog.beyond) // arguments.pages) or 1]
        if sample:
            outcomes.append(measure(blog, sample, tools, arguments.runs))
            pages += len(sample)
            _progress(blog, sample, outcomes[-1])
    if not outcomes:
        print(f"There is no blog to measure on in {arguments.folder}.", file=sys.stderr)
        return 1
    print(f"{len(outcomes)} blogs, {pages} pages.\n")
    looked_for = {
        OURS: frozenset(COLUMNS.values()),
        WHOLE: frozenset(COLUMNS.values()),
        **{tool.name: tool.fields for tool, _ in tools},
    }
    quality = {name: _means([blog[name] for blog in outcomes], looked_for[name]) for name in looked_for}
    _table(quality, {name: fmean(blog[name].ms for blog in outcomes) for name in looked_for}, tools)
    return 0 if _verdict(quality, outcomes) else 1


# ------------------------------------------------------------------------------------------------------- the measuring


def measure(blog: Blog, sample: Sequence[Page], tools: Sequence[tuple[Tool, Extract]], runs: int) -> dict[str, Outcome]:
    """What each tool makes of a blog's pages. One run before the others is scored, but its times do not count."""
    found = {OURS: Outcome(), WHOLE: Outcome(), **{tool.name: Outcome() for tool, _ in tools}}
    for run in range(runs + 1):
        gc.collect()
        empty_caches()
        learning, wrapper = timed(ours.learned, blog)
        steps: dict[str, Callable[[Page], Mapping[str, Any]]] = {
            OURS: partial(ours.fields, wrapper=wrapper),
            WHOLE: partial(_whole_record, wrapper=wrapper),
            **{tool.name: _reader(extract) for tool, extract in tools},
        }
        times = _take_turns(steps, sample, found, is_scored=not run, anonymous=blog.anonymous)
        if run:
            found[OURS].once.append(learning)
            found[WHOLE].once.append(learning)
            for name in steps:
                found[name].runs.append(times[name])
    return found


def _whole_record(page: Page, wrapper: Wrapper) -> Mapping[str, Any]:
    return ours.record(page, wrapper).to_dict()


def _reader(extract: Extract) -> Callable[[Page], Mapping[str, Any]]:
    return lambda page: extract(page.url, decode(page.body, page.content_type))


def _take_turns(
    steps: Mapping[str, Callable[[Page], Mapping[str, Any]]],
    sample: Sequence[Page],
    found: Mapping[str, Outcome],
    *,
    is_scored: bool,
    anonymous: bool,
) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in steps}
    for page in sample:
        for name, step in steps.items():
            taken, record = timed(_attempt, step, page)
            times[name].append(taken)
            if is_scored:
                found[name].failures += record is None
                _score(found[name], page, record or {}, anonymous=anonymous)
    return times


def _attempt(step: Callable[[Page], Mapping[str, Any]], page: Page) -> Mapping[str, Any] | None:
    try:
        return step(page)
    except Exception:  # noqa: BLE001 - whatever a tool raises, it has no answer
        return None


def _score(outcome: Outcome, page: Page, record: Mapping[str, Any], *, anonymous: bool) -> None:
    if "content_html" in record and "content_text" not in record:
        record = {**record, "content_text": readable_text(fragment(record["content_html"]))}
    right = scores(page.truth, record)
    if "content" in right:
        outcome.scores["article F1"].append(right["content"])
        outcome.scores["article"].append(float(right["content"] >= RIGHT))
    for head in ("title", "date", "author", "tags"):
        if COLUMNS[head] in right and not (anonymous and head == "author"):
            outcome.scores[head].append(right[COLUMNS[head]])


def _means(outcomes: Sequence[Outcome], looked_for: frozenset[str]) -> dict[str, float]:
    """Means over the blogs of what a tool looks for."""
    found = {}
    for head, name in COLUMNS.items():
        values = [fmean(outcome.scores[head]) for outcome in outcomes if outcome.scores[head]]
        if name in looked_for and values:
            found[head] = fmean(values)
    return found


# ----------------------------------------------------------------------------------------------------- what is printed


def _progress(blog: Blog, sample: Sequence[Page], outcome: Mapping[str, Outcome]) -> None:
    times = ", ".join(f"{name} {one.ms:.1f}" for name, one in outcome.items())
    once = median(outcome[OURS].once)
    print(
        f"{blog.name}, {len(sample)} pages, ms a page: {times}; learned in {once:.0f} ms", file=sys.stderr, flush=True
    )


def _table(
    quality: Mapping[str, Mapping[str, float]], times: Mapping[str, float], tools: Sequence[tuple[Tool, Extract]]
) -> None:
    print(f"| | {' | '.join(COLUMNS)} | ms a page | times ours |\n|{'---|' * (len(COLUMNS) + 3)}")
    for name, means in quality.items():
        cells = [f"{means[head]:.3f}" if head in means else "–" for head in COLUMNS]
        print(f"| {name} | {' | '.join(cells)} | {times[name]:.1f} | {times[name] / times[OURS]:.1f} |")
    print()
    for tool, _ in tools:
        print(f"- {tool.name} ({tool.licence}): {tool.call}")
    print()


def _verdict(quality: Mapping[str, Mapping[str, float]], outcomes: Sequence[Mapping[str, Outcome]]) -> bool:
    behind = [
        f"{name} in {head} ({means[head]:.3f}, ours {quality[OURS][head]:.3f})"
        for name, means in quality.items()
        if name not in {OURS, WHOLE}
        for head in means
        if means[head] >= quality[OURS][head] and quality[OURS][head] < 1
    ]
    print(
        f"Ahead of each on every column, or without a fault: {'no: not of ' + '; '.join(behind) if behind else 'yes'}."
    )
    failed = {name: sum(blog[name].failures for blog in outcomes) for name in quality}
    print("Pages that a tool failed on: " + (", ".join(f"{k} {v}" for k, v in failed.items() if v) or "none") + ".")
    for name in (OURS, WHOLE):
        learning, page = (
            fmean(values) for values in zip(*((one[name].once_ms, one[name].page_ms) for one in outcomes), strict=True)
        )
        print(f"{name}: {learning:.2f} ms of learning and {page:.2f} ms for the page.")
    if RIVAL not in quality:
        return not behind
    print(f"Faster than {RIVAL} on a blog of {POSTS} posts, learning included, at least {FASTER:g} times:")
    kept = [_is_faster(name, outcomes) for name in (OURS, WHOLE)]
    return not behind and kept[0]


def _is_faster(name: str, outcomes: Sequence[Mapping[str, Outcome]]) -> bool:
    """Print how much faster than `RIVAL` one of ours is; is it fast enough?"""
    ratios = [blog[RIVAL].ms / blog[name].ms for blog in outcomes]
    whole = fmean(blog[RIVAL].ms for blog in outcomes) / fmean(blog[name].ms for blog in outcomes)
    kept = min(whole, median(ratios)) >= FASTER
    print(
        f"{name}: {'kept' if kept else 'MISSED'}: {whole:.1f} times by the mean times, median of the blogs "
        f"{median(ratios):.1f}, lowest {min(ratios):.1f}."
    )
    return kept


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("folder", nargs="?", type=Path, help="archives of real blogs (*.tar.xz)")
    reader.add_argument("--blogs", type=int, help="measure on the first so many blogs only")
    reader.add_argument("--pages", type=int, default=PAGES, help=f"of a blog, at most ({PAGES})")
    reader.add_argument("--runs", type=int, default=3, help="medians are over so many runs (3)")
    return reader.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
