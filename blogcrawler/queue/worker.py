"""A worker: leases jobs from a queue, several at once, and crawls each blog in its own process."""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from blogcrawler.backend import Holder
from blogcrawler.errors import BackendUnavailable, LogsUnavailable, QueueUnavailable
from blogcrawler.monitor import LOOK_S, CrawlLoop, new_posts, note_failure
from blogcrawler.queue.values import Watcher
from blogcrawler.reporting import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from blogcrawler.backend import Archive, Bounds
    from blogcrawler.errors import BlogcrawlerError
    from blogcrawler.monitor import Child, Report, Starter
    from blogcrawler.queue.jobs import Jobs
    from blogcrawler.queue.values import Job, Outcome

T = TypeVar("T")
ASK_S = 2.0
"""Seconds between requests for a job while the queue has none."""
AGAIN_S = 2.0
"""Seconds until an unavailable queue or archive is tried again."""
PATIENCE_S = 180
"""Seconds for which an archive may be unavailable. Each attempt also waits for other writers."""
PARTING_S = 30
"""Seconds for which a queue may be unavailable when a worker ends."""
STOPPED_S = 10
"""Seconds for which archive and queue together may be unavailable after a stop signal."""
CLOCK_TOLERANCE = timedelta(minutes=1)
"""Maximum difference between the clocks of two machines."""
RETRY_DELAY = timedelta(seconds=30)
"""Time until a crawl is retried that failed for a reason that the blog did not cause."""
SOON_S = 120
"""In burst mode: the worker waits for jobs that become due within this many seconds, and retries for at least this
long."""
BUSY = "Another process crawls the blog."


def renewal_s(lease_s: float) -> float:
    """Seconds between renewals of leases of this length, and between searches for expired leases of other workers."""
    return lease_s / 6


