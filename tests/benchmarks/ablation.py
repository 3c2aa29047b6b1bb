"""What each mechanism of the wrapper is worth: blogs are learned and read with it and without it, and nothing is crawled.

    python -m tests.benchmarks.ablation FOLDER [--off NAME,… | --each] [--modes full,summary,none] [--half A|B] [--jobs N]

FOLDER holds archives of real blogs. A blog's wrapper is learned from the entries of its feed (`full`), from the beginnings
of their texts (`summary`), or from what a list of posts tells, title and day (`none`); it is refined by a sample of other
posts as in a crawl, and then reads posts that the feed does not have. Printed is the share of posts whose article, title,
date and authors are right (see `scoring`), averaged over the blogs of each half, and, of each mechanism that was switched
off, by how many points this changes it and on which blogs. `--off all` switches all mechanisms off together.

A blog's half is told by a hash of its name: what was made while looking at one half is judged by the other.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from statistics import mean
from typing import Any
from unittest.mock import patch

from lxml.html import HtmlElement

from blogcrawler.errors import BlogcrawlerError
from blogcrawler.feeds.synthetic import Candidate, confirm
from blogcrawler.items import Entry
from blogcrawler.wrapper import Example, Wrapper, learn, learn_lines
from blogcrawler.wrapper import learning as steps
from blogcrawler.wrapper.refinements.registry import REFINEMENTS
from tests.benchmarks.blogs import Blog, Page, archives, half_of, read_archive, summarised
from tests.benchmarks.ours import record
from tests.benchmarks.scoring import RIGHT, scores
from tests.benchmarks.switches import SWITCHES
from tests.benchmarks.timing import empty_caches

MODES = ("full", "summary", "none")
FIELDS = ("content", "title", "published", "authors", "tags")
SAMPLE = 8
"""Posts that refine a wrapper: as many as in a crawl."""
MOST_READ = 30
"""Posts of a blog that are read, from all of its years."""

NAMES = (*(kind.name for kind in REFINEMENTS), *SWITCHES)
"""Mechanisms that can be switched off: the wrapper's refinements, and what takes the place of functions."""

Scores = dict[str, float]
"""Of each field, the share of posts in which it is right."""


@dataclass(frozen=True)
class Task:
    """A blog to be read in each mode and with each choice of mechanisms switched off."""

    path: Path
    modes: Sequence[str]
    variants: Sequence[Sequence[str]]


@contextmanager
def switched_off(names: Sequence[str]) -> Iterator[None]:
    """The wrapper without some mechanisms, see `NAMES`."""
    with ExitStack() as stack:
        kept = tuple(kind for kind in REFINEMENTS if kind.name not in names)
        stack.enter_context(patch.object(steps, "REFINEMENTS", kept))
        for name in names:
            for place, neutral in SWITCHES.get(name, {}).items():
                owner, _, attribute = place.rpartition(".")
                stack.enter_context(patch.object(resolve_name(f"blogcrawler.wrapper.{owner}"), attribute, neutral))
        empty_caches()
        yield


def measure(task: Task) -> dict[str, dict[str, Scores]]:
    """The scores of a blog, by the mechanisms that are off and by mode; none where its feed has no page to learn from."""
    blog = read_archive(task.path)
    if not blog.training:
        return {}
    trees = {page.url: page.parse() for page in (*blog.training, *_read(blog))}
    found: dict[str, dict[str, Scores]] = {}
    for off in task.variants:
        with switched_off(off):
            found[",".join(off)] = {mode: _scores(blog, trees, mode) for mode in task.modes}
    return found


def _read(blog: Blog) -> list[Page]:
    """The posts that are read: those that the feed does not have, or all of a blog whose feed has them all."""
    posts = blog.beyond or blog.training
    step = max(1, len(posts) / MOST_READ)
    return [posts[int(number * step)] for number in range(min(MOST_READ, len(posts)))]


def _scores(blog: Blog, trees: Mapping[str, HtmlElement], mode: str) -> Scores:
    others = [(trees[page.url], page.url) for page in _read(blog) if page.entry is None]
    try:
        wrapper = learned(examples(blog, trees, mode), others)
    except BlogcrawlerError:
        return dict.fromkeys(FIELDS, 0.0)
    right: dict[str, list[float]] = {}
    for page in _read(blog):
        made = record(page, wrapper, tree=trees[page.url])
        for name, score in scores(page.truth, _fields(made)).items():
            right.setdefault(name, []).append(float(score >= RIGHT))
    known = [name for name in FIELDS if name in right and not (name == "authors" and blog.anonymous)]
    return {name: mean(right[name]) for name in known}


def _fields(made: Any) -> dict[str, Any]:
    return {name: getattr(made, name) for name in ("title", "authors", "published", "tags", "content_text")}


