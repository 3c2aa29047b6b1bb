"""A crawl that a monitor has started: a process in a group of its own, so that a terminal's Ctrl-C comes but once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Self

from blogcrawler.monitor.forking import Forked, ForkServer, environment
from blogcrawler.reporting import BEGINNING, TEMPORARY_FAILURE, Counts, check_logs, new_log

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.backend import Due, Holder

Process = subprocess.Popen[bytes] | Forked
FORKS = sys.platform == "linux"
"""True if crawls are copies of a process that has their imports; elsewhere copies crash, as on macOS."""
MOST_SAID = 64 * 1024
"""Bytes at the end of what a crawl has written to standard error that are looked at."""
KILLED = "was killed by signal 9; the machine may lack memory"
"""What is said of a crawl that was, as a part of a sentence."""


@dataclass
class Child:
    """A crawl at work."""

    due: Due
    #: whose lease it takes over
    holder: Holder
    process: Process
    log: str
    started: datetime
    #: what it writes to standard output and error
    written: IO[bytes]
    #: where it tells what it counts, if it was asked to
    counting: IO[bytes] | None = None
    #: how often it was asked to stop
    stops: int = 0

    def stop(self) -> None:
        """Ask it to come to an end in good order; asked twice, it hurries."""
        self.stops += 1
        self.process.send_signal(signal.SIGTERM)

    def has_ended(self) -> bool:
        """True if its process is over."""
        return self.process.poll() is not None

    def trouble(self) -> str | None:
        """Why it did not do its job, in a sentence; None where it did, or was stopped."""
        code = self.process.wait()
        if code == 0 or (self.stops and code in (-signal.SIGTERM, -signal.SIGKILL, 128 + signal.SIGTERM)):
            return None
        if self.was_killed():
            return f"The crawl of {self.due.url} {KILLED}. Its log is {self.log}."
        sentence = self._sentence()
        if sentence is not None:
            return sentence if self.due.url in sentence else f"{self.due.url}: {sentence}"
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return f"The crawl of {self.due.url} {how}; its log is {self.log}."

    def is_no_fault_of_the_blog(self) -> bool:
        """True if it could not go on since another process has the blog, or what it needs besides the blog is away."""
        return self.process.returncode == TEMPORARY_FAILURE

    def reason(self) -> str:
        """Why it could not go on, in the same words for all blogs, as far as it has nothing to do with its own."""
        if self.was_killed():
            return f"The crawl {KILLED}."
        return self._sentence() or f"The crawl ended with exit code {self.process.returncode}."

    def was_killed(self) -> bool:
        """True if it was killed without a word, and not by us, as where the machine lacks memory."""
        return self.process.returncode == -signal.SIGKILL and not self.stops

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

    `with_us`: they die with this process, however it dies, where the system is Linux.
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
        self._options = [*options, *(part for setting in settings for part in ("-s", setting))]
        self._server = ForkServer(self._options, with_us=with_us) if FORKS else None

    def __enter__(self) -> Self:
        """Raises LogsUnavailable."""
        check_logs(self._archive)
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()

    def start(self, due: Due, holder: Holder) -> Child:
        """Begin the crawl of a blog that `holder` has claimed. Raises LogsUnavailable and OSError."""
        log = new_log(self._archive, due.spider, due.url)
        ours = ["--allow-unknown", "-s", f"LOG_FILE={log}", "-s", f"CLAIM={holder}"]
        with ExitStack() as opened:
            opened.callback(Path(log).unlink, missing_ok=True)
            written = opened.enter_context(TemporaryFile())
            counting = opened.enter_context(TemporaryFile()) if self._is_counting else None
            process = self._begun(
                ["crawl", due.spider, "-a", f"url={due.url}", *self._options, *ours], written, counting
            )
            opened.pop_all()  # the files are closed with the child
        return Child(due, holder, process, log, datetime.now(UTC), written, counting)

    def _begun(self, arguments: Sequence[str], written: IO[bytes], counting: IO[bytes] | None) -> Process:
        passed = [] if counting is None else [counting.fileno()]
        if self._server is not None:
            return self._server.start(arguments, [written.fileno(), *passed])
        counts = [part for number in passed for part in ("-s", f"COUNTS_FD={number}")]
        return subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-m", "blogcrawler", *arguments, *counts],
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=written,
            start_new_session=True,
            pass_fds=passed,
        )
