"""Runs the program, and kills it at one of the moments at which it changes something on the disk."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from sqlalchemy import Engine, event


class Killer:
    """Counts what is written, renamed, deleted and committed; kills the process in the middle of one of these."""

    def __init__(self, number: int) -> None:
        self._left = number
        event.listen(Engine, "commit", lambda _: self.step())
        self._write = os.pwrite
        os.pwrite = self._half
        for name in ("replace", "unlink", "rename"):
            self._watch(name)

    def step(self) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def _half(self, file: int, data: bytes, offset: int) -> int:
        if self._left == 1:
            self._write(file, data[: len(data) // 2], offset)
        self.step()
        return self._write(file, data, offset)

    def _watch(self, name: str) -> None:
        original = getattr(Path, name)

        def stepping(path: Path, *arguments: object, **options: object) -> object:
            self.step()
            return original(path, *arguments, **options)

        setattr(Path, name, stepping)


if __name__ == "__main__":
    from blogcrawler.cli import main

    Killer(int(sys.argv.pop(1)))
    main()
