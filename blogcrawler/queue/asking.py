"""Which blogs of an archive become jobs, and which of them come first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.queue.rows import Ask

if TYPE_CHECKING:
    from datetime import datetime

    from blogcrawler.backend import Archive, Due
    from blogcrawler.queue.jobs import Jobs
    from blogcrawler.queue.rows import GivenUp

__all__ = ["ASKED", "ask_for_due", "put_back"]

ASKED = 30
"""The priority of a blog that somebody has put back."""
WANTED = 20
"""Of one that somebody has taken in, and that was never crawled."""
BEGUN = 10
"""Of one whose first crawl is to go on."""
KNOWN = 0
"""Of one that is to be brought up to date."""


def ask_for_due(archive: Archive, jobs: Jobs, *, now: datetime) -> int:
    """Make jobs of blogs that are due, that nobody crawls and that have none, the longest overdue first; how many."""
    live = archive.claims.live(now=now)
    return jobs.enqueue(
        Ask(due.key, due.url, _priority(due)) for due in archive.register.due(now) if due.key not in live
    )


def put_back(archive: Archive, jobs: Jobs, job: GivenUp, *, now: datetime) -> bool:
    """Have a blog crawled that was given up, as if it had never failed; False where it is not given up any more."""
    archive.register.begin_again(job.key, archive.find_blog(job.url), now)
    return jobs.put_back(job, priority=ASKED)


def _priority(due: Due) -> int:
    if due.home is None:
        return WANTED
    return BEGUN if due.spider == "newcrawl" else KNOWN
