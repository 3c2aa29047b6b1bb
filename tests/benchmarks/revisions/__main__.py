"""Compare what two revisions of the package archive, and what they ask blogs for.

    python -m tests.benchmarks.revisions OLD NEW [--blogs NAME,…] [--sample N] [--lab URL] [--modes MODE,…]

OLD and NEW are git revisions, or folders with the package. Both run with the packages of this environment. Each blog is
crawled without its newest posts, updated with them, and updated again when there is nothing new, by each revision and in
each mode. Compared are the records (all fields; of their provenance not the time of the fetch and the place in WARC
files), those of the archive at the end, the requests in their order with the headers that matter, the exit code, the
number of items, the finish reason, and the warnings and errors of the log.

Standard output is empty if nothing differs; progress goes to standard error. Exit code 0: nothing differs; 1: something
does; 2: wrong usage.

Crawls send one request at a time, without delays and with a fixed seed of Python's hashes, so that a revision compared
with itself shows no difference. The order of records is not compared: posts wait in the pipeline until rules for comments
are learned, and leave it in an order that depends on the time. The files of posts are not fetched, as they are fetched
beside pages; with --media they are, and then the order of requests is not compared either.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.replayed import CORPUS
from tests.benchmarks.revisions.blogs import built_in, choose, corpus_blogs
from tests.benchmarks.revisions.crawls import Plan, crawl_blog, keep_crawls, kept_crawls, key_of, sorted_crawl
from tests.benchmarks.revisions.differences import differences, kill_differences
from tests.benchmarks.revisions.modes import MODES
from tests.benchmarks.revisions.trees import NoSuchTree, copy_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.benchmarks.revisions.blogs import Blog
    from tests.benchmarks.revisions.crawls import Crawl
    from tests.benchmarks.revisions.trees import Tree


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what differs; the exit code."""
    reader = _reader()
    given = reader.parse_args(arguments)
    if unknown := [mode for mode in given.modes if mode not in MODES]:
        reader.error(f"no such mode: {', '.join(unknown)}; there are {', '.join(MODES)}")
    if not corpus_blogs(given.corpus):
        print(f"There is no corpus at {given.corpus}: only built-in and living blogs can be crawled.", file=sys.stderr)
    names = given.blogs or ([] if given.sample or given.lab else [blog.name for blog in built_in()])
    try:
        blogs = choose(names, corpus=given.corpus, sample=given.sample, lab=given.lab)
    except LookupError as error:
        reader.error(str(error))
    with tempfile.TemporaryDirectory() as temporary:
        out = Path(given.out or temporary).resolve()
        try:
            old, new = (copy_tree(tree, out / "trees") for tree in (given.old, given.new))
        except NoSuchTree as error:
            reader.error(str(error))
        comparison = Comparison(
            old, new, Plan(given.updates, given.kill, given.media, tuple(given.set)), out, given.anew
        )
        with ThreadPoolExecutor(given.jobs) as pool:
            tasks = [pool.submit(comparison.run, blog, mode) for blog in blogs for mode in given.modes]
            differs = [task.result() for task in tasks]
        return 1 if any(differs) else 0


def _reader() -> argparse.ArgumentParser:
    reader = argparse.ArgumentParser(
        "python -m tests.benchmarks.revisions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    reader.add_argument("old", metavar="OLD")
    reader.add_argument("new", metavar="NEW")
    reader.add_argument(
        "--blogs",
        type=_names,
        default=[],
        metavar="NAME,…",
        help=f"of the corpus, {', '.join(blog.name for blog in built_in())}, or all (default: those that need no corpus)",
    )
    reader.add_argument(
        "--sample", type=int, default=0, metavar="N", help="so many blogs of the corpus, always the same"
    )
    reader.add_argument("--lab", action="append", default=[], metavar="URL", help="a blog that is being served")
    reader.add_argument("--modes", type=_names, default=[*MODES], metavar="MODE,…", help=f"of {', '.join(MODES)} (all)")
    reader.add_argument("--updates", type=int, default=2, metavar="N", help="update crawls after the new one (2)")
    reader.add_argument(
        "--kill", type=int, default=0, metavar="N", help="also crawl with a kill -9 at the Nth request, and begin again"
    )
    reader.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a further setting of the crawls"
    )
    reader.add_argument(
        "--media", action="store_true", help="also fetch the files of posts; then the order of requests is not compared"
    )
    reader.add_argument("--jobs", type=int, default=1, metavar="N", help="blogs at a time (1)")
    reader.add_argument("--corpus", type=Path, default=CORPUS, metavar="DIR", help="beside this checkout by default")
    reader.add_argument(
        "--out", type=Path, metavar="DIR", help="keeps what crawls left; what is there is not done again"
    )
    reader.add_argument("--anew", action="store_true", help="do all crawls again")
    return reader


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


@dataclass(frozen=True)
class Comparison:
    """Two copies of the package and where their crawls are kept."""

    old: Tree
    new: Tree
    plan: Plan
    out: Path
    is_anew: bool = False
    _printing: threading.Lock = field(default_factory=threading.Lock)

    def run(self, blog: Blog, mode: str) -> bool:
        """Crawl a blog with both and print what differs; True if something does, or a crawl takes too long."""
        try:
            return self._run(blog, mode)
        except subprocess.TimeoutExpired as error:
            print(f"{blog.name} {mode}: not compared, a crawl took more than {error.timeout} s", flush=True)
            return True

    def _run(self, blog: Blog, mode: str) -> bool:
        began = time.monotonic()
        old = self._crawls(self.old, blog, mode, self.old.content)
        half = time.monotonic()
        is_same_tree = self.old.content == self.new.content
        new = self._crawls(self.new, blog, mode, f"{self.new.content}-again" if is_same_tree else self.new.content)
        lines = compared(old, new, self.plan)
        with self._printing:
            end = time.monotonic()
            counts = ", ".join(f"{len(crawl.records)} records {len(crawl.requests)} requests" for crawl in new[:1])
            print(
                f"{blog.name} {mode}: {counts}, {half - began:.0f} s and {end - half:.0f} s,",
                f"{len(lines)} lines of differences" if lines else "the same",
                file=sys.stderr,
                flush=True,
            )
            print(*(f"{blog.name} {mode} {line}" for line in lines), sep="\n", end="\n" if lines else "", flush=True)
        return bool(lines)

    def _crawls(self, tree: Tree, blog: Blog, mode: str, name: str) -> list[Crawl]:
        file = self.out / "crawls" / name / f"{blog.name}-{mode}.json"
        key = key_of(blog, mode, self.plan)
        is_kept = blog.version is not None and not self.is_anew and name == tree.content
        if is_kept and (crawls := kept_crawls(file, key)) is not None:
            return crawls
        crawls = crawl_blog(tree, blog, mode, self.plan, self.out / "work" / name / f"{blog.name}-{mode}-{os.getpid()}")
        keep_crawls(file, key, crawls)
        return crawls


def compared(old: Sequence[Crawl], new: Sequence[Crawl], plan: Plan) -> list[str]:
    """The differences of all crawls of a blog, each with the crawl's name."""
    if plan.media:
        old, new = (list(map(sorted_crawl, crawls)) for crawls in (old, new))
    lines = [
        f"{before.name}: {line}" for before, after in zip(old, new, strict=True) for line in differences(before, after)
    ]
    if plan.kill_at:
        lines += [
            f"killed and undisturbed crawl of {revision}: {line}"
            for revision, crawls in (("old", old), ("new", new))
            for line in kill_differences(crawls)
        ]
    return lines


if __name__ == "__main__":
    raise SystemExit(main())
