"""Stores the frontier in the archive's database: a row for each URL that a crawl of a blog has found.

Also stores what the crawl has learned, in order, for the crawl that continues it.
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, func, select

from blogcrawler.backend.tables import FRONTIER_URL, LEARNED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from blogcrawler.backend.database import Database

_PART = 1000
"""Number of rows that are read at a time."""
_PART_TOLD = 100
_COLUMNS = [column for column in FRONTIER_URL.columns if column.name != "blog_id"]
_LAST = select(func.max(LEARNED.c.number).label("last")).where(LEARNED.c.blog_id == bindparam("blog"))


class SqlFrontierStore:
    """Stores the rows of one blog's frontier. Inside a transaction of the archive, the methods take part in it.

    Each method raises BackendUnavailable.
    """

    def __init__(self, database: Database, blog_id: int) -> None:
        self._database = database
        self._blog_id = blog_id

    def load(self, status: str | None = None, limit: int | None = None) -> Iterable[Mapping[str, Any]]:
        """All rows by position; optionally only those in one state, and only the first `limit` rows."""
        query = (
            select(*_COLUMNS)
            .where(FRONTIER_URL.c.blog_id == self._blog_id)
            .order_by(FRONTIER_URL.c.position)
            .limit(limit)
        )
        if status is not None:
            query = query.where(FRONTIER_URL.c.status == status)
        with self._database.reading() as connection:
            for part in connection.execute(query.execution_options(yield_per=_PART)).mappings().partitions():
                yield from map(dict, part)

    def count_ended(self) -> int:
        """Number of URLs that are finished, whatever their result."""
        query = select(func.count()).where(
            FRONTIER_URL.c.blog_id == self._blog_id, FRONTIER_URL.c.status.in_(("done", "failed"))
        )
        return self._database.value(query) or 0

    def save(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows, or replace those with the same key, in one transaction."""
        self._database.upsert(FRONTIER_URL, [{**row, "blog_id": self._blog_id} for row in rows])

    def write(self, rows: Sequence[Mapping[str, Any]], commands: Sequence[Any] = ()) -> None:
        """Save rows as in `save`, and append observations (JSON data) to the earlier ones, in one transaction."""
        with self._database.transaction():
            self.save(rows)
            if not commands:
                return
            last = self._database.look_up(_LAST, blog=self._blog_id)
            number = 1 + ((last and last["last"]) or 0)
            row = {"blog_id": self._blog_id, "number": number, "commands": zlib.compress(json.dumps(commands).encode())}
            self._database.insert_missing(LEARNED, [row])  # observations of another process meanwhile are not replaced

    def observations(self) -> Iterator[Any]:
        """All observations in order."""
        query = select(LEARNED.c.commands).where(LEARNED.c.blog_id == self._blog_id).order_by(LEARNED.c.number)
        with self._database.reading() as connection:
            for part in connection.execute(query.execution_options(yield_per=_PART_TOLD)).scalars().partitions():
                for commands in part:
                    yield from json.loads(zlib.decompress(commands))

    def forget_observations(self) -> None:
        """Delete the observations."""
        self._database.run(delete(LEARNED).where(LEARNED.c.blog_id == self._blog_id))

    def clear(self) -> None:
        """Delete all rows and observations."""
        with self._database.transaction() as connection:
            connection.execute(delete(FRONTIER_URL).where(FRONTIER_URL.c.blog_id == self._blog_id))
            self.forget_observations()
