"""The owner of a lease: one crawl of one process, in a form from which others on the machine can see if it still
runs."""

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
"""States of an ended process whose parent has not yet waited for it; see proc(5)."""


@dataclass(frozen=True)
class Holder:
    """A crawl. The archive stores its `str`, which `parse` reads."""

    #: the machine, its boot, and its process namespace
    place: str
    pid: int
    #: start time of the process, since process ids are reused; empty if the system does not provide it
    began: str
    #: distinguishes crawls of one process
    token: str

    @classmethod
    def new(cls) -> Self:
        """Create a unique owner in this process."""
        return cls(_place(), os.getpid(), _state(os.getpid())[1], secrets.token_hex(8))

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse a text written by `str`; None if it is invalid."""
        try:
            holder = cls(**json.loads(text))
        except (ValueError, TypeError):
            return None
        return holder if isinstance(holder.pid, int) and holder.pid > 0 else None

    def __str__(self) -> str:
        return json.dumps(asdict(self))

    @property
    def host(self) -> str:
        """Host name of its machine."""
        return self.place.partition(" ")[0]

    def is_dead(self) -> bool:
        """True if its process is known to have ended. Nothing is known of processes on other machines."""
        if self.place != _place():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:  # another user's process
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
    """State of a process (one letter) and its start in ticks since the boot; empty if unknown."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return "-", ""
    after_name = status.rpartition(")")[2].split()
    return after_name[0], after_name[19]
