"""Blogs as jobs of a queue, for any number of workers on any number of machines. It needs `blogcrawler[queue]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.errors import QueueUnavailable
from blogcrawler.queue.asking import ask_for_due, put_back
from blogcrawler.queue.rows import Ask, Crawling, Depths, GivenUp, Job, WorkerRow
from blogcrawler.queue.watching import Outcome, Watcher
from blogcrawler.queue.worker import Pace, Worker

if TYPE_CHECKING:
    from blogcrawler.queue.jobs import Jobs

__all__ = [
    "Ask",
    "Crawling",
    "Depths",
    "GivenUp",
    "Job",
    "Outcome",
    "Pace",
    "Watcher",
    "Worker",
    "WorkerRow",
    "ask_for_due",
    "open_jobs",
    "put_back",
]


def open_jobs(url: str, *, make: bool = True) -> Jobs:
    """The jobs of the queue at an address. Raises BadArgument and QueueUnavailable.

    Without `make` nothing is made there: a queue without tables is empty, and can only be looked at.
    """
    try:
        from blogcrawler.queue.jobs import Jobs  # which imports what need not be installed
    except ImportError as error:
        raise QueueUnavailable(
            f'The Python package "{error.name}" that queues need is missing; install it: pip install '
            "'blogcrawler[queue]'."
        ) from error
    return Jobs.open(url, make=make)
