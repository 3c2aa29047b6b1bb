"""Parquet: the records with their nested fields in columns, for data analysis."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from blogcrawler.errors import BlogcrawlerError
from blogcrawler.export.format import FileFormat
from blogcrawler.export.text import plain
from blogcrawler.items import Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from blogcrawler.backend import KeptPost
    from blogcrawler.export.selection import Selection

_MOST_ROWS, _MOST_CHARACTERS = 5000, 1 << 23
"""Limits of a row group, which is built in memory."""


def write(selection: Selection, path: Path) -> None:
    """Write row groups. Raises BlogcrawlerError if pyarrow is not installed."""
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


FORMAT = FileFormat("parquet", write, needs="pyarrow")


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
    """Return a JSON value without text that is invalid in UTF-8."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, list):
        return list(map(_plain, value))
    if isinstance(value, dict):
        return {plain(name): _plain(part) for name, part in value.items()}
    return value


def _schema(pyarrow: Any) -> Any:  # noqa: ANN401
    """Return the columns with their types: the record's keys and data of the archive."""
    time = pyarrow.timestamp("us", "UTC")
    known = {"first_seen": time, "last_changed": time, "gone": time}
    return pyarrow.schema([*_type(pyarrow, Record), *known.items()])


def _type(pyarrow: Any, kind: Any) -> Any:  # noqa: ANN401
    """Return the nullable column type for a Python type."""
    origin, parts = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        kinds = get_type_hints(kind)
        return pyarrow.struct({field.name: _type(pyarrow, kinds[field.name]) for field in fields(kind)})
    if origin is UnionType:
        return _type(pyarrow, parts[0])
    if origin is list:
        return pyarrow.list_(_type(pyarrow, parts[0]))
    if origin is dict:
        return pyarrow.map_(*(_type(pyarrow, part) for part in parts))
    types = {int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    return types.get(kind, pyarrow.string())
