"""What tests of archives have in common."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from blogcrawler.backend import Archive
from blogcrawler.items import Record


def save_records(archive: Archive, records: Iterable[Record], *, now: datetime) -> list[str]:
    """Save several records in one transaction."""
    with archive.transaction():
        return [archive.save_record(record, now=now) for record in records]
