"""Runs the program the way that users do: as a process of its own, in a folder of its own.

Most runs are copies of a process that has the imports done (tests/crawl/copies.py); `anew=True` begins as users do.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tests.crawl import copies

if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAM = (sys.executable, "-m", "blogcrawler")
Process = subprocess.Popen[bytes] | copies.Copy
RECORDS = "posts.jsonl"
DATABASE = "archive.db"
#: a fast crawl of loopback
SETTINGS = {
    "ARCHIVE": "archive",
    "AUTOTHROTTLE_ENABLED": "False",
    "DATABASE_URL": f"sqlite:///{DATABASE}",
    "DOWNLOAD_DELAY": "0",
    "HTTPPROXY_ENABLED": "False",
    "MEDIA": "False",
    "REPORTS": "False",
    "WARC": "False",
}
#: variables that would keep the program from writing its modules as bytecode, for the next run
_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
MEMORY = "memory"
MEASURE = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
"""
_LOG_LINE = re.compile(r"[0-9-]{10} [0-9:,]{8,} [A-Z]+ ([\w.]+): (.*)")


class Server(Protocol):
    """What tells which targets (path with query) it was asked for, in order."""

    @property
    def targets(self) -> list[str]: ...


@dataclass(frozen=True)
class Outcome:
    """What a run of the program left."""

    code: int
    stdout: str
    stderr: str
    #: what `-O` wrote
    records: list[dict[str, Any]]
    #: what the server was asked for during this run
    requests: list[str]
    seconds: float

    @property
    def sentences(self) -> list[str]:
        """What the program says to people when something went wrong."""
        return [line for line in self.stderr.splitlines() if line.startswith("blogcrawler: ")]

    @property
    def summary(self) -> list[str]:
        """The lines of the summary, from a log."""
        found = map(_LOG_LINE.match, self.stderr.splitlines())
        return [line[2] for line in found if line and line[1].startswith("blogcrawler.reporting")]

    @property
    def urls(self) -> list[str]:
        """The records' URLs, sorted."""
        return sorted(record["url"] for record in self.records)

    @property
    def repeated(self) -> dict[str, int]:
        """What was asked for more than once, and how often."""
        return {target: count for target, count in Counter(self.requests).items() if count > 1}

    def record(self, url: str) -> dict[str, Any]:
        """The only record with this URL."""
        (record,) = (record for record in self.records if record["url"] == url)
        return record


def command(url: str, *more: str, spider: str = "newcrawl", **settings: object) -> list[str]:
    """`blogcrawler crawl newcrawl` for a fast crawl, or another spider's."""
    given = SETTINGS | {name: str(value) for name, value in settings.items()}
    options = [part for name, value in given.items() for part in ("-s", f"{name}={value}")]
    return [*PROGRAM, "crawl", spider, "-a", f"url={url}", "-O", RECORDS, "--allow-unknown", *options, *more]


def measured(folder: Path, arguments: list[str]) -> list[str]:
    """A command that runs another one, and writes the most KiB of memory that it took to `folder`."""
    return [sys.executable, "-c", MEASURE, str(folder / MEMORY), *arguments]


def memory_bytes(folder: Path) -> int:
    """What `measured` has written."""
    return 1024 * int((folder / MEMORY).read_text())


def environment(proxy: str | None = None) -> dict[str, str]:
    """Ours, without what could change the program's settings, send it through another proxy or make it slow."""
    names = {name for name in os.environ if name.startswith("SCRAPY") or name.lower().endswith("_proxy")}
    kept = {name: value for name, value in os.environ.items() if name not in {*names, _NO_BYTECODE}}
    proxies = {} if proxy is None else {"http_proxy": proxy, "https_proxy": proxy}
    return {**kept, **proxies, "PYTHONIOENCODING": "utf-8", "PYTHONWARNINGS": "default"}


