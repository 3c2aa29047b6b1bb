"""Blogs as jobs of a queue, for any number of workers on any number of machines. It needs `blogcrawler[queue]`."""

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
    """The jobs of the queue at an address. Raises BadArgument and QueueUnavailable.

    Without `make` nothing is made there: a queue without tables is empty, and can only be looked at.
    """
    with _installed():
        from blogcrawler.queue.jobs import Jobs
    return Jobs.open(url, make=make)


def check_queue(url: str) -> None:
    """Raise BadArgument where a queue's address is none, without asking for it; QueueUnavailable without the driver."""
    with _installed():
        from blogcrawler.queue.database import QueueDatabase
    QueueDatabase(url)


@contextmanager
def _installed() -> Iterator[None]:
    """For imports of what need not be installed. Raises QueueUnavailable where it is not."""
    try:
        yield
    except ImportError as error:
        raise QueueUnavailable(
            f'The Python package "{error.name}" that queues need is missing; install it: pip install '
            "'blogcrawler[queue]'."
        ) from error
