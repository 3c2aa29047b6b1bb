"""How long a search takes in an archive of 10,000 posts of 400 words, with a comment each: prints milliseconds.

python -m tests.benchmarks.search [POSTS] [DATABASE_URL ...]

Without a URL in SQLite, and in a PostgreSQL of its own where one is installed.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from itertools import islice
from statistics import median

from blogcrawler.backend import Archive
from tests.backend import postgresql
from tests.benchmarks.exports import POSTS, fill, texts

TIMES = 9


def measured(archive: Archive, sought: str) -> str:
    """Posts that are found, and the median time of a search."""
    taken = []
    for _ in range(TIMES):
        begin = time.perf_counter()
        count, _ = archive.queries.search(sought, most=20)
        taken.append(time.perf_counter() - begin)
    return f"{sought:30} {count:6} posts {1000 * median(taken):7.1f} ms"


def measure(url: str, posts: int) -> None:
    """Fill an archive, and search it."""
    counts = Counter(word for text in islice(texts(), 50) for word in text.split()).most_common()
    commonest, second, common, rare = (counts[at][0] for at in (0, 1, 40, -1))
    with Archive.open(url) as archive:
        begin = time.perf_counter()
        fill(archive, posts)
        print(f"{archive._database.shown.partition(':')[0]}: {posts} posts kept in {time.perf_counter() - begin:.0f} s")
        phrase = f'"{commonest} {second}"'
        for sought in (commonest, common, rare, f"{commonest} {second}", phrase, "nosuchword", "記事"):
            print(measured(archive, sought), flush=True)


def main() -> None:
    posts, urls = int((sys.argv[1:] or [POSTS])[0]), sys.argv[2:]
    with ExitStack() as stack:
        if not urls:
            urls.append(f"sqlite:///{stack.enter_context(tempfile.TemporaryDirectory())}/archive.db")
            if postgresql.programs() is not None:
                urls.append(stack.enter_context(stack.enter_context(postgresql.cluster()).database()))
        for url in urls:
            measure(url, posts)


if __name__ == "__main__":
    main()
