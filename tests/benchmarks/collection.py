"""Time, memory and disk space for a collection that only its CDX index describes: the index, and the search for blogs.

    python -m tests.benchmarks.collection [--lines 1000000] [--blogs 100] [--folder DIR]

The lines are made up, and sorted like those of web archives: blogs on hosts of their own and in folders of a platform,
with feeds, posts, lists, pictures and repeated captures. Times are of the processor; memory is the highest of the
process, which reads what another one has written. Exit code 1: above 60 µs a line, or above 500 MB.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

MOST_US, MOST_MB = 60, 500
POST = "{home}{year}/{month:02}/a-post-with-number-{number}/"
OTHERS = (
    "{home}tag/word-{number}/",
    "{home}{year}/{month:02}/",
    "{home}wp-content/uploads/{year}/{month:02}/{number}.jpg",
)


def lines(count: int, blogs: int) -> Iterator[str]:
    """CDX lines, in no order."""
    chance = random.Random(1)
    for number in range(count):
        blog = number % blogs
        home = f"http://blog-{blog}.example.org/" if blog % 2 else f"http://platform.example.net/user-{blog}/"
        year, month = 2005 + number % 15, 1 + number % 12
        form = chance.choices((POST, f"{home}feed/", *OTHERS), (50, 5, 10, 5, 30))[0]
        url = form.format(home=home, year=year, month=month, number=number // 2)
        mime = "image/jpeg" if url.endswith("jpg") else "application/rss+xml" if url.endswith("feed/") else "text/html"
        digest = "".join(chance.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", k=32))
        host, _, path = url.removeprefix("http://").partition("/")
        key = f"{','.join(reversed(host.split('.')))})/{path.rstrip('/')}"
        stamp = f"{year + chance.randrange(5)}{month:02}{1 + number % 28:02}{number % 24:02}0000"
        yield f"{key} {stamp} {url} {mime} 200 {digest} - - 5000 {number * 5000} part-{number // 50_000}.warc.gz\n"


def write(file: Path, count: int, blogs: int) -> None:
    """A sorted CDX file."""
    with file.open("w") as target:
        target.write(" CDX N b a m s k r M S V g\n")
        sort = subprocess.Popen(
            ["sort", "-S", "100M"], stdin=subprocess.PIPE, stdout=target, text=True, env={"LC_ALL": "C"}
        )
        assert sort.stdin is not None
        with sort.stdin:
            sort.stdin.writelines(lines(count, blogs))
        assert sort.wait() == 0


def measure(file: Path, folder: Path) -> tuple[float, float, int]:
    """Processor seconds for the index and for the search, and the number of blogs."""
    from blogcrawler.commands.blogs import feed_depth
    from blogcrawler.sources.blog_search import find_blogs
    from blogcrawler.sources.local_captures import LocalCaptures

    began = time.process_time()
    captures = LocalCaptures.open(file, folder)
    indexed = time.process_time()
    found = sum(1 for _ in find_blogs(captures.rows(), feed_depth))
    captures.close()
    return indexed - began, time.process_time() - indexed, found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--blogs", type=int, default=100)
    parser.add_argument("--folder", type=Path, help="where the files are made")
    parser.add_argument("--written", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        file = options.written or Path(name, "index.cdx")
        if options.written is None:
            write(file, options.lines, options.blogs)
            command = [sys.executable, "-m", "tests.benchmarks.collection", "--written", file, "--lines", options.lines]
            return subprocess.run([*map(str, command), "--blogs", str(options.blogs)], check=False).returncode
        index_s, search_s, blogs = measure(file, Path(name))
        size_mb = sum(one.stat().st_size for one in Path(name).iterdir()) / 1e6
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    line_us = (index_s + search_s) / options.lines * 1e6
    print(f"{options.lines:,} lines, {file.stat().st_size / 1e6:,.0f} MB: index {index_s:.0f} s, {size_mb:,.0f} MB")
    print(
        f"search {search_s:.0f} s: {blogs} of {options.blogs} blogs; {line_us:.1f} µs a line, {memory_mb:.0f} MB of memory"
    )
    return int(line_us > MOST_US or memory_mb > MOST_MB or blogs != options.blogs)


if __name__ == "__main__":
    sys.exit(main())
