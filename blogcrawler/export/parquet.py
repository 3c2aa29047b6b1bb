"""Parquet: the records with their lists and structures, in columns, for programs that read much at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blogcrawler.errors import BlogcrawlerError
from blogcrawler.export.format import FileFormat
from blogcrawler.export.text import plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from blogcrawler.backend import KeptPost
    from blogcrawler.export.selection import Selection

_MOST_ROWS, _MOST_CHARACTERS = 5000, 1 << 23
"""Of a row group: whichever is reached first. A group is made in memory."""


def write(selection: Selection, path: Path) -> None:
    """Write row groups. Raises BlogcrawlerError where the package that does it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise BlogcrawlerError(
            "The format parquet needs the Python package pyarrow; install it: pip install 'blogcrawler[parquet]'"
        ) from error
    schema = _schema(pyarrow)
    with pyarrow.parquet.ParquetWriter(str(path), schema, compression="zstd") as writer:
        for rows in _groups(selection):
            writer.write_table(pyarrow.Table.from_pylist(rows, schema))


FORMAT = FileFormat("parquet", "Parquet, the records in columns", write, needs="pyarrow")


def _groups(selection: Selection) -> Iterator[list[dict[str, Any]]]:
    rows, size = [], 0
    for post in selection.posts():
        rows.append(_row(post))
        record = post.record
        size += len(record.content_html or "") + len(record.content_text or "")
        size += sum(len(comment.content_html or "") + len(comment.content_text or "") for comment in record.comments)
        if len(rows) >= _MOST_ROWS or size >= _MOST_CHARACTERS:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows


def _row(post: KeptPost) -> dict[str, Any]:
    row: dict[str, Any] = _plain(post.record.to_dict())
    row["provenance"]["fields"] = list(row["provenance"]["fields"].items())
    return {**row, "first_seen": post.first_seen, "last_changed": post.last_changed, "gone": post.gone}


def _plain(value: Any) -> Any:  # noqa: ANN401
    """JSON types without text that no UTF-8 can have."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, list):
        return list(map(_plain, value))
    if isinstance(value, dict):
        return {plain(name): _plain(part) for name, part in value.items()}
    return value


def _schema(pyarrow: Any) -> Any:  # noqa: ANN401
    """The record's keys and what the archive knows besides, with their types."""
    text, number, time = pyarrow.string(), pyarrow.int64(), pyarrow.timestamp("us", "UTC")
    source = pyarrow.struct({"source": text, "rule": text, "confidence": pyarrow.float64()})
    comment = pyarrow.struct(
        dict.fromkeys(
            ("id", "parent", "kind", "author", "author_url", "published", "url", "content_html", "content_text"), text
        )
    )
    media = pyarrow.struct(
        dict.fromkeys(("url", "path", "sha256", "type"), text) | {"bytes": number, "role": text, "error": text}
    )
    provenance = {
        "fetched": text,
        "status": number,
        "sha256": text,
        "rendered": pyarrow.bool_(),
        "warc": text,
        "generator": text,
        "fields": pyarrow.map_(text, source),
    }
    columns = {
        "blog": text,
        "url": text,
        "guid": text,
        "title": text,
        "authors": pyarrow.list_(text),
        "published": text,
        "updated": text,
        "tags": pyarrow.list_(text),
        "language": text,
        "content_html": text,
        "content_text": text,
        "comments": pyarrow.list_(comment),
        "comment_count": number,
        "media": pyarrow.list_(media),
        "provenance": pyarrow.struct(provenance),
        "first_seen": time,
        "last_changed": time,
        "gone": time,
    }
    return pyarrow.schema(columns)
