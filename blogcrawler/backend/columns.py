"""What columns of the archive's database take, so that SQLite and PostgreSQL keep the same of whatever the web says."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Dialect, String, Text, TypeDecorator

_LONGEST_KEY = 2600
"""Bytes of a text that is in an index; PostgreSQL takes no more than 2704 for all columns of one."""
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


class UtcTime(TypeDecorator[datetime]):
    """An aware datetime, kept as ISO 8601 in UTC: SQLite has no type that keeps the offset."""

    impl = String(32)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """To the database. Raises ValueError for a naive datetime."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        return _in_utc(value).isoformat()

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """From the database."""
        return None if value is None else datetime.fromisoformat(value)


class PlainText(TypeDecorator[str]):
    """Text of any length, without what databases refuse."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """To the database."""
        return None if value is None else str(storable(value))


class Key(TypeDecorator[str]):
    """Text by which rows are found. Of one that is too long for an index the beginning is kept, and its digest."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """To the database."""
        if value is None:
            return None
        said = str(storable(value)).encode()
        if len(said) <= _LONGEST_KEY:
            return said.decode()
        digest = hashlib.sha256(said).hexdigest()
        return f"{said[: _LONGEST_KEY - len(digest) - 3].decode(errors='ignore')}…{digest}"


def storable(value: Any) -> Any:  # noqa: ANN401
    """Text without what databases refuse: NUL, and halves of surrogate pairs. JSON keeps them as escapes."""
    if not isinstance(value, str) or (value.isascii() and "\0" not in value):
        return value
    return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def storable_json(value: Any) -> Any:  # noqa: ANN401
    """JSON types all of whose texts are `storable`: PostgreSQL reads no part of JSON that holds others."""
    if isinstance(value, dict):
        return {storable(name): storable_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [storable_json(one) for one in value]
    return storable(value)


def _in_utc(moment: datetime) -> datetime:
    """The first or last moment that there is for one that only other time zones have."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return _FIRST if moment.year == _FIRST.year else _LAST
