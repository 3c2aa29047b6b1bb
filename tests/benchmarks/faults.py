"""A fleet that crawls 40 blogs while whatever can fail does, and one that nothing disturbs: do they keep the same?

    python -m tests.benchmarks.faults [--blogs N] [--workers N] [--seed N] [--folder FOLDER] [--calm]

PostgreSQL and Redis are its own, on loopback; workers reach them by links that can be cut. Meanwhile any worker is
killed every few seconds, both servers are killed once and stopped once, the network to each is cut for 30
seconds, and a worker with its crawl sleeps for longer than claims hold. With --calm nothing fails the second time
either: what differs then hangs on the order of answers. Exit code 1: what was kept is not the same, or something was
left behind.
"""

from __future__ import annotations

import argparse
import signal
import tempfile
from collections import Counter
from pathlib import Path
from textwrap import shorten

from tests.backend import postgresql
from tests.benchmarks.replayed import blogs
from tests.queue.ordeal import Fleet, Outcome, crawl_all, cutting, differences, killing, restarting, sleeping
from tests.shared.server import PROGRAM, Server

LATENCY_MS = 50
SETTINGS = {"WORKER_LOST_AFTER": 10, "DOWNLOAD_DELAY": 0.05}
FAULTS = (
    killing(every_s=8, times=1000, may_be_idle=True),
    restarting("postgresql", at_s=40, down_s=5, is_killed=True),
    restarting("redis", at_s=70, down_s=5, is_killed=True),
    cutting("postgresql", at_s=90, cut_s=30),
    cutting("redis", at_s=140, cut_s=30),
    restarting("postgresql", at_s=190, down_s=20),
    restarting("redis", at_s=230, down_s=45),
    sleeping(at_s=20, sleep_s=110),
)
MOST_S = 1800
SHOWN = 400
"""Characters of what differs in a field."""


def main() -> None:
    """Print what is done, and what came of it."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--blogs", type=int, default=40)
    reader.add_argument("--workers", type=int, default=4)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--folder", type=Path, help="where workers write their logs; a temporary one if not given")
    reader.add_argument("--calm", action="store_true", help="let nothing fail the second time either")
    given = reader.parse_args()
    if PROGRAM is None or postgresql.programs() is None:
        raise SystemExit("PostgreSQL or Redis is not installed (apt-get install postgresql redis-server).")
    with (
        tempfile.TemporaryDirectory() as temporary,
        postgresql.cluster(is_safe=True) as server,
        Server(is_safe=True) as redis,
    ):
        folder = given.folder or Path(temporary)
        with blogs(given.blogs, LATENCY_MS) as served:
            fleet = Fleet(served.homes, {**SETTINGS, **served.settings}, served.variables, given.workers, MOST_S)
            print(f"{given.blogs} blogs, {served.kind}; {given.workers} workers, undisturbed")
            undisturbed = crawl_all(folder / "undisturbed", fleet, server, redis)
            requests = served.requests()
            again = "once more" if given.calm else "with faults"
            print(f"{_told(undisturbed)}, {requests} requests; and now {again}", flush=True)
            faults = () if given.calm else FAULTS
            disturbed = crawl_all(folder / "disturbed", fleet, server, redis, faults, seed=given.seed)
            again_requests = served.requests() - requests
    different = differences(undisturbed, disturbed)
    more = again_requests / max(requests, 1)
    print(f"{_told(disturbed)}, {again_requests} requests ({more:.2f} times as many); {len(different)} differences")
    print(*(f"{times} times: {what}" for what, times in Counter(disturbed.done).items()), sep="\n")
    print(*(shorten(line, SHOWN) for line in different), sep="\n")
    unfinished = set(disturbed.unfinished) - set(undisturbed.unfinished)
    wrong = [_tell("undisturbed", undisturbed), _tell("disturbed", disturbed), different, unfinished]
    has_failed = any(wrong)
    raise SystemExit(1 if has_failed else 0)


def _tell(name: str, outcome: Outcome) -> bool:
    """Tell what is odd in an outcome; is something wrong? A blog with pages that cannot be had is never complete."""
    left = [f"{pid} {' '.join(told)}" for pid, told in outcome.left_behind.items()]
    twice = [f"{home}: {count}" for home, count in outcome.twice.items()]
    print(f"{name}: {len(left)} processes left behind", *left, sep="\n  ")
    print(f"{name}: {sum(outcome.twice.values())} records of a page or with a guid of another one", *twice, sep="\n  ")
    print(f"{name}: {len(outcome.failed)} pages that could not be had")
    print(f"{name}: {len(outcome.unfinished)} blogs not complete", *outcome.unfinished, sep="\n  ")
    print(f"{name}: workers ended with codes {outcome.codes}, and said:", *outcome.sentences, sep="\n  ")
    return bool(left)


def _told(outcome: Outcome) -> str:
    return f"{outcome.seconds:.0f} s, {len(outcome.records)} records"


if __name__ == "__main__":
    main()
