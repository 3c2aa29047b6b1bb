"""What parsing, learning and extracting cost a page, against libxml2's bare parser, and how the cost grows.

    python -m tests.benchmarks.parse_learn_apply [FOLDER] [--blogs N] [--runs N] [--no-growth]

FOLDER holds archives of blogs (see the README of the corpus); by default it is the corpus beside the checkout where there
is one, else the demonstration blog is measured. Times are milliseconds of processor time a page, medians over the runs;
what counts are the ratios, which hold on any machine.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from lxml import etree, html

from blogcrawler.demo import build
from blogcrawler.dom import fragment, inline_text, parse
from blogcrawler.errors import BlogcrawlerError
from blogcrawler.feeds import parse_feed
from blogcrawler.items import Entry
from blogcrawler.wrapper import Example, learn
from tests.wrapper.pages import POSTS, layout, prose

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus" / "dev"
DEMO = "http://blog.test"
TRIED = 40
"""Posts of a blog, at most, that are parsed and that rules are applied to."""
SUMMARY = 300
"""Characters of an entry where the feed brings summaries."""

BARS = (("parse / bare lxml", 4.0), ("learn / parse", 8.0), ("apply / parse", 0.6))


@dataclass(frozen=True)
class Blog:
    """A blog to measure on."""

    name: str
    #: body and Content-Type of posts
    pages: Sequence[tuple[bytes, str]]
    #: body and Content-Type of the posts that the feed announces, and the entries
    training: Sequence[tuple[bytes, str, Entry]]


@dataclass(frozen=True)
class Cost:
    """Milliseconds a page."""

    bare: float
    parse: float
    learn: float
    apply: float

    @property
    def ratios(self) -> tuple[float, float, float]:
        """In the order of `BARS`."""
        return self.parse / self.bare, self.learn / self.parse, self.apply / self.parse


def main() -> int:
    arguments = _arguments()
    print(f"{'':24}{'ms a page':>38}{'ratios':>24}")
    print(f"{'blog':24}{'posts':>6}{'lxml':>8}{'parse':>8}{'learn':>8}{'apply':>8}{'p/lxml':>10}{'l/p':>7}{'a/p':>7}")
    costs, pages = [], 0
    for blog in _blogs(arguments.folder, arguments.blogs):
        cost = measure(blog, arguments.runs)
        costs.append(cost)
        pages += len(blog.pages)
        _row(blog.name, len(blog.pages), cost)
    if not costs:
        print(f"There is no blog to measure on in {arguments.folder}.", file=sys.stderr)
        return 1
    mean = Cost(*(sum(values) / len(costs) for values in zip(*map(_values, costs), strict=True)))
    _row("all blogs, mean", pages, mean)
    kept = _verdict(mean, costs)
    if arguments.growth:
        kept &= _growth(arguments.runs)
    return 0 if kept else 1


def measure(blog: Blog, runs: int) -> Cost:
    """The cost of each step on one blog."""
    trees = [parse(body, content_type=kind) for body, kind in blog.pages]
    examples = [Example(parse(body, content_type=kind), entry, entry.url) for body, kind, entry in blog.training]
    wrapper = learn(examples)
    return Cost(
        _milliseconds(lambda: [_bare(body, kind) for body, kind in blog.pages], runs) / len(blog.pages),
        _milliseconds(lambda: [parse(body, content_type=kind) for body, kind in blog.pages], runs) / len(blog.pages),
        _milliseconds(lambda: learn(examples), runs) / len(examples),
        _milliseconds(lambda: [wrapper.extract(tree, DEMO) for tree in trees], runs) / len(trees),
    )


def _bare(body: bytes, kind: str) -> object:
    _, _, charset = kind.partition("charset=")
    try:
        return html.document_fromstring(body, parser=html.HTMLParser(encoding=charset.strip() or None))
    except (etree.ParserError, LookupError):
        return None


def _milliseconds(work: Callable[[], object], runs: int) -> float:
    """Median of the processor time, after one run that does not count."""
    work()
    taken = []
    for _ in range(runs):
        gc.collect()
        start = time.process_time()
        work()
        taken.append(1000 * (time.process_time() - start))
    return median(taken)


def _values(cost: Cost) -> tuple[float, float, float, float]:
    return cost.bare, cost.parse, cost.learn, cost.apply


def _row(name: str, pages: int, cost: Cost) -> None:
    times = "".join(f"{value:8.2f}" for value in _values(cost))
    first, *others = cost.ratios
    print(f"{name[:23]:24}{pages:6}{times}{first:10.2f}{''.join(f'{ratio:7.2f}' for ratio in others)}", flush=True)


def _verdict(mean: Cost, costs: Sequence[Cost]) -> bool:
    print()
    kept = True
    for number, ((name, bar), ratio) in enumerate(zip(BARS, mean.ratios, strict=True)):
        every = sorted(cost.ratios[number] for cost in costs)
        above = sum(one > bar for one in every)
        kept &= ratio <= bar
        print(
            f"{name:18} {ratio:5.2f}, at most {bar}: {'kept' if ratio <= bar else 'NOT KEPT'}"
            f" (blogs: median {median(every):.2f}, highest {every[-1]:.2f}, {above} of {len(every)} above)"
        )
    return kept


def _growth(runs: int) -> bool:
    """Time over size for pages doubled four times; the exponent of a line is 1."""
    print("\nGrowth with the length of pages, doubled four times: the exponent of time over size (1 is linear)")
    kept = True
    for name, size, page in SHAPES:
        sizes = [size << step for step in range(5)]
        blogs = [_grown(page, size) for size in sizes]
        lengths = [len(blog.pages[0][0]) for blog in blogs]
        costs = [measure(blog, runs) for blog in blogs]
        slopes = [_exponent(lengths, [_values(cost)[step] for cost in costs]) for step in (1, 2, 3)]
        last = math.log(costs[-1].learn / costs[-2].learn) / math.log(lengths[-1] / lengths[-2])
        kept &= max(*slopes, last) < 1.3
        print(
            f"  {name:28} {lengths[0] // 1000:5} to {lengths[-1] // 1000:5} kB:"
            f" parse {slopes[0]:.2f}, learn {slopes[1]:.2f} (last doubling {last:.2f}), apply {slopes[2]:.2f}",
            flush=True,
        )
    return kept


def _exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Slope of the least squares line through the logarithms."""
    across, up = [math.log(size) for size in sizes], [math.log(taken) for taken in times]
    middle, height = sum(across) / len(across), sum(up) / len(up)
    spread = sum((x - middle) ** 2 for x in across)
    return sum((x - middle) * (y - height) for x, y in zip(across, up, strict=True)) / spread


