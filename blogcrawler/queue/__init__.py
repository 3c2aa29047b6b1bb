"""A queue of blogs to crawl, for any number of workers on any number of machines. It needs `blogcrawler[queue]`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from blogcrawler.errors import QueueUnavailable
from blogcrawler.queue.due_jobs import enqueue_due, given_up, put_back
from blogcrawler.queue.values import Depths, GivenUp, Outcome, PutOff, Watcher, WorkerRow
from blogcrawler.queue.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.queue.jobs import Jobs

__all__ = [
    "Depths",
    "GivenUp",
    "Outcome",
    "PutOff",
    "Watcher",
    "Worker",
    "WorkerRow",
    "check_queue",
    "enqueue_due",
    "given_up",
    "open_jobs",
    "put_back",
]


def open_jobs(url: str, *, make: bool = True) -> Jobs:
    """Open the queue at a URL. Raises BadArgument and QueueUnavailable.

    If `make` is False, no tables are created: a queue without tables counts as empty and is read-only.
    """
    with _installed():
        from blogcrawler.queue.jobs import Jobs
    return Jobs.open(url, make=make)


def check_queue(url: str) -> None:
    """Check the URL of a queue without connecting. Raises BadArgument, and QueueUnavailable if the driver is
    missing."""
    with _installed():
        from blogcrawler.queue.database import QueueDatabase
    QueueDatabase(url)


@contextmanager
def _installed() -> Iterator[None]:
    """Context for imports of optional packages. Raises QueueUnavailable if one is missing."""
    try:
        yield
    except ImportError as error:
        raise QueueUnavailable(
            f"Queues need the Python package \"{error.name}\"; install it: pip install 'blogcrawler[queue]'."
        ) from error
