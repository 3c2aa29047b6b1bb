"""How a worker waits for servers that are away, and what it says; without any server."""

from __future__ import annotations

import signal
from datetime import timedelta

from blogcrawler.backend import Bounds
from blogcrawler.errors import QueueUnavailable
from blogcrawler.monitor import Report
from blogcrawler.queue import Pace, Worker

BOUNDS = Bounds(timedelta(hours=1), timedelta(days=7))


class Queue:
    """One that has no job, and does not answer who asks for one."""

    def __init__(self, answers=(), *, is_away=False):
        #: whether it answers, one time after the other; then the worker is stopped
        self.answers = list(answers)
        self.is_away = is_away

    def enter(self, *_):
        pass

    def rescue(self, *_, **__):
        self._answer()

    def leave(self):
        self._answer()

    def give_back(self, *_, **__):
        self._answer()

    def take(self):
        if not self.answers:
            signal.raise_signal(signal.SIGTERM)
            return
        if not self.answers.pop(0):
            raise QueueUnavailable("The queue is away.")

    def _answer(self):
        if self.is_away:
            raise QueueUnavailable("The queue is away.")


def worker(queue, archive=None):
    return Worker(archive, queue, None, Report(), most=1, attempts=1, bounds=BOUNDS, pace=Pace(60))


def test_an_idle_worker_says_once_that_its_queue_is_away(monkeypatch, capsys):
    monkeypatch.setattr("blogcrawler.queue.worker.AGAIN_S", 0.1)
    monkeypatch.setattr("blogcrawler.queue.worker.ASK_S", 0.1)
    worker(Queue([False] * 4)).run()
    assert capsys.readouterr().err.count("The queue is away.") == 1
    worker(Queue([False, False, True, False])).run()
    assert capsys.readouterr().err.count("The queue is away.") == 2, "it was back in between"
