"""Stored values as other versions would have written them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

ANSWERS = "answers"
"""A mapping whose names are no fields."""


def other_forms(stored: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A stored value without each of its fields in turn, at any depth, and with a field more."""
    for name, value in stored.items():
        yield {other: kept for other, kept in stored.items() if other != name}
        if isinstance(value, dict) and name != ANSWERS:
            yield from ({**stored, name: nested} for nested in other_forms(value))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield from ({**stored, name: [nested, *value[1:]]} for nested in other_forms(value[0]))
    yield {**stored, "unheard_of": None}
