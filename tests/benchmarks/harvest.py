"""Posts found against pages fetched: this project's frontier beside other ways to crawl a site.

    python -m tests.benchmarks.harvest [FOLDER] [--blogs NAME,…] [--chart FILE.png] [--dead-links]

Crawls are simulated, without a network and the same at each run: of the archives of FOLDER, and of generated sites with
a forum, a wiki, a shop and traps. The area is that below the curve of posts found, over twice as many requests as there
are posts, as a share of the oracle's. Exit code 1: a bar is missed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import ceil
from pathlib import Path
from statistics import mean
from typing import Any

from tests.benchmarks.blogs import archives
from tests.benchmarks.generated_sites import KINDS, generate
from tests.benchmarks.linkgraphs import REDIRECTS, Graph, read_graph
from tests.benchmarks.strategies import STRATEGIES

__all__ = ["OURS", "PATTERN", "Run", "area", "crawl"]

OURS, PATTERN, ORACLE = "this project", "pattern first", "oracle"
SEEDS = (1, 2)
MOST = 20
"""Requests a post after which a strategy is stopped: traps have no end."""
HORIZON = 2
"""Requests a post that the area is taken over."""
MEAN_AREA, LEAST_AREA = 0.97, 0.90
MOST_BEHIND = 0.02
UNTIL_95, UNTIL_95_GENERATED = 1.10, 1.30

Runs = Mapping[str, "Run"]


@dataclass(frozen=True)
class Run:
    """One crawl of a site."""

    posts: int
    #: after how many requests each of the posts was found, in order
    found: Sequence[int]
    #: requests until nothing was left
    requests: int

    def until(self, share: float) -> float:
        """Requests a post until this share of all posts was found."""
        needed = max(1, ceil(share * self.posts - 1e-9))
        return (self.found[needed - 1] if len(self.found) >= needed else self.requests) / self.posts

    def recall(self) -> float:
        """Share of the posts that were found in the end."""
        return len(self.found) / self.posts

    def area(self) -> float:
        """The area below the curve: the mean share of the posts that are known."""
        horizon = HORIZON * self.posts
        return sum(max(0, horizon - at) for at in self.found) / (horizon * self.posts)


def area(runs: Runs, name: str) -> float:
    """The area below a strategy's curve as a share of the oracle's."""
    return runs[name].area() / runs[ORACLE].area()


def crawl(graph: Graph, strategy: str) -> Run:
    """Crawl a site until the strategy has nothing left, or `MOST` requests a post are made."""
    chooser = STRATEGIES[strategy](graph)
    most = MOST * len(graph.posts)
    requests = 0
    found: dict[str, int] = {}
    url: str | None = graph.home
    while url is not None and requests < most:
        answer = graph.answer(url)
        requests += 1
        for _ in range(REDIRECTS):
            if answer.location is None or not chooser.follows(url, answer.location):
                break
            url = answer.location
            answer = graph.answer(url)
            requests += 1
        if answer.location is None:
            if answer.is_post and answer.page:
                found.setdefault(answer.page, requests)
            chooser.take(url, answer)
        url = chooser.next()
    return Run(len(graph.posts), list(found.values()), requests)


def main() -> int:
    options = _arguments()
    generated = measure([(kind.name, seed) for kind in KINDS for seed in SEEDS], _generated)
    missed = report(generated, "generated sites", UNTIL_95_GENERATED)
    charts = {"generated sites": generated}
    if options.folder:
        names = [name for name in options.blogs.split(",") if name]
        read = partial(_archived, dead_links=options.dead_links)
        charts["blogs"] = blogs = measure(archives(options.folder, names), read)
        missed += report(blogs, "blogs", UNTIL_95)
    if options.chart:
        draw(charts, options.chart)
    print("\nBars: " + ("kept." if not missed else "MISSED: " + "; ".join(missed)))
    return 1 if missed else 0


def measure(sites: Iterable[Any], crawled: Callable[[Any], tuple[str, Runs]]) -> dict[str, Runs]:
    """The crawls of each site, by all strategies."""
    with ProcessPoolExecutor() as pool:
        return dict(pool.map(crawled, sites))


def _generated(site: tuple[str, int]) -> tuple[str, Runs]:
    name, seed = site
    graph = generate(next(kind for kind in KINDS if kind.name == name), seed=seed)
    return f"{name} {seed}", {strategy: crawl(graph, strategy) for strategy in STRATEGIES}


def _archived(path: Path, *, dead_links: bool) -> tuple[str, Runs]:
    graph = read_graph(path, dead_links=dead_links)
    return graph.name, {strategy: crawl(graph, strategy) for strategy in STRATEGIES}


def report(sites: Mapping[str, Runs], title: str, until_95: float) -> list[str]:
    """Print a table for each site and one of means; the bars that are missed."""
    print(
        f"\n## {len(sites)} {title}\n\n| site | posts | area | pattern first | until 95 % | until 100 % | until the end |\n|{'---|' * 7}"
    )
    for name, runs in sorted(sites.items()):
        ours = runs[OURS]
        figures = f"{area(runs, OURS):.3f} | {area(runs, PATTERN):.3f} | {ours.until(0.95):.2f} | {ours.until(1):.2f}"
        print(f"| {name} | {len(ours.found)}/{ours.posts} | {figures} | {ours.requests / ours.posts:.2f} |")
    print(f"\n| strategy | area | least area | until 95 % | until 100 % | until the end | found |\n|{'---|' * 7}")
    for strategy in STRATEGIES:
        areas = [area(runs, strategy) for runs in sites.values()]
        own = [runs[strategy] for runs in sites.values()]
        means = (
            mean(run.until(0.95) for run in own),
            mean(run.until(1) for run in own),
            mean(run.requests / run.posts for run in own),
            mean(run.recall() for run in own),
        )
        print(
            f"| {strategy} | {mean(areas):.3f} | {min(areas):.3f} | " + " | ".join(f"{one:.2f}" for one in means) + " |"
        )
    return list(_missed(sites, title, until_95))


def _missed(sites: Mapping[str, Runs], title: str, until_95: float) -> Iterable[str]:
    areas = {name: area(runs, OURS) for name, runs in sites.items()}
    behind = {name: area(runs, PATTERN) - areas[name] for name, runs in sites.items()}
    needed = mean(runs[OURS].until(0.95) for runs in sites.values())
    if title == "blogs" and mean(areas.values()) < MEAN_AREA:
        yield f"mean area {mean(areas.values()):.3f} < {MEAN_AREA}"
    yield from (f"{name}: area {one:.3f} < {LEAST_AREA}" for name, one in areas.items() if one < LEAST_AREA)
    yield from (f"{name}: {one:.3f} behind pattern first" for name, one in behind.items() if one > MOST_BEHIND)
    if mean(behind.values()) > 0:
        yield f"{title}: behind pattern first on average"
    if needed > until_95:
        yield f"{title}: {needed:.2f} requests a post until 95 % > {until_95}"


def draw(charts: Mapping[str, Mapping[str, Runs]], path: Path) -> None:
    """Draw the mean share of posts that are known, against requests a post."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    steps = [step / 50 for step in range(50 * 4 + 1)]
    figure, places = pyplot.subplots(1, len(charts), figsize=(6 * len(charts), 4.5), sharey=True, squeeze=False)
    for place, (title, sites) in zip(places[0], charts.items(), strict=True):
        for strategy in STRATEGIES:
            place.plot(
                steps, [mean(_share(runs[strategy], step) for runs in sites.values()) for step in steps], label=strategy
            )
        place.set(
            title=f"{len(sites)} {title}",
            xlabel="requests a post",
            ylabel="share of posts found",
            xlim=(0, 4),
            ylim=(0, 1.02),
        )
        place.grid(alpha=0.3)
    places[0][-1].legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def _share(run: Run, per_post: float) -> float:
    return sum(at <= per_post * run.posts + 1e-9 for at in run.found) / run.posts


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("folder", nargs="?", type=Path, help="folder of archives NAME.tar.xz")
    reader.add_argument("--blogs", default="", help="only these, separated by commas")
    reader.add_argument("--chart", type=Path, help="where to draw the curves (needs matplotlib)")
    reader.add_argument("--dead-links", action="store_true", help="keep links to pages that the archives do not hold")
    return reader.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
