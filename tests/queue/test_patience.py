"""How a worker waits for servers that are away, and what it says; without any server."""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager
from datetime import timedelta
from threading import Timer

from blogcrawler.backend import Bounds
from blogcrawler.errors import BackendUnavailable, QueueUnavailable
from blogcrawler.monitor import Report
from blogcrawler.queue import Worker
from blogcrawler.queue.values import Job

BOUNDS = Bounds(timedelta(hours=1), timedelta(days=7))


class Queue:
    """One that has no job, and does not answer who asks for one."""

    def __init__(self, answers=(), *, is_away=False):
        #: whether it answers, one time after the other; then the worker is stopped
        self.answers = list(answers)
        self.is_away = is_away

    def enter(self, *_):
        pass

    def renew(self, _):
        self._answer()
        return set()

    def rescue(self, *_, **__):
        pass

    def leave(self):
        self._answer()

    def give_back(self, *_, **__):
        self._answer()

    def claim(self, owner):
        if not self.answers:
            signal.raise_signal(signal.SIGTERM)
            return
        if not self.answers.pop(0):
            raise QueueUnavailable("The queue is away.")

    def _answer(self):
        if self.is_away:
            raise QueueUnavailable("The queue is away.")


class Full(Queue):
    """One that has a job, and is away from then on."""

    def claim(self, owner):
        self.is_away = True
        return Job(owner, "blog.example", "http://blog.example/")


class Away:
    """An archive that does not answer."""

    def find_blog(self, _):
        raise BackendUnavailable("The archive is away.")


@contextmanager
def stopping(*after_s):
    """Signals ask this process to end, after so many seconds each."""
    timers = [Timer(seconds, os.kill, (os.getpid(), signal.SIGTERM)) for seconds in after_s]
    for timer in timers:
        timer.start()
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()


def seconds_of(*after_s, queue, archive=None):
    """How long a worker is at work that is stopped so."""
    began = time.monotonic()
    with stopping(*after_s):
        worker(queue, archive).run()
    return time.monotonic() - began


def worker(queue, archive=None):
    return Worker(archive, queue, None, Report(), most=1, attempts=1, bounds=BOUNDS, lease_s=60)


def test_an_idle_worker_says_once_that_its_queue_is_away(monkeypatch, capsys):
    monkeypatch.setattr("blogcrawler.queue.worker.AGAIN_S", 0.1)
    monkeypatch.setattr("blogcrawler.queue.worker.ASK_S", 0.1)
    worker(Queue([False] * 4)).run()
    assert capsys.readouterr().err.count("The queue is away.") == 1
    worker(Queue([False, False, True, False])).run()
    assert capsys.readouterr().err.count("The queue is away.") == 2, "it was back in between"


def test_a_worker_that_is_stopped_waits_for_servers_no_longer_than_it_has_to(monkeypatch, capsys):
    monkeypatch.setattr("blogcrawler.queue.worker.STOPPED_S", 2)
    assert 2 < seconds_of(0.5, queue=Full(), archive=Away()) < 4, "for archive and queue together"
    *_, said = capsys.readouterr().err.splitlines()
    assert "The archive is away. The worker ends without it. Other workers take over its jobs after 60 s" in said
    assert 2 < seconds_of(0.5, queue=Queue([True] * 9, is_away=True)) < 4
    assert "The queue is away. The worker ends without it" in capsys.readouterr().err


def test_a_worker_that_is_stopped_twice_does_not_wait_for_servers(capsys):
    assert seconds_of(0.5, 1, queue=Full(), archive=Away()) < 3
    assert "The worker ends without it" in capsys.readouterr().err
    assert seconds_of(0.5, 1, queue=Queue([True] * 9, is_away=True)) < 3
    assert "The worker ends without it" in capsys.readouterr().err
