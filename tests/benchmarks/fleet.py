"""How much faster more workers are: 40 blogs, crawled by 1, 2, 4 and 8 workers with a crawl each.

    python -m tests.benchmarks.fleet [--blogs N] [--workers 1,2,4,8] [--runs N] [REGIME …]

Blogs answer after 50 ms each; PostgreSQL (archive and queue) and Redis (the gate of hosts) are its own. Regimes:

    polite   so many pages of each blog, half a second apart, as by default: crawls mostly wait
    eager    the same pages, one after the other without delay: crawls mostly compute
    whole    each blog to its end, without delay: what an archive takes for each post

Of several runs the one with the median time is told. CPU is that of workers and crawls, in seconds of a core and as part of all
cores; `busy` is the same of everything that runs on the machine: near 100 % the cores are the limit. Jain's index of
what workers have done is 1 where each has done the same. Memory is what the largest crawl had for itself alone, and the
largest of the processes that crawls are copies of, which they share. What PostgreSQL takes is that of its own processes;
it writes no whole pages to its log, as a server that is not to lose anything does after each checkpoint.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import signal
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from redis import Redis

from blogcrawler.backend import Archive
from tests.backend import postgresql
from tests.benchmarks.replayed import Blogs, blogs
from tests.crawl.running import PROGRAM, SETTINGS
from tests.queue.crew import Crew, children, memory, parent_of, server_of
from tests.queue.ordeal import enqueue
from tests.shared.server import PROGRAM as REDIS
from tests.shared.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LATENCY_MS = 50
PAGES = 12
"""Of each blog, but where it is crawled to its end."""
REGIMES: dict[str, dict[str, object]] = {
    "polite": {"DOWNLOAD_DELAY": 0.5, "PAGE_LIMIT": PAGES},
    "eager": {"DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS": 1, "PAGE_LIMIT": PAGES},
    "whole": {"DOWNLOAD_DELAY": 0},
}
LOOK_S = 0.2
LOGGED = "SELECT pg_current_wal_lsn() - '0/0'"
SUMMARY = re.compile(r"(\d+) posts? from (\d+) pages?")


@dataclass(frozen=True)
class Run:
    """What a fleet took. Sizes in bytes, times in seconds."""

    workers: int
    seconds: float
    cpu_s: float
    busy: float
    requests: int
    posts: int
    pages: Sequence[int]
    jobs: Sequence[int]
    database_bytes: int
    redis_bytes: int
    #: of the largest crawl, and of the largest process that crawls are copies of
    own_bytes: int
    shared_bytes: int
    connections: int
    #: of PostgreSQL: seconds of a core, and bytes of its log (WAL) without whole pages
    server_s: float
    log_bytes: int
    codes: Sequence[int]


def main() -> None:
    """Print a table for each regime."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("regimes", nargs="*", metavar="REGIME", choices=[*REGIMES, []], help=", ".join(REGIMES))
    reader.add_argument("--blogs", type=int, default=40)
    reader.add_argument("--workers", default="1,2,4,8", help="numbers of workers, separated by commas")
    reader.add_argument("--runs", type=int, default=1, help="runs for each number of workers")
    given = reader.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if REDIS is None or postgresql.programs() is None:
        raise SystemExit("PostgreSQL or Redis is not installed (apt-get install postgresql redis-server).")
    sizes = [int(number) for number in given.workers.split(",")]
    with postgresql.cluster() as server, Server() as redis, blogs(given.blogs, LATENCY_MS) as served:
        print(f"{given.blogs} blogs, {served.kind}, {os.cpu_count()} cores, load before: {os.getloadavg()[0]:.1f}")
        for regime in given.regimes or ("polite", "eager"):
            print(f"\n{regime}: {REGIMES[regime]}\n\n{HEAD}", flush=True)
            first: Run | None = None
            for size in sizes:
                runs = [crawl_all(served, REGIMES[regime], size, server, redis) for _ in range(given.runs)]
                run = sorted(runs, key=lambda one: one.seconds)[len(runs) // 2]
                first = first or run
                print(_row(run, first), flush=True)


def crawl_all(served: Blogs, settings: dict[str, object], size: int, server: postgresql.Cluster, redis: Server) -> Run:
    """Have workers crawl all blogs into a new database."""
    redis.empty()
    with tempfile.TemporaryDirectory() as folder, server.database() as url:
        given = {
            **SETTINGS,
            "ARCHIVE": "archive",
            "DATABASE_URL": url,
            "GATE_URL": redis.url,
            **served.settings,
            **settings,
        }
        options = [part for name, value in given.items() for part in ("-s", f"{name}={value}")]
        enqueue(url, served.homes)
        asked, used, begun = served.requests(), _children_s(), time.monotonic()
        server_s, log_bytes = _server_s(server), _ask(url, LOGGED)
        arguments = [*PROGRAM, "worker", "--queue", url, "--jobs", "1", "--burst", *options]
        connections = redis_bytes = own_bytes = shared_bytes = 0
        with (
            _busy() as busy,
            psycopg.connect(url, autocommit=True) as watching,
            Crew(Path(folder), arguments, size, variables=served.variables) as crew,
        ):
            while any(worker.poll() is None for worker in crew.workers):
                connections = max(connections, _connections(watching))
                redis_bytes = max(redis_bytes, _memory(redis))
                crawls = {crawl for worker in crew.workers for crawl in children(worker.pid)}
                own_bytes = max([own_bytes, *(memory(crawl, "Private") for crawl in crawls)])
                shared_bytes = max([shared_bytes, *(memory(server_of(worker.pid), "Rss") for worker in crew.workers)])
                time.sleep(LOOK_S)
            seconds = time.monotonic() - begun
            codes = [worker.wait() for worker in crew.workers]
        done = [_done(place) for place in sorted(Path(folder).glob("worker-*"))]
        return Run(
            size,
            seconds,
            _children_s() - used,
            busy[0],
            served.requests() - asked,
            _posts(url),
            [pages for _, pages in done],
            [jobs for jobs, _ in done],
            _size(url),
            redis_bytes,
            own_bytes,
            shared_bytes,
            connections,
            _server_s(server) - server_s,
            _ask(url, LOGGED) - log_bytes,
            codes,
        )


HEAD = """\
| workers | s | faster | CPU s | of the cores | busy | requests/s | posts | jobs of each | Jain: jobs, pages | connections | bytes/post | Redis MB | MB: a crawl's own, shared | PostgreSQL: ms/post, bytes of WAL/post |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"""


def _row(run: Run, first: Run) -> str:
    cells = [
        f"{run.workers}",
        f"{run.seconds:.0f}",
        f"{first.seconds / run.seconds:.2f}",
        f"{run.cpu_s:.0f}",
        f"{100 * run.cpu_s / run.seconds / (os.cpu_count() or 1):.0f} %",
        f"{100 * run.busy:.0f} %",
        f"{run.requests / run.seconds:.1f}",
        f"{run.posts}",
        ", ".join(map(str, run.jobs)),
        f"{jain(run.jobs):.2f}, {jain(run.pages):.2f}",
        f"{run.connections}",
        f"{run.database_bytes / max(run.posts, 1):.0f}",
        f"{run.redis_bytes / 1e6:.1f}",
        f"{run.own_bytes / 1e6:.0f}, {run.shared_bytes / 1e6:.0f}",
        f"{1000 * run.server_s / max(run.posts, 1):.1f}, {run.log_bytes / max(run.posts, 1):.0f}",
    ]
    failed = "" if not any(run.codes) else f" codes {run.codes}"
    return f"| {' | '.join(cells)} |{failed}"


def jain(shares: Sequence[int]) -> float:
    """Jain's index of fairness: 1 where all have the same, 1/n where one has all."""
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else 1.0


@contextmanager
def _busy() -> Iterator[list[float]]:
    """The part of the time of all cores in which they were not idle, when it is over."""
    before, told = _ticks(), [0.0]
    yield told
    all_, idle = (after - at_first for after, at_first in zip(_ticks(), before, strict=True))
    told[0] = 1 - idle / max(all_, 1)


def _ticks() -> tuple[int, int]:
    """Of all cores together, and those in which they were idle; proc(5)."""
    numbers = [int(number) for number in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return sum(numbers), numbers[3] + numbers[4]


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _server_s(server: postgresql.Cluster) -> float:
    """Seconds of a core that PostgreSQL has taken: it, those of its processes that have ended, and those that run."""
    pids = [int(stat.parent.name) for stat in Path("/proc").glob("[0-9]*/stat")]
    running = [pid for pid in pids if parent_of(pid) == server.pid]
    ticks = sum(_used(server.pid)[:4]) + sum(sum(_used(pid)[:2]) for pid in running)
    return ticks / os.sysconf("SC_CLK_TCK")


def _used(pid: int) -> list[int]:
    """Ticks of a process as a user and in the system, and those of its children that have ended; proc(5)."""
    with suppress(OSError):
        return [int(number) for number in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]]
    return []


def _done(place: Path) -> tuple[int, int]:
    """Crawls and pages of a worker, by the logs of its crawls."""
    logs = list(place.glob("archive/logs/*.log"))
    told = [SUMMARY.search(log.read_text("utf-8", "replace")) for log in logs]
    return len(logs), sum(int(found[2]) for found in told if found)


def _posts(url: str) -> int:
    with Archive.open(url) as archive:
        return sum(archive.count(blog.home) for blog in archive.blogs())


def _ask(url: str, question: Any) -> int:
    with psycopg.connect(url, autocommit=True) as connection:
        return _answer(connection, question)


def _answer(connection: psycopg.Connection[Any], question: Any) -> int:
    row = connection.execute(question).fetchone()
    assert row is not None
    return int(row[0])


def _connections(watching: psycopg.Connection[Any]) -> int:
    """Of workers and crawls, without the one that asks: that stays open, since a new one takes much of the server."""
    return _answer(watching, "SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = current_database()")


def _size(url: str) -> int:
    """Bytes of the database, less those of an empty one."""
    return _ask(url, "SELECT pg_database_size(current_database()) - pg_database_size('template0')")


def _memory(redis: Server) -> int:
    with Redis.from_url(redis.url) as client:
        return int(client.info("memory")["used_memory"])


if __name__ == "__main__":
    main()
