"""Leases: rows of a table that one owner at a time may work on, over all processes that share the database.

A lease runs out unless its owner renews it. Each name of an owner is used for one crawl, and statements name it: so an
owner that slept, and whose lease another one has by now, can neither renew nor end it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, Text, delete, select, update

from blogcrawler.backend.columns import UtcTime

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, RowMapping, Table


def lease_columns() -> tuple[Column[Any], ...]:
    """The columns of a lease, all null where nobody has it."""
    return Column("owner", Text, index=True), Column("since", UtcTime), Column("until", UtcTime)


def take_next(
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


def release(connection: Connection, table: Table, owner: str) -> None:
    """Delete what an owner has leased: it is done."""
    connection.execute(delete(table).where(table.c.owner == owner))
