"""The progress of deposits in repositories, so that interrupted deposits continue and none is made twice."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from blogcrawler.backend.tables import BLOG, DEPOSITED, POST

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from blogcrawler.backend.database import Database


_LONGEST_DEPOSIT = timedelta(days=1)
"""Tolerance in time, since a post may change during its deposit, and clocks may be adjusted."""


@dataclass(frozen=True)
class DepositRow:
    """The deposit of a post in a repository."""

    #: our identifier, by which the repository's record of the post can be found
    marker: str
    stage: str
    #: the unfinished draft in the repository, and the last published record
    draft_id: str | None = None
    record_id: str | None = None
    #: digest of the content that was last deposited
    sha256: str | None = None
    #: web address of the record
    page: str | None = None


class Deposits:
    """The deposits in one repository, by post id."""

    def __init__(self, database: Database, repository: str) -> None:
        self._database, self._repository = database, repository

    def find(self, post_id: int) -> DepositRow | None:
        """The deposit of a post; None if it has not begun."""
        condition = (DEPOSITED.c.post_id == post_id, DEPOSITED.c.repository == self._repository)
        return next(iter(self._database.load(DepositRow, DEPOSITED, *condition)), None)

    def save(self, post_id: int, row: DepositRow, *, now: datetime) -> None:
        """Save the progress of a post's deposit."""
        values = {"post_id": post_id, "repository": self._repository, **asdict(row), "changed": now}
        self._database.upsert(DEPOSITED, [values])

    def unsettled(self, home: str, settled: str) -> list[str]:
        """The URLs of a blog's posts that may need a deposit: all posts except most of those in the stage `settled`.

        In the order in which they were added.
        """
        condition = (DEPOSITED.c.post_id == POST.c.id) & (DEPOSITED.c.repository == self._repository)
        query = (
            select(POST.c.url, POST.c.last_changed, DEPOSITED.c.stage, DEPOSITED.c.changed)
            .join(BLOG, BLOG.c.id == POST.c.blog_id)
            .outerjoin(DEPOSITED, condition)
            .where(BLOG.c.home == home)
            .order_by(POST.c.id)
        )
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [url for url, last, stage, changed in rows if stage != settled or last >= changed - _LONGEST_DEPOSIT]

    def draft_ids(self) -> set[str]:
        """Ids of all unfinished drafts."""
        condition = (DEPOSITED.c.repository == self._repository) & DEPOSITED.c.draft_id.is_not(None)
        return set(self._database.values(select(DEPOSITED.c.draft_id).where(condition)))


def hand_over(connection: Connection, post_id: int, heir_id: int) -> None:
    """Give the deposits of one post to another post that has none, since both are the same post."""
    own = select(DEPOSITED.c.repository).where(DEPOSITED.c.post_id == heir_id)
    condition = (DEPOSITED.c.post_id == post_id) & DEPOSITED.c.repository.not_in(own)
    connection.execute(update(DEPOSITED).where(condition).values(post_id=heir_id))
