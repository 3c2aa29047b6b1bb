"""How far the deposits of posts in repositories are, so that one that was cut goes on, and none is made twice."""

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
"""A post may change while what it said before is deposited, and clocks are set."""


@dataclass(frozen=True)
class DepositRow:
    """The deposit of one post in one repository."""

    #: an identifier of ours, by which what was made of the post is found there
    marker: str
    stage: str
    #: what is in work there, and what was published last
    draft_id: str | None = None
    record_id: str | None = None
    #: of all that was handed over last
    sha256: str | None = None
    #: where people see it
    page: str | None = None


class Deposits:
    """The deposits in one repository, by the numbers of posts."""

    def __init__(self, database: Database, repository: str) -> None:
        self._database, self._repository = database, repository

    def find(self, post_id: int) -> DepositRow | None:
        """The deposit of a post; None before it was begun."""
        mine = (DEPOSITED.c.post_id == post_id, DEPOSITED.c.repository == self._repository)
        return next(iter(self._database.load(DepositRow, DEPOSITED, *mine)), None)

    def save(self, post_id: int, row: DepositRow, *, now: datetime) -> None:
        """Keep how far the deposit of a post is."""
        values = {"post_id": post_id, "repository": self._repository, **asdict(row), "changed": now}
        self._database.upsert(DEPOSITED, [values])

    def unsettled(self, home: str, settled: str) -> list[str]:
        """The addresses of a blog's posts that may lack something here: all but most of those that are `settled`.

        In the order in which they came in.
        """
        mine = (DEPOSITED.c.post_id == POST.c.id) & (DEPOSITED.c.repository == self._repository)
        query = (
            select(POST.c.url, POST.c.last_changed, DEPOSITED.c.stage, DEPOSITED.c.changed)
            .join(BLOG, BLOG.c.id == POST.c.blog_id)
            .outerjoin(DEPOSITED, mine)
            .where(BLOG.c.home == home)
            .order_by(POST.c.id)
        )
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [url for url, last, stage, changed in rows if stage != settled or last >= changed - _LONGEST_DEPOSIT]

    def draft_ids(self) -> set[str]:
        """Of all that is in work."""
        mine = (DEPOSITED.c.repository == self._repository) & DEPOSITED.c.draft_id.is_not(None)
        return set(self._database.values(select(DEPOSITED.c.draft_id).where(mine)))


def hand_over(connection: Connection, post_id: int, heir_id: int) -> None:
    """Make the deposits of a post those of another one, where that has none: both are one."""
    own = select(DEPOSITED.c.repository).where(DEPOSITED.c.post_id == heir_id)
    mine = (DEPOSITED.c.post_id == post_id) & DEPOSITED.c.repository.not_in(own)
    connection.execute(update(DEPOSITED).where(mine).values(post_id=heir_id))
