"""What each export of an archive costs: prints a table of processor time, memory, files and bytes.

python -m tests.benchmarks.archive_exports FOLDER [FORMAT ...]

FOLDER has the archive: archive.db, and the files and WARC files of its posts. A format whose target has one blog is
exported blog by blog.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from blogcrawler.backend import Archive
from blogcrawler.export import FORMATS
from tests.crawl.running import PROGRAM, environment

MB = 1e6


class Cost(NamedTuple):
    """Of one run of the program."""

    code: int
    seconds: float
    memory: int


def run(arguments: list[str]) -> Cost:
    """Run the program, without what it says, and measure it alone."""
    null = os.open(os.devnull, os.O_WRONLY)
    streams = [(os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
    process = os.posix_spawn(PROGRAM[0], [*PROGRAM, *arguments], environment(), file_actions=streams)
    os.close(null)
    _, status, usage = os.wait4(process, 0)
    return Cost(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def exported(name: str, folder: Path, target: Path, *more: str) -> Cost:
    database = f"DATABASE_URL=sqlite:///{folder / 'archive.db'}"
    return run(["export", name, str(target), "-s", f"ARCHIVE={folder}", "-s", database, *more])


def measured(name: str, folder: Path, homes: list[str]) -> str:
    """A row of the table. Where all blogs at once are refused, each is exported alone."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        costs = [exported(name, folder, Path(made, "all"))]
        if costs[0].code:
            costs = [exported(name, folder, Path(made, str(at)), "--blog", home) for at, home in enumerate(homes)]
        files = [file for file in Path(made).rglob("*") if file.is_file()]
        size = sum(file.stat().st_size for file in files)
    failed = sum(1 for cost in costs if cost.code)
    told = f", {failed} of {len(costs)} failed" if failed else ""
    return (
        f"| `{name}` | {sum(cost.seconds for cost in costs):.0f} s | {max(cost.memory for cost in costs) / MB:.0f} MB "
        f"| {len(files)} | {size / MB:.1f} MB{told} |"
    )


def main(folder: Path, names: list[str]) -> None:
    with Archive.open(f"sqlite:///{folder / 'archive.db'}", make=False) as archive:
        homes = [blog.home for blog in archive.blogs()]
    print(f"{len(homes)} blogs\n\n| format | processor | memory | files | size |\n|---|---|---|---|---|")
    for name in names or FORMATS:
        print(measured(name, folder, homes), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2:])
