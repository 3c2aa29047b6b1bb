"""The frontier's state in the archive's database: one row for each URL that a crawl of a blog has met."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import Table, delete, func, select

from blogcrawler.backend.models import FrontierUrl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from blogcrawler.backend.database import Database

__all__ = ["SqlFrontierStore"]

_TABLE = cast("Table", FrontierUrl.__table__)
_PART = 1000
"""Rows that are read at a time."""
_COLUMNS = [column for column in _TABLE.columns if column.name != "blog_id"]


class SqlFrontierStore:
    """Keeps the rows of one blog's frontier. Within a transaction of the archive it joins it."""

    def __init__(self, database: Database, blog_id: int) -> None:
        self._database = database
        self._blog_id = blog_id

    def load(self, status: str | None = None, limit: int | None = None) -> Iterable[Mapping[str, Any]]:
        """All rows, by position; only those in a state, and the first `limit`, where these are given.

        Raises BackendUnavailable.
        """
        query = select(*_COLUMNS).where(_TABLE.c.blog_id == self._blog_id).order_by(_TABLE.c.position).limit(limit)
        if status is not None:
            query = query.where(_TABLE.c.status == status)
        with self._database.reading() as connection:
            for part in connection.execute(query.execution_options(yield_per=_PART)).mappings().partitions():
                yield from map(dict, part)

    def count_ended(self) -> int:
        """How many URLs are done with, whatever came of them. Raises BackendUnavailable."""
        query = select(func.count()).where(_TABLE.c.blog_id == self._blog_id, _TABLE.c.status.in_(("done", "failed")))
        with self._database.reading() as connection:
            return connection.scalar(query) or 0

    def save(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert the rows, or replace those with the same key, in one transaction. Raises BackendUnavailable."""
        self._database.upsert(_TABLE, [{**row, "blog_id": self._blog_id} for row in rows])

    def clear(self) -> None:
        """Forget all rows. Raises BackendUnavailable."""
        with self._database.transaction() as connection:
            connection.execute(delete(_TABLE).where(_TABLE.c.blog_id == self._blog_id))
