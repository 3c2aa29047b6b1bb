"""Limits the processor time for reading one page, file or feed.

A page can be built so that reading it takes hours, in the thread that also handles the crawl's limits and signals. The
system's timer counts processor time and sends a signal to the main thread, which also interrupts regular expressions.
`time_limit` limits known blocks of code; `watch` limits everything else that keeps an event loop busy.
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
"""Seconds until the next signal, in case a library caught the first exception; and between checks of a loop."""
READING = frozenset({"dates", "dom", "feeds", "similarity", "urls", "wrapper"})
"""Packages whose functions change nothing but their return values, so that they can be interrupted anywhere …"""
WRITING = frozenset({"backend", "frontier", "shared"})
"""… unless one of these functions, in the middle of a change, waits for them."""


class _Timer:
    """The timer of the process: its limit, and whether the running code may be interrupted."""

    limit_s = 0.0
    is_running = False
    loop: AbstractEventLoop | None = None

    @classmethod
    def rewind(cls) -> None:
        """Restart the time of the running turn of the loop, if there is one."""
        is_watched = cls.loop is not None and cls.loop.is_running()
        signal.setitimer(signal.ITIMER_PROF, *((cls.limit_s, AGAIN_S) if is_watched and cls.limit_s else (0,)))


def set_time_limit(seconds: float) -> None:
    """Set the limit for this process, 0 for none; only in the main thread, since other threads get no signals."""
    _Timer.limit_s = seconds if threading.current_thread() is threading.main_thread() else 0.0
    if _Timer.limit_s:
        signal.signal(signal.SIGPROF, _give_up)
    elif threading.current_thread() is threading.main_thread():
        _Timer.loop = None
        _Timer.rewind()


@contextmanager
def time_limit(pages: int = 1) -> Iterator[None]:
    """Raise `PageTooSlow` in the block after the limit for so many pages; also usable as a decorator.

    The block may end anywhere, so it must not change anything that outlives it. An outer limit also applies to inner
    blocks.
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
    finally:  # also if the signal arrived in the previous line
        _Timer.is_running = False
        _Timer.rewind()


def watch(loop: AbstractEventLoop) -> None:
    """From now on, raise `PageTooSlow` in reading code that runs within a turn of a loop for longer than the limit."""
    if _Timer.limit_s:
        _Timer.loop = loop
        _Timer.rewind()
        loop.call_later(AGAIN_S, watch, loop)


def in_time(pages: Sequence[_Page], work: Callable[[Sequence[_Page]], _Made]) -> _Made:
    """The result for all pages together, or else without pages that alone take too long. Raises `PageTooSlow`."""
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
    """True if the code that a watched loop is running in this frame only reads."""
    rooms: list[str] = []
    while frame is not None:
        package, _, name = frame.f_globals.get("__name__", "").partition(".")
        rooms += [name.partition(".")[0]] if package == __package__ else []
        frame = frame.f_back
    is_watched = _Timer.loop is not None and _Timer.loop.is_running()
    return is_watched and bool(rooms) and rooms[0] in READING and WRITING.isdisjoint(rooms)
