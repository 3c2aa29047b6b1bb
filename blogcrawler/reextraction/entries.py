"""What a feed has said of a post, as far as its record still tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blogcrawler.items import Entry
from blogcrawler.pipelines.content import ENTRY_FIELDS, FEED_CONFIDENCE, LIST_PAGE

if TYPE_CHECKING:
    from blogcrawler.items import Record


def entry_of(record: Record) -> Entry | None:
    """The entry of a record's fields that a feed has told, or a list; None where none was. O(1).

    The author of all entries of a feed is no entry's own, and is left out.
    """
    sources = record.provenance.fields
    listed = any(one.source == "fallback" and one.rule == LIST_PAGE for one in sources.values())
    told: dict[str, Any] = {}
    for name in ENTRY_FIELDS:
        one = sources.get(name)
        is_told = one is not None and one.source == "feed" and one.confidence >= FEED_CONFIDENCE
        is_listed = one is not None and one.source == "fallback" and one.rule == LIST_PAGE
        if is_listed if listed else is_told:
            value = getattr(record, name)
            told[name] = tuple(value) if isinstance(value, list) else value
    content = sources.get("content")
    if content is not None and content.source == "feed":
        told |= {"content_html": record.content_html, "is_summary": content.confidence < FEED_CONFIDENCE}
    if not told and record.guid is None:
        return None
    count = None if listed else record.comment_count
    return Entry(record.url, record.guid, comment_count=count, is_synthetic=listed, **told)
