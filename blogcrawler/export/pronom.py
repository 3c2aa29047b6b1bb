"""Formats of files as PRONOM numbers them, where the first bytes tell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from blogcrawler.serialise import load_file


@dataclass(frozen=True)
class FileFormatName:
    """A format in PRONOM's words."""

    name: str
    version: str | None
    puid: str


def format_of(media_type: str | None, head: bytes) -> FileFormatName | None:
    """The format of a file, by its media type and its first bytes; None where these do not tell."""
    kind = (media_type or "").partition(";")[0].strip().lower()
    return next((known for begins, known in _formats().get(kind, ()) if begins.match(head)), None)


@cache
def _formats() -> dict[str, list[tuple[re.Pattern[bytes], FileFormatName]]]:
    formats: dict[str, list[tuple[re.Pattern[bytes], FileFormatName]]] = {}
    for row in load_file(list[dict[str, Any]], __package__, "pronom.json"):
        begins = re.compile(row["begins"].encode(), re.DOTALL)
        known = FileFormatName(row["name"], row["version"], row["puid"])
        formats.setdefault(row["type"], []).append((begins, known))
    return formats
