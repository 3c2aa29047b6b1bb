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
import inspect
import json
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cache
from pathlib import Path
from statistics import mean, median
from typing import Any

from lxml import etree, html

from blogcrawler.demo import build
from blogcrawler.dom import fragment, inline_text, parse
from blogcrawler.errors import NotAWebPage
from blogcrawler.feeds import parse_feed
from blogcrawler.items import Entry
from blogcrawler.wrapper import Example, Wrapper, learn

DEMO = "http://blog.test"
TRAINING_PAGES = 30
"""Entries of the feed, at most, that rules are learned from: as many as in a crawl."""
APPLIED = 40
"""Posts of a blog, at most, that rules are applied to."""
SUMMARY = 300
"""Characters of an entry where the feed brings summaries."""

BARS = {"parse / bare lxml": 4.0, "learn / parse of the same pages": 8.0, "apply / parse of the same pages": 0.6}


@dataclass(frozen=True)
class Page:
    """A page as it was fetched."""

    url: str
    body: bytes
    #: value of the HTTP header
    content_type: str
    #: what the blog's feed says of it, for pages to learn from
    entry: Entry | None = None

    def parse(self) -> html.HtmlElement:
        """Our tree."""
        return parse(self.body, content_type=self.content_type)

    def parse_bare(self) -> html.HtmlElement:
        """libxml2's tree; it is told the charset of the header, as our parse is."""
        _, _, charset = self.content_type.partition("charset=")
        return html.document_fromstring(self.body, parser=_bare_parser(charset.strip()))


@dataclass(frozen=True)
class Blog:
    """A blog to measure on."""

    name: str
    training: Sequence[Page]
    posts: Sequence[Page]


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


@cache
def _bare_parser(charset: str) -> html.HTMLParser:
    return html.HTMLParser(encoding=charset or None)


def main() -> int:
    arguments = _arguments()
    _heading()
    costs, ratios = [], []
    for blog in _blogs(arguments.folder, arguments.blogs):
        runs = measure(blog, arguments.runs)
        costs.append(Cost(*map(median, zip(*map(astuple, runs), strict=True))))
        ratios.append([median(values) for values in zip(*(run.ratios for run in runs), strict=True)])
        _row(blog.name, f"{len(blog.training)}+{len(blog.posts)}", costs[-1], ratios[-1])
    if not costs:
        print(f"There is no blog to measure on in {arguments.folder}.", file=sys.stderr)
        return 1
    whole = Cost(*map(mean, zip(*map(astuple, costs), strict=True)))
    _row("all blogs, mean", "", whole, whole.ratios)
    return 0 if _verdict(whole, ratios) else 1


def measure(blog: Blog, runs: int) -> list[Cost]:
    """The cost of each step on one blog, in each run; one run before them does not count."""
    return [_run(blog) for _ in range(runs + 1)][1:]


def _run(blog: Blog) -> Cost:
    gc.collect()
    training, trees = _each(Page.parse, blog.training)
    examples = [
        Example(tree, page.entry, page.url)
        for tree, page in zip(trees, blog.training, strict=True)
        if page.entry is not None
    ]
    _empty_caches()
    learning, wrapper = _timed(learn, examples)
    times = [_read_post(page, wrapper) for page in blog.posts]
    bare, ours, applying = (sum(column) / len(times) for column in zip(*times, strict=True))
    return Cost(bare, ours, training, learning / len(examples), applying)


def _read_post(page: Page, wrapper: Wrapper) -> tuple[float, float, float]:
    """Milliseconds for libxml2's parse, ours and the rules; no tree outlives this, so that memory costs all alike."""
    bare = _timed(Page.parse_bare, page)[0]
    ours, tree = _timed(Page.parse, page)
    applying = _timed(wrapper.extract, tree, page.url)[0]
    return bare, ours, applying


def _each(step: Callable[[Any], Any], things: Sequence[Any]) -> tuple[float, list[Any]]:
    times, results = zip(*(_timed(step, thing) for thing in things), strict=True)
    return mean(times), list(results)


