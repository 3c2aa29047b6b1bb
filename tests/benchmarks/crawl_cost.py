"""What a whole crawl costs beside a plain spider that fetches the same pages.

    python -m tests.benchmarks.crawl_cost [BLOG …] [--corpus FOLDER] [--runs N] [--rooms] [--stacks FOLDER]

BLOG is a blog of the corpus, `demo` or `posts-N`, a generated one with so many posts; without any the demonstration blog is
crawled. `newcrawl` runs as by default, but for delays, files of posts and the browser; a spider that takes title, links and text
(`tests.benchmarks.plain_spider`) then gets every page that the crawl got, from the same server. Seconds are of processor time, of the
whole process, from its start on; the server is another process. "First record" is when the first post is in the database, in seconds
of the wall clock since the process was started. With several runs the two take turns, and the run of the
median ratio is printed.

`--rooms` crawls once more, and tells by samples where the time goes: by the innermost room of the package, or Scrapy or
Twisted, that is at work ("own"), with the libraries that it has called; and by all that are at work ("with all below").
`--stacks` keeps the samples, for flame graphs. `--bar` is the highest ratio, `--first` the latest first record: exit code 1 where
one is above it.
"""

from __future__ import annotations

import argparse
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.replayed import CORPUS
from tests.benchmarks.revisions.blogs import BlogInMemory, Pages, built_in, corpus_blogs, generated_pages
from tests.benchmarks.revisions.proxy import RecordingProxy
from tests.crawl.blog import make_posts
from tests.crawl.running import RECORDS, environment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.benchmarks.revisions.blogs import Blog
    from tests.benchmarks.revisions.messages import Answer, Request

SETTINGS = {
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "HTTPPROXY_ENABLED": True,
    "MEDIA": False,
    "RENDER": "never",
}
LATEST = datetime(2025, 6, 1, 12, tzinfo=UTC)
"""Of the newest post of a generated blog, and the time between two of them."""
BETWEEN = timedelta(hours=5)
_GENERATED = re.compile(r"posts-([1-9][0-9]*)")
LEAST_SHARE = 0.005
"""Of all samples: rooms and libraries below are not listed."""


@dataclass(frozen=True)
class Spent:
    """What a process took."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    #: seconds since the epoch
    begun: float


@dataclass(frozen=True)
class Cost:
    """Of a crawl, and of the plain spider on the same pages."""

    posts: int
    #: that the server had
    pages: int
    crawl: Spent
    plain: Spent
    #: seconds after the crawl began; infinite where there is none
    first_record_s: float
    #: a page
    database_bytes: float
    warc_bytes: float

    @property
    def ratio(self) -> float:
        return self.crawl.cpu_s / self.plain.cpu_s


def main() -> int:
    arguments = _arguments()
    blogs = chosen(arguments.blogs or ["demo"], arguments.corpus)
    print(HEAD, flush=True)
    kept_bars = True
    for blog in blogs:
        with blog.serve() as served:
            costs = sorted(
                (measure(served.home, served.answer) for _ in range(arguments.runs)), key=lambda it: it.ratio
            )
            cost = costs[len(costs) // 2]
            print(row(blog.name, cost), flush=True)
            kept_bars &= cost.ratio <= arguments.bar and cost.first_record_s <= arguments.first
            if arguments.rooms or arguments.stacks:
                kept = arguments.stacks and (arguments.stacks / f"{blog.name}.txt").absolute()
                print(f"\n{rooms(sample(served.home, served.answer, kept))}\n", flush=True)
    return 0 if kept_bars else 1


def chosen(names: Sequence[str], corpus: Path) -> list[Blog]:
    """The blogs with these names. Raises SystemExit if there is no such blog."""
    known: dict[str, Blog] = {blog.name: blog for blog in built_in()}
    known |= {blog.name: blog for blog in corpus_blogs(corpus)} if corpus.is_dir() else {}
    known |= {name: _generated(int(match[1])) for name in names if (match := _GENERATED.fullmatch(name))}
    unknown = [name for name in names if name not in known]
    if unknown:
        place = "" if corpus.is_dir() else f" There is no folder {corpus}."
        raise SystemExit(f"There is no blog {unknown[0]!r}.{place} Known are {', '.join(known)}, and posts-N.")
    return [known[name] for name in names]


def _generated(count: int) -> Blog:
    """A blog with so many posts, ten in its feed and on each list."""
    posts = [replace(post, published=LATEST - at * BETWEEN) for at, post in enumerate(make_posts(count))]

    def stages(base: str) -> tuple[Pages, Pages]:
        pages = generated_pages(base, posts, in_feed=10, per_page=10)
        return pages, pages

    return BlogInMemory(f"posts-{count}", stages)


# -------------------------------------------------------------------------------------------------------- measuring


class Watched:
    """A blog's answers; `pages` are the addresses, once each, of what it had."""

    def __init__(self, answer: Callable[[Request], Answer]) -> None:
        self._answer = answer
        self.pages: dict[str, None] = {}

    def answer(self, request: Request) -> Answer:
        """The blog's."""
        answer = self._answer(request)
        if request.method == "GET" and answer.status == 200:
            self.pages[request.url] = None
        return answer


