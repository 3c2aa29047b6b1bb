"""Comments and paging in a system's answers, read by the paths of systems.toml, which are JMESPath."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any

from jmespath import search

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MILLISECONDS = 10_000_000_000
"""A time above this is not in seconds."""


def read_answer(body: bytes, within: str | None = None) -> Any:  # noqa: ANN401
    """An answer as JSON types; `within`: the pattern whose group is the JSON in a page. None where it is none."""
    text = body.decode("utf-8", "replace")
    if within is not None:
        match = re.search(within, text, re.DOTALL)
        text = match[1] if match else ""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def number(value: Any) -> int | None:  # noqa: ANN401
    """A number of comments or pages, which some servers write as text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value) if isinstance(value, str) and value.isdecimal() else None


def comments_in(items: list[Any], answer: Any, spec: Mapping[str, Any]) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    """The fields of an answer's comments, each before those that answer it, with `is_top` and `is_short`.

    A short comment has announced more replies than there are.
    """
    waiting: list[tuple[Any, str | None]] = [(item, None) for item in reversed(items)]
    while waiting:
        item, above = waiting.pop()
        if "skip" in spec and search(spec["skip"], item):
            continue
        fields = {name: _field(item, answer, field) for name, field in spec["fields"].items()}
        found: dict[str, Any] = {name: value for name, value in fields.items() if value}
        found["parent"] = found.get("parent") or above or ""
        if "published" in found:
            found["published"] = _moment(found["published"])
        replies = search(spec["replies"], item) if "replies" in spec else None
        replies = replies if isinstance(replies, list) else []
        announced = number(search(spec["announced"], item)) if "announced" in spec else None
        waiting += [(reply, found.get("id")) for reply in reversed(replies)]
        yield {**found, "is_top": above is None, "is_short": (announced or 0) > len(replies)}


class Paging:
    """Where in a thread the next answer begins, and whether there is one (`paging` in systems.toml)."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self._spec = spec
        self._page, self._comments = 1, 0
        self._parts: dict[str, str] = {}
        self.is_at_end = False

    @property
    def parts(self) -> dict[str, str]:
        """The parts that requests may name: `page` and `start` from 1, `offset` from 0, `cursor`, `least`."""
        offset = self._comments
        return {"page": str(self._page), "offset": str(offset), "start": str(offset + 1), "cursor": "", **self._parts}

    def advance(self, answer: Any, items: Sequence[Any], comments: int, total: int | None) -> None:  # noqa: ANN401
        """Go on behind an answer with these items; `comments` of a `total` are known now."""
        spec = self._spec
        adds_nothing, self._comments = comments == self._comments, comments
        if "pages" in spec:
            is_last = self._page >= (number(search(spec["pages"], answer)) or 1)
        elif "size" in spec:
            is_last = len(items) < spec["size"]
        elif "more" in spec:
            is_last = search(spec["more"], answer) is not True
        else:
            is_last = not spec.get("to_total") or comments >= (total or 0)
        self.is_at_end = is_last or adds_nothing
        self._page += 1
        if "cursor" in spec:
            self._parts["cursor"] = str(search(spec["cursor"], answer))
        if "least" in spec:
            counted = [item for item in items if "unless" not in spec or not search(spec["unless"], item)]
            values = [value for item in counted if (value := number(search(spec["least"], item))) is not None]
            self._parts["least"] = str(min(values, default=0))


def _field(item: Any, answer: Any, spec: Any) -> str:  # noqa: ANN401
    """A field of a comment; "" where it has none."""
    if isinstance(spec, str):
        value = search(spec, item)
        return "" if value is None or isinstance(value, (dict, list)) else str(value)
    if isinstance(spec, list):
        return next(filter(None, (_field(item, answer, path) for path in spec)), "")
    value = _field(item, answer, spec["at"])
    if "table" in spec:
        value = _field(_entry(search(spec["table"], answer), value), answer, spec["value"])
    if "match" in spec:
        match = re.search(spec["match"], value)
        value = match[1] if match else ""
    if value in ("", spec.get("none")):
        return ""
    return _paragraphs(value) if spec.get("is_text") else value + spec.get("suffix", "")


def _entry(table: Any, key: str) -> Any:  # noqa: ANN401
    """The entry of a key in a table, which is a list of entries with an `id` or maps keys to them."""
    if isinstance(table, list):
        return next((entry for entry in table if str(search("id", entry)) == key), None)
    return table.get(key) if isinstance(table, dict) else None


def _paragraphs(text: str) -> str:
    """Plain text as HTML."""
    parts = (escape(part.strip()).replace("\n", "<br>") for part in re.split(r"\n\s*\n", text.strip()))
    return "".join(f"<p>{part}</p>" for part in parts if part)


def _moment(written: str) -> str:
    """A time as ISO 8601, from seconds or milliseconds since 1970; anything else as it is written."""
    try:
        seconds = float(written)
        return datetime.fromtimestamp(seconds / 1000 if seconds > MILLISECONDS else seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return written
