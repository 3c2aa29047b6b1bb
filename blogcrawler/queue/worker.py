"""A worker: takes jobs of a queue, so many at once, and crawls the blog of each in a process of its own.

What procrastinate's own worker does is done here anew, on its tables: that one ends when its database is restarted,
and the crawls of this one are processes that take hours.
"""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from blogcrawler.backend import Holder
from blogcrawler.errors import BackendUnavailable, LogsUnavailable, QueueUnavailable
from blogcrawler.monitor import Signals
from blogcrawler.queue.watching import Watcher
from blogcrawler.reporting import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from blogcrawler.backend import Archive, Bounds, Due
    from blogcrawler.errors import BlogcrawlerError
    from blogcrawler.monitor import Child, Report, Starter
    from blogcrawler.queue.jobs import Jobs
    from blogcrawler.queue.rows import Job
    from blogcrawler.queue.watching import Outcome

T = TypeVar("T")
LOOK_S = 0.2
"""Seconds between two looks at what has become of the crawls."""
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
NOT_ITS_FAULT = timedelta(seconds=30)
"""After which a crawl is tried again that could not go on, for no fault of its blog."""
SOON_S = 120
"""Seconds within which a job is due again that a burst waits for, and for which it tries in vain, at least."""
BUSY = "Another process crawls the blog."


@dataclass(frozen=True)
class Pace:
    """How soon a worker that is gone is noticed: after `lost_after_s`, and the time between two looks."""

    lost_after_s: float

    @property
    def beat_s(self) -> float:
        """Seconds between two signs of life: several may fail."""
        return self.lost_after_s / 6

    @property
    def look_s(self) -> float:
        """Seconds between two looks for workers that are gone."""
        return self.lost_after_s / 4

    @property
    def noticed_s(self) -> float:
        """Seconds after which one that is gone is noticed at the latest."""
        return self.lost_after_s + self.look_s


@dataclass(frozen=True)
class _Begun:
    """A job at work."""

    job: Job
    child: Child


