"""Counts signals that ask the process to stop: the first one requests an orderly end, the second one an immediate
end."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from blogcrawler.reporting import acknowledge

if TYPE_CHECKING:
    from collections.abc import Iterator

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask the process to stop."""


class Signals:
    """A counter of stop signals."""

    def __init__(self, *, ends_at_once: bool = False) -> None:
        #: number of signals received
        self.count = 0
        #: the last signal received
        self.last = signal.SIGINT
        self._ends_at_once = ends_at_once

    @contextmanager
    def heeding(self) -> Iterator[None]:
        """Count stop signals inside the `with` block, instead of being ended by them."""
        # a signal that is ignored stays ignored, as with nohup
        handled = [number for number in STOP_SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self._note) for number in handled}
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