def _timed(step: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Milliseconds of processor time, and what came of them."""
    start = time.process_time()
    result = step(*arguments)
    return 1000 * (time.process_time() - start), result


def _empty_caches() -> None:
    """Forget what the wrapper's functions remember of an earlier run, whatever functions these are."""
    for name in [name for name in sys.modules if name.startswith(Wrapper.__module__.rpartition(".")[0])]:
        for value in vars(sys.modules[name]).values():
            if hasattr(value, "cache_clear") and inspect.signature(value).parameters:
                value.cache_clear()


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
    for (name, bar), ratio, blogs in zip(BARS.items(), whole.ratios, zip(*ratios, strict=True), strict=True):
        kept = max(ratio, median(blogs)) <= bar
        every &= kept
        print(
            f"{name:32}at most {bar}: {'kept  ' if kept else 'MISSED'}  all blogs {ratio:.2f}, median {median(blogs):.2f},"
            f" highest {max(blogs):.2f}, {sum(one > bar for one in blogs)} of {len(blogs)} above"
        )
    return every


# ----------------------------------------------------------------------------------------------------- what is measured


def _blogs(folder: Path | None, most: int | None) -> Iterator[Blog]:
    if folder is None:
        yield _demo()
        return
    for archive in sorted(folder.glob("*.tar.xz"))[:most]:
        blog = _read(archive)
        if blog.training and blog.posts:
            yield blog
        else:
            print(f"{archive.name}: no page to learn from", file=sys.stderr)


def _demo() -> Blog:
    site = build(DEMO)
    _, feed = site["/feed.xml"]
    training = []
    for entry in parse_feed(feed, f"{DEMO}/feed.xml").entries:
        kind, body = site[entry.url.removeprefix(DEMO)]
        training.append(Page(entry.url, body, kind, entry))
    posts = [Page(DEMO + path, body, kind) for path, (kind, body) in site.items() if path.count("/") == 4]
    return Blog("demonstration", training, posts)


def _read(archive: Path) -> Blog:
    """A blog of the corpus, with the feed that a crawler would see."""
    with tarfile.open(archive) as tar:
        members = ((member.name.removeprefix("./"), tar.extractfile(member)) for member in tar if member.isfile())
        files = {name: file.read() for name, file in members if file is not None}
    about = json.loads(files["blog.json"])
    index = {line["url"]: line for line in map(json.loads, files["index.jsonl"].splitlines())}
    training = []
    for entry in parse_feed(files[about["full_feed"]], about["feed"]).entries[: about["feed_entries"]][:TRAINING_PAGES]:
        line = _answer(entry.url, index)
        if line is not None:
            shown = entry if about["feed_mode"] == "full" else _summary(entry)
            training.append(Page(line["url"], files[line["file"]], line["type"], shown))
    posts = [Page(line["url"], files[line["file"]], line["type"]) for line in index.values() if line.get("post")]
    step = -(-len(posts) // APPLIED) or 1
    return Blog(about["name"], list(filter(_is_readable, training)), list(filter(_is_readable, posts[::step])))


def _answer(url: str, index: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The page at a URL, after redirects."""
    line = index.get(url)
    for _ in range(5):
        if line is None or "location" not in line:
            break
        line = index.get(line["location"])
    return line if line is not None and line.get("status") == 200 else None


def _summary(entry: Entry) -> Entry:
    text = inline_text(fragment(entry.content_html or ""))[:SUMMARY]
    return replace(entry, content_html=text.replace("&", "&amp;").replace("<", "&lt;"), is_summary=True)


def _is_readable(page: Page) -> bool:
    try:
        page.parse()
        page.parse_bare()
    except (NotAWebPage, etree.ParserError, LookupError):
        return False
    return True


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("folder", nargs="?", type=Path, help="archives of real blogs (*.tar.xz)")
    reader.add_argument("--blogs", type=int, help="measure on the first so many blogs only")
    reader.add_argument("--runs", type=int, default=5, help="medians are over so many runs (5)")
    return reader.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
