"""Workers with somebody who starts a new one for each that ends, as systemd does."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tests.crawl.running import environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Self

END_WITHIN_S = 60


class Crew:
    """So many workers, each in a folder of its own in `folder`. In the end all are killed that have not ended."""

    def __init__(
        self, folder: Path, arguments: Sequence[str], size: int, *, variables: Mapping[str, str] | None = None
    ) -> None:
        self.folder = folder
        self._arguments = arguments
        self._size = size
        self._variables = {**environment(), **(variables or {})}
        self.workers: list[subprocess.Popen[bytes]] = []
        self._begun = 0
        #: how those have ended that were not killed by us
        self.codes: list[int] = []

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.tend()
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.send_signal(signal.SIGCONT)
            worker.kill()
            worker.wait()

    def tend(self) -> None:
        """Start a worker for each that is missing."""
        for worker in [worker for worker in self.workers if worker.poll() is not None]:
            self.workers.remove(worker)
            self.codes.append(worker.returncode)
        while len(self.workers) < self._size:
            self.workers.append(self._start())

    def kill(self, worker: subprocess.Popen[bytes]) -> None:
        """Kill a worker as the system does that is out of memory, and let another one take its place."""
        worker.kill()
        worker.wait()
        self.workers.remove(worker)
        self.tend()

    def send(self, worker: subprocess.Popen[bytes], crawls: Iterable[int], number: signal.Signals) -> None:
        """Send a signal to a worker and its crawls, as far as they are there."""
        for pid in (worker.pid, *crawls):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def stop(self) -> None:
        """Ask all to end, and see how they have ended."""
        for worker in self.workers:
            worker.send_signal(signal.SIGTERM)
        self.codes += [worker.wait(END_WITHIN_S) for worker in self.workers]
        self.workers.clear()

    def sentences(self) -> list[str]:
        """What they have said, in the order in which they began."""
        files = sorted(self.folder.glob("*/said"))
        return [line for file in files for line in file.read_text("utf-8", "replace").splitlines()]

    def _start(self) -> subprocess.Popen[bytes]:
        self._begun += 1
        place = self.folder / f"worker-{self._begun:04}"
        place.mkdir()
        with (place / "said").open("w") as file:
            return subprocess.Popen(
                self._arguments,
                cwd=place,
                env=self._variables,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
            )


def processes(word: str) -> dict[int, list[str]]:
    """The processes that were started with a word among their arguments, by number."""
    return {pid: arguments for pid, arguments in _all() if any(word in argument for argument in arguments)}


def children(pid: int) -> set[int]:
    """The crawls of a worker that have not ended."""
    return {child for child in _below(pid) if not _is_silent(child)}


def server_of(pid: int) -> int | None:
    """The process of which a worker's crawls are copies."""
    return next((child for child in _below(pid) if _is_silent(child)), None)


def _below(pid: int) -> set[int]:
    return {process for process, arguments in _all() if any(arguments) and parent_of(process) == pid}


def _is_silent(pid: int) -> bool:
    """True if what a process prints goes nowhere, or the process has ended."""
    try:
        return Path(f"/proc/{pid}/fd/1").readlink() == Path(os.devnull)
    except OSError:
        return True


def memory(pid: int | None, of: str) -> int:
    """Bytes of a process that has not ended: all (`Rss`), or those that no other process has (`Private`); proc(5)."""
    with suppress(OSError):
        parts = re.findall(rf"^{of}\w*: +(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
        return 1024 * sum(map(int, parts))
    return 0


def parent_of(pid: int) -> int | None:
    """The process that has started another one; None where that has ended."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[1])
    return None


def _all() -> Iterator[tuple[int, list[str]]]:
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            arguments = (folder / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            if int(folder.name) != os.getpid():
                yield int(folder.name), arguments
