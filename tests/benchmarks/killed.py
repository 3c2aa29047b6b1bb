"""A crawl that is killed again and again, and one that nothing disturbs: do they keep the same of a blog?

    python -m tests.benchmarks.killed NAME [NAME …] [--kills N] [--times N] [--latency MS]

NAMEs are of archives of the corpus beside this checkout. Each blog is crawled once without kills, and then some times
with kill -9 after 6 to 16 seconds, and the same command again, until that was done so often or the crawl has ended.
Exit code 1: what was kept is not the same.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import tempfile
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from tests.benchmarks.replayed import CORPUS, replayed
from tests.crawl.running import DATABASE, command, start
from tests.queue.ordeal import differences, kept

if TYPE_CHECKING:
    from tests.benchmarks.replayed import Blogs
    from tests.queue.ordeal import Outcome

SECONDS = 6.0, 16.0
"""From a start to a kill."""
SHOWN = 200
"""Characters of what differs in a field."""


def main() -> None:
    """Print what differs, blog by blog."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("names", nargs="+", metavar="NAME")
    reader.add_argument("--kills", type=int, default=12)
    reader.add_argument("--times", type=int, default=2)
    reader.add_argument("--latency", type=int, default=50)
    given = reader.parse_args()
    has_failed = False
    for name in given.names:
        with replayed([CORPUS / f"{name}.tar.xz"], given.latency) as served, tempfile.TemporaryDirectory() as folder:
            whole, _ = crawled(Path(folder) / "whole", served, 0, random.Random(0))
            for seed in range(1, given.times + 1):
                again, kills = crawled(Path(folder) / f"{seed}", served, given.kills, random.Random(seed))
                different = differences(whole, again)
                has_failed |= bool(different)
                print(f"{name}: {len(whole.records)} records, {len(again.records)} after {kills} kills,", end=" ")
                print(f"{sum(again.twice.values())} twice, {len(different)} differences", flush=True)
                print(*(f"  {shorten(line, SHOWN)}" for line in different), sep="\n")
    raise SystemExit(1 if has_failed else 0)


def crawled(folder: Path, served: Blogs, most: int, source: random.Random) -> tuple[Outcome, int]:
    """What a crawl has kept that was killed so often at most, and how often it was."""
    folder.mkdir()
    (home,) = served.homes
    arguments = command(home, **{"DOWNLOAD_DELAY": 0.05, **served.settings})
    kills = 0
    while True:
        process = start(folder, arguments, proxy=served.variables["http_proxy"])
        try:
            process.wait(source.uniform(*SECONDS) if kills < most else None)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
        else:
            return kept(f"sqlite:///{folder / DATABASE}"), kills


if __name__ == "__main__":
    main()
