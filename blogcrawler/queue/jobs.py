"""The jobs of a queue: blogs to crawl, the worker that crawls each, and blogs that were given up.

A job is a row that is waiting, leased by a worker, or given up. A finished job is deleted. There is at most one job per
blog.
"""

from __future__ import annotations

import re
import secrets
from collections import defaultdict
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import and_, case, delete, func, insert, or_, select, update
from sqlalchemy.dialects import postgresql

from blogcrawler.backend.leases import claim_next, release, renew
from blogcrawler.errors import QueueUnavailable
from blogcrawler.queue.database import JOBS, WORKERS, QueueDatabase, lock, server_time
from blogcrawler.queue.values import Crawling, Depths, GivenUp, Job, PutOff, WorkerRow

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from sqlalchemy import ColumnElement, Connection

    from blogcrawler.queue.values import JobRequest

REASONS = 20
"""Maximum number of postponement reasons that are shown."""
PASSWORD = re.compile(r"(?<=//)([^/@:\s]*):[^/@\s]+@")
"""Matches the password in a database URL."""
ENQUEUE_LOCK = 0x626C6F69
"""Key of an advisory lock: an arbitrary number, the same in all processes."""

_IS_RUNNING, _IS_GIVEN_UP = JOBS.c.owner.is_not(None), JOBS.c.is_given_up
_IS_PENDING = and_(JOBS.c.owner.is_(None), ~_IS_GIVEN_UP)
_FREE = {"owner": None, "worker": None, "since": None, "until": None}


