"""What people have said of fields that were read wrong: which element of a post's page has the value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from blogcrawler.backend.rows import key_of, page_columns, page_of
from blogcrawler.backend.tables import CORRECTED_FIELD
from blogcrawler.items import Entry, Page
from blogcrawler.serialise import dump, load

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import RowMapping

    from blogcrawler.backend.database import Database

_OLDEST_FIRST = (CORRECTED_FIELD.c.moment, CORRECTED_FIELD.c.key, CORRECTED_FIELD.c.field)


@dataclass(frozen=True)
class KeptCorrection:
    """A correction, with the page that it was made on."""

    #: of the post
    url: str
    field: str
    #: of the element in the page's tree
    path: str
    #: the words of it that are the value, where these are not all
    words: str | None
    moment: datetime
    page: Page
    #: what the feed says of the post
    entry: Entry


@dataclass(frozen=True)
class Made:
    """That a correction was made."""

    #: of the post
    url: str
    field: str
    moment: datetime


class Corrections:
    """Those of one blog; the last one of a field of a post counts. Calls raise BackendUnavailable."""

    def __init__(self, database: Database, blog_id: int) -> None:
        self._database, self._blog_id = database, blog_id
        self._mine = CORRECTED_FIELD.c.blog_id == blog_id

    def save(self, correction: KeptCorrection) -> None:
        """Keep one."""
        row = {
            "blog_id": self._blog_id,
            "key": key_of(correction.url),
            "field": correction.field,
            "path": correction.path,
            "words": correction.words,
            "moment": correction.moment,
            "url": correction.url,
            "entry": dump(correction.entry),
            **page_columns(correction.page),
        }
        self._database.upsert(CORRECTED_FIELD, [row])

    def drop(self, url: str, field: str) -> bool:
        """Take one back; False where there was none."""
        mine = self._mine & (CORRECTED_FIELD.c.key == key_of(url)) & (CORRECTED_FIELD.c.field == field)
        return self._database.run(delete(CORRECTED_FIELD).where(mine)) > 0

    def all(self) -> list[KeptCorrection]:
        """All, the oldest first."""
        query = select(CORRECTED_FIELD).where(self._mine).order_by(*_OLDEST_FIRST)
        return [_correction(row) for row in self._database.rows(query)]

    def made(self) -> list[Made]:
        """Which there are, without their pages; the oldest first."""
        return self._database.load(Made, CORRECTED_FIELD, self._mine, by=_OLDEST_FIRST)


def _correction(row: RowMapping) -> KeptCorrection:
    told = (row["url"], row["field"], row["path"], row["words"], row["moment"])
    return KeptCorrection(*told, page_of(row), load(Entry, row["entry"]))
