"""The owner of a lease: one crawl of one process, written so that others on its machine can see if it still lives."""

from __future__ import annotations

import json
import os
import secrets
import socket
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_PROCESSES = Path("/proc/self/ns/pid")
_ENDED = frozenset("ZXx")
"""States of a process that is over, though nobody has taken notice yet; proc(5)."""


@dataclass(frozen=True)
class Holder:
    """One crawl; `str` of it is what the archive keeps, and `parse` reads that."""

    #: the machine, since when it runs, and which of its processes have numbers in common
    place: str
    pid: int
    #: when the process began, since numbers are used again; empty where the system does not tell
    began: str
    #: tells crawls of one process apart
    token: str

    @classmethod
    def new(cls) -> Self:
        """One that nobody else is, of this process."""
        return cls(_place(), os.getpid(), _state(os.getpid())[1], secrets.token_hex(8))

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """One that was written by `str`; None for what is none."""
        try:
            found = cls(**json.loads(text))
        except (ValueError, TypeError):
            return None
        return found if isinstance(found.pid, int) and found.pid > 0 else None

    def __str__(self) -> str:
        return json.dumps(asdict(self))

    @property
    def host(self) -> str:
        """The name of its machine."""
        return self.place.partition(" ")[0]

    def is_dead(self) -> bool:
        """True if its process is known to be over. Of processes on other machines nothing is known."""
        if self.place != _place():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:  # another user's
            return False
        state, began = _state(self.pid)
        return state in _ENDED or bool(began and self.began and began != self.began)


def _place() -> str:
    boot, processes = "", ""
    with suppress(OSError):
        boot = _BOOT.read_text("ascii").strip()
    with suppress(OSError):
        processes = str(_PROCESSES.readlink())
    return f"{socket.gethostname().replace(' ', '-')} {boot} {processes}".strip()


def _state(pid: int) -> tuple[str, str]:
    """A process's state, one letter, and when it began, in ticks since the machine was started; empty where unknown."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return "-", ""
    after_name = told.rpartition(")")[2].split()
    return after_name[0], after_name[19]
