"""`blogcrawler status [--queue URL]`: show the state of the archive, its queue and its workers; `--failed`: blogs that
fail. The output is a table on a terminal, plain lines elsewhere, and JSON with `--json`. Nothing is changed."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rich.text import Text

from blogcrawler.backend import Archive
from blogcrawler.command import ArchiveCommand
from blogcrawler.commands.metrics import queue_of
from blogcrawler.queue import open_jobs
from blogcrawler.reporting import exit_on_error, plain_console, printable, table
from blogcrawler.setting_checks import check_settings
from blogcrawler.status import due_label, failing_of, given_up_of, status_of, time_label

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from rich.console import Console
    from rich.table import Table

    from blogcrawler.status import Failing, QueueStatus, Status

SHOWN = 20
"""Most failing blogs shown without --failed."""


class Command(ArchiveCommand):
    """Shows the state of the archive."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        check_settings(self.settings)
        opts.queue = queue_of(opts.queue, self.settings)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Print the state."""
        now, lost_after_s = datetime.now(UTC), self.settings.getfloat("WORKER_LOST_AFTER")
        with (
            exit_on_error(),
            open_jobs(opts.queue, make=False) if opts.queue is not None else nullcontext() as jobs,
            Archive.open(self.settings["DATABASE_URL"], make=False) as archive,
        ):
            console = plain_console()
            if opts.failed:
                _print_failed(console, failing_of(archive) if jobs is None else given_up_of(archive, jobs), opts, now)
                return
            status = status_of(archive, jobs, now=now, lost_after_s=lost_after_s)
            if opts.json:
                print(_json(_as_data(status)))
            else:
                _show(console, status, now)
                if jobs is not None and (lack := jobs.missing_tables()) is not None:
                    console.print(Text(lack))


def _show(console: Console, status: Status, now: datetime) -> None:
    blogs = asdict(status.blogs)
    posts = {name.removeprefix("posts_"): blogs.pop(name) for name in list(blogs) if name.startswith("posts_")}
    console.print(_table(("blogs", "number"), _numbers({name: blogs[name] for name in blogs if name != "posts"})))
    console.print(_table(("posts", "number"), _numbers({"in archive": blogs["posts"], **posts})))
    if status.queue is not None:
        console.print(_table(("queue", "number"), _numbers(asdict(status.queue.depths))))
        if status.queue.put_off:
            console.print(_table(("reason of postponed jobs", "number"), _reasons(status.queue)))
        console.print(_table(("worker", "since", "state", "crawls", "since"), _workers(status.queue)))
    if status.failing:
        console.print(_failing_table(status.failing[:SHOWN], now))
    if len(status.failing) > SHOWN:
        console.print(Text(f"{len(status.failing) - SHOWN} more blogs fail. To list all: status --failed"))


def _numbers(values: dict[str, float | None]) -> list[tuple[str, str]]:
    return [(name.replace("_", " "), _number(number)) for name, number in values.items() if number is not None]


def _number(number: float) -> str:
    return f"{number:.2f}" if isinstance(number, float) else str(number)


def _reasons(queue: QueueStatus) -> list[tuple[str, str]]:
    return [(one.reason, str(one.jobs)) for one in queue.put_off]


def _workers(queue: QueueStatus) -> list[tuple[str, ...]]:
    """Return a row for each crawl of a worker, and for each idle worker."""
    rows: list[tuple[str, ...]] = []
    for one in queue.workers:
        worker = one.worker
        busy = f"{len(worker.crawls)} of {worker.jobs} crawls"
        state = f"silent for {worker.silent_s:.0f} s" if one.is_lost else busy
        head = (f"{worker.host} {worker.pid}", time_label(worker.since), state)
        crawls = [(crawl.url, time_label(crawl.since)) for crawl in worker.crawls] or [("", "")]
        rows += [((head if number == 0 else ("", "", "")) + crawl) for number, crawl in enumerate(crawls)]
    return rows


def _failing_table(failing: Iterable[Failing], now: datetime) -> Table:
    rows = []
    for one in failing:
        again = due_label(one.due, now) if one.due is not None else "given up"
        rows.append((one.url, one.reason, time_label(one.last), str(one.failures), again))
    return _table(("blog", "reason", "last crawl", "failures", "next attempt"), rows)


def _print_failed(console: Console, failing: Sequence[Failing], opts: argparse.Namespace, now: datetime) -> None:
    """Print the blogs that were given up; without a queue, those that fail."""
    if opts.json:
        print(_json([asdict(one) for one in failing]))
    elif not failing:
        console.print("No blog fails." if opts.queue is None else "No blog was given up.")
    else:
        console.print(_failing_table(failing, now))
        if opts.queue is not None:
            console.print(Text("To try one again: blogcrawler worker --queue URL --retry BLOG"))


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    return table(headings, (map(printable, row) for row in rows), numbers={"number", "failures"})


def _as_data(status: Status) -> dict[str, Any]:
    queue = status.queue
    return {
        "blogs": asdict(status.blogs),
        "queue": None if queue is None else asdict(queue.depths),
        "put_off": None if queue is None else [asdict(one) for one in queue.put_off],
        "workers": None if queue is None else [{**asdict(one.worker), "is_lost": one.is_lost} for one in queue.workers],
        "failing": [asdict(one) for one in status.failing],
    }


def _json(values: object) -> str:
    return json.dumps(values, ensure_ascii=False, indent=2, default=lambda moment: moment.astimezone(UTC).isoformat())
