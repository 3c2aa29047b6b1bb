"""Leases: rows of a table that one owner at a time may work on, over all processes that share the database.

A lease runs out unless its owner renews it. Each name of an owner is used for one crawl, and statements name it: so an
owner that slept, and whose lease another one has by now, can neither renew nor end it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, Table, Text, delete, select, update

from blogcrawler.backend.columns import UtcTime
from blogcrawler.backend.holder import Holder
from blogcrawler.backend.tables import CLAIM
from blogcrawler.errors import BeingCrawled

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, RowMapping

    from blogcrawler.backend.database import Database

LEASE = timedelta(seconds=100)
"""How long the lease of a blog holds that is not renewed: another machine goes on within two minutes."""


def lease_columns() -> tuple[Column[Any], ...]:
    """The columns of a lease, all null where nobody has it."""
    return Column("owner", Text, index=True), Column("since", UtcTime), Column("until", UtcTime)


def claim_next(
    connection: Connection, table: Table, which: ColumnElement[bool], *order: ColumnElement[Any], **lease: object
) -> RowMapping | None:
    """Lease the first row that nobody has and that meets a condition; None where there is none.

    PostgreSQL passes over rows that others are just taking; SQLite has one writer at a time.
    """
    first = select(table).where(table.c.owner.is_(None), which).order_by(*order).limit(1)
    row = connection.execute(first.with_for_update(skip_locked=True)).mappings().first()
    if row is not None:
        connection.execute(update(table).where(table.c.id == row["id"]).values(lease))
    return row


def renew(connection: Connection, table: Table, owners: Collection[str], until: datetime) -> list[str]:
    """Let leases hold on; the owners of those that were theirs still, one for each lease."""
    renewed = update(table).where(table.c.owner.in_(owners)).values(until=until).returning(table.c.owner)
    return list(connection.scalars(renewed))


def release(connection: Connection, table: Table, owner: str, *which: ColumnElement[bool]) -> None:
    """Delete what an owner has leased, or those rows of it that meet a condition."""
    connection.execute(delete(table).where(table.c.owner == owner, *which))


@dataclass(frozen=True)
class BlogLease:
    """The lease of a blog as the archive keeps it."""

    key: str
    owner: str
    since: datetime
    until: datetime
    is_monitored: bool

    def holds(self, now: datetime) -> bool:
        """True if nobody else may crawl the blog."""
        holder = Holder.parse(self.owner)
        return self.until > now and holder is not None and not holder.is_dead()

    def refusal(self, url: str) -> BeingCrawled:
        """The error for another process that wants to crawl the blog at a URL."""
        holder = Holder.parse(self.owner)
        process = f" (process {holder.pid} on {holder.host})" if holder is not None else ""
        return BeingCrawled(
            f"{url} is being crawled by another process since {self.since:%Y-%m-%d %H:%M} UTC{process}; try again when "
            "it is done.",
            url=url,
        )


class BlogLeases:
    """The leases of an archive's blogs. Each call is one transaction, in which nobody else can lease a blog.

    A lease ends at once when its owner's process is known to be dead. A blog may be leased under several keys: that of
    the address by which it is looked for, and that of its home page.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(
        self, key: str, owner: str, *, now: datetime, heir_of: str | None = None, is_monitored: bool = False
    ) -> BlogLease | None:
        """Lease a key, unless another one has it: then that lease. `heir_of`: whose lease is handed over to `owner`."""
        with self._database.alone_on(CLAIM):
            known = self.find(key)
            is_ours = known is not None and known.owner in (owner, heir_of)
            if known is not None and not is_ours and known.holds(now):
                return known
            since = known.since if known is not None and is_ours else now
            values = {"owner": owner, "since": since, "until": now + LEASE, "is_monitored": is_monitored}
            self._database.upsert(CLAIM, [{"key": key, **values}])
            return None

    def renew(self, owner: str, *, now: datetime) -> int:
        """Let the leases of an owner hold on; how many it has."""
        with self._database.transaction() as connection:
            return len(renew(connection, CLAIM, [owner], now + LEASE))

    def release(self, owner: str) -> None:
        """Give up the leases of an owner."""
        with self._database.transaction() as connection:
            release(connection, CLAIM, owner)

    def find(self, key: str) -> BlogLease | None:
        """The lease of a key, whether or not it still holds."""
        return next(iter(self._database.load(BlogLease, CLAIM, CLAIM.c.key == key)), None)

    def live(self, *, now: datetime) -> dict[str, BlogLease]:
        """All leases that hold, by key."""
        return {row.key: row for row in self._database.load(BlogLease, CLAIM) if row.holds(now)}

    def forget_dead(self, *, now: datetime) -> None:
        """Delete leases that hold no longer."""
        with self._database.alone_on(CLAIM) as connection:
            for row in self._database.load(BlogLease, CLAIM):
                if not row.holds(now):
                    release(connection, CLAIM, row.owner, CLAIM.c.key == row.key)
