"""How long a blog waits whose worker is lost, with the settings as they come: python -m tests.benchmarks.notice

Two workers, one blog, PostgreSQL for archive and queue. The worker that crawls is lost

    killed   by kill -9
    cut      by a network that is cut between it and PostgreSQL, and mended after three minutes: packets are dropped,
             and nobody is told

and the time is told until the blog is asked for its next page by the other worker, and whether the lost one asked for any after
that. It runs on Linux as root, in a network of its own (`unshare --net`), in which the address 127.0.0.2 is cut off.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.backend import postgresql
from tests.crawl.blog import Blog, make_posts
from tests.crawl.running import PROGRAM, SETTINGS
from tests.queue.crew import Crew
from tests.queue.ordeal import enqueue
from tests.site import LocalSite

if TYPE_CHECKING:
    from collections.abc import Callable

POSTS = 1200
CUT_OFF = "127.0.0.2"
MENDED_AFTER_S = 180
INSIDE = "--inside"


@dataclass(frozen=True)
class Found:
    """Seconds after the loss: the lost worker's last request, the other one's first, and requests after that."""

    last_s: float
    next_s: float
    beside: int


def main() -> None:
    """Print a line for each way to be lost."""
    if INSIDE not in sys.argv:
        unshare = shutil.which("unshare")
        if unshare is None or os.geteuid() != 0:
            raise SystemExit("This needs Linux, unshare (util-linux) and root.")
        os.execv(unshare, [unshare, "--net", sys.executable, "-m", "tests.benchmarks.notice", INSIDE])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for name, lose in (("killed", _kill), ("cut", _cut)):
        found = measure(lose)
        print(
            f"{name}: the lost one's last request after {found.last_s:.0f} s, the other one's first after "
            f"{found.next_s:.0f} s, and then {found.beside} of the lost one",
            flush=True,
        )


def measure(lose: Callable[[Crew], None]) -> Found:
    """Have a blog crawled by a worker that is lost, and by another one after that."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(postgresql.cluster(f"127.0.0.1,{CUT_OFF}"))
        url = stack.enter_context(server.database())
        site = stack.enter_context(LocalSite({}))
        site.routes = Blog(make_posts(POSTS)).routes(site.url)
        enqueue(url, [f"{site.url}/"])
        first = stack.enter_context(_worker(folder, "first", url.replace("127.0.0.1", CUT_OFF)))
        _wait(lambda: len(site.log) > 10, 60)
        stack.enter_context(_worker(folder, "second", url))
        time.sleep(10)  # it has told that it lives
        lost = time.monotonic()
        lose(first)
        _wait(lambda: any(visit.headers["User-Agent"].startswith("second") for visit in site.log), 300)
        if first.workers:
            time.sleep(max(0, lost + MENDED_AFTER_S - time.monotonic()))
            _route("del")
            time.sleep(30)
        visits = list(site.log)
        begun = next(visit.at for visit in visits if visit.headers["User-Agent"].startswith("second"))
        theirs = [visit.at for visit in visits if visit.headers["User-Agent"].startswith("first")]
        return Found(theirs[-1] - lost, begun - lost, sum(at > begun for at in theirs))


def _worker(folder: Path, name: str, url: str) -> Crew:
    given = {name: told for name, told in SETTINGS.items() if not name.startswith(("DOWNLOAD", "AUTO"))}
    given |= {"DATABASE_URL": url, "USER_AGENT": name, "GATE_URL": ""}
    options = [part for setting, value in given.items() for part in ("-s", f"{setting}={value}")]
    return Crew(folder / name, [*PROGRAM, "worker", "--queue", url, "--jobs", "1", *options], 1)


def _kill(crew: Crew) -> None:
    (worker,) = crew.workers
    worker.kill()
    worker.wait()
    crew.workers.clear()


def _cut(_: Crew) -> None:
    _route("add")


def _route(what: str) -> None:
    subprocess.run(["ip", "route", what, "blackhole", f"{CUT_OFF}/32", "table", "local"], check=True)


def _wait(condition: Callable[[], bool], most_s: float) -> None:
    deadline = time.monotonic() + most_s
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit("What is waited for does not happen.")
        time.sleep(0.1)


if __name__ == "__main__":
    main()