def measure(home: str, answer: Callable[[Request], Answer]) -> Cost:
    """Crawl a blog, and fetch its pages once more with the plain spider."""
    watched = Watched(answer)
    with tempfile.TemporaryDirectory() as place, RecordingProxy(watched.answer) as proxy:
        folder = Path(place)
        crawl = run(["blogcrawler", *crawl_of(home)], folder, proxy.url)
        urls = list(watched.pages)
        (folder / "urls").write_text("\n".join(urls), "utf-8")
        plain = run(["tests.benchmarks.plain_spider", "urls", "plain.jsonl"], folder, proxy.url)
        database = sum(file.stat().st_size for file in folder.glob("archive/archive.db*"))
        warc = sum(file.stat().st_size for file in folder.glob("archive/**/*.warc.gz"))
        posts = len((folder / RECORDS).read_text("utf-8").splitlines())
        first = first_record(folder / "archive/archive.db") - crawl.begun
        return Cost(posts, len(urls), crawl, plain, first, database / len(urls), warc / len(urls))


def first_record(database: Path) -> float:
    """When it was saved, in seconds since the epoch; infinite where there is none."""
    with closing(sqlite3.connect(database)) as connection:
        ((saved,),) = connection.execute("SELECT min(first_seen) FROM post")
    return datetime.fromisoformat(saved).replace(tzinfo=UTC).timestamp() if saved else inf


def sample(home: str, answer: Callable[[Request], Answer], kept: Path | None) -> dict[tuple[str, ...], int]:
    """How often each stack was seen in a crawl."""
    with tempfile.TemporaryDirectory() as place, RecordingProxy(answer) as proxy:
        file = kept or Path(place, "stacks.txt")
        file.parent.mkdir(parents=True, exist_ok=True)
        run(["tests.benchmarks.sampled", str(file), *crawl_of(home)], Path(place), proxy.url)
        lines = (line.rpartition(" ") for line in file.read_text("utf-8").splitlines())
        return {tuple(stack.split(";")): int(count) for stack, _, count in lines}


def crawl_of(home: str) -> list[str]:
    """The arguments of `blogcrawler`."""
    options = [part for name, value in SETTINGS.items() for part in ("-s", f"{name}={value}")]
    return ["crawl", "newcrawl", "-a", f"url={home}", "-O", RECORDS, *options]


def run(module: list[str], folder: Path, proxy: str) -> Spent:
    """Run a module of Python from beginning to end, its output into a file. Raises SystemExit where it fails."""
    root = str(Path(__file__).parents[2])
    variables = environment(proxy) | {"PYTHONPATH": root}
    begun, output = time.time(), folder / f"{module[0]}.txt"
    with output.open("wb") as log:
        process = subprocess.Popen([sys.executable, "-m", *module], cwd=folder, env=variables, stdout=log, stderr=log)
        _, status, used = os.wait4(process.pid, 0)  # which tells more than `Popen.wait`
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{module} failed:\n{output.read_text('utf-8', 'replace')[-2000:]}")
    return Spent(used.ru_utime + used.ru_stime, time.time() - begun, used.ru_maxrss / 1024, begun)


