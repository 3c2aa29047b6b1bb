"""Column types, chosen so that SQLite and PostgreSQL store the same values of arbitrary web texts."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Dialect, String, Text, TypeDecorator

_LONGEST_KEY = 2600
"""Maximum bytes of an indexed text, since PostgreSQL allows 2704 bytes for all columns of an index."""
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


class UtcTime(TypeDecorator[datetime]):
    """An aware datetime, stored as ISO 8601 in UTC, since SQLite has no type with an offset."""

    impl = String(32)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Convert a value for the database. Raises ValueError for a time without an offset."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        return _in_utc(value).isoformat()

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Convert a value from the database."""
        return None if value is None else datetime.fromisoformat(value)


class PlainText(TypeDecorator[str]):
    """Text of any length, without characters that databases reject."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Convert a value for the database."""
        return None if value is None else str(storable(value))


class Key(TypeDecorator[str]):
    """Text by which rows are looked up. If it is too long for an index, its beginning and a digest are stored."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Convert a value for the database."""
        if value is None:
            return None
        encoded = str(storable(value)).encode()
        if len(encoded) <= _LONGEST_KEY:
            return encoded.decode()
        digest = hashlib.sha256(encoded).hexdigest()
        return f"{encoded[: _LONGEST_KEY - len(digest) - 3].decode(errors='ignore')}…{digest}"


def storable(value: Any) -> Any:  # noqa: ANN401
    """Text without characters that databases reject: NUL, and unpaired surrogates.

    In JSON they are stored as escapes.
    """
    if not isinstance(value, str) or (value.isascii() and "\0" not in value):
        return value
    return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def storable_json(value: Any) -> Any:  # noqa: ANN401
    """JSON data in which all texts are `storable`, since PostgreSQL cannot query JSON with other texts."""
    if isinstance(value, dict):
        return {storable(name): storable_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [storable_json(one) for one in value]
    return storable(value)


def _in_utc(moment: datetime) -> datetime:
    """The time in UTC. If that is outside the calendar's limits, the nearest limit."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return _FIRST if moment.year == _FIRST.year else _LAST
