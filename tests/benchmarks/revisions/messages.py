"""Requests and answers, as the recording proxy sees them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

RECORDED = (
    "Accept",
    "Accept-Encoding",
    "Accept-Language",
    "Authorization",
    "Content-Type",
    "Cookie",
    "If-Modified-Since",
    "If-None-Match",
    "Range",
    "Referer",
    "User-Agent",
)
"""Headers that are compared."""


@dataclass(frozen=True)
class Request:
    """What a crawl asked for."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True)
class Answer:
    """What a server answers."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


NOT_FOUND = Answer(
    404,
    {"Content-Type": "text/html"},
    b"<!DOCTYPE html><html><title>Not found</title><body><h1>Not found</h1></body></html>",
)
