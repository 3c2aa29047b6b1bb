"""How blogs stand with their crawls, in words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blogcrawler.backend import BlogRow

BUSY = "is being crawled"


def time_label(moment: datetime | None) -> str:
    """When it was, in UTC, to the minute."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M") if moment is not None else "never"


def due_label(due: datetime | None, now: datetime) -> str:
    """When the next crawl is due."""
    return "now" if due is None or due <= now else time_label(due)


def state_label(blog: BlogRow, *, is_busy: bool) -> str:
    """What became of the last crawl."""
    if is_busy:
        return BUSY
    if not blog.is_followed:
        return "removed"
    if blog.failures:
        return f"failed: {blog.crawl_reason}"
    if blog.crawl_started is None:
        return "not crawled yet"
    return "complete" if blog.crawl_complete else "cut short"
