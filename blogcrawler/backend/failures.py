"""The posts of a blog that could not be fetched, and the reasons."""

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
    """A post that could not be fetched."""

    url: str
    reason: str
    last_failed: datetime
    #: True if a later attempt may succeed
    is_temporary: bool = False


class Failures:
    """The failures of one blog. Inside a transaction of the archive, the methods take part in it."""

    def __init__(self, database: Database, blog_id: int) -> None:
        self._database, self._blog_id = database, blog_id
        self._mine = FAILURE.c.blog_id == blog_id

    def note(self, failed: Iterable[Failed], *, are_all: bool = False) -> None:
        """Save failures; the latest reason for a URL counts.

        `are_all`: these are all failures, so earlier ones are deleted. Failures of posts that have a record by now are
        deleted in any case.
        """
        rows = [asdict(one) for one in failed]
        with self._database.transaction() as connection:
            if are_all:
                connection.execute(delete(FAILURE).where(self._mine))
            self._database.upsert(FAILURE, [{**row, "blog_id": self._blog_id} for row in rows])
            for url in self._archived():
                connection.execute(delete(FAILURE).where(self._mine, FAILURE.c.url == url))

    def _archived(self) -> list[str]:
        """The URLs among these for which there is a record."""
        urls = {key_of(one.url): one.url for one in self.all()}
        query = select(POST.c.key).where(POST.c.blog_id == self._blog_id)
        return [urls[row["key"]] for row in self._database.rows_with(query.where(is_among(POST.c.key)), urls)]

    def all(self) -> list[Failed]:
        """All failures in the order of the first attempts."""
        return self._database.load(Failed, FAILURE, self._mine, by=(FAILURE.c.last_failed, FAILURE.c.url))