# ----------------------------------------------------------------------------------------------------- what is printed

HEAD = """\
| blog | posts | pages | crawl, s | plain, s | ratio | ms a page | plain | pages/s | first record, s | peak MB | plain | database, B a page | WARC, B a page |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"""


def row(name: str, cost: Cost) -> str:
    """A line of the table."""
    cells = [
        name,
        f"{cost.posts:,}",
        f"{cost.pages:,}",
        f"{cost.crawl.cpu_s:.1f}",
        f"{cost.plain.cpu_s:.1f}",
        f"{cost.ratio:.2f}",
        f"{1000 * cost.crawl.cpu_s / cost.pages:.1f}",
        f"{1000 * cost.plain.cpu_s / cost.pages:.1f}",
        f"{cost.pages / cost.crawl.wall_s:.1f}",
        f"{cost.first_record_s:.1f}",
        f"{cost.crawl.peak_mb:.0f}",
        f"{cost.plain.peak_mb:.0f}",
        f"{cost.database_bytes:,.0f}",
        f"{cost.warc_bytes:,.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def rooms(stacks: dict[tuple[str, ...], int]) -> str:
    """Two tables: of rooms, and of libraries that they have called."""
    own: Counter[str] = Counter()
    below: Counter[str] = Counter()
    libraries: Counter[str] = Counter()
    for stack, count in stacks.items():
        at_work = list(map(room, reversed(stack)))
        innermost = next((name for name in at_work if name), "the rest")
        if IMPORTS in at_work:
            at_work = [IMPORTS]
            innermost = IMPORTS
        own[innermost] += count
        below.update(dict.fromkeys(filter(None, at_work), count))
        libraries[library(stack[-1]) if innermost is not IMPORTS else IMPORTS] += count
    total = sum(own.values())
    lines = ["| room | own | with all below |\n|---|---|---|"]
    lines += [
        f"| {name} | {count / total:.1%} | {below[name] / total:.1%} |"
        for name, count in own.most_common()
        if max(count, below[name]) / total > LEAST_SHARE
    ]
    lines.append("\n| whose function runs | |\n|---|---|")
    lines += [
        f"| {name} | {count / total:.1%} |" for name, count in libraries.most_common() if count / total > LEAST_SHARE
    ]
    return "\n".join(lines)


IMPORTS, FRAMEWORK = "imports", "Scrapy and Twisted"


def room(function: str) -> str:
    """The room that a function of a stack is in; "" for a library's, and for what starts the program."""
    folder, _, rest = function.partition("/")
    if function.startswith(("<frozen_importlib", "<frozen importlib")):
        return IMPORTS
    if folder in ("scrapy", "twisted"):
        return FRAMEWORK
    if folder != "blogcrawler":
        return ""
    name = rest.partition("/")[0].partition(".py")[0]
    return "" if name in ("cli", "command", "commands", "__main__") else name


def library(function: str) -> str:
    """Whose function it is."""
    folder, slash, _ = function.partition("/")
    if function.startswith(("/", "<")):
        return "Python"
    return folder if slash else folder.partition(":")[0]


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("blogs", nargs="*", metavar="BLOG")
    reader.add_argument("--corpus", type=Path, default=CORPUS, help="archives of real blogs")
    reader.add_argument("--runs", type=int, default=1, help="of which the one of the median ratio is printed (1)")
    reader.add_argument("--rooms", action="store_true", help="where the time goes")
    reader.add_argument("--stacks", type=Path, metavar="FOLDER", help="keep what was sampled")
    reader.add_argument("--bar", type=float, default=inf, help="the highest ratio")
    reader.add_argument(
        "--first", type=float, default=inf, metavar="SECONDS", help="until the first record is saved, at most"
    )
    return reader.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
