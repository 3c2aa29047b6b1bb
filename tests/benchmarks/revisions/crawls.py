"""Runs the crawls of one blog with one copy of the package, and reads what they leave.

Crawls are made as deterministic as they can be: one request at a time, no delays, a fixed seed of Python's hashes.
Times and places that differ each time are left out of what is compared (`comparable`).
"""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.benchmarks.revisions.messages import RECORDED, Request
from tests.benchmarks.revisions.proxy import RecordingProxy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.benchmarks.revisions.blogs import Blog
    from tests.benchmarks.revisions.trees import Tree
    from tests.crawl.copies import Copy

VERSION = 1
"""To be raised when what is kept of crawls gets another meaning."""
SETTINGS = {
    "ARCHIVE": "archive",
    "DATABASE_URL": "sqlite:///archive.db",
    "AUTOTHROTTLE_ENABLED": "False",
    "CONCURRENT_REQUESTS": "1",
    "CONCURRENT_REQUESTS_PER_DOMAIN": "1",
    "DOWNLOAD_DELAY": "0",
    "HTTPPROXY_ENABLED": "True",
    "RENDER": "never",
    "REPORTS": "False",
    "STATS_DUMP": "True",
    "WARC": "False",
}
TIMEOUT_S = 1800
ARCHIVE_UNDISTURBED, ARCHIVE_AFTER_KILL = "archive after new", "archive after kill"
_LINE = re.compile(r"\d{4}-\d\d-\d\d [\d:,]+ (?P<level>[A-Z]+) [\w.]+: (?P<message>.*)")
_SERIOUS = {"WARNING", "ERROR", "CRITICAL"}
_ITEMS = re.compile(r"'item_scraped_count': (\d+)")
_REASON = re.compile(r"'finish_reason': '([^']*)'")
_OF_THE_TIME = ("fetched", "warc")


@dataclass
class Crawl:
    """What a crawl did: `records` are as its file has them, without what differs each time."""

    name: str
    exit_code: int
    records: list[dict[str, Any]] = field(default_factory=list)
    #: method, URL and those headers that are compared
    requests: list[dict[str, Any]] = field(default_factory=list)
    items: int | None = None
    finish_reason: str | None = None
    #: warnings and errors, without time and logger
    log: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Plan:
    """What is done with each blog."""

    updates: int = 2
    #: the request at which a further crawl is killed; 0 for no such crawl
    kill_at: int = 0
    #: whether files of posts are fetched, too: several at a time, beside pages, so that the order is left out
    media: bool = False
    settings: Sequence[str] = ()

    def command(self, spider: str, home: str, records: Path) -> list[str]:
        """A crawl's arguments."""
        given = [*(f"{name}={value}" for name, value in SETTINGS.items()), f"MEDIA={self.media}", *self.settings]
        return ["crawl", spider, "-a", f"url={home}", "-O", records.name, *_options(given)]

    def export(self, records: Path) -> list[str]:
        """Arguments that export the archive."""
        return [
            "export",
            "jsonl",
            records.name,
            *_options(f"{name}={SETTINGS[name]}" for name in ("ARCHIVE", "DATABASE_URL")),
        ]


def crawl_blog(tree: Tree, blog: Blog, mode: str, plan: Plan, work: Path) -> list[Crawl]:
    """Crawl a blog without its newest posts, update it with them, and so on, in a new folder."""
    with blog.serve() as served, RecordingProxy(lambda request: served.answer(request), mode) as proxy:
        runner = _Runner(tree, proxy, plan, served.home, work / "whole")
        served.hold_back(True)
        done = [runner.crawl("new", "newcrawl")]
        if plan.kill_at:
            done.append(runner.export(ARCHIVE_UNDISTURBED))
        served.hold_back(False)
        done += [runner.crawl(f"update {number}", "updatecrawl") for number in range(1, plan.updates + 1)]
        done.append(runner.export("archive at the end"))
        if plan.kill_at:
            served.hold_back(True)
            runner = _Runner(tree, proxy, plan, served.home, work / "killed")
            runner.kill()
            runner.crawl("resumed", "newcrawl")
            done.append(runner.export(ARCHIVE_AFTER_KILL))
    for archive in work.glob("*/archive"):
        shutil.rmtree(archive)
    for database in work.glob("*/archive.db*"):
        database.unlink()
    return done


