"""A bound on the processor time that reading one page, file or feed may take.

A page can be made so that reading it takes hours, and a crawl reads in the thread that also heeds its limits and
signals. So what is only read is given up there when its time is over. The system's timer counts processor time; it
raises its signal in the main thread, also within the matching of a regular expression.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from blogcrawler.errors import PageTooSlow

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["set_time_limit", "time_limit"]

AGAIN_S = 1.0
"""Until the time is over once more, where a library has caught the first exception."""


class _Timer:
    """The one timer of the process: its limit, and whether what is run now may be broken off."""

    limit_s = 0.0
    is_running = False


def set_time_limit(seconds: float) -> None:
    """Set the limit for this process, 0 for none; for the main thread alone, since others get no signals."""
    _Timer.limit_s = seconds if threading.current_thread() is threading.main_thread() else 0.0
    if _Timer.limit_s:
        signal.signal(signal.SIGPROF, _give_up)


@contextmanager
def time_limit(pages: int = 1) -> Iterator[None]:
    """Raise `PageTooSlow` in the block once it has taken the limit for so many pages; also as a decorator.

    Only for what changes nothing that outlives the block, since it may end anywhere. An outer limit holds for inner
    blocks, too.
    """
    if not _Timer.limit_s or _Timer.is_running or threading.current_thread() is not threading.main_thread():
        yield
        return
    try:
        _Timer.is_running = True
        signal.setitimer(signal.ITIMER_PROF, _Timer.limit_s * pages, AGAIN_S)
        try:
            yield
        finally:
            _Timer.is_running = False
    finally:  # also where the signal came in the line above
        _Timer.is_running = False
        signal.setitimer(signal.ITIMER_PROF, 0)


def _give_up(*_: object) -> None:
    if _Timer.is_running:
        raise PageTooSlow(f"Reading it took more than {_Timer.limit_s:g} seconds of processor time.")
