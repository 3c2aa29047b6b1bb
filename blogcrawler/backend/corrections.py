"""People's corrections of fields that were read wrongly: the element of a post's page that holds the value."""

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
    """A correction with the page on which it was made."""

    #: URL of the post
    url: str
    field: str
    #: path of the element in the page's tree
    path: str
    #: the part of its text that is the value; None for the whole text
    words: str | None
    moment: datetime
    page: Page
    #: values of the post in the feed
    entry: Entry


@dataclass(frozen=True)
class CorrectionSummary:
    """A correction without its page."""

    #: URL of the post
    url: str
    field: str
    moment: datetime


class Corrections:
    """The corrections of one blog; the last one for a field of a post counts. Methods raise BackendUnavailable."""

    def __init__(self, database: Database, blog_id: int) -> None:
        self._database, self._blog_id = database, blog_id
        self._mine = CORRECTED_FIELD.c.blog_id == blog_id

    def save(self, correction: KeptCorrection) -> None:
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
        """Delete a correction; return False if there was none."""
        condition = self._mine & (CORRECTED_FIELD.c.key == key_of(url)) & (CORRECTED_FIELD.c.field == field)
        return self._database.run(delete(CORRECTED_FIELD).where(condition)) > 0

    def all(self) -> list[KeptCorrection]:
        """All corrections, the oldest first."""
        query = select(CORRECTED_FIELD).where(self._mine).order_by(*_OLDEST_FIRST)
        return [_correction(row) for row in self._database.rows(query)]

    def without_pages(self) -> list[CorrectionSummary]:
        """All corrections without their pages, the oldest first."""
        return self._database.load(CorrectionSummary, CORRECTED_FIELD, self._mine, by=_OLDEST_FIRST)


def _correction(row: RowMapping) -> KeptCorrection:
    values = (row["url"], row["field"], row["path"], row["words"], row["moment"])
    return KeptCorrection(*values, page_of(row), load(Entry, row["entry"]))
