"""The posts of an export."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blogcrawler.items import Entry


@dataclass
class BlogExport:
    """The public posts of an export, in its order, with all their comments if it has comments."""

    entries: list[Entry] = field(default_factory=list)
    #: number of posts that are not public: drafts, scheduled and private posts, posts with a password or in the trash
    left_out: int = 0
    #: when the blog was exported, as the export states
    stated_time: str | None = None

    @property
    def time(self) -> str | None:
        """When the blog was exported, or the latest time of its entries, ISO 8601 in UTC; None if unknown."""
        times = (time for entry in self.entries for time in (entry.published, entry.updated))
        known = [_utc(time) for time in ([self.stated_time] if self.stated_time else times)]
        return max(filter(None, known), default=None)


def _utc(time: str | None) -> str | None:
    try:
        moment = datetime.fromisoformat(time or "")
    except ValueError:
        return None
    return moment.astimezone(UTC).isoformat(timespec="seconds") if moment.tzinfo is not None else None