class Worker:
    """Crawls blogs of an archive that have jobs in a queue, at most `most` at once.

    After `attempts` consecutive failures, a blog is given up; before that, `bounds` determine when it is retried. Other
    workers take over the jobs of a worker that has been silent for `lease_s` seconds.
    """

    def __init__(
        self,
        archive: Archive,
        jobs: Jobs,
        starter: Starter,
        report: Report,
        *,
        most: int,
        attempts: int,
        bounds: Bounds,
        lease_s: float,
        watcher: Watcher | None = None,
    ) -> None:
        self._archive = archive
        self._jobs = jobs
        self._starter = starter
        self._report = report
        self._attempts = attempts
        self._bounds = bounds
        self._lease_s = lease_s
        self._watcher = watcher or Watcher()
        self._loop = CrawlLoop(most)
        #: leased jobs by owner, until the queue has recorded how they ended
        self._held: dict[str, Job] = {}
        #: results that the queue has not yet recorded, by owner
        self._endings: dict[str, Callable[[], object]] = {}
        #: times, by the monotonic clock, of the next lease renewal, the next request for a job and the next use of the
        #: queue
        self._renew_at = self._ask_at = self._use_at = 0.0
        self._is_cut_off = False
        #: deadline, by the monotonic clock, for waiting for unavailable servers after a stop signal
        self._give_up_at: float | None = None
        self._has_reported_end = False
        self._is_burst = False
        #: True if the queue had no job at the last request
        self._is_empty = False
        #: keys of blogs whose crawls were postponed for a reason that the blogs did not cause
        self._hindered: set[str] = set()
        #: last reported reason why crawls could not be started; None after a successful start
        self._start_trouble: str | None = None
        #: since when, by the monotonic clock, the worker has been idle, and all crawls have been postponed
        self._idle_since = time.monotonic()
        self._vain_since: float | None = None

    def run(self, *, is_burst: bool = False) -> None:
        """Work until a stop signal arrives; in burst mode, until no job may start now or soon.

        Raises QueueUnavailable if the queue is unavailable at the start, and BackendUnavailable. After a stop signal
        the worker ends even if servers are unavailable.
        """
        self._is_burst = is_burst
        with self._loop.signals.heeding():
            self._jobs.enter(socket.gethostname(), os.getpid(), self._loop.most, self._lease_s)
            try:
                self._loop.run(self)
            except BackendUnavailable as error:
                if not self._loop.signals.count:
                    raise
                self._report_end(error)
            finally:
                self._loop.end_all(lambda child: self._watcher.ended(child, "stopped"))
                for owner in self._held.keys() - self._endings.keys():
                    self._endings[owner] = partial(self._jobs.give_back, self._held[owner])
                self._leave()

    def is_exhausted(self) -> bool:
        """True if a worker in burst mode has nothing left to wait for."""
        if not self._is_burst or not self._is_empty or self._endings or self._awaits_jobs():
            return False
        if self._tries_in_vain() and self._hindered:
            self._report.left(len(self._hindered))
        return True

    def _awaits_jobs(self) -> bool:
        """True if a job may soon be available. Other workers get the time since this worker became idle to renew
        their leases."""
        if self._tries_in_vain():
            return False
        idle_s = time.monotonic() - self._idle_since
        is_returning = self._ask(lambda: self._jobs.returning(within_s=SOON_S, silent_s=idle_s))
        return self._is_cut_off or bool(is_returning)

    def _tries_in_vain(self) -> bool:
        """True if a worker in burst mode should stop retrying, since all crawls have been postponed for too long."""
        if not self._is_burst or self._loop.children or self._vain_since is None:
            return False
        return time.monotonic() > self._vain_since + SOON_S + self._lease_s + renewal_s(self._lease_s)

    def tend(self) -> None:
        """Report results to the queue, renew leases, and free expired leases of other workers."""
        self._watcher.note_heartbeat(is_cut_off=self._is_cut_off)
        self._watcher.note_crawls(self._loop.children)
        if self._loop.children:
            self._idle_since = time.monotonic()
        if self._endings:
            self._ask(self._report_endings)
        if (now := time.monotonic()) >= self._renew_at:
            self._ask(self._renew)
            if not self._is_cut_off:
                self._renew_at = now + renewal_s(self._lease_s)

    def _report_endings(self) -> None:
        for owner, ending in list(self._endings.items()):
            ending()
            del self._endings[owner], self._held[owner]

    def _renew(self) -> None:
        owners = self._jobs.renew(self._held.keys())
        for child in self._loop.children:
            if str(child.holder) not in owners and not child.stops:  # another worker has the job
                child.stop()
        with suppress(BackendUnavailable):  # leases that crawls have not yet taken over
            for child in self._loop.children:
                self._archive.leases.renew(str(child.holder), now=datetime.now(UTC))
        self._jobs.rescue(most=self._attempts)

    def _ask(self, call: Callable[[], T]) -> T | None:
        """Call the queue; return None while it is unavailable, which is reported once."""
        if time.monotonic() < self._use_at:
            return None
        try:
            result = call()
        except QueueUnavailable as error:
            self._use_at = time.monotonic() + AGAIN_S
            if not self._is_cut_off:
                say(f"{error} Running crawls continue, and the worker retries.")
            self._is_cut_off = True
            return None
        self._is_cut_off = False
        return result

    def _leave(self) -> None:
        """Unregister from the queue if it is available; else other workers notice later that this one has ended."""
        deadline = time.monotonic() + PARTING_S
        while True:
            try:
                self._report_endings()
                self._jobs.leave()
            except QueueUnavailable as error:
                if not self._can_wait(deadline):
                    self._report_end(error)
                    return
            else:
                return

    def _report_end(self, error: BlogcrawlerError) -> None:
        """Report once that the worker ends while a server is unavailable."""
        if not self._has_reported_end:
            say(
                f"{error} The worker ends without it. Other workers take over its jobs after {self._lease_s:g} s. "
                "Nothing is lost."
            )
        self._has_reported_end = True

    def begin_next(self) -> bool:
        """Start the crawl of the next job; return False if the queue has no job now or is unavailable."""
        self._is_empty = self._tries_in_vain()
        if self._is_empty or time.monotonic() < self._ask_at:
            return False
        holder = Holder.new()
        job = self._ask(partial(self._jobs.claim, str(holder)))
        if job is None:
            self._is_empty = not self._is_cut_off
            self._ask_at = time.monotonic() + (ASK_S if self._is_empty else 0)
            return False
        self._held[job.owner] = job
        self._begin(job, holder)
        return True

    def _begin(self, job: Job, holder: Holder) -> None:
        """Start the crawl of a job if its blog is due and no other process crawls it."""
        home = self._patiently(lambda: self._archive.find_blog(job.url))
        key = job.key if home is None else self._archive.key_of(home)
        current_lease = self._patiently(
            lambda: self._archive.leases.claim(key, job.owner, now=datetime.now(UTC), is_monitored=True)
        )
        if current_lease is not None:
            self._put_off(job, BUSY, min(current_lease.until, datetime.now(UTC) + RETRY_DELAY))
            return
        due = self._patiently(
            lambda: self._archive.register.find_due(job.key, home, datetime.now(UTC) + CLOCK_TOLERANCE)
        )
        if due is None:
            self._drop(job, home)
            return
        if home is not None:
            progress = self._patiently(lambda: self._archive.progress(home))
            self._ask(lambda: self._jobs.note_progress(job, progress))
        try:
            child = self._starter.start(due, holder)
        except LogsUnavailable as error:
            self._put_off_unbegun(job, str(error))
        except OSError as error:
            self._put_off_unbegun(job, f"No crawl can be started: {error.strerror}.")
        except BaseException:
            self._release(job)
            raise
        else:
            self._start_trouble = None
            self._loop.children.append(child)
            self._watcher.began(child)

    def _drop(self, job: Job, home: str | None) -> None:
        """Delete the job of a blog that is no longer due."""
        if home is None and not self._patiently(lambda: self._archive.register.is_wanted(job.key)):
            say(
                f"The archive has no blog {job.url}, so its job is deleted: the blog was removed, or the queue belongs "
                "to another archive (see DATABASE_URL)."
            )
        self._done(job)
        self._release(job)

    def _put_off_unbegun(self, job: Job, trouble: str) -> None:
        """Postpone a job whose crawl cannot be started here, and pause, so that other workers can take the job."""
        if trouble != self._start_trouble:
            self._report.put_off(f"{trouble} The worker retries.")
            self._start_trouble = trouble
        self._hindered.add(job.key)
        self._put_off(job, trouble)
        self._ask_at = time.monotonic() + ASK_S
        self._release(job)

    def end(self, child: Child) -> None:
        """Handle an ended crawl: its job is done, postponed or failed."""
        job = self._held[str(child.holder)]
        outcome = self._settle(job, child)
        if outcome == "put_off":
            self._hindered.add(job.key)
        else:
            self._vain_since = None
            self._hindered.discard(job.key)
        self._watcher.ended(child, outcome)
        child.close()
        self._release(job)

    def _settle(self, job: Job, child: Child) -> Outcome:
        """Record the result of an ended crawl, and return it."""
        trouble = child.trouble()
        if trouble is None:
            if child.stops and self._patiently(lambda: self._is_due(child)):
                self._report.stopped(child.due.url)
                self._endings[job.owner] = partial(self._jobs.give_back, job, was_survived=True)
                return "stopped"
            self._report.done(child.due.url, *self._patiently(lambda: new_posts(self._archive, child)))
            self._done(job)
            return "done"
        if not child.is_no_fault_of_the_blog() and not child.was_killed():
            self._note_failure(job, child, trouble)
            return "failed"
        self._report.put_off(trouble)
        if child.is_no_fault_of_the_blog():
            self._put_off(job, child.reason(), was_survived=True)
        else:
            self._note_kill(job, child)
        return "put_off"

    def _is_due(self, child: Child) -> bool:
        home = child.due.home or self._archive.find_blog(child.due.url)
        return self._archive.register.find_due(child.due.key, home, datetime.now(UTC)) is not None

    def _done(self, job: Job) -> None:
        self._hindered.discard(job.key)
        self._endings[job.owner] = partial(self._jobs.done, job)

    def _put_off(self, job: Job, reason: str, at: datetime | None = None, *, was_survived: bool = False) -> None:
        self._note_vain()
        at = at or datetime.now(UTC) + RETRY_DELAY
        self._endings[job.owner] = partial(self._jobs.give_back, job, at, reason=reason, was_survived=was_survived)

    def _note_vain(self) -> None:
        if self._vain_since is None:
            self._vain_since = time.monotonic()

    def _note_kill(self, job: Job, child: Child) -> None:
        """Retry a killed crawl soon, since the blog is probably not the cause; give it up after too many times."""
        self._note_vain()
        home = self._patiently(lambda: self._archive.find_blog(child.due.url))
        progress = 0 if home is None else self._patiently(lambda: self._archive.progress(home))
        reason, again = child.reason(), datetime.now(UTC) + RETRY_DELAY

        def end() -> None:
            if self._jobs.killed(job, reason, progress, again=again, most=self._attempts):
                self._hindered.discard(job.key)
                self._report.failed(f"The blog {job.url} is given up; see: status --failed")

        self._endings[job.owner] = end

    def _note_failure(self, job: Job, child: Child, reason: str) -> None:
        """Retry a failed blog at the time that the register sets, or give it up; record the failure if the crawl
        could not."""
        archive, due = self._archive, child.due
        self._patiently(lambda: note_failure(archive, due, reason, self._bounds, since=child.started))
        self._report.failed(reason)
        failures, again = self._patiently(
            lambda: archive.register.standing(due.key, due.home or archive.find_blog(due.url))
        )
        at = None if failures >= self._attempts else again or datetime.now(UTC)
        self._endings[job.owner] = partial(self._jobs.failed, job, reason, failures, again=at)

    def _release(self, job: Job) -> None:
        self._patiently(lambda: self._archive.leases.release(job.owner))

    def _patiently(self, call: Callable[[], T]) -> T:
        """Call the archive, and retry while its server is restarting or other writers block it."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                answer = call()
            except BackendUnavailable:
                self.tend()
                if not self._can_wait(deadline):
                    raise
            else:
                self._give_up_at = None
                return answer

    def _can_wait(self, deadline: float) -> bool:
        """Sleep before a retry; return False if the deadline has passed."""
        again_at = time.monotonic() + AGAIN_S
        while (now := time.monotonic()) < again_at:
            if now > deadline or self._is_in_haste(now):
                return False
            time.sleep(LOOK_S)
            self._loop.pass_signals_on()
        return True

    def _is_in_haste(self, now: float) -> bool:
        """True if a server has been unavailable for too long after a stop signal, or a second stop signal has
        arrived."""
        if not self._loop.signals.count:
            return False
        if self._give_up_at is None:
            self._give_up_at = now + STOPPED_S
        return self._loop.signals.count > 1 or now > self._give_up_at
