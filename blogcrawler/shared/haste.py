"""Whether the process was asked to end, also for a thread that waits for a server and cannot be told so.

Python notes a signal at once, but what Scrapy does then waits for its reactor. So the handlers tell: Scrapy sets
another one after each signal that has come.
"""

from __future__ import annotations

import signal
from time import monotonic

ENDING_S = 5.0
"""Seconds for which a server may not answer once a signal has come; not at all after a second one."""


class Haste:
    """Tells from signals that come from now on how long a server that is away is still waited for.

    To be made while a crawl runs: before that Scrapy has no handlers.
    """

    def __init__(self) -> None:
        self._handler = signal.getsignal(signal.SIGTERM)
        self._give_up_at: float | None = None

    @property
    def signals(self) -> int:
        """How many have come: 2 also for more."""
        handler = signal.getsignal(signal.SIGTERM)
        if handler == self._handler:
            return 0
        return 2 if handler is signal.SIG_IGN else 1

    @property
    def is_over(self) -> bool:
        """True if a server has been away for too long, of which this is asked again and again."""
        if not self.signals:
            return False
        if self._give_up_at is None:
            self._give_up_at = monotonic() + ENDING_S
        return self.signals > 1 or monotonic() > self._give_up_at

    def note_answer(self) -> None:
        """A server has answered."""
        self._give_up_at = None
