"""A crawl's leases on its blog, which a thread renews however busy the crawl is."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from blogcrawler.backend.archive import Archive
from blogcrawler.backend.holder import Holder
from blogcrawler.errors import BackendUnavailable, BeingCrawled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RENEWAL_S = 15
"""Seconds between renewals, so short that several may fail before the lease expires."""

logger = logging.getLogger(__name__)


def _now() -> datetime:
    return datetime.now(UTC)


class Hold:
    """Takes and renews leases, and reports when another crawl has taken an expired one.

    It has its own connection to the archive, `archive`. If `heir_of` is given, the leases of this owner are taken over.
    `patience_s` is passed to the archive. `on_lost` is called in another thread, at most once, and never after `close`.
    """

    def __init__(
        self,
        database_url: str,
        *,
        heir_of: str | None = None,
        on_lost: Callable[[BeingCrawled], None] = lambda _: None,
        clock: Callable[[], datetime] = _now,
        renewal_s: float = RENEWAL_S,
        patience_s: float = 0,
    ) -> None:
        self.archive = Archive.open(database_url, patience_s=patience_s)
        #: owner of the leases
        self.owner = str(Holder.new())
        self._heir_of = heir_of
        self._on_lost = on_lost
        self._clock = clock
        self._renewal_s = renewal_s
        #: URL of each leased blog, by key
        self._urls: dict[str, str] = {}
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="leases", daemon=True)

    def take(self, url: str) -> None:
        """Lease the blog at a URL. Raises BeingCrawled if another crawl has it, and BackendUnavailable."""
        key = self.archive.key_of(url)
        in_the_way = self.archive.leases.claim(
            key, self.owner, now=self._clock(), heir_of=self._heir_of, is_monitored=self._heir_of is not None
        )
        if in_the_way is not None:
            raise in_the_way.refusal(url)
        self._urls = {**self._urls, key: url}
        if self._thread.ident is None:
            self._thread.start()

    def stop(self) -> None:
        """Stop renewing the leases."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join(1)

    @contextmanager
    def releasing(self, archive: Archive) -> Iterator[None]:
        """A transaction on another connection to the same archive; the leases are released at its end."""
        self.stop()
        with archive.transaction():
            yield
            archive.leases.release(self.owner)
        self._urls = {}

    def close(self) -> None:
        """Release the leases if the archive is writable; else they expire."""
        self.stop()
        try:
            if self._urls:
                self.archive.leases.release(self.owner)
        except BackendUnavailable as error:
            logger.warning("%s", error)
        self.archive.close()

    def _renew(self) -> None:
        while not self._end.wait(self._renewal_s):
            held = self._urls  # before the renewal, since more leases may be taken meanwhile
            try:
                count = self.archive.leases.renew(self.owner, now=self._clock())
                lost = None if count >= len(held) else self._loss(held)
            except BackendUnavailable as error:
                logger.warning("The lease of the blog cannot be renewed now: %s", error)
                continue
            if lost is not None:
                if not self._end.is_set():
                    self._on_lost(lost)
                return

    def _loss(self, held: dict[str, str]) -> BeingCrawled | None:
        """The error for leases that another process has by now; expired leases that nobody has are taken again."""
        for key, url in held.items():
            if self._end.is_set():
                return None
            other = self.archive.leases.claim(
                key, self.owner, now=self._clock(), is_monitored=self._heir_of is not None
            )
            if other is not None:
                return BeingCrawled(
                    f"{url} is being crawled by another process now, since this one was suspended for some minutes. "
                    "What was found is kept, and the other process continues.",
                    url=url,
                )
        return None
