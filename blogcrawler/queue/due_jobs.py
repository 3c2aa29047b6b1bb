"""Selects the blogs of an archive that become jobs, and their priorities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.queue.values import JobRequest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from blogcrawler.backend import Archive, BlogRow, Due
    from blogcrawler.queue.jobs import Jobs
    from blogcrawler.queue.values import GivenUp

PUT_BACK, WANTED, BEGUN, KNOWN = 30, 20, 10, 0
"""Priorities: of a blog that a person put back; of a blog that was added and never crawled; of an unfinished first
crawl; of an update."""


def enqueue_due(archive: Archive, jobs: Jobs, *, now: datetime) -> int:
    """Create jobs for due blogs that have neither a running crawl nor a job, the longest overdue first; return their
    number.

    Blogs that were given up get no job, see `given_up`.
    """
    still = {job.key for job in given_up(archive, jobs)}
    jobs.forget(job for job in jobs.given_up() if job.key not in still)
    live, known_as = archive.leases.live(now=now), archive.addresses()
    return jobs.enqueue(
        JobRequest(due.key, due.url, _priority(due), known_as.get(due.home or "", frozenset()))
        for due in archive.register.due(now)
        if due.key not in live
    )


def given_up(archive: Archive, jobs: Jobs) -> list[GivenUp]:
    """Blogs that are currently given up, the latest first.

    Blogs that were removed, added again or successfully crawled by hand since then are left out.
    """
    jobs_given_up = jobs.given_up()
    if not jobs_given_up:
        return []
    blogs = {blog.home: blog for blog in archive.blogs()}
    added = {one.key: one.added for one in archive.register.wanted()}
    return [job for job in jobs_given_up if _is_given_up(archive, job, blogs, added)]


def _is_given_up(archive: Archive, job: GivenUp, blogs: Mapping[str, BlogRow], added: Mapping[str, datetime]) -> bool:
    blog = blogs.get(job.url) or blogs.get(archive.find_blog(job.url) or "")
    if blog is None:
        since = added.get(archive.key_of(job.url))
        return since is not None and (job.failed is None or since <= job.failed)
    finished = blog.crawl_finished if blog.crawl_complete and not blog.failures else None
    return blog.is_followed and (finished is None or job.failed is None or finished <= job.failed)


def put_back(archive: Archive, jobs: Jobs, job: GivenUp, *, now: datetime) -> bool:
    """Queue a blog that was given up, with its failures reset; return False if it is no longer given up."""
    archive.register.begin_again(job.key, archive.find_blog(job.url), now)
    return jobs.put_back(job, priority=PUT_BACK)


def _priority(due: Due) -> int:
    if due.home is None:
        return WANTED
    return BEGUN if due.spider == "newcrawl" else KNOWN