class Jobs:
    """The jobs of a queue. Each method is one transaction; all raise QueueUnavailable.

    Methods that end a job do nothing if another worker has the lease by now.
    """

    def __init__(self, database: QueueDatabase) -> None:
        self._database = database
        self._worker: dict[str, Any] = {}
        self._lease = timedelta(0)

    @classmethod
    def open(cls, url: str, *, make: bool = True) -> Self:
        """Open the queue at a URL. Also raises BadArgument.

        Creates missing tables. If `make` is False, a queue without tables counts as empty and is read-only.
        """
        database = QueueDatabase(url)
        try:
            database.prepare(make=make)
        except QueueUnavailable:
            database.close()
            raise
        return cls(database)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def enqueue(self, requests: Iterable[JobRequest]) -> int:
        """Create jobs for blogs that have no waiting, running or given-up job; return their number."""
        with self._database.transaction() as connection:
            lock(connection, ENQUEUE_LOCK)
            now, known = server_time(connection), set(connection.scalars(select(JOBS.c.key)))
            new = {one.key: one for one in requests if known.isdisjoint((one.key, *one.aliases))}
            if new:
                rows = [{"key": one.key, "url": one.url, "priority": one.priority, "due": now} for one in new.values()]
                connection.execute(insert(JOBS), rows)
            return len(new)

    def given_up(self) -> list[GivenUp]:
        """Jobs that were given up, the latest first."""
        columns = [JOBS.c[name] for name in ("key", "url", "reason", "failed", "failures")]
        with self._reading() as connection:
            query = select(*columns).where(_IS_GIVEN_UP).order_by(JOBS.c.failed.desc().nulls_last(), JOBS.c.id)
            rows = connection.execute(query).mappings() if connection is not None else ()
            return [GivenUp(**{**row, "reason": row["reason"] or ""}) for row in rows]

    def forget(self, given_up: Iterable[GivenUp]) -> None:
        """Delete given-up jobs, so that their blogs may get new jobs."""
        keys = [job.key for job in given_up]
        if keys:
            with self._database.transaction() as connection:
                connection.execute(delete(JOBS).where(JOBS.c.key.in_(keys), _IS_GIVEN_UP))

    def put_back(self, job: GivenUp, *, priority: int) -> bool:
        """Make a given-up job wait again; return False if it is no longer given up."""
        with self._database.transaction() as connection:
            values = {"is_given_up": False, "priority": priority, "lost": 0, "failures": 0}
            again = update(JOBS).where(JOBS.c.key == job.key, _IS_GIVEN_UP)
            return connection.execute(again.values(due=server_time(connection), **values)).rowcount > 0

    def enter(self, host: str, pid: int, jobs: int, lease_s: float) -> None:
        """Register as a worker whose leases expire after `lease_s` seconds without renewal."""
        self._lease = timedelta(seconds=lease_s)
        self._worker = {"id": secrets.token_hex(8), "host": host, "pid": pid, "jobs": jobs}
        self.renew(())

    def leave(self) -> None:
        """Unregister the worker."""
        with self._database.transaction() as connection:
            connection.execute(delete(WORKERS).where(WORKERS.c.id == self._worker["id"]))

    def renew(self, owners: Collection[str]) -> set[str]:
        """Renew the worker's registration and leases; return those of `owners` that still have their lease."""
        with self._database.transaction() as connection:
            now = server_time(connection)
            registration = postgresql.insert(WORKERS).values(since=now, seen=now, **self._worker)
            connection.execute(registration.on_conflict_do_update(index_elements=["id"], set_={"seen": now}))
            return set(renew(connection, JOBS, owners, now + self._lease))

    def rescue(self, *, most: int) -> list[str]:
        """Free jobs whose leases have expired, and delete silent workers; return the URLs of the freed jobs.

        A job that lost its worker `most` times in a row is given up, since its crawl may have killed the workers.
        """
        with self._database.transaction() as connection:
            now = server_time(connection)
            query = select(JOBS).where(JOBS.c.until <= now).with_for_update(skip_locked=True)
            lost = connection.execute(query).mappings().all()
            for row in lost:
                times = row["lost"] + 1
                values: dict[str, Any] = {"due": now, "lost": times}
                if times >= most:
                    values = _given_up(f"Its worker was lost {times} times in a row.", times, now)
                connection.execute(update(JOBS).where(JOBS.c.id == row["id"]).values(_FREE | values))
            connection.execute(delete(WORKERS).where(WORKERS.c.seen <= now - self._lease))
            return [row["url"] for row in lost]

    def claim(self, owner: str) -> Job | None:
        """Lease the next job; return None if no job may start now."""
        with self._database.transaction() as connection:
            now = server_time(connection)
            row = claim_next(
                connection, JOBS, and_(~_IS_GIVEN_UP, JOBS.c.due <= now), JOBS.c.priority.desc(), JOBS.c.id,
                owner=owner, worker=self._worker["id"], since=now, until=now + self._lease, put_off=None,
            )  # fmt: skip
            return None if row is None else Job(owner, row["key"], row["url"])

    def returning(self, *, within_s: float, silent_s: float) -> bool:
        """True if a job may soon be available: a postponed job, or a job whose worker has been silent for `silent_s`
        seconds."""
        with self._database.transaction() as connection:
            now = server_time(connection)
            soon = and_(_IS_PENDING, JOBS.c.put_off.is_not(None), JOBS.c.due < now + timedelta(seconds=within_s))
            heard = select(WORKERS.c.id).where(WORKERS.c.seen >= now - timedelta(seconds=silent_s))
            is_silent = and_(_IS_RUNNING, JOBS.c.worker.not_in(heard))
            return connection.execute(select(JOBS.c.id).where(or_(soon, is_silent)).limit(1)).first() is not None

    def note_progress(self, job: Job, progress: int) -> None:
        """Save the progress of a blog. A blog that makes progress is not what kills its workers."""
        with self._database.transaction() as connection:
            values = {"lost": _lost_unless_further(progress, JOBS.c.lost), "progress": progress}
            connection.execute(update(JOBS).where(JOBS.c.owner == job.owner).values(values))

    def done(self, job: Job) -> None:
        with self._database.transaction() as connection:
            release(connection, JOBS, job.owner)

    def give_back(
        self, job: Job, at: datetime | None = None, *, reason: str | None = None, was_survived: bool = False
    ) -> None:
        """Make a job available again from a time on; `reason` is shown to people.

        `was_survived`: the crawl ran without killing its worker, so the number of lost workers is reset.
        """
        values: dict[str, Any] = {"put_off": _shown(reason)} | ({"lost": 0} if was_survived else {})
        with self._database.transaction() as connection:
            self._free(connection, job, due=at or server_time(connection), **values)

    def failed(self, job: Job, reason: str, failures: int, *, again: datetime | None) -> None:
        """Record a number of consecutive failed crawls; the job is retried at the time `again`, or given up if that
        is None."""
        with self._database.transaction() as connection:
            values = _given_up(reason, failures, server_time(connection))
            if again is not None:
                values |= {"is_given_up": False, "due": again}
            self._free(connection, job, **values)

    def killed(self, job: Job, reason: str, progress: int, *, again: datetime, most: int) -> bool:
        """Record that the crawl was killed at this progress; the job is retried at the time `again`.

        A job that was killed `most` times in a row without progress, lost workers included, is given up; then returns
        True.
        """
        with self._database.transaction() as connection:
            values = {"lost": _lost_unless_further(progress, JOBS.c.lost + 1), "progress": progress}
            counted = update(JOBS).where(JOBS.c.owner == job.owner).values(values).returning(JOBS.c.lost)
            if (lost := connection.scalar(counted)) is None:
                return False
            is_over = bool(lost >= most)
            if is_over:
                self._free(connection, job, **_given_up(reason, lost, server_time(connection)))
            else:
                self._free(connection, job, due=again, put_off=_shown(reason))
            return is_over

    def missing_tables(self) -> str | None:
        """A message that the queue is empty, if it has no tables; else None."""
        with self._reading() as connection:
            if connection is not None:
                return None
        url = self._database.shown
        return f"The queue at {url} is empty; monitor --queue adds jobs to it."

    def depths(self) -> Depths:
        """Number of jobs in each state."""
        with self._reading() as connection:
            if connection is None:
                return Depths(waiting=0, later=0, running=0, given_up=0, oldest_waiting_s=None)
            now = server_time(connection)
            is_waiting = and_(_IS_PENDING, JOBS.c.due <= now)
            states = {
                "waiting": is_waiting, "later": and_(_IS_PENDING, JOBS.c.due > now),
                "running": _IS_RUNNING, "given_up": _IS_GIVEN_UP,
            }  # fmt: skip
            counts = [func.count().filter(condition).label(state) for state, condition in states.items()]
            row = connection.execute(select(*counts).select_from(JOBS)).mappings().one()
            oldest = connection.scalar(select(func.min(JOBS.c.due)).where(is_waiting))
            return Depths(**row, oldest_waiting_s=None if oldest is None else (now - oldest).total_seconds())

    def put_off(self) -> list[PutOff]:
        """Reasons of postponed jobs, the most frequent reason first."""
        reason, count = JOBS.c.put_off, func.count()
        query = select(reason, count).where(_IS_PENDING, reason.is_not(None)).group_by(reason)
        with self._reading() as connection:
            ordered = query.order_by(count.desc(), reason).limit(REASONS)
            return [PutOff(*row) for row in connection.execute(ordered)] if connection is not None else []

    def workers(self) -> list[WorkerRow]:
        """The workers and their running crawls."""
        running = select(JOBS.c.worker, JOBS.c.url, JOBS.c.since).where(_IS_RUNNING).order_by(JOBS.c.since, JOBS.c.id)
        with self._reading() as connection:
            if connection is None:
                return []
            now, crawls = server_time(connection), defaultdict(list)
            for worker, url, since in connection.execute(running):
                crawls[worker].append(Crawling(url, since))
            rows = connection.execute(select(WORKERS).order_by(WORKERS.c.since, WORKERS.c.id)).mappings().all()
        return [
            WorkerRow(
                row["host"], row["pid"], row["jobs"], row["since"],
                (now - row["seen"]).total_seconds(), tuple(crawls[row["id"]]),
            )
            for row in rows
        ]  # fmt: skip

    @contextmanager
    def _reading(self) -> Iterator[Connection | None]:
        """A transaction for reading; None if there are no tables."""
        with self._database.transaction() as connection:
            yield connection if self._database.has_tables(connection) else None

    def _free(self, connection: Connection, job: Job, **values: object) -> None:
        connection.execute(update(JOBS).where(JOBS.c.owner == job.owner).values(_FREE | values))


def _given_up(reason: str, failures: int, now: datetime) -> dict[str, Any]:
    return {"is_given_up": True, "failures": failures, "failed": now, "reason": reason, "lost": 0}


def _lost_unless_further(progress: int, lost: ColumnElement[int]) -> ColumnElement[int]:
    """How often in a row the job lost its worker; 0 if it has made progress since the last lease."""
    return case((JOBS.c.progress < progress, 0), else_=lost)


def _shown(reason: str | None) -> str | None:
    return None if reason is None else PASSWORD.sub(r"\1:***@", reason)
