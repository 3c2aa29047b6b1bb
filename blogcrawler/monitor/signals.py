"""The signals that ask a process to end, counted: the first one for an end in good order, a second one for haste."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from blogcrawler.reporting import acknowledge

if TYPE_CHECKING:
    from collections.abc import Iterator

HEEDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What asks to end."""


class Signals:
    """Counts them."""

    def __init__(self, *, ends_at_once: bool = False) -> None:
        #: how many have come
        self.count = 0
        #: the number of the last
        self.last = signal.SIGINT
        self._ends_at_once = ends_at_once

    @contextmanager
    def heeding(self) -> Iterator[None]:
        """Count what comes meanwhile, and let nothing end the process."""
        heeded = [number for number in HEEDED if signal.getsignal(number) is not signal.SIG_IGN]  # as by nohup
        before = {number: signal.signal(number, self._note) for number in heeded}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note(self, number: int, frame: Any) -> None:  # noqa: ANN401, ARG002
        self.count += 1
        self.last = signal.Signals(number)
        if self.count == 1 and not self._ends_at_once:
            acknowledge()
