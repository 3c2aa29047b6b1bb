"""JSON Lines, one record in a line, as crawls write them; and the JSON Schema of a record."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from blogcrawler.backend import Fault
from blogcrawler.export.format import TextFormat
from blogcrawler.export.target import streamed
from blogcrawler.export.text import data_text, json_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from blogcrawler.export.selection import Selection
    from blogcrawler.items import Record

_MOST = 5
"""Most schema violations reported for one record."""


def write(selection: Selection, stream: BinaryIO) -> None:
    """Write each record in a line."""
    stream.writelines(json_line(post.record.to_dict()) for post in selection.posts())


FORMAT = TextFormat("jsonl", write)


def schema() -> str:
    """Return the JSON Schema (draft 2020-12) of a line."""
    return data_text("record.schema.json")


def export_schema(target: str) -> None:
    """Write the schema to a file or, for "-", to standard output. Raises as `Format.export` does."""
    with streamed(target) as stream:
        stream.write(schema().encode())


def bad_records(records: Iterable[Record]) -> Iterator[Fault]:
    """Validate records against their JSON Schema; yield a fault for each invalid record. O(n)."""
    import jsonschema_rs  # imported late to start faster

    validator = jsonschema_rs.validator_for(json.loads(schema()))
    for record in records:
        errors = list(islice(validator.iter_errors(record.to_dict()), _MOST))
        if errors:
            messages = (
                f"{'.'.join(map(str, error.instance_path)) or 'the record'}: {error.message}" for error in errors
            )
            yield Fault(record.url, "; ".join(messages))
