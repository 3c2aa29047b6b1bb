"""A crawl that a monitor has started: a process in a group of its own, so that a terminal's Ctrl-C comes but once."""

from __future__ import annotations

import ctypes
import os
import signal
import site
import subprocess
import sys
import sysconfig
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

import blogcrawler
from blogcrawler.reporting import BEGINNING, TEMPORARY_FAILURE, Counts, new_log

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from blogcrawler.backend import Due, Holder

__all__ = ["Child", "Starter"]

SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""
MOST_SAID = 64 * 1024
"""Bytes at the end of what a crawl has written to standard error that are looked at."""


@dataclass
class Child:
    """A crawl at work."""

    due: Due
    #: whose claim it takes over
    holder: Holder
    process: subprocess.Popen[bytes]
    log: str
    started: datetime
    #: what it writes to standard output and error
    written: IO[bytes]
    #: where it tells what it counts, if it was asked to
    counting: IO[bytes] | None = None
    #: how often it was told to stop
    told: int = 0

    def stop(self) -> None:
        """Ask it to come to an end in good order; asked twice, it hurries."""
        self.told += 1
        self.process.send_signal(signal.SIGTERM)

    def has_ended(self) -> bool:
        """Is its process over?"""
        return self.process.poll() is not None

    def trouble(self) -> str | None:
        """Why it did not do its job, in a sentence; None where it did, or was stopped."""
        code = self.process.returncode
        if code == 0 or (self.told and code in (-signal.SIGTERM, -signal.SIGKILL)):
            return None
        sentence = self._sentence()
        if sentence is not None:
            return sentence if self.due.url in sentence else f"{self.due.url}: {sentence}"
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return f"The crawl of {self.due.url} {how}; its log is {self.log}."

    def is_no_fault_of_the_blog(self) -> bool:
        """Could it not go on since what it needs besides the blog is away, or since another process has the blog?"""
        return self.process.returncode == TEMPORARY_FAILURE

    def counts(self) -> Counts | None:
        """What it has counted so far; None where it has told nothing yet, or was not asked to."""
        return None if self.counting is None else Counts.read(self.counting.fileno())

    def close(self) -> None:
        """Give back what it took."""
        self.written.close()
        if self.counting is not None:
            self.counting.close()

    def _sentence(self) -> str | None:
        """The last that it has said to people."""
        size = self.written.seek(0, os.SEEK_END)
        self.written.seek(max(0, size - MOST_SAID))
        lines = self.written.read().decode("utf-8", "replace").splitlines()
        said = [line.removeprefix(BEGINNING).strip() for line in lines if line.startswith(BEGINNING)]
        return said[-1] if said else None


class Starter:
    """Starts crawls with settings (`NAME=VALUE`) and options; their logs go to the folder of ARCHIVE.

    `with_us`: they die with this process, however it dies; for one that starts them from its main thread.
    `is_counting`: they tell what they count, see `Child.counts`.
    """

    def __init__(
        self,
        archive: str,
        settings: Sequence[str],
        options: Sequence[str] = (),
        *,
        with_us: bool = False,
        is_counting: bool = False,
    ) -> None:
        self._archive = archive
        self._is_counting = is_counting
        self._more: dict[str, Any] = {"preexec_fn": _dying_with_parent()} if with_us else {}
        self._options = [*options, *(part for setting in settings for part in ("-s", setting))]

    def start(self, due: Due, holder: Holder) -> Child:
        """Begin the crawl of a blog that `holder` has claimed. Raises OSError."""
        log = new_log(self._archive, due.spider, due.url)
        ours = ["-s", f"LOG_FILE={log}", "-s", f"CLAIM={holder}"]
        program = [sys.executable, "-m", "blogcrawler", "crawl", due.spider, "-a", f"url={due.url}"]
        with ExitStack() as opened:
            written = opened.enter_context(TemporaryFile())
            counting = opened.enter_context(TemporaryFile()) if self._is_counting else None
            more = self._more
            if counting is not None:
                ours += ["-s", f"COUNTS_FD={counting.fileno()}"]
                more = {**more, "pass_fds": [counting.fileno()]}
            process = subprocess.Popen(  # noqa: S603 - ourselves
                [*program, *self._options, *ours],
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
                start_new_session=True,
                **more,
            )
            opened.pop_all()  # they are closed with the child
        return Child(due, holder, process, log, datetime.now(UTC), written, counting)


def _dying_with_parent() -> Callable[[], None]:
    """What a child does before anything else, so that the system kills it when the thread that started it is gone.

    Linux alone can do that, prctl(2); elsewhere it does nothing.
    """
    prctl, parent = getattr(ctypes.CDLL(None), "prctl", None), os.getpid()

    def bind() -> None:
        if prctl is not None:
            prctl(SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # which was gone before that
            os._exit(1)

    return bind


def _environment() -> dict[str, str]:
    """Ours, with the folder of this package for Python to look into, unless it does so by itself."""
    root = str(Path(blogcrawler.__file__).parents[1])
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), site.getusersitepackages()}
    if root in installed:
        return dict(os.environ)
    paths = [root, os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