class Worker:
    """Crawls the blogs of an archive that a queue has jobs for, `most` at once.

    A blog whose crawls fail `attempts` times in a row is given up; until then `bounds` say when it is tried again.
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
        pace: Pace,
        watcher: Watcher | None = None,
    ) -> None:
        self._archive = archive
        self._jobs = jobs
        self._starter = starter
        self._report = report
        self._most = most
        self._attempts = attempts
        self._bounds = bounds
        self._pace = pace
        self._watcher = watcher or Watcher()
        self._signals = Signals()
        self._begun: list[_Begun] = []
        #: the jobs that were taken, until the queue knows how they ended
        self._in_hand: set[int] = set()
        #: how jobs have ended, as the queue does not know yet; by job
        self._endings: dict[int, Callable[[], None]] = {}
        #: when, by the monotonic clock, the queue is told, looked at, asked and used again
        self._beat_at = self._look_at = self._ask_at = self._use_at = 0.0
        self._is_cut_off = False
        #: until when, by the monotonic clock, servers are waited for that are away since a signal has come
        self._give_up_at: float | None = None
        self._has_told_end = False
        #: the jobs whose crawls something other than their blogs keeps from going on, or from beginning
        self._hindered: set[int] = set()
        #: why no crawl could be started, as it was told; None since one could
        self._told: str | None = None
        self._is_burst = False
        #: seconds for which there has been nothing to do
        self._idle_s = 0.0
        #: since when, by the monotonic clock, all crawls were put off
        self._vain_since: float | None = None

    def run(self, *, is_burst: bool = False) -> None:
        """Work until a signal asks to end, or, in a burst, until no job is left that could begin now or soon.

        Raises QueueUnavailable where the queue cannot be used to begin with, and BackendUnavailable. Asked to end, it
        does so without servers that are away.
        """
        self._is_burst = is_burst
        with self._signals.heeding():
            self._enter()
            try:
                self._work()
            except BackendUnavailable as error:
                if not self._signals.count:
                    raise
                self._tell_end(error)
            finally:
                self._end_all()
                self._part()

    def _work(self) -> None:
        while True:
            self._tend()
            has_none = self._begin_jobs()
            if not self._begun and self._signals.count:
                return
            if not self._begun and not self._endings and self._is_burst and has_none and not self._awaits_jobs():
                self._tell_hindered()
                return
            self._wait()
            self._pass_signals_on()
            self._watcher.sees([begun.child for begun in self._begun])
            for begun in [begun for begun in self._begun if begun.child.has_ended()]:
                self._begun.remove(begun)
                self._take_leave(begun)

    def _wait(self) -> None:
        time.sleep(LOOK_S)
        self._idle_s = 0.0 if self._begun else self._idle_s + LOOK_S

    def _awaits_jobs(self) -> bool:
        """Does a job come back soon? Of other workers it is waited for a sign of life since there is nothing to do."""
        if self._tries_in_vain():
            return False
        try:
            return self._jobs.returning(within_s=SOON_S, silent_s=self._idle_s)
        except QueueUnavailable as error:
            self._note_cut(error)
            return True

    def _tries_in_vain(self) -> bool:
        """Does a burst not wait any longer for what keeps all crawls from going on?"""
        since = self._vain_since
        if not self._is_burst or self._begun or since is None:
            return False
        return time.monotonic() > since + SOON_S + self._pace.noticed_s

    def _tell_hindered(self) -> None:
        """A burst that does not wait any longer leaves jobs undone."""
        if self._tries_in_vain() and self._hindered:
            self._report.left(len(self._hindered))

    def _note_vain(self) -> None:
        if self._vain_since is None:
            self._vain_since = time.monotonic()

    # ------------------------------------------------------------------------------------------------------- the queue

    def _enter(self) -> None:
        self._jobs.enter(socket.gethostname(), os.getpid(), self._most)
        self._beat_at = time.monotonic() + self._pace.beat_s

    def _tend(self) -> None:
        """Tell the queue how jobs have ended, and that we live; have jobs of others taken that live no more."""
        self._watcher.lives(is_cut_off=self._is_cut_off)
        if (now := time.monotonic()) < self._use_at:
            return
        try:
            has_asked = self._ask_what_is_due(now)
        except QueueUnavailable as error:
            self._note_cut(error)
        else:
            self._is_cut_off = self._is_cut_off and not has_asked

    def _ask_what_is_due(self, now: float) -> bool:
        """Tell and ask the queue what is due by now; was there anything?"""
        is_beat, is_look = now >= self._beat_at, now >= self._look_at
        has_asked = bool(self._endings) or is_beat or is_look
        self._tell_endings()
        if is_beat:
            self._beat()
            self._renew()
            self._beat_at = now + self._pace.beat_s
        if is_look:
            self._jobs.rescue(self._pace.lost_after_s, most=self._attempts)
            self._look_at = now + self._pace.look_s
        return has_asked

    def _tell_endings(self) -> None:
        for job_id, tell in list(self._endings.items()):
            tell()
            del self._endings[job_id]
            self._in_hand.discard(job_id)

    def _beat(self) -> None:
        """Tell that we live, and set right what the queue and we do not agree on."""
        mine = self._jobs.beat()
        if mine is None:  # others take us for dead, and have our jobs
            self._enter()
            mine = set()
        for begun in self._begun:
            if begun.job.id not in mine and not begun.child.told:
                begun.child.stop()
        for job_id in mine - self._in_hand:  # taken, and the answer was lost
            self._jobs.give_back(job_id)

    def _renew(self) -> None:
        """Keep the claims that crawls have not taken over yet."""
        with suppress(BackendUnavailable):
            for begun in self._begun:
                self._archive.claims.renew(str(begun.child.holder), now=datetime.now(UTC))

    def _note_cut(self, error: QueueUnavailable) -> None:
        self._use_at = time.monotonic() + AGAIN_S
        if not self._is_cut_off:
            say(f"{error} Crawls go on, and the worker tries again.")
        self._is_cut_off = True

    def _part(self) -> None:
        """Leave the queue, as far as it answers: else others notice in a while that we are gone."""
        deadline = time.monotonic() + PARTING_S
        while True:
            try:
                self._tell_endings()
                self._jobs.leave()
            except QueueUnavailable as error:
                if not self._can_wait(deadline):
                    self._tell_end(error)
                    return
            else:
                return

    def _tell_end(self, error: BlogcrawlerError) -> None:
        """The worker ends while a server is away; told once."""
        if not self._has_told_end:
            lost_s = self._pace.lost_after_s
            say(f"{error} The worker ends without it; others take its jobs after {lost_s:g} s, and nothing is lost.")
        self._has_told_end = True

    # ------------------------------------------------------------------------------------------------------- the crawls

    def _begin_jobs(self) -> bool:
        """Begin as many crawls as there is room for; did the queue say that it has no job?"""
        while len(self._begun) < self._most and not self._signals.count:
            now = time.monotonic()
            if now < self._ask_at or now < self._use_at:
                return False
            if self._tries_in_vain():
                return True
            try:
                job = self._jobs.take()
            except QueueUnavailable as error:
                self._note_cut(error)
                return False
            self._is_cut_off = False
            if job is None:
                self._ask_at = now + ASK_S
                return True
            self._in_hand.add(job.id)
            self._begin(job)
            self._tend()
        return False

    def _begin(self, job: Job) -> None:
        """Begin the crawl of a job's blog, if the blog is due, and nobody crawls it."""
        holder, home = Holder.new(), self._patiently(lambda: self._archive.find_blog(job.url))
        key = job.key if home is None else self._archive.key_of(home)
        claim = self._patiently(
            lambda: self._archive.claims.take(key, str(holder), now=datetime.now(UTC), is_monitored=True)
        )
        if claim is not None:
            self._note_vain()
            again = min(claim.until, datetime.now(UTC) + NOT_ITS_FAULT)
            self._endings[job.id] = partial(self._jobs.give_back, job.id, again, reason=BUSY)
            return
        due = self._patiently(lambda: self._archive.register.find_due(job.key, home, datetime.now(UTC) + CLOCKS))
        if due is None:
            self._drop(job, home, holder)
            return
        self._note_progress(job, home)
        try:
            child = self._starter.start(due, holder)
        except LogsUnavailable as error:
            self._put_off_unbegun(job, holder, str(error))
        except OSError as error:
            self._put_off_unbegun(job, holder, f"No crawl can be started: {error.strerror}.")
        except BaseException:
            self._release(holder)
            raise
        else:
            self._told = None
            self._begun.append(_Begun(job, child))
            self._watcher.began(child)

    def _drop(self, job: Job, home: str | None, holder: Holder) -> None:
        """A blog is not due any more."""
        if home is None and not self._patiently(lambda: self._archive.register.is_wanted(job.key)):
            say(
                f"The archive has no blog {job.url}, so its job is dropped: the blog was removed, or the queue is that "
                "of another archive, see DATABASE_URL."
            )
        self._hindered.discard(job.id)
        self._endings[job.id] = partial(self._jobs.done, job)
        self._release(holder)

    def _put_off_unbegun(self, job: Job, holder: Holder, trouble: str) -> None:
        """No crawl can be started, for no fault of the blog; told once. Other workers may have the jobs meanwhile."""
        self._note_vain()
        if trouble != self._told:
            self._report.put_off(f"{trouble} The worker tries again.")
            self._told = trouble
        self._hindered.add(job.id)
        again = datetime.now(UTC) + NOT_ITS_FAULT
        self._endings[job.id] = partial(self._jobs.give_back, job.id, again, reason=trouble)
        self._ask_at = time.monotonic() + ASK_S
        self._release(holder)

    def _note_progress(self, job: Job, home: str | None) -> None:
        if home is None:
            return
        progress = self._patiently(lambda: self._archive.progress(home))
        with suppress(QueueUnavailable):  # it is noted by the next worker
            self._jobs.note_progress(job.id, progress)

    def _take_leave(self, begun: _Begun) -> None:
        """See to what has become of a crawl: it is done, goes back to the queue, or has failed."""
        job, child = begun.job, begun.child
        outcome = self._settle(job, child)
        if outcome == "put_off":
            self._note_vain()
            self._hindered.add(job.id)
        else:
            self._vain_since = None
            self._hindered.discard(job.id)
        self._watcher.ended(child, outcome)
        child.close()
        self._release(child.holder)
        self._tend()

    def _settle(self, job: Job, child: Child) -> Outcome:
        """Note what is to become of the job of a crawl that has ended."""
        trouble = child.trouble()
        if trouble is not None and child.is_no_fault_of_the_blog():
            self._report.put_off(trouble)
            again = datetime.now(UTC) + NOT_ITS_FAULT
            self._endings[job.id] = partial(
                self._jobs.give_back, job.id, again, reason=child.reason(), was_survived=True
            )
            return "put_off"
        if trouble is not None and child.was_killed():
            self._report.put_off(trouble)
            self._note_kill(job, child)
            return "put_off"
        if trouble is not None:
            self._note_failure(job, child.due, trouble, began=child.started)
            return "failed"
        if child.told and self._patiently(lambda: self._is_due(job, child.due)):
            self._report.stopped(child.due.url)
            self._endings[job.id] = partial(self._jobs.give_back, job.id, was_survived=True)
            return "stopped"
        self._report.done(child.due.url, *self._patiently(lambda: self._outcome(child)))
        self._endings[job.id] = partial(self._jobs.done, job)
        return "done"

    def _note_kill(self, job: Job, child: Child) -> None:
        """Have the blog tried again soon: most likely it is not what the crawl was killed for; or give it up."""
        home = self._patiently(lambda: self._home(child.due))
        progress = 0 if home is None else self._patiently(lambda: self._archive.progress(home))
        reason, again = child.reason(), datetime.now(UTC) + NOT_ITS_FAULT

        def tell() -> None:
            if self._jobs.killed(job, reason, progress, again=again, most=self._attempts):
                self._hindered.discard(job.id)
                self._report.failed(f"The blog {job.url} is given up; see: status --failed")

        self._endings[job.id] = tell

    def _is_due(self, job: Job, due: Due) -> bool:
        return self._archive.register.is_due(job.key, self._home(due), datetime.now(UTC))

    def _home(self, due: Due) -> str | None:
        return due.home or self._archive.find_blog(due.url)

    def _note_failure(self, job: Job, due: Due, reason: str, *, began: datetime | None = None) -> None:
        """Have the blog tried again when the register says so, or give it up; write down what the crawl could not.

        Asked once more since the answer was lost, the register finds that the blog is not due any more.
        """
        register, now = self._archive.register, datetime.now(UTC)

        def note() -> None:
            home = self._home(due)
            if register.is_due(job.key, home, began or now):
                register.note_failure(job.key, home, reason, self._bounds, now=now)

        self._patiently(note)
        self._report.failed(reason)
        failures, again = self._patiently(lambda: register.standing(job.key, self._home(due)))
        is_over = failures >= self._attempts
        self._endings[job.id] = partial(
            self._jobs.failed, job, reason, failures, again=None if is_over else again or datetime.now(UTC)
        )

    def _outcome(self, child: Child) -> tuple[int, datetime | None]:
        """How many posts a crawl has found that are new or changed, and when the next one is due."""
        home = self._home(child.due)
        if home is None:
            return 0, None
        return self._archive.count(home, since=child.started), self._archive.blog(home).due

    def _release(self, holder: Holder) -> None:
        self._patiently(lambda: self._archive.claims.release(str(holder)))

    def _patiently(self, call: Callable[[], T]) -> T:
        """Use the archive, though its server may be restarted, or others that write to it may take their time."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                answer = call()
            except BackendUnavailable:
                self._tend()
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
            self._pass_signals_on()
        return True

    def _is_in_haste(self, now: float) -> bool:
        """Has a server been away for too long since a signal has come, or has a second signal come?"""
        if not self._signals.count:
            return False
        if self._give_up_at is None:
            self._give_up_at = now + STOPPED_S
        return self._signals.count > 1 or now > self._give_up_at

    # --------------------------------------------------------------------------------------------------------- the end

    def _pass_signals_on(self) -> None:
        for begun in self._begun:
            if begun.child.told < self._signals.count and not begun.child.has_ended():
                begun.child.stop()

    def _end_all(self) -> None:
        """After an error: let the crawls that are under way come to an end, and others have all that was taken."""
        for begun in self._begun:
            begun.child.stop()
        for begun in self._begun:
            self._await_end(begun.child)
            self._watcher.ended(begun.child, "stopped")
            begun.child.close()
        self._begun.clear()
        for job_id in self._in_hand - self._endings.keys():
            self._endings[job_id] = partial(self._jobs.give_back, job_id)

    def _await_end(self, child: Child) -> None:
        while not child.has_ended():
            time.sleep(LOOK_S)
            self._pass_signals_on()