class _Runner:
    """Runs commands of one copy of the package in one folder."""

    def __init__(self, tree: Tree, proxy: RecordingProxy, plan: Plan, home: str, work: Path) -> None:
        self._tree, self._proxy, self._plan, self._home, self._work = tree, proxy, plan, home, work
        work.mkdir(parents=True)

    def crawl(self, name: str, spider: str) -> Crawl:
        """A crawl from beginning to end."""
        records = self._work / f"{name}.jsonl"
        self._proxy.take_requests()
        code, output = self._run(name, self._plan.command(spider, self._home, records))
        items, reason = _ITEMS.search(output), _REASON.search(output)
        return Crawl(
            name,
            code,
            read_records(records),
            [comparable_request(request) for request in self._proxy.take_requests()],
            int(items[1]) if items else None,
            reason[1] if reason else None,
            serious_lines(output, self._proxy.url),
        )

    def export(self, name: str) -> Crawl:
        """The records of the archive."""
        records = self._work / f"{name}.jsonl"
        code, output = self._run(name, self._plan.export(records))
        return Crawl(name, code, read_records(records), log=serious_lines(output, self._proxy.url))

    def kill(self) -> None:
        """A crawl that is killed when it has sent so many requests."""
        self._proxy.take_requests()
        process = self._start("killed", self._plan.command("newcrawl", self._home, self._work / "killed.jsonl"))

        def kill(number: int) -> None:
            if number >= self._plan.kill_at:
                process.kill()

        self._proxy.before_answer = kill
        try:
            _wait(process)
        finally:
            self._proxy.before_answer = lambda number: None

    def _run(self, name: str, arguments: list[str]) -> tuple[int, str]:
        code = _wait(self._start(name, arguments))
        return code, (self._work / f"{name}.txt").read_text("utf-8", "replace")

    def _start(self, name: str, arguments: list[str]) -> Copy:
        proxies = dict.fromkeys(("http_proxy", "https_proxy"), self._proxy.url)
        with Path(os.devnull).open() as no, (self._work / f"{name}.txt").open("wb") as output:
            return self._tree.start(arguments, self._work, proxies, [no.fileno(), output.fileno(), output.fileno()])


def _wait(process: Copy) -> int:
    try:
        return process.wait(TIMEOUT_S)
    finally:
        process.kill()
        process.wait()


def _options(settings: Any) -> list[str]:
    return [part for setting in settings for part in ("-s", setting)]


def sorted_crawl(crawl: Crawl) -> Crawl:
    """The same crawl, as if records, requests and lines of the log had come in the order of their texts."""
    return replace(
        crawl,
        records=sorted(crawl.records, key=json.dumps),
        requests=sorted(crawl.requests, key=json.dumps),
        log=sorted(crawl.log),
    )


def read_records(file: Path) -> list[dict[str, Any]]:
    """The records of a file, as they are compared; none where there is no file."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="\n") as lines:
        return [comparable(json.loads(line)) for line in lines]


def comparable(record: dict[str, Any]) -> dict[str, Any]:
    """A record without the time at which it was fetched and the place in WARC files."""
    provenance = record.get("provenance") or {}
    return {**record, "provenance": {name: value for name, value in provenance.items() if name not in _OF_THE_TIME}}


def comparable_request(request: Request) -> dict[str, Any]:
    """Method, address and the headers that are compared."""
    given = {name.lower(): value for name, value in request.headers.items()}
    headers = {name: given[name.lower()] for name in RECORDED if name.lower() in given}
    body = {"body": request.body.decode("utf-8", "replace")} if request.body else {}
    return {"method": request.method, "url": request.url, "headers": headers, **body}


def serious_lines(output: str, proxy: str) -> list[str]:
    """Warnings and errors of a log, without time, logger and the proxy's port, and what is said to the user."""
    found = []
    for line in output.replace(urlsplit(proxy).netloc, "PROXY").splitlines():
        match = _LINE.match(line)
        if match and match["level"] in _SERIOUS:
            found.append(f"{match['level']}: {match['message']}")
        elif line.startswith("blogcrawler: "):
            found.append(line)
    return found


# ---------------------------------------------------------------------------------------------------- kept results


def kept_crawls(file: Path, key: dict[str, Any]) -> list[Crawl] | None:
    """The crawls that were written with the same key."""
    if not file.exists():
        return None
    kept = json.loads(file.read_text("utf-8"))
    return [Crawl(**crawl) for crawl in kept["crawls"]] if kept["key"] == key else None


def keep_crawls(file: Path, key: dict[str, Any], crawls: list[Crawl]) -> None:
    """Write crawls so that they need not be done again."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(".new")
    unfinished.write_text(json.dumps({"key": key, "crawls": [asdict(crawl) for crawl in crawls]}), "utf-8")
    unfinished.rename(file)


def key_of(blog: Blog, mode: str, plan: Plan) -> dict[str, Any]:
    """What kept crawls depend on, besides the package."""
    settings = [f"{name}={value}" for name, value in SETTINGS.items()]
    return {
        "version": VERSION,
        "blog": blog.version,
        "mode": mode,
        **asdict(plan),
        "settings": [*settings, *plan.settings],
    }
