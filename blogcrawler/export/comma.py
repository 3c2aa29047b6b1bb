"""CSV (RFC 4180): one post in a row, without nested fields such as comments."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any, BinaryIO

from blogcrawler.export.format import TextFormat
from blogcrawler.export.text import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from blogcrawler.backend import KeptPost
    from blogcrawler.export.selection import Selection

SEPARATOR, ESCAPE = "|", "\\"
"""Separator of the values of a list, and the escape character within values."""
FORMULA = re.compile(r"[\s\x00-\x1f\ufeff\u200b]*[=+\-@＝＋－＠]")
"""First characters of cells that spreadsheets treat as formulas, some also after white space (OWASP, "CSV
Injection")."""
MARK = "'"
"""Prefix of cells that would be formulas or that begin with this character."""

COLUMNS: dict[str, Callable[[KeptPost], Any]] = {
    "blog": lambda post: post.record.blog,
    "url": lambda post: post.record.url,
    "guid": lambda post: post.record.guid,
    "title": lambda post: post.record.title,
    "authors": lambda post: _joined(post.record.authors),
    "published": lambda post: post.record.published,
    "updated": lambda post: post.record.updated,
    "tags": lambda post: _joined(post.record.tags),
    "language": lambda post: post.record.language,
    "content_html": lambda post: post.record.content_html,
    "content_text": lambda post: post.record.content_text,
    "comment_count": lambda post: post.record.comment_count,
    "comments_kept": lambda post: len(post.record.comments),
    "media_kept": lambda post: sum(file.path is not None for file in post.record.media),
    "fetched": lambda post: post.record.provenance.fetched,
    "status": lambda post: post.record.provenance.status,
    "sha256": lambda post: post.record.provenance.sha256,
    "rendered": lambda post: str(post.record.provenance.rendered).lower(),
    "warc": lambda post: post.record.provenance.warc,
    "generator": lambda post: post.record.provenance.generator,
    "first_seen": lambda post: _time(post.first_seen),
    "last_changed": lambda post: _time(post.last_changed),
    "gone": lambda post: _time(post.gone),
}
"""Functions from a post to the value of a column, by heading."""


def write(selection: Selection, stream: BinaryIO) -> None:
    """Write a row of headings and a row for each post."""
    text = io.TextIOWrapper(stream, "utf-8", newline="")
    try:
        rows = csv.writer(text, lineterminator="\r\n")
        rows.writerow(COLUMNS)
        rows.writerows([_safe(make(post)) for make in COLUMNS.values()] for post in selection.posts())
        text.flush()
    finally:
        text.detach()


FORMAT = TextFormat("csv", write)


def _joined(values: Iterable[str]) -> str:
    escaped = (value.replace(ESCAPE, ESCAPE * 2).replace(SEPARATOR, ESCAPE + SEPARATOR) for value in values)
    return SEPARATOR.join(escaped)


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _safe(cell: Any) -> Any:  # noqa: ANN401
    """Return a cell value that no spreadsheet executes, without NUL; numbers are unchanged."""
    if not isinstance(cell, str):
        return cell
    cell = plain(cell)
    return MARK + cell if cell.startswith(MARK) or FORMULA.match(cell) else cell
