"""How long a thread may still wait for an unavailable server after the process received a stop signal.

Python handles a signal at once, but Scrapy defers its work to the reactor, which a waiting thread may block. So the
number of signals is derived from Scrapy's signal handlers: Scrapy installs a different handler after each signal.
"""

from __future__ import annotations

import signal
from time import monotonic

ENDING_S = 5.0
"""Seconds to wait for an unavailable server after the first stop signal. After the second one, there is no wait."""


class StopDeadline:
    """Counts stop signals from its creation on, and limits the wait for an unavailable server.

    Must be created while a crawl runs, since Scrapy installs its handlers at the start of the crawl.
    """

    def __init__(self) -> None:
        self._handler = signal.getsignal(signal.SIGTERM)
        self._give_up_at: float | None = None

    @property
    def signals(self) -> int:
        """Number of stop signals received: 0, 1, or 2 for two and more."""
        handler = signal.getsignal(signal.SIGTERM)
        if handler == self._handler:
            return 0
        return 2 if handler is signal.SIG_IGN else 1

    @property
    def is_over(self) -> bool:
        """True if a server has been unavailable for too long after a stop signal. To be called repeatedly while
        waiting."""
        if not self.signals:
            return False
        if self._give_up_at is None:
            self._give_up_at = monotonic() + ENDING_S
        return self.signals > 1 or monotonic() > self._give_up_at

    def note_response(self) -> None:
        """Record that a server has responded."""
        self._give_up_at = None
