"""Reads comments out of a system's answers, as data/endpoints.toml describes them."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["MISSING", "at", "comments_in", "has", "number", "read_answer"]

MILLISECONDS = 10_000_000_000
"""A time above this is not in seconds."""
MISSING = object()


def read_answer(body: bytes, within: str | None = None) -> Any:  # noqa: ANN401
    """An answer as JSON types; `within`: the pattern whose group is the JSON in a page. MISSING for none."""
    text = body.decode("utf-8", "replace")
    if within is not None:
        match = re.search(within, text, re.DOTALL)
        text = match[1] if match else ""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return MISSING


def at(value: Any, path: str) -> Any:  # noqa: ANN401
    """What stands at a path of names and numbers in an answer: "feed.entry.0.id"; the answer itself at ""."""
    for name in filter(None, path.split(".")):
        if isinstance(value, dict):
            value = value.get(name, MISSING)
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return MISSING
    return value


def has(values: Mapping[str, Any], item: Any) -> bool:  # noqa: ANN401
    """Has an item these values, by path?"""
    return all(at(item, path) == value for path, value in values.items())


def number(value: Any) -> int | None:  # noqa: ANN401
    """A number of comments or pages, which some servers write as text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value) if isinstance(value, str) and value.isdecimal() else None


def comments_in(items: list[Any], answer: Any, told: Mapping[str, Any]) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    """The comments of an answer, each before those that answer it: its fields, whether it `is_top`, and is `short`.

    A short one has announced more replies than there are.
    """
    waiting: list[tuple[Any, str | None]] = [(item, None) for item in reversed(items)]
    while waiting:
        item, above = waiting.pop()
        if "skip" in told and has(told["skip"], item):
            continue
        fields = {name: _field(item, answer, spec) for name, spec in told["fields"].items()}
        found: dict[str, Any] = {name: value for name, value in fields.items() if value}
        found["parent"] = found.get("parent") or above or ""
        if "published" in found:
            found["published"] = _moment(found["published"])
        replies = at(item, told["replies"]) if "replies" in told else None
        replies = replies if isinstance(replies, list) else []
        announced = number(at(item, told["announced"])) if "announced" in told else None
        waiting += [(reply, found.get("id")) for reply in reversed(replies)]
        yield {**found, "is_top": above is None, "is_short": (announced or 0) > len(replies)}


def _field(item: Any, answer: Any, spec: Any) -> str:  # noqa: ANN401
    """A field of a comment; "" where it has none."""
    if isinstance(spec, str):
        value = at(item, spec)
        return "" if value is MISSING or value is None or isinstance(value, (dict, list)) else str(value)
    if isinstance(spec, list):
        return next(filter(None, (_field(item, answer, one) for one in spec)), "")
    if "among" in spec:
        entries = at(item, spec["among"])
        item = next(filter(partial(has, spec["where"]), entries if isinstance(entries, list) else []), None)
    value = _field(item, answer, spec["at"])
    if "table" in spec:
        value = _field(_entry(at(answer, spec["table"]), value), answer, spec["value"])
    if "match" in spec:
        match = re.search(spec["match"], value)
        value = match[1] if match else ""
    if value in ("", spec.get("none")):
        return ""
    return _paragraphs(value) if spec.get("is_text") else value + spec.get("suffix", "")


def _entry(table: Any, key: str) -> Any:  # noqa: ANN401
    """The entry of a key in a table, which is a list of entries with an `id` or maps keys to them."""
    if isinstance(table, list):
        return next((entry for entry in table if str(at(entry, "id")) == key), MISSING)
    return table.get(key, MISSING) if isinstance(table, dict) else MISSING


def _paragraphs(text: str) -> str:
    """Plain text as HTML."""
    parts = (escape(part.strip()).replace("\n", "<br>") for part in re.split(r"\n\s*\n", text.strip()))
    return "".join(f"<p>{part}</p>" for part in parts if part)


def _moment(told: str) -> str:
    """A time as ISO 8601: seconds or milliseconds since 1970, or what is written."""
    try:
        seconds = float(told)
        return datetime.fromtimestamp(seconds / 1000 if seconds > MILLISECONDS else seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return told
