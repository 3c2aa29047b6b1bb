"""Leases: rows of a table that only one owner at a time may work on, across all processes that share the database.

A lease expires unless its owner renews it. Each owner name is used for a single crawl and is part of all statements. So
an owner that paused, and lost its lease to another crawl, can neither renew nor end that lease.
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
"""Validity of a blog's lease without renewal, so that another machine can continue within two minutes."""


def lease_columns() -> tuple[Column[Any], ...]:
    """The columns of a lease, all null if nobody has it."""
    return Column("owner", Text, index=True), Column("since", UtcTime), Column("until", UtcTime)


def claim_next(
    connection: Connection, table: Table, which: ColumnElement[bool], *order: ColumnElement[Any], **lease: object
) -> RowMapping | None:
    """Lease the first free row that meets a condition; None if there is none.

    PostgreSQL skips rows that others are just leasing; SQLite has one writer at a time.
    """
    first = select(table).where(table.c.owner.is_(None), which).order_by(*order).limit(1)
    row = connection.execute(first.with_for_update(skip_locked=True)).mappings().first()
    if row is not None:
        connection.execute(update(table).where(table.c.id == row["id"]).values(lease))
    return row


def renew(connection: Connection, table: Table, owners: Collection[str], until: datetime) -> list[str]:
    """Renew leases; return the owner of each lease that could be renewed."""
    renewed = update(table).where(table.c.owner.in_(owners)).values(until=until).returning(table.c.owner)
    return list(connection.scalars(renewed))


def release(connection: Connection, table: Table, owner: str, *which: ColumnElement[bool]) -> None:
    """Delete the rows that an owner has leased, optionally only those that meet a condition."""
    connection.execute(delete(table).where(table.c.owner == owner, *which))


@dataclass(frozen=True)
class BlogLease:
    """The lease of a blog, as stored in the archive."""

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
        """The error for another process that tries to crawl the blog."""
        holder = Holder.parse(self.owner)
        process = f" (process {holder.pid} on {holder.host})" if holder is not None else ""
        return BeingCrawled(
            f"{url} is being crawled by another process since {self.since:%Y-%m-%d %H:%M} UTC{process}; try again when "
            "it is done.",
            url=url,
        )


class BlogLeases:
    """The leases of an archive's blogs. Each method is a transaction that excludes other leases meanwhile.

    A lease ends at once if its owner's process is known to have ended. A blog may be leased under several keys: the key
    of the given URL, and that of its home page.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(
        self, key: str, owner: str, *, now: datetime, heir_of: str | None = None, is_monitored: bool = False
    ) -> BlogLease | None:
        """Lease a key; if another owner has it, return that lease.

        `heir_of` is an owner whose lease is handed over to `owner`.
        """
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
        """Renew the leases of an owner; return their number."""
        with self._database.transaction() as connection:
            return len(renew(connection, CLAIM, [owner], now + LEASE))

    def release(self, owner: str) -> None:
        """Release the leases of an owner."""
        with self._database.transaction() as connection:
            release(connection, CLAIM, owner)

    def find(self, key: str) -> BlogLease | None:
        """The lease of a key, even if it has expired."""
        return next(iter(self._database.load(BlogLease, CLAIM, CLAIM.c.key == key)), None)

    def live(self, *, now: datetime) -> dict[str, BlogLease]:
        """All valid leases by key."""
        return {row.key: row for row in self._database.load(BlogLease, CLAIM) if row.holds(now)}

    def forget_dead(self, *, now: datetime) -> None:
        """Delete expired leases, and those of ended processes."""
        with self._database.alone_on(CLAIM) as connection:
            for row in self._database.load(BlogLease, CLAIM):
                if not row.holds(now):
                    release(connection, CLAIM, row.owner, CLAIM.c.key == row.key)
