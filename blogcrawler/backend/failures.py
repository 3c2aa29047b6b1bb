"""Which posts of a blog could not be had, and why."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from blogcrawler.backend.database import is_among
from blogcrawler.backend.rows import key_of
from blogcrawler.backend.tables import FAILURE, POST

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from blogcrawler.backend.database import Database


@dataclass(frozen=True)
class Failed:
    """A post that could not be had."""

    url: str
    reason: str
    last_failed: datetime
    #: True if it may be fetched at another time
    is_temporary: bool = False


class Failures:
    """Those of one blog. Within a transaction of the archive they join it."""

    def __init__(self, database: Database, blog_id: int) -> None:
        self._database, self._blog_id = database, blog_id
        self._mine = FAILURE.c.blog_id == blog_id

    def note(self, failed: Iterable[Failed], *, are_all: bool = False) -> None:
        """Keep what could not be had; the newest reason of an address counts.

        `are_all`: nothing else lacks, so that what was noted before is forgotten. So is what has a record by now.
        """
        rows = [asdict(one) for one in failed]
        with self._database.transaction() as connection:
            if are_all:
                connection.execute(delete(FAILURE).where(self._mine))
            self._database.upsert(FAILURE, [{**row, "blog_id": self._blog_id} for row in rows])
            for url in self._had():
                connection.execute(delete(FAILURE).where(self._mine, FAILURE.c.url == url))

    def _had(self) -> list[str]:
        """The addresses of posts that have a record."""
        urls = {key_of(one.url): one.url for one in self.all()}
        query = select(POST.c.key).where(POST.c.blog_id == self._blog_id)
        return [urls[row["key"]] for row in self._database.rows_with(query.where(is_among(POST.c.key)), urls)]

    def all(self) -> list[Failed]:
        """All that could not be had, what was tried first at the beginning."""
        return self._database.load(Failed, FAILURE, self._mine, by=(FAILURE.c.last_failed, FAILURE.c.url))