def examples(blog: Blog, trees: Mapping[str, HtmlElement], mode: str) -> list[Example]:
    """What a crawl learns from in a mode."""
    pages = [(page, page.entry) for page in blog.training if page.entry is not None]
    if mode != "none":
        change = summarised if mode == "summary" else lambda entry: entry
        return [Example(trees[page.url], change(entry), page.url) for page, entry in pages]
    listed = [Candidate(trees[page.url], page.url, _listed(entry)) for page, entry in pages]
    return [
        Example(one.tree, entry, one.url)
        for one, entry in zip(listed, confirm(listed), strict=True)
        if entry is not None
    ]


def _listed(entry: Entry) -> Entry:
    """What a list of posts tells of an entry."""
    day = entry.published[:10] if entry.published else None
    return Entry(entry.url, title=entry.title, published=day, is_synthetic=True)


def learned(pages: Sequence[Example], others: Sequence[tuple[HtmlElement, str]]) -> Wrapper:
    """The wrapper as a crawl learns it: from examples, then with posts beyond the feed, the first and such as no rule fits."""
    wrapper = learn_lines(learn(pages), [page.tree for page in pages])
    if any(wrapper.fits(tree) for tree, _ in others[:SAMPLE]):
        wrapper = steps.refine(wrapper, pages, others[:SAMPLE])
    strangers = [(tree, url) for tree, url in others if not wrapper.fits(tree)][:SAMPLE]
    return import_module("blogcrawler.wrapper.older_templates").learn_older(
        wrapper, strangers, is_last=True
    )  # may be switched off


def table(results: Mapping[str, Mapping[str, Mapping[str, Scores]]], modes: Sequence[str]) -> Iterator[str]:
    """Lines of the scores with everything on, then of what each variant changes. Results are by blog, variant and mode."""
    width = max(len("mechanism off"), *map(len, NAMES))
    yield f"{'mechanism off':{width}} half mode    blogs  " + " ".join(f"{name:>9}" for name in FIELDS)
    for variant in next(iter(results.values()), {}):
        for mode in modes:
            for half in "AB":
                own = {name: found for name, found in results.items() if half_of(name) == half}
                if own:
                    yield f"{_label(variant):{width}} {half}    {mode:7} {len(own):5}  {_line(own, variant, mode)}"


def _label(variant: str) -> str:
    count = variant.count(",") + 1 if variant else 0
    return variant if count == 1 else f"{count} together" if count else "none"


def _line(results: Mapping[str, Mapping[str, Mapping[str, Scores]]], variant: str, mode: str) -> str:
    """Per cent right with everything on; without a mechanism the change in points, and the blogs whose scores change.
    A dash stands where no blog's truth has the field."""
    cells, changed = [], set()
    for field in FIELDS:
        known = {
            name: found for name, found in results.items() if field in found[""][mode] and field in found[variant][mode]
        }
        if not known:
            cells.append(f"{'–':>9}")
            continue
        value = 100 * mean(found[variant][mode][field] for found in known.values())
        if variant:
            changes = {name: found[variant][mode][field] - found[""][mode][field] for name, found in known.items()}
            value = 100 * mean(changes.values())
            changed |= {f"{name} {field} {100 * change:+.0f}" for name, change in changes.items() if change}
        cells.append(f"{value:+9.2f}" if variant else f"{value:9.2f}")
    return "  ".join(filter(None, (" ".join(cells), ", ".join(sorted(changed)))))


def variants(off: str, *, each: bool) -> list[list[str]]:
    """The mechanisms to switch off together, nothing first. Exits where one is unknown."""
    chosen = list(NAMES) if off == "all" else list(filter(None, off.split(",")))
    if unknown := set(chosen) - set(NAMES):
        raise SystemExit(f"There is no mechanism {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}.")
    singles = [[name] for name in NAMES] if each else []
    return [[], *singles, *([chosen] if chosen else [])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--blogs", default="", help="names of archives")
    parser.add_argument("--half", choices=("A", "B"))
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--off", default="", help="mechanisms to switch off together; all")
    parser.add_argument("--each", action="store_true", help="switch off each mechanism by itself, too")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, help="file for each blog's scores, JSON")
    options = parser.parse_args()
    modes = [mode for mode in options.modes.split(",") if mode]
    if unknown := set(modes) - set(MODES):
        parser.error(f"There is no mode {', '.join(sorted(unknown))}; there are {', '.join(MODES)}.")
    paths = archives(options.folder, [name for name in options.blogs.split(",") if name])
    if not paths:
        parser.error(f"There is no archive of these blogs in {options.folder}.")
    names = {path: path.name.removesuffix(".tar.xz") for path in paths}
    chosen = [path for path in paths if options.half in (None, half_of(names[path]))]
    task = partial(Task, modes=modes, variants=variants(options.off, each=options.each))
    with ProcessPoolExecutor(options.jobs) as pool:
        measured = zip(chosen, pool.map(measure, map(task, chosen)), strict=True)
        results = {names[path]: found for path, found in measured if found}
    if options.out:
        options.out.write_text(json.dumps(results, indent=1))
    for line in table(results, modes):
        print(line)


if __name__ == "__main__":
    main()
