"""JSON Lines: one record a line, as crawls write them; and the JSON Schema of a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from blogcrawler.export.data_files import data_text
from blogcrawler.export.format import TextFormat
from blogcrawler.export.target import streamed
from blogcrawler.export.text import json_line

if TYPE_CHECKING:
    from blogcrawler.export.selection import Selection

SCHEMA_NAME = "schema"


def write(selection: Selection, stream: BinaryIO) -> None:
    """Write each record in a line."""
    stream.writelines(json_line(post.record.to_dict()) for post in selection.posts())


FORMAT = TextFormat("jsonl", "JSON Lines, one record a line", write)


def schema() -> str:
    """The JSON Schema (draft 2020-12) that every line of the format fulfils."""
    return data_text("record.schema.json")


def export_schema(target: str) -> None:
    """Write the schema to a file or, for "-", to standard output. Raises as `Format.export` does."""
    with streamed(target) as stream:
        stream.write(schema().encode())
