"""What a fleet needs for so many blogs, on paper: python -m tests.benchmarks.million [NAME=VALUE …]

Each figure that it begins with is a line of `Figures`, and may be given otherwise; docs/million.md tells where they come
from.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from math import inf

BLOGS = (1_000, 10_000, 100_000, 1_000_000)
DAY_S = 24 * 3600
_ABOVE_ZERO = {"pages", "days", "update_s", "domain_rate", "at_work", "cores_of_machine", "memory_of_machine"}
"""What others are divided by."""


@dataclass(frozen=True)
class Figures:
    """What a blog, a page and a crawl take."""

    #: of a blog, on average, and pages that are fetched for them
    posts: float = 300
    pages: float = 360
    posts_a_month: float = 1.7
    #: in which all blogs are to be crawled for the first time
    days: float = 30
    #: seconds between two requests to a host, and between two updates of a blog
    delay_s: float = 0.5
    update_s: float = 7 * DAY_S
    requests_of_update: float = 3
    #: part of the blogs that are below one registered domain, and requests a second that the fleet sends there
    share_of_domain: float = 0.2
    domain_rate: float = 10
    #: seconds of a core: for a process that begins and learns, and for a page
    start_cpu_s: float = 1.0
    page_cpu_s: float = 0.05
    crawl_memory: float = 285e6
    connections_of_crawl: float = 2
    connections_of_worker: float = 2
    #: part of the time in which a worker has a crawl at work
    at_work: float = 0.88
    #: what PostgreSQL takes for a post: seconds of a core, and bytes of its log (WAL)
    server_cpu_s: float = 0.012
    log_bytes: float = 38_000
    #: bytes of a post: in the database, of its page and its files where these are kept
    post_bytes: float = 29_000
    page_bytes: float = 18_500
    media_bytes: float = 75_000
    #: seconds that a monitor's look takes for each blog
    look_s: float = 40e-6
    cores_of_machine: float = 4
    memory_of_machine: float = 16e9


def needs(blogs: int, of: Figures) -> dict[str, float]:
    """What so many blogs need."""
    seconds = of.days * DAY_S
    pages_a_second = blogs * of.pages / seconds
    first_crawls = pages_a_second * max(of.delay_s, of.page_cpu_s) + blogs * of.start_cpu_s / seconds
    updates_a_second = blogs / of.update_s
    update_s = of.start_cpu_s + of.requests_of_update * (of.delay_s + of.page_cpu_s)
    at_once = first_crawls + updates_a_second * update_s
    first_cores = blogs * of.start_cpu_s / seconds + pages_a_second * of.page_cpu_s
    update_cores = updates_a_second * (of.start_cpu_s + of.requests_of_update * of.page_cpu_s)
    cores = first_cores + update_cores
    posts = blogs * of.posts
    posts_a_second = posts / seconds
    workers = at_once / of.at_work
    new_posts_a_second = blogs * of.posts_a_month / 30 / DAY_S
    update_bytes = updates_a_second * of.requests_of_update * of.page_bytes + new_posts_a_second * of.media_bytes
    return {
        "pages per second, first crawls": pages_a_second,
        "posts per second, first crawls": posts_a_second,
        "updates per second": updates_a_second,
        "concurrent crawls, average": at_once,
        "workers with one crawl each": workers,
        "cores, first crawls": first_cores,
        "cores, updates": update_cores,
        "machines by cores": cores / of.cores_of_machine,
        "machines by memory": workers * of.crawl_memory / of.memory_of_machine,
        "PostgreSQL connections": at_once * of.connections_of_crawl + workers * of.connections_of_worker,
        "PostgreSQL cores": (posts_a_second + new_posts_a_second) * of.server_cpu_s,
        "PostgreSQL WAL, MB/s": posts_a_second * of.log_bytes / 1e6,
        "PostgreSQL writes, MB/s": posts_a_second * (of.log_bytes + of.post_bytes) / 1e6,
        "database, GB": posts * of.post_bytes / 1e9,
        "WARC files, TB": blogs * of.pages * of.page_bytes / 1e12,
        "media files, TB": posts * of.media_bytes / 1e12,
        "Mbit/s, first crawls": 8e-6 * pages_a_second * (of.page_bytes + of.media_bytes * of.posts / of.pages),
        "Mbit/s, updates": 8e-6 * update_bytes,
        "jobs per second": blogs / seconds + updates_a_second,
        "Redis scripts per second": pages_a_second + updates_a_second * of.requests_of_update,
        "a round of the monitor, s": blogs * of.look_s,
        "days for the largest domain": blogs * of.share_of_domain * of.pages / of.domain_rate / DAY_S,
        "new posts per day": blogs * of.posts_a_month / 30,
    }


def main() -> None:
    """Print a table."""
    of = Figures(**dict(map(_given, sys.argv[1:])))
    print(f"| | {' | '.join(f'{blogs:,} blogs' for blogs in BLOGS)} |\n|---|{'---|' * len(BLOGS)}")
    columns = [needs(blogs, of) for blogs in BLOGS]
    for name in columns[0]:
        print(f"| {name} | {' | '.join(_shown(column[name]) for column in columns)} |")


def _given(argument: str) -> tuple[str, float]:
    """A figure that was given as NAME=VALUE. Raises SystemExit with a sentence for what is none."""
    name, sign, value = argument.partition("=")
    known = [field.name for field in fields(Figures)]
    if not sign:
        raise SystemExit(f"{argument!r} is no figure; give one as NAME=VALUE, such as posts=100.")
    if name not in known:
        raise SystemExit(f"There is no figure {name}; there are {', '.join(known)}.")
    try:
        number = float(value)
    except ValueError:
        number = inf
    if not 0 <= number < inf or (number == 0 and name in _ABOVE_ZERO):
        least = "above 0" if name in _ABOVE_ZERO else "from 0 on"
        raise SystemExit(f"{name} must be a number {least}, and not {value!r}.")
    return name, number


def _shown(number: float) -> str:
    return f"{number:,.0f}" if number >= 20 else f"{number:.2g}"


if __name__ == "__main__":
    main()
