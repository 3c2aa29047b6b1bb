"""The program `blogcrawler`, with samples of what it is at: python -m tests.benchmarks.sampled STACKS COMMAND …

STACKS is the file that the samples are written to, in the folded form that flame graphs are drawn from: the functions of
a stack, the outermost first, and how often it was seen. Samples are of the main thread, whenever the whole process
has used so much more processor time outside of the system; the timer of both together is PAGE_TIME_LIMIT's.
"""

from __future__ import annotations

import signal
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType, FrameType

EVERY_S = 0.005
_FOLDER = f"{Path(__file__).parents[2]}/"
_PACKAGES = "/site-packages/"


class Sampler:
    """Counts stacks."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[CodeType, ...]] = Counter()

    def start(self) -> None:
        signal.signal(signal.SIGVTALRM, self._note)
        signal.setitimer(signal.ITIMER_VIRTUAL, EVERY_S, EVERY_S)

    def stop(self) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, signal.SIG_IGN)

    def write(self, file: Path) -> None:
        lines = (f"{';'.join(map(_named, reversed(stack)))} {count}" for stack, count in self._seen.most_common())
        file.write_text("\n".join(lines), "utf-8")

    def _note(self, number: int, frame: FrameType | None) -> None:
        stack = []
        while frame is not None:
            stack.append(frame.f_code)
            frame = frame.f_back
        self._seen[tuple(stack)] += 1


def _named(code: CodeType) -> str:
    """`blogcrawler/crawl/loop.py:run`: the file below this folder or that of installed packages, and the function."""
    file = code.co_filename.rpartition(_PACKAGES)[2].removeprefix(_FOLDER)
    return f"{file}:{code.co_qualname}".replace(";", ",").replace(" ", "_")


def main() -> None:
    file, sampler = Path(sys.argv[1]).absolute(), Sampler()
    sampler.start()
    try:
        from blogcrawler.cli import main as run  # its imports are part of what is measured

        run(sys.argv[2:])
    finally:
        sampler.stop()
        sampler.write(file)


if __name__ == "__main__":
    main()
