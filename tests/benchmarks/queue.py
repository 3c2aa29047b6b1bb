"""How long a queue of ten thousand blogs takes, on a PostgreSQL of its own: python -m tests.benchmarks.queue"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

from blogcrawler.backend import Archive
from blogcrawler.queue import enqueue_due, open_jobs
from blogcrawler.queue.values import JobRequest
from tests.backend import postgresql

BLOGS, TAKEN = 10_000, 500


def timed(call: Callable[[], object]) -> float:
    """Milliseconds."""
    begin = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - begin)


def main() -> None:
    """Print a line for each thing that is done."""
    asks = [JobRequest(f"{number}.example", f"http://{number}.example/", number % 3 * 10) for number in range(BLOGS)]
    with postgresql.cluster() as server, server.database() as url, open_jobs(url) as jobs:
        print(f"put {BLOGS} blogs into the queue     {timed(lambda: jobs.enqueue(asks)):8.0f} ms")
        print(f"find that all of them are there     {timed(lambda: jobs.enqueue(asks)):8.0f} ms")
        jobs.enter("here", 1, 1, 60)
        taken = []
        take_ms = timed(lambda: taken.extend(jobs.claim(str(number)) for number in range(TAKEN))) / TAKEN
        end_ms = timed(lambda: [jobs.done(job) for job in taken[1:]]) / TAKEN
        print(f"take a job                          {take_ms:8.1f} ms")
        print(f"end it                              {end_ms:8.1f} ms")
        print(f"a sign of life                      {timed(lambda: jobs.renew([taken[0].owner])):8.1f} ms")
        print(f"a look for lost workers             {timed(lambda: jobs.rescue(most=8)):8.1f} ms")
        with Archive.open(url) as archive:
            now = datetime.now(UTC)
            archive.register.want({ask.key: ask.url for ask in asks}, now=now)
            print(f"a monitor's look at {BLOGS} blogs    {timed(lambda: enqueue_due(archive, jobs, now=now)):8.0f} ms")


if __name__ == "__main__":
    main()
