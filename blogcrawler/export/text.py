"""Text as files take it."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["encoded", "json_line", "plain"]


def encoded(text: str) -> bytes:
    """UTF-8; halves of surrogate pairs, which no UTF-8 can have, become question marks."""
    return text.encode("utf-8", "replace")


def json_line(value: Any) -> bytes:  # noqa: ANN401
    """A value of JSON types in one line, the same that a crawl writes."""
    return encoded(json.dumps(value, ensure_ascii=False)) + b"\n"


def plain(text: str) -> str:
    """Text that any program reads: without NUL, and with question marks for halves of surrogate pairs."""
    return encoded(text.replace("\0", "")).decode()
