"""The media files that a blog's crawls have requested, and the results."""

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
"""Number of rows that are read at once."""


@dataclass(frozen=True)
class KeptMedia:
    """A requested file: its stored path, or the error."""

    url: str
    #: time of the last request
    tried: datetime
    #: path in the store of files
    path: str | None = None
    sha256: str | None = None
    type: str | None = None
    bytes: int | None = None
    error: str | None = None


class MediaFiles:
    """The media files of one blog, by URL."""

    def __init__(self, database: Database, blog_id: int) -> None:
        self._database, self._blog_id = database, blog_id
        self._mine = MEDIA_FILE.c.blog_id == blog_id

    def find(self, url: str) -> KeptMedia | None:
        """The result for a file; None if it was never requested."""
        rows = self._database.load(KeptMedia, MEDIA_FILE, self._mine, MEDIA_FILE.c.url == url)
        return replace(rows[0], url=url) if rows else None

    def all(self) -> Iterator[KeptMedia]:
        """All requested files by URL."""
        query = select(*columns_of(KeptMedia, MEDIA_FILE)).where(self._mine)
        return (KeptMedia(**row) for row in self._database.in_batches(query, MEDIA_FILE.c.url, _BATCH))

    def save(self, media: KeptMedia) -> None:
        """Save the result of a request."""
        self._database.upsert(MEDIA_FILE, [{"blog_id": self._blog_id, **asdict(media)}])