def _paragraphs(count: int) -> tuple[str, str]:
    return "".join(f"<p>{prose(number, 25)}</p>" for number in range(count)), ""


def _lines(count: int) -> tuple[str, str]:
    return "<br>".join(prose(number, 25) for number in range(count)), ""


def _comments(count: int) -> tuple[str, str]:
    return POSTS[0].body, "".join(f'<div class="c"><b>Bob</b><p>{prose(number, 20)}</p></div>' for number in range(count))


def _links(count: int) -> tuple[str, str]:
    title = POSTS[0].title
    return POSTS[0].body, f"<ul>{''.join(f'<li><a href=/{number}>{title}</a></li>' for number in range(count))}</ul>"


SHAPES: tuple[tuple[str, int, Callable[[int], tuple[str, str]]], ...] = (
    ("paragraphs", 250, _paragraphs),
    ("lines", 250, _lines),
    ("comments with the article", 250, _comments),
    ("links with the article", 500, _links),
)
"""What grows, how many of it at first, and the article with what stands below it in its element."""


def _grown(page: Callable[[int], tuple[str, str]], size: int) -> Blog:
    content, below = page(size)
    entry = replace(POSTS[0].entry(), content_html=content)
    body = layout(f"<h1>{POSTS[0].title}</h1><div class=e>{content}{below}</div>").encode()
    kind = "text/html; charset=utf-8"
    return Blog("grown", [(body, kind)], [(body, kind, entry)])


def _blogs(folder: Path | None, most: int | None) -> Iterator[Blog]:
    if folder is None:
        yield _demo()
        return
    for archive in sorted(folder.glob("*.tar.xz"))[:most]:
        blog = _read(archive)
        if blog is None:
            print(f"{archive.name}: no page of a feed entry", file=sys.stderr)
        else:
            yield blog


def _demo() -> Blog:
    site = build(DEMO)
    entries = parse_feed(site["/feed.xml"][1], f"{DEMO}/feed.xml").entries
    training = [(*reversed(site[entry.url.removeprefix(DEMO)]), entry) for entry in entries]
    posts = [(body, kind) for path, (kind, body) in site.items() if path.count("/") == 4]
    return Blog("demonstration", posts, training)


def _read(archive: Path) -> Blog | None:
    """A blog of the corpus, with the feed that a crawler would see; None where nothing can be learned."""
    with tarfile.open(archive) as tar:
        files = {member.name.removeprefix("./"): tar.extractfile(member).read() for member in tar if member.isfile()}  # type: ignore[union-attr]
    about = json.loads(files["blog.json"])
    index = {line["url"]: line for line in map(json.loads, files["index.jsonl"].splitlines()) if line.get("file")}
    posts = [(files[line["file"]], line["type"]) for line in index.values() if line.get("post")]
    feed = parse_feed(files[about["full_feed"]], about["feed"])
    training = []
    for entry in feed.entries[: about["feed_entries"]]:
        line = index.get(entry.url)
        if line is not None and line["status"] == 200:
            shown = entry if about["feed_mode"] == "full" else _summary(entry)
            training.append((files[line["file"]], line["type"], shown))
    return Blog(about["name"], _spread(_readable(posts)), training) if training and posts else None


def _summary(entry: Entry) -> Entry:
    text = inline_text(fragment(entry.content_html or ""))[:SUMMARY]
    return replace(entry, content_html=text.replace("&", "&amp;").replace("<", "&lt;"), is_summary=True)


def _readable(posts: Sequence[tuple[bytes, str]]) -> list[tuple[bytes, str]]:
    found = []
    for body, kind in posts:
        try:
            parse(body, content_type=kind)
        except BlogcrawlerError:
            continue
        found.append((body, kind))
    return found


def _spread(posts: Sequence[tuple[bytes, str]]) -> list[tuple[bytes, str]]:
    """At most TRIED of them, from all over the list."""
    step = max(1, -(-len(posts) // TRIED))
    return list(posts[::step])


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("folder", nargs="?", type=Path, default=CORPUS if CORPUS.is_dir() else None)
    reader.add_argument("--blogs", type=int, help="measure on so many blogs only")
    reader.add_argument("--runs", type=int, default=5, help="medians are over so many runs (5)")
    reader.add_argument("--no-growth", dest="growth", action="store_false", help="leave out how the time grows")
    return reader.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
