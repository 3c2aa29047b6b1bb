"""A crawl process that a monitor or worker started. It has its own process group, so that Ctrl-C reaches it only
once."""

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
"""True if crawls are forked from a process that has imported everything; elsewhere, such as on macOS, forks crash."""
LONGEST_TAIL = 64 * 1024
"""Number of bytes at the end of a crawl's standard error that are searched for its message."""
KILLED = "was killed by signal 9; the machine may lack memory"
"""Explanation for a crawl that was killed, as part of a sentence."""

_STOPPED = (128 + signal.SIGINT, 128 + signal.SIGTERM)
"""Exit codes of a crawl that a signal ended."""


@dataclass
class Child:
    """A running crawl."""

    due: Due
    #: owner of the lease that the crawl takes over
    holder: Holder
    process: Process
    log: str
    started: datetime
    #: its standard output and standard error
    written: IO[bytes]
    #: file with its counters, if the crawl was started with counters
    counting: IO[bytes] | None = None
    #: number of stop requests
    stops: int = 0

    def stop(self) -> None:
        """Ask the crawl to stop after its pages in progress; a second call makes it stop at once."""
        self.stops += 1
        self.process.send_signal(signal.SIGTERM)

    def has_ended(self) -> bool:
        """True if the process has ended."""
        return self.process.poll() is not None

    def trouble(self) -> str | None:
        """Error message of a failed crawl; None if it succeeded or was stopped."""
        code = self.process.wait()
        if code in (0, *_STOPPED) or (self.stops and code in (-signal.SIGTERM, -signal.SIGKILL)):
            return None
        if self.was_killed():
            return f"The crawl of {self.due.url} {KILLED}. Its log is {self.log}."
        sentence = self._sentence()
        if sentence is not None:
            return sentence if self.due.url in sentence else f"{self.due.url}: {sentence}"
        ending = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return f"The crawl of {self.due.url} {ending}. Its log is {self.log}."

    def is_no_fault_of_the_blog(self) -> bool:
        """True if the crawl failed because another process crawls the blog, or because a service such as the
        database was unavailable."""
        return self.process.returncode == TEMPORARY_FAILURE

    def reason(self) -> str:
        """Error message without the blog's URL where the failure is independent of the blog, so that equal causes
        can be counted."""
        if self.was_killed():
            return f"The crawl {KILLED}."
        return self._sentence() or f"The crawl ended with exit code {self.process.returncode}."

    def was_killed(self) -> bool:
        """True if the process received SIGKILL, though not from us, such as from the kernel when memory runs out."""
        return self.process.returncode == -signal.SIGKILL and not self.stops

    def counts(self) -> Counts | None:
        """The counters of the crawl; None if there are none yet, or if it was started without counters."""
        return None if self.counting is None else Counts.read(self.counting.fileno())

    def close(self) -> None:
        self.written.close()
        if self.counting is not None:
            self.counting.close()

    def _sentence(self) -> str | None:
        """The last message for users on its standard error."""
        size = self.written.seek(0, os.SEEK_END)
        self.written.seek(max(0, size - LONGEST_TAIL))
        lines = self.written.read().decode("utf-8", "replace").splitlines()
        messages = [line.removeprefix(BEGINNING).strip() for line in lines if line.startswith(BEGINNING)]
        return messages[-1] if messages else None


class Starter:
    """Starts crawls with settings (`NAME=VALUE`) and options; their logs are in the folder of ARCHIVE.

    `with_us`: on Linux, crawls are killed when this process ends for any reason. `is_counting`: crawls write counters,
    see `Child.counts`.
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
        """Check the log folder. Raises LogsUnavailable."""
        check_logs(self._archive)
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()

    def start(self, due: Due, holder: Holder) -> Child:
        """Start the crawl of a blog that `holder` has leased. Raises LogsUnavailable and OSError."""
        log = new_log(self._archive, due.spider, due.url)
        own_options = ["--allow-unknown", "-s", f"LOG_FILE={log}", "-s", f"CLAIM={holder}"]
        with ExitStack() as opened:
            opened.callback(Path(log).unlink, missing_ok=True)
            written = opened.enter_context(TemporaryFile())
            counting = opened.enter_context(TemporaryFile()) if self._is_counting else None
            process = self._begun(
                ["crawl", due.spider, "-a", f"url={due.url}", *self._options, *own_options], written, counting
            )
            opened.pop_all()  # now the child owns the files and closes them
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
