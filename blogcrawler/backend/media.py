"""Which files of posts a blog's crawls have asked for, and what became of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import select

from blogcrawler.backend.database import columns_of
from blogcrawler.backend.tables import MEDIA_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from blogcrawler.backend.database import Database


_BATCH = 1000
"""Rows that are read at once."""


@dataclass(frozen=True)
class KeptMedia:
    """A file as the archive knows it: where it is kept, or why it is not."""

    url: str
    #: when it was asked for last
    tried: datetime
    #: below the store of files
    path: str | None = None
    sha256: str | None = None
    type: str | None = None
    bytes: int | None = None
    error: str | None = None


class MediaFiles:
    """The files of one blog's posts, by their URLs."""

    def __init__(self, database: Database, blog_id: int) -> None:
        self._database, self._blog_id = database, blog_id
        self._mine = MEDIA_FILE.c.blog_id == blog_id

    def find(self, url: str) -> KeptMedia | None:
        """What is known of a file; None where it was never asked for."""
        found = self._database.load(KeptMedia, MEDIA_FILE, self._mine, MEDIA_FILE.c.url == url)
        return replace(found[0], url=url) if found else None

    def all(self) -> Iterator[KeptMedia]:
        """All files that were asked for, by their URLs."""
        query = select(*columns_of(KeptMedia, MEDIA_FILE)).where(self._mine)
        return (KeptMedia(**row) for row in self._database.in_batches(query, MEDIA_FILE.c.url, _BATCH))

    def save(self, kept: KeptMedia) -> None:
        """Keep what became of a request for a file."""
        self._database.upsert(MEDIA_FILE, [{"blog_id": self._blog_id, **asdict(kept)}])
