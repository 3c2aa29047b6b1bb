"""What a server was asked and what it answered, byte by byte."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

Truncation = Literal["length", "time", "disconnect", "unspecified"]
"""Why a body is not whole (WARC 1.1, section 5.13)."""


@dataclass(frozen=True)
class Exchange:
    """One request and its response. Heads are as they were on the wire, up to and with the empty line."""

    url: str
    request_head: bytes
    response_head: bytes
    status: int
    #: as it was sent: encoded as Content-Encoding says, but without the chunks of a Transfer-Encoding
    body: bytes
    at: datetime
    request_body: bytes = b""
    #: of the server that answered
    ip: str | None = None
    truncated: Truncation | None = None

    @property
    def method(self) -> str:
        """GET, POST, …"""
        return self.request_head.partition(b" ")[0].decode("latin-1").upper()

    @cached_property
    def digest(self) -> str:
        """Of the body, as WARC files write it."""
        return sha256(self.body)

    def header(self, name: str) -> str:
        """The first value of a header of the response; empty where there is none."""
        wanted = name.lower().encode("ascii")
        for line in self.response_head.splitlines()[1:]:
            key, colon, value = line.partition(b":")
            if colon and key.strip().lower() == wanted:
                return value.strip().decode("latin-1")
        return ""


def sha256(*parts: bytes) -> str:
    """A digest as WARC files write it."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return f"sha256:{digest.hexdigest()}"