def begin(
    folder: Path, arguments: list[str], variables: dict[str, str], files: list[int], *, anew: bool = False
) -> Process:
    """Begin a run with these variables of its environment and descriptors of standard input, output and error."""
    if tuple(arguments[: len(PROGRAM)]) == PROGRAM and not anew:
        return copies.start(arguments[len(PROGRAM) :], folder, variables, files)
    given, out, err = files
    return subprocess.Popen(arguments, cwd=folder, env=variables, stdin=given, stdout=out, stderr=err)


def start(folder: Path, arguments: list[str], *, proxy: str | None = None, anew: bool = False) -> Process:
    """Begin a run; standard output and error go to files in `folder`."""
    with Path(os.devnull).open() as no, (folder / "stdout").open("w") as out, (folder / "stderr").open("w") as err:
        files = [file.fileno() for file in (no, out, err)]
        return begin(folder, arguments, environment(proxy), files, anew=anew)


def run(
    folder: Path,
    arguments: list[str],
    *,
    server: Server | None = None,
    timeout_s: float = 120,
    proxy: str | None = None,
    anew: bool = False,
) -> Outcome:
    """A run from beginning to end."""
    before, begin = len(server.targets) if server else 0, time.monotonic()
    process = start(folder, arguments, proxy=proxy, anew=anew)
    try:
        process.wait(timeout_s)
    finally:
        process.kill()
        process.wait()
    return outcome(folder, process.returncode, server=server, before=before, seconds=time.monotonic() - begin)


def outcome(folder: Path, code: int, *, server: Server | None, before: int = 0, seconds: float = 0.0) -> Outcome:
    """What a run left in `folder`."""
    return Outcome(
        code,
        (folder / "stdout").read_text("utf-8", "replace"),
        (folder / "stderr").read_text("utf-8", "replace"),
        read_records(folder / RECORDS),
        server.targets[before:] if server else [],
        seconds,
    )


def crawl(
    folder: Path,
    url: str,
    *more: str,
    server: Server | None = None,
    timeout_s: float = 120,
    proxy: str | None = None,
    anew: bool = False,
    spider: str = "newcrawl",
    **settings: object,
) -> Outcome:
    """Crawl a blog from beginning to end; through a proxy, where one is given."""
    given = settings if proxy is None else {"HTTPPROXY_ENABLED": True, **settings}
    return run(
        folder, command(url, *more, spider=spider, **given), server=server, timeout_s=timeout_s, proxy=proxy, anew=anew
    )


def crawl_until(
    folder: Path,
    arguments: list[str],
    stop: Callable[[], bool],
    end: Callable[[Process], None],
    *,
    anew: bool = False,
) -> int:
    """Crawl, and call `end` as soon as `stop()`; the exit code, also of a crawl that ended before."""
    process = start(folder, arguments, anew=anew)
    try:
        deadline = time.monotonic() + 60
        while process.poll() is None and not stop():
            assert time.monotonic() < deadline, "what the test waits for does not happen"
            time.sleep(0.002)
        if process.poll() is None:
            end(process)
        return process.wait(60)
    finally:
        process.kill()
        process.wait()


def read_records(file: Path) -> list[dict[str, Any]]:
    """The records of a JSON Lines file; none where there is no file."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text("utf-8").split("\n") if line]


def query(folder: Path, statement: str) -> list[tuple[Any, ...]]:
    """Rows of the archive's database."""
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        return connection.execute(statement).fetchall()


def kept(folder: Path) -> dict[str, tuple[Any, ...]]:
    """The posts of the archive's database: when each was first seen, and a hash of what it says, by URL."""
    rows = query(folder, "SELECT url, first_seen, content_sha256 FROM post")
    posts = {url: rest for url, *rest in rows}
    assert len(posts) == len(rows), "a post is twice in the database"
    return {url: tuple(rest) for url, rest in posts.items()}


def has_traceback(outcome: Outcome) -> bool:
    """True if the program showed its insides."""
    return "Traceback" in outcome.stderr + outcome.stdout
