"""Claims: who crawls which blog, so that no blog is crawled twice at once, over all processes that share an archive.

A claim is a lease: it runs out unless who holds it renews it, and ends at once when its holder's process is known to be
dead. A blog may be claimed under several keys: that of the address which it is sought by, and that of its home page.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import timedelta
from typing import TYPE_CHECKING, cast

from sqlalchemy import Table, delete, select, update

from blogcrawler.backend.holder import Holder
from blogcrawler.backend.models import Claim
from blogcrawler.errors import BeingCrawled

if TYPE_CHECKING:
    from datetime import datetime

    from blogcrawler.backend.database import Database

CLAIM = cast("Table", Claim.__table__)
LEASE = timedelta(seconds=100)
"""How long a claim holds that is not renewed: another machine goes on within two minutes."""


@dataclass(frozen=True)
class ClaimRow:
    """A claim as the archive keeps it."""

    key: str
    who: str
    since: datetime
    until: datetime
    is_monitored: bool

    def holds(self, now: datetime) -> bool:
        """Is the blog taken?"""
        holder = Holder.parse(self.who)
        return self.until > now and holder is not None and not holder.is_dead()

    def refusal(self, url: str) -> BeingCrawled:
        """What another one is told who wants to crawl the blog at a URL."""
        holder = Holder.parse(self.who)
        process = f" (process {holder.pid} on {holder.host})" if holder is not None else ""
        if holder is not None and holder.is_group:
            process = (
                " (spiders that share a frontier; one that is given the same FRONTIER_URL and the same address of the "
                "blog as they joins them)"
            )
        return BeingCrawled(
            f"{url} is being crawled by another process since {self.since:%Y-%m-%d %H:%M} UTC{process}; try again when "
            "it is done.",
            url=url,
        )


class Claims:
    """The claims of an archive. Each call is one transaction, in which nobody else can claim anything."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(
        self, key: str, who: str, *, now: datetime, heir_of: str | None = None, is_monitored: bool = False
    ) -> ClaimRow | None:
        """Claim a key, unless another one holds it: then that claim. `heir_of`: whose claim is handed over to `who`."""
        with self._database.alone_on(CLAIM):
            kept = self.find(key)
            is_ours = kept is not None and kept.who in (who, heir_of)
            if kept is not None and not is_ours and kept.holds(now):
                return kept
            since = kept.since if kept is not None and is_ours else now
            values = {"who": who, "since": since, "until": now + LEASE, "is_monitored": is_monitored}
            self._database.upsert(CLAIM, [{"key": key, **values}])
            return None

    def renew(self, who: str, *, now: datetime) -> int:
        """Let the claims of a holder hold on; how many it has."""
        with self._database.transaction() as connection:
            return connection.execute(update(CLAIM).where(CLAIM.c.who == who).values(until=now + LEASE)).rowcount

    def release(self, who: str) -> None:
        """Give up the claims of a holder."""
        with self._database.transaction() as connection:
            connection.execute(delete(CLAIM).where(CLAIM.c.who == who))

    def find(self, key: str) -> ClaimRow | None:
        """The claim of a key, whether or not it still holds."""
        return next(iter(self._rows(key)), None)

    def live(self, *, now: datetime) -> dict[str, ClaimRow]:
        """All claims that hold, by key."""
        return {row.key: row for row in self._rows() if row.holds(now)}

    def forget_dead(self, *, now: datetime) -> None:
        """Drop claims that hold no longer."""
        with self._database.alone_on(CLAIM) as connection:
            for row in self._rows():
                if not row.holds(now):
                    connection.execute(delete(CLAIM).where(CLAIM.c.key == row.key, CLAIM.c.who == row.who))

    def _rows(self, key: str | None = None) -> list[ClaimRow]:
        query = select(*(CLAIM.c[field.name] for field in fields(ClaimRow)))
        rows = self._database.rows(query if key is None else query.where(CLAIM.c.key == key))
        return [ClaimRow(**row) for row in rows]
