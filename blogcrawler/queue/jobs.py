"""Blogs as jobs: which are to be crawled, which worker crawls which, and which were given up.

A job is a row of procrastinate's. It waits (todo), is at work (doing), or was given up (failed); one that is done is
deleted. Its lock is the blog's key, so that no two are there of one blog.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from procrastinate.jobs import Job as Row
from procrastinate.jobs import Status

from blogcrawler.queue.rows import Crawling, Depths, GivenUp, Job, PutOff, WorkerRow
from blogcrawler.queue.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import LiteralString

    from blogcrawler.queue.rows import Ask

QUEUE = "blogcrawler"
"""The name of ours among procrastinate's queues, as several programs may have theirs in one database."""
TASK = "blogcrawler.crawl"
AT_ONCE = 1000
"""Jobs that are written by one statement."""
REASONS = 20
"""Reasons for which jobs were put off that are told."""
PASSWORD = re.compile(r"(?<=//)([^/@:\s]*):[^/@\s]+@")
"""Of a server, in its address."""
ENQUEUE_LOCK, RESCUE_LOCK = 0x626C6F69, 0x626C6F6A
"""Any numbers, the same in all processes: who enqueues holds the one, who looks for lost workers the other."""

_KNOWN: LiteralString = """
SELECT lock FROM procrastinate_jobs WHERE queue_name = %(queue)s AND status IN ('todo', 'doing', 'failed')
"""
_FAILED: LiteralString = "SELECT id FROM procrastinate_jobs WHERE id = %(id)s AND status = 'failed' FOR UPDATE"
_FORGET: LiteralString = "DELETE FROM procrastinate_jobs WHERE id = ANY(%(ids)s) AND status = 'failed'"
_OURS: LiteralString = """
SELECT id FROM procrastinate_jobs WHERE id = %(id)s AND worker_id = %(worker)s AND status = 'doing' FOR UPDATE
"""
_MYSELF: LiteralString = "SELECT id FROM procrastinate_workers WHERE id = %(worker)s FOR KEY SHARE"
_ENTER: LiteralString = """
INSERT INTO blogcrawler_workers (id, host, pid, jobs) VALUES (%(worker)s, %(host)s, %(pid)s, %(jobs)s)
"""
_TAKEN: LiteralString = """
INSERT INTO blogcrawler_jobs (id, since) VALUES (%(id)s, now())
ON CONFLICT (id) DO UPDATE SET since = excluded.since, put_off = NULL
"""
_LOST: LiteralString = """
INSERT INTO blogcrawler_jobs (id, lost) VALUES (%(id)s, %(lost)s) ON CONFLICT (id) DO UPDATE SET lost = excluded.lost
"""
_PROGRESS: LiteralString = """
INSERT INTO blogcrawler_jobs AS ours (id, progress) VALUES (%(id)s, %(progress)s) ON CONFLICT (id) DO UPDATE
SET lost = CASE WHEN excluded.progress > ours.progress THEN 0 ELSE ours.lost END, progress = excluded.progress
"""
_KILLED: LiteralString = """
UPDATE blogcrawler_jobs
SET lost = CASE WHEN %(progress)s > progress THEN 0 ELSE lost + 1 END, progress = %(progress)s
WHERE id = %(id)s RETURNING lost
"""
_FAILURE: LiteralString = """
INSERT INTO blogcrawler_jobs (id, failures, failed, reason) VALUES (%(id)s, %(failures)s, now(), %(reason)s)
ON CONFLICT (id) DO UPDATE
SET failures = excluded.failures, failed = excluded.failed, reason = excluded.reason, lost = 0
"""
_STALLED: LiteralString = """
SELECT job.id, job.args, coalesce(ours.lost, 0) + 1 AS lost
FROM procrastinate_jobs job
LEFT JOIN procrastinate_workers worker ON worker.id = job.worker_id
LEFT JOIN blogcrawler_jobs ours ON ours.id = job.id
WHERE job.queue_name = %(queue)s AND job.status = 'doing'
  AND (worker.id IS NULL OR worker.last_heartbeat < now() - make_interval(secs => %(seconds)s))
FOR UPDATE OF job SKIP LOCKED
"""
_DEPTHS: LiteralString = """
SELECT count(*) FILTER (WHERE status = 'todo' AND (scheduled_at IS NULL OR scheduled_at <= now())) AS waiting,
       count(*) FILTER (WHERE status = 'todo' AND scheduled_at > now()) AS later,
       count(*) FILTER (WHERE status = 'doing') AS running,
       count(*) FILTER (WHERE status = 'failed') AS given_up
FROM procrastinate_jobs WHERE queue_name = %(queue)s
"""
_OLDEST: LiteralString = """
SELECT extract(epoch FROM now() - min(coalesce(job.scheduled_at, event.at))) AS waiting_s
FROM procrastinate_jobs job
LEFT JOIN procrastinate_events event ON event.job_id = job.id AND event.type = 'deferred'
WHERE job.queue_name = %(queue)s AND job.status = 'todo' AND (job.scheduled_at IS NULL OR job.scheduled_at <= now())
"""
_PUT_OFF: LiteralString = """
SELECT ours.put_off AS reason, count(*) AS jobs
FROM procrastinate_jobs job JOIN blogcrawler_jobs ours ON ours.id = job.id
WHERE job.queue_name = %(queue)s AND job.status = 'todo' AND ours.put_off IS NOT NULL
GROUP BY ours.put_off ORDER BY jobs DESC, reason LIMIT %(most)s
"""
_RETURNING: LiteralString = """
SELECT job.id
FROM procrastinate_jobs job
LEFT JOIN blogcrawler_jobs ours ON ours.id = job.id
LEFT JOIN procrastinate_workers worker ON worker.id = job.worker_id
WHERE job.queue_name = %(queue)s AND (
  (job.status = 'todo' AND ours.put_off IS NOT NULL AND job.scheduled_at < now() + make_interval(secs => %(within)s))
  OR (job.status = 'doing'
      AND (worker.id IS NULL OR worker.last_heartbeat < now() - make_interval(secs => %(silent)s)))
) LIMIT 1
"""
_WORKERS: LiteralString = """
SELECT ours.*, extract(epoch FROM now() - worker.last_heartbeat) AS silent_s
FROM blogcrawler_workers ours JOIN procrastinate_workers worker ON worker.id = ours.id ORDER BY ours.id
"""
_CRAWLING: LiteralString = """
SELECT job.worker_id, job.args->>'url' AS url, ours.since
FROM procrastinate_jobs job JOIN blogcrawler_jobs ours ON ours.id = job.id
WHERE job.queue_name = %(queue)s AND job.status = 'doing' ORDER BY ours.since, job.id
"""
_GIVEN_UP: LiteralString = """
SELECT job.id, job.args, ours.reason, ours.failed, coalesce(ours.failures, 0) AS failures
FROM procrastinate_jobs job LEFT JOIN blogcrawler_jobs ours ON ours.id = job.id
WHERE job.queue_name = %(queue)s AND job.status = 'failed' ORDER BY ours.failed DESC NULLS LAST, job.id
"""


