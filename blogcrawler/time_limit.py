"""A bound on the processor time that reading one page, file or feed may take.

A page can be made so that reading it takes hours, in the thread that also heeds the crawl's limits and signals. The
system's timer counts processor time, and raises its signal in the main thread, also within a regular expression.
`time_limit` bounds what is known to read; `watch` bounds whatever else keeps an event loop from its next turn.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from blogcrawler.errors import PageTooSlow

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

_Page = TypeVar("_Page")
_Made = TypeVar("_Made")
AGAIN_S = 1.0
"""Until the time is over once more, where a library has caught the first exception; and between looks at a loop."""
READING = frozenset({"dates", "dom", "feeds", "similarity", "urls", "wrapper"})
"""Rooms of functions that change nothing but what they return, so that they may be broken off anywhere …"""
WRITING = frozenset({"backend", "frontier", "shared"})
"""… unless one of these waits for them, in the midst of a change."""


class _Timer:
    """The one timer of the process: its limit, and whether what is run now may be broken off."""

    limit_s = 0.0
    is_running = False
    loop: AbstractEventLoop | None = None

    @classmethod
    def rewind(cls) -> None:
        """Begin again to count the time of what is under way in the loop, if there is one."""
        is_watched = cls.loop is not None and cls.loop.is_running()
        signal.setitimer(signal.ITIMER_PROF, *((cls.limit_s, AGAIN_S) if is_watched and cls.limit_s else (0,)))


def set_time_limit(seconds: float) -> None:
    """Set the limit for this process, 0 for none; for the main thread alone, since others get no signals."""
    _Timer.limit_s = seconds if threading.current_thread() is threading.main_thread() else 0.0
    if _Timer.limit_s:
        signal.signal(signal.SIGPROF, _give_up)
    elif threading.current_thread() is threading.main_thread():
        _Timer.loop = None
        _Timer.rewind()


@contextmanager
def time_limit(pages: int = 1) -> Iterator[None]:
    """Raise `PageTooSlow` in the block once it has taken the limit for so many pages; also as a decorator.

    The block may end anywhere, so it must change nothing that outlives it. An outer limit holds for inner blocks, too.
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
        _Timer.rewind()


def watch(loop: AbstractEventLoop) -> None:
    """Raise `PageTooSlow`, from now on, in what reads within a turn of a loop for longer than the limit."""
    if _Timer.limit_s:
        _Timer.loop = loop
        _Timer.rewind()
        loop.call_later(AGAIN_S, watch, loop)


def in_time(pages: Sequence[_Page], work: Callable[[Sequence[_Page]], _Made]) -> _Made:
    """What is made of pages together, or else without those that alone take too long. Raises `PageTooSlow`."""
    with suppress(PageTooSlow), time_limit(len(pages)):
        return work(pages)
    quick = [page for page in pages if _is_quick(page, work)]
    with time_limit(len(pages)):
        return work(quick or pages)


def _is_quick(page: _Page, work: Callable[[Sequence[_Page]], object]) -> bool:
    with suppress(PageTooSlow), time_limit():
        work([page])
        return True
    return False


def _give_up(_: int, frame: FrameType | None) -> None:
    if _Timer.is_running or _may_be_broken_off(frame):
        if not _Timer.is_running:
            _Timer.rewind()
        raise PageTooSlow(f"Reading it took more than {_Timer.limit_s:g} seconds of processor time.")


def _may_be_broken_off(frame: FrameType | None) -> bool:
    """True if what a watched loop is at, in a frame, only reads."""
    rooms: list[str] = []
    while frame is not None:
        package, _, name = frame.f_globals.get("__name__", "").partition(".")
        rooms += [name.partition(".")[0]] if package == __package__ else []
        frame = frame.f_back
    is_watched = _Timer.loop is not None and _Timer.loop.is_running()
    return is_watched and bool(rooms) and rooms[0] in READING and WRITING.isdisjoint(rooms)
