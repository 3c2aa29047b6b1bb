"""A worker: takes jobs of a queue, several at once, and crawls the blog of each in a process of its own."""

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
"""Seconds between two questions for a job, where there was none."""
AGAIN_S = 2.0
"""Seconds after which a queue or an archive that does not answer is tried again."""
PATIENCE_S = 180
"""Seconds for which an archive may not answer, besides the time that it waits for other writers."""
PARTING_S = 30
"""Seconds for which a queue may not answer at the end of a worker."""
STOPPED_S = 10
"""Seconds for which archive and queue may not answer, together, once a signal has asked to end."""
CLOCKS = timedelta(minutes=1)
"""By how much the clocks of machines may differ."""
RETRY_DELAY = timedelta(seconds=30)
"""After which a crawl is tried again that could not go on, for no fault of its blog."""
SOON_S = 120
"""Seconds within which a job is due again that a burst waits for, and for which it tries in vain, at least."""
BUSY = "Another process crawls the blog."


def renewal_s(lease_s: float) -> float:
    """Seconds between two renewals of leases of a length, and two looks for those of others that have run out."""
    return lease_s / 6


class Worker:
    """Crawls the blogs of an archive that a queue has jobs for, `most` at once.

    A blog whose crawls fail `attempts` times in a row is given up; until then `bounds` say when it is tried again.
    Others take its jobs when it has given no sign of life for `lease_s` seconds.
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
        #: the jobs that were taken, by owner, until the queue knows how they ended
        self._held: dict[str, Job] = {}
        #: what the queue does not know yet of how jobs have ended, by owner
        self._endings: dict[str, Callable[[], object]] = {}
        #: when, by the monotonic clock, leases are renewed, a job is asked for, and the queue is used again
        self._renew_at = self._ask_at = self._use_at = 0.0
        self._is_cut_off = False
        #: until when, by the monotonic clock, servers are waited for that are away since a signal has come
        self._give_up_at: float | None = None
        self._has_reported_end = False
        self._is_burst = False
        #: True if the queue had no job when it was asked last
        self._is_empty = False
        #: the keys of blogs whose crawls something else keeps from going on, or from beginning
        self._hindered: set[str] = set()
        #: why no crawl could be started, as it was reported; None since one could
        self._start_trouble: str | None = None
        #: since when, by the monotonic clock, there has been nothing to do, and all crawls were put off
        self._idle_since = time.monotonic()
        self._vain_since: float | None = None

    def run(self, *, is_burst: bool = False) -> None:
        """Work until a signal asks to end, or, in a burst, until no job is left that could begin now or soon.

        Raises QueueUnavailable where the queue cannot be used to begin with, and BackendUnavailable. Asked to end, it
        does so without servers that are away.
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
        """True if a burst has nothing left to wait for."""
        if not self._is_burst or not self._is_empty or self._endings or self._awaits_jobs():
            return False
        if self._tries_in_vain() and self._hindered:
            self._report.left(len(self._hindered))
        return True

    def _awaits_jobs(self) -> bool:
        """True if a job comes back soon; the other workers had time to show that they live since nothing is to do."""
        if self._tries_in_vain():
            return False
        idle_s = time.monotonic() - self._idle_since
        is_returning = self._ask(lambda: self._jobs.returning(within_s=SOON_S, silent_s=idle_s))
        return self._is_cut_off or bool(is_returning)

    def _tries_in_vain(self) -> bool:
        """True if a burst waits no longer for what keeps all crawls from going on."""
        if not self._is_burst or self._loop.children or self._vain_since is None:
            return False
        return time.monotonic() > self._vain_since + SOON_S + self._lease_s + renewal_s(self._lease_s)

    # ------------------------------------------------------------------------------------------------------ the queue

    def tend(self) -> None:
        """Tell the queue how jobs have ended, renew leases, and look for those of others that have run out."""
        self._watcher.lives(is_cut_off=self._is_cut_off)
        self._watcher.sees(self._loop.children)
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
            if str(child.holder) not in owners and not child.stops:  # others have its job
                child.stop()
        with suppress(BackendUnavailable):  # of those that crawls have not taken over yet
            for child in self._loop.children:
                self._archive.leases.renew(str(child.holder), now=datetime.now(UTC))
        self._jobs.rescue(most=self._attempts)

    def _ask(self, question: Callable[[], T]) -> T | None:
        """What the queue answers; None while it is away, which is reported once."""
        if time.monotonic() < self._use_at:
            return None
        try:
            answer = question()
        except QueueUnavailable as error:
            self._use_at = time.monotonic() + AGAIN_S
            if not self._is_cut_off:
                say(f"{error} Crawls go on, and the worker tries again.")
            self._is_cut_off = True
            return None
        self._is_cut_off = False
        return answer

    def _leave(self) -> None:
        """Leave the queue, if it answers: else others notice in a while that we are gone."""
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
        """The worker ends while a server is away; reported once."""
        if not self._has_reported_end:
            say(
                f"{error} The worker ends without it; others take its jobs after {self._lease_s:g} s, and nothing is "
                "lost."
            )
        self._has_reported_end = True

    # ----------------------------------------------------------------------------------------------- crawls that begin

    def begin_next(self) -> bool:
        """Begin the crawl of the next job's blog; False where the queue has none now, or is away."""
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
        """Begin the crawl of a job's blog, if the blog is due, and nobody crawls it."""
        home = self._patiently(lambda: self._archive.find_blog(job.url))
        key = job.key if home is None else self._archive.key_of(home)
        other = self._patiently(
            lambda: self._archive.leases.claim(key, job.owner, now=datetime.now(UTC), is_monitored=True)
        )
        if other is not None:
            self._put_off(job, BUSY, min(other.until, datetime.now(UTC) + RETRY_DELAY))
            return
        due = self._patiently(lambda: self._archive.register.find_due(job.key, home, datetime.now(UTC) + CLOCKS))
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
        """End the job of a blog that is not due any more."""
        if home is None and not self._patiently(lambda: self._archive.register.is_wanted(job.key)):
            say(
                f"The archive has no blog {job.url}, so its job is dropped: the blog was removed, or the queue is that "
                "of another archive, see DATABASE_URL."
            )
        self._done(job)
        self._release(job)

    def _put_off_unbegun(self, job: Job, trouble: str) -> None:
        """Put off a job whose crawl cannot be started, and take no other for a while, as other workers may start it."""
        if trouble != self._start_trouble:
            self._report.put_off(f"{trouble} The worker tries again.")
            self._start_trouble = trouble
        self._hindered.add(job.key)
        self._put_off(job, trouble)
        self._ask_at = time.monotonic() + ASK_S
        self._release(job)

    # ------------------------------------------------------------------------------------------------- crawls that end

    def end(self, child: Child) -> None:
        """See to what has become of a crawl: its job is done, goes back to the queue, or has failed."""
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
        """Note what is to become of the job of a crawl that has ended."""
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
        """Have the blog tried again soon: most likely it is not what the crawl was killed for; or give it up."""
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
        """Have the blog tried again when the register says so, or give it up; write down what the crawl could not."""
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

    # ----------------------------------------------------------------------------------------- servers that are away

    def _patiently(self, call: Callable[[], T]) -> T:
        """Use the archive, though its server may be restarted, or others that write to it may take their time."""
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
        """Wait a while for a server that is away; False where it is waited for no longer."""
        again_at = time.monotonic() + AGAIN_S
        while (now := time.monotonic()) < again_at:
            if now > deadline or self._is_in_haste(now):
                return False
            time.sleep(LOOK_S)
            self._loop.pass_signals_on()
        return True

    def _is_in_haste(self, now: float) -> bool:
        """True if a server has been away for too long since a signal has come, or if a second signal has come."""
        if not self._loop.signals.count:
            return False
        if self._give_up_at is None:
            self._give_up_at = now + STOPPED_S
        return self._loop.signals.count > 1 or now > self._give_up_at