class Jobs:
    """The jobs of a queue, as its workers see them. Each call is one transaction; all raise QueueUnavailable."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._worker: int | None = None

    @classmethod
    def open(cls, url: str, *, make: bool = True) -> Self:
        """The queue at an address. Raises BadArgument, too.

        Its tables are made where there are none; without `make` the queue is empty there, and can only be looked at.
        """
        return cls(Server.open(url, make=make))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()

    # ----------------------------------------------------------------------------------------------- what is to be done

    def enqueue(self, asks: Iterable[Ask]) -> int:
        """Let blogs be crawled that have no job yet, waiting, at work or given up; how many those are."""
        with self._server.transaction():
            self._server.rows("SELECT pg_advisory_xact_lock(%(lock)s)", {"lock": ENQUEUE_LOCK})
            known = {row["lock"] for row in self._rows(_KNOWN)}
            new = list({ask.key: ask for ask in asks if known.isdisjoint((ask.key, *ask.known_as))}.values())
            for start in range(0, len(new), AT_ONCE):
                self._server.manager.batch_defer_jobs([_row(ask) for ask in new[start : start + AT_ONCE]])
            if new:  # or the server takes the table for as small as it was, and takes seconds to find a job
                self._server.rows("ANALYZE procrastinate_jobs")
            return len(new)

    def given_up(self) -> list[GivenUp]:
        """What was given up, the latest first."""
        with self._server.transaction():
            return [_given_up(row) for row in self._rows(_GIVEN_UP)] if self._server.has_tables() else []

    def forget(self, given_up: Iterable[GivenUp]) -> None:
        """Let blogs that were given up have no job, so that they may be crawled again."""
        ids = [job.id for job in given_up]
        if ids:
            with self._server.transaction():
                self._rows(_FORGET, ids=ids)
                self._rows("DELETE FROM blogcrawler_jobs WHERE id = ANY(%(ids)s)", ids=ids)

    def put_back(self, job: GivenUp, *, priority: int) -> bool:
        """Let a blog be crawled again that was given up; False where that is not so any more."""
        with self._server.transaction():
            if not self._rows(_FAILED, id=job.id):
                return False
            self._rows("UPDATE blogcrawler_jobs SET lost = 0, failures = 0 WHERE id = %(id)s", id=job.id)
            self._server.manager.retry_job_by_id(job.id, datetime.now(UTC), priority=priority)
            return True

    # ------------------------------------------------------------------------------------------------------- workers

    def enter(self, host: str, pid: int, jobs: int) -> None:
        """Take part as a worker."""
        with self._server.transaction():
            self._worker = self._server.run(self._server.manager.register_worker())
            self._rows(_ENTER, worker=self._worker, host=host, pid=pid, jobs=jobs)

    def leave(self) -> None:
        """Be a worker no more."""
        if self._worker is not None:
            with self._server.transaction():
                self._server.run(self._server.manager.unregister_worker(self._worker))
            self._worker = None

    def beat(self) -> set[int] | None:
        """Tell that the worker lives; the jobs that are its own. None where it was taken for lost, and must `enter`."""
        assert self._worker is not None
        with self._server.transaction():
            self._server.run(self._server.manager.update_heartbeat(self._worker))
            if not self._rows(_MYSELF, worker=self._worker):
                return None
            mine = self._server.manager.list_jobs_async(queue=QUEUE, status=Status.DOING.value, worker_id=self._worker)
            return {row.id for row in self._server.run(mine) if row.id is not None}

    def rescue(self, silent_s: float, *, most: int) -> list[str]:
        """Let others have the jobs of workers that have been silent for so long; the blogs' addresses.

        One whose workers were lost `most` times is given up: it may be what they died of.
        """
        with self._server.transaction():
            if not self._rows("SELECT pg_try_advisory_xact_lock(%(lock)s) AS is_ours", lock=RESCUE_LOCK)[0]["is_ours"]:
                return []  # another one does it
            stalled = self._rows(_STALLED, seconds=silent_s)
            for row in stalled:
                self._rows(_LOST, id=row["id"], lost=row["lost"])
                if row["lost"] >= most:
                    self._give_up(row["id"], f"Its worker was lost {row['lost']} times in a row.", row["lost"])
                else:
                    self._server.manager.retry_job_by_id(row["id"], datetime.now(UTC))
            self._server.run(self._server.manager.prune_stalled_workers(silent_s))
            return [row["args"]["url"] for row in stalled]

    def take(self) -> Job | None:
        """The next job; None where there is none that may begin now."""
        assert self._worker is not None
        with self._server.transaction():
            if not self._rows(_MYSELF, worker=self._worker):
                return None  # taken for lost
            row = self._server.run(self._server.manager.fetch_job([QUEUE], self._worker))
            if row is None or row.id is None:
                return None
            self._rows(_TAKEN, id=row.id)
            return Job(row.id, str(row.task_kwargs["key"]), str(row.task_kwargs["url"]))

    def returning(self, *, within_s: float, silent_s: float) -> bool:
        """Does a job come back soon: one that was put off, or of a worker that has been silent for so long?"""
        with self._server.transaction():
            return bool(self._rows(_RETURNING, within=within_s, silent=silent_s))

    def note_progress(self, job_id: int, progress: int) -> None:
        """How far it has come, as it is taken: as long as it gets on, it is not what its workers die of."""
        with self._server.transaction():
            self._rows(_PROGRESS, id=job_id, progress=progress)

    # ---------------------------------------------------------------------------------------------------- how jobs end

    def done(self, job: Job) -> None:
        """It needs nothing more."""
        with self._server.transaction():
            if self._is_ours(job.id):
                self._server.run(self._server.manager.finish_job_by_id_async(job.id, Status.SUCCEEDED, delete_job=True))

    def give_back(
        self, job_id: int, at: datetime | None = None, *, reason: str | None = None, was_survived: bool = False
    ) -> None:
        """Let it be taken again, from a time on; `reason` tells people why it was put off.

        `was_survived`: it was at work, and is not what its workers die of.
        """
        with self._server.transaction():
            if self._is_ours(job_id):
                if was_survived:
                    self._rows("UPDATE blogcrawler_jobs SET lost = 0 WHERE id = %(id)s", id=job_id)
                self._retry(job_id, at or datetime.now(UTC), reason)

    def failed(self, job: Job, reason: str, failures: int, *, again: datetime | None) -> None:
        """The crawl failed, for so many times in a row: when it is tried again; None gives it up."""
        with self._server.transaction():
            if not self._is_ours(job.id):
                return
            if again is None:
                self._give_up(job.id, reason, failures)
                return
            self._note_failure(job.id, reason, failures)
            self._server.manager.retry_job_by_id(job.id, again)

    def killed(self, job: Job, reason: str, progress: int, *, again: datetime, most: int) -> bool:
        """The crawl was killed, when it had come so far, as workers may be lost: it is tried again at a time.

        One that was killed `most` times in a row, lost workers included, and did not get on, is given up; was it?
        """
        with self._server.transaction():
            if not self._is_ours(job.id):
                return False
            (row,) = self._rows(_KILLED, id=job.id, progress=progress)
            is_over: bool = row["lost"] >= most
            if is_over:
                self._give_up(job.id, reason, row["lost"])
            else:
                self._retry(job.id, again, reason)
        return is_over

    # ------------------------------------------------------------------------------------------------- what people see

    def lack(self) -> str | None:
        """A sentence that tells why the queue is empty where it has no tables; None where it has."""
        with self._server.transaction():
            if self._server.has_tables():
                return None
        return f"The queue at {self._server.shown} is empty: nothing was put into it yet; monitor --queue does that."

    def depths(self) -> Depths:
        """How many jobs there are."""
        with self._server.transaction():
            if not self._server.has_tables():
                return Depths(waiting=0, later=0, running=0, given_up=0, oldest_waiting_s=None)
            waiting_s = self._rows(_OLDEST)[0]["waiting_s"]
            return Depths(**self._rows(_DEPTHS)[0], oldest_waiting_s=None if waiting_s is None else float(waiting_s))

    def put_off(self) -> list[PutOff]:
        """Why jobs wait that were put off, the reason of most of them first."""
        with self._server.transaction():
            found = self._rows(_PUT_OFF, most=REASONS) if self._server.has_tables() else []
        return [PutOff(**row) for row in found]

    def workers(self) -> list[WorkerRow]:
        """The workers, and what each crawls."""
        with self._server.transaction():
            if not self._server.has_tables():
                return []
            workers, crawling = self._rows(_WORKERS), self._rows(_CRAWLING)
        found = []
        for row in workers:
            mine = tuple(Crawling(one["url"], one["since"]) for one in crawling if one["worker_id"] == row["id"])
            silent_s = float(row["silent_s"])
            found.append(WorkerRow(row["host"], row["pid"], row["jobs"], row["since"], silent_s, mine))
        return found

    # ------------------------------------------------------------------------------------------------------- the rows

    def _rows(self, query: LiteralString, **arguments: Any) -> list[dict[str, Any]]:  # noqa: ANN401
        return self._server.rows(query, {"queue": QUEUE, **arguments})

    def _is_ours(self, job_id: int) -> bool:
        """Has this worker the job, and does it keep it until the transaction ends? Not if it was taken for lost."""
        return bool(self._rows(_OURS, id=job_id, worker=self._worker))

    def _retry(self, job_id: int, at: datetime, reason: str | None) -> None:
        shown = None if reason is None else PASSWORD.sub(r"\1:***@", _storable(reason))
        self._rows("UPDATE blogcrawler_jobs SET put_off = %(reason)s WHERE id = %(id)s", id=job_id, reason=shown)
        self._server.manager.retry_job_by_id(job_id, at)

    def _note_failure(self, job_id: int, reason: str, failures: int) -> None:
        self._rows(_FAILURE, id=job_id, reason=_storable(reason), failures=failures)

    def _give_up(self, job_id: int, reason: str, failures: int) -> None:
        self._note_failure(job_id, reason, failures)
        self._server.run(self._server.manager.finish_job_by_id_async(job_id, Status.FAILED, delete_job=False))


def _storable(text: str) -> str:
    """Without what PostgreSQL does not take."""
    return text.replace("\0", " ")


def _row(ask: Ask) -> Row:
    return Row(
        queue=QUEUE, task_name=TASK, priority=ask.priority, lock=ask.key, queueing_lock=ask.key,
        task_kwargs={"key": ask.key, "url": ask.url},
    )  # fmt: skip


def _given_up(row: dict[str, Any]) -> GivenUp:
    told = row["args"]
    return GivenUp(row["id"], told["key"], told["url"], row["reason"] or "", row["failed"], row["failures"])
