"""Are the records of an archive what its schema promises?"""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING

from blogcrawler.backend import Fault
from blogcrawler.export.jsonl import schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from blogcrawler.items import Record

_MOST = 5
"""Differences of one record that are told."""


def bad_records(records: Iterable[Record]) -> Iterator[Fault]:
    """What records have that the JSON Schema of a record does not allow, a fault for each record. O(n)."""
    import jsonschema_rs  # read when it is used: the program starts without it

    validator = jsonschema_rs.validator_for(json.loads(schema()))
    for record in records:
        errors = list(islice(validator.iter_errors(record.to_dict()), _MOST))
        if errors:
            told = (f"{'.'.join(map(str, error.instance_path)) or 'the record'}: {error.message}" for error in errors)
            yield Fault(record.url, "; ".join(told))
