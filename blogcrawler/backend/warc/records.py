"""Creates WARC records of requests and responses, each compressed as a gzip member of its own.

warcio writes them. It receives whole blocks, since it would rewrite HTTP headers: names, order, duplicates and white
space remain as the server sent them. Only `Transfer-Encoding` is renamed, since bodies are stored without chunks.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from dataclasses import dataclass
from datetime import UTC
from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING, Literal
from urllib.parse import urldefrag, urlsplit, urlunsplit
from uuid import uuid4

from warcio.bufferedreaders import DecompressingBufferedReader
from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

VERSION = "WARC/1.1"
PROFILE = "http://netpreserve.org/warc/1.1/revisit/"
RESPONSE = "application/http; msgtype=response"
REQUEST = "application/http; msgtype=request"
_LEVEL = 5
"""Compression level: warcio's default, 9, takes much longer, and hardly makes pages smaller."""
_MOST_DECODED = 64 * 1024 * 1024
"""Maximum size of a body that is decoded, in bytes."""
_CHUNKED = re.compile(rb"^(transfer-encoding[ \t]*:)", re.IGNORECASE | re.MULTILINE)
_SECRETS = re.compile(
    rb"^(?:authorization|proxy-authorization|cookie)[ \t]*:[^\n]*\n(?:[ \t][^\n]*\n)*", re.IGNORECASE | re.MULTILINE
)


Truncation = Literal["length", "time", "disconnect", "unspecified"]
"""Reasons for truncated bodies (WARC 1.1, section 5.13)."""


@dataclass(frozen=True)
class Exchange:
    """A request and its response. Headers are as transferred, including the final empty line."""

    url: str
    request_head: bytes
    response_head: bytes
    status: int
    #: as transferred: with its Content-Encoding, but without chunks
    body: bytes
    at: datetime
    request_body: bytes = b""
    #: IP address of the server
    ip: str | None = None
    truncated: Truncation | None = None

    @property
    def method(self) -> str:
        """GET, POST, …"""
        return self.request_head.partition(b" ")[0].decode("latin-1").upper()

    @cached_property
    def digest(self) -> str:
        """Digest of the body in the form of WARC files."""
        return sha256(self.body)

    @property
    def decoded(self) -> tuple[bytes, str]:
        """The body decompressed as far as possible, and its media type."""
        coding = self.header("Content-Encoding").lower()
        body = BytesIO(self.body)
        if coding in ("gzip", "x-gzip", "deflate"):
            body = DecompressingBufferedReader(body, decomp_type=coding.removeprefix("x-"))
        return body.read(_MOST_DECODED), self.header("Content-Type")

    def header(self, name: str) -> str:
        """The first value of a response header; empty if there is none."""
        wanted = name.lower().encode("ascii")
        for line in self.response_head.splitlines()[1:]:
            key, colon, value = line.partition(b":")
            if colon and key.strip().lower() == wanted:
                return value.strip().decode("latin-1")
        return ""


@dataclass(frozen=True)
class Capture:
    """A response in the WARC files and its position, with the validators of this version of the page."""

    url: str
    record_id: str
    date: str
    digest: str
    place: str
    etag: str = ""
    modified: str = ""

    def answers(self, etag: str, modified: str) -> bool:
        """True if If-None-Match, or otherwise If-Modified-Since, names this version."""
        return self.etag == etag if etag else bool(modified) and self.modified == modified


def exchange_members(exchange: Exchange, *, record_id: str, info_id: str, earlier: Capture | None = None) -> bytes:
    """The records of the response and of the request. If the body is unchanged, it is a revisit record of `earlier`."""
    at = timestamp(exchange.at)
    url = target(exchange.url)
    common = {"WARC-Target-URI": url, "WARC-Date": at, "WARC-Warcinfo-ID": info_id}
    if exchange.ip:
        common["WARC-IP-Address"] = exchange.ip
    head = _CHUNKED.sub(rb"X-Archive-Orig-\1", exchange.response_head)
    if earlier is None:
        about = {"WARC-Payload-Digest": exchange.digest, **_truncated(exchange)}
        response = _member("response", record_id, {**common, **about}, RESPONSE, head, exchange.body)
    else:
        payload = head if _is_same_body(exchange) else b""  # otherwise replay tools would return 304 without content
        response = _member("revisit", record_id, {**common, **_revisit(exchange, earlier)}, RESPONSE, payload)
    asked = {**common, "WARC-Concurrent-To": record_id}
    request = _member(
        "request", new_id(), asked, REQUEST, _SECRETS.sub(b"", exchange.request_head), exchange.request_body
    )
    return response + request


def _truncated(exchange: Exchange) -> dict[str, str]:
    return {"WARC-Truncated": exchange.truncated} if exchange.truncated else {}


def _revisit(exchange: Exchange, earlier: Capture) -> dict[str, str]:
    about = {
        "WARC-Refers-To": earlier.record_id,
        "WARC-Refers-To-Target-URI": earlier.url,
        "WARC-Refers-To-Date": earlier.date,
    }
    if not _is_same_body(exchange):
        return {"WARC-Profile": PROFILE + "server-not-modified", **about}
    same = {"WARC-Profile": PROFILE + "identical-payload-digest", "WARC-Payload-Digest": earlier.digest}
    return {**same, **about, "WARC-Truncated": "length"}


def _is_same_body(exchange: Exchange) -> bool:
    """True if the body was sent again; False if the server only confirmed that it is unchanged."""
    return exchange.status != 304


def resource_member(uri: str, content_type: str, body: bytes, at: datetime, *, record_id: str, info_id: str) -> bytes:
    """The record of a browser's result: the tree that it showed, or a screenshot."""
    about = {
        "WARC-Target-URI": uri,
        "WARC-Date": timestamp(at),
        "WARC-Warcinfo-ID": info_id,
        "WARC-Payload-Digest": sha256(body),
    }
    return _member("resource", record_id, about, content_type, body)


def warcinfo_member(name: str, at: datetime, fields: Mapping[str, str], *, record_id: str) -> bytes:
    """The first record of a file: program and settings that created it."""
    about = {"WARC-Filename": name, "WARC-Date": timestamp(at)}
    block = "".join(f"{key}: {' '.join(value.split())}\r\n" for key, value in fields.items() if value).encode()
    return _member("warcinfo", record_id, about, "application/warc-fields", block)


def _member(kind: str, record_id: str, about: Mapping[str, str], content_type: str, *block: bytes) -> bytes:
    headers = StatusAndHeaders(
        "", [("WARC-Type", kind), ("WARC-Record-ID", record_id), *about.items()], protocol=VERSION
    )
    headers.add_header("WARC-Block-Digest", sha256(*block))
    if kind == "request":
        headers.add_header("WARC-Payload-Digest", sha256(*block[1:] or block))
    content = b"".join(block)
    record = ArcWarcRecord("warc", kind, headers, BytesIO(content), None, content_type, len(content))
    if kind == "revisit":  # warcio writes nothing but a header for this type
        record.http_headers, record.payload_length = _Head(content), 0
    out = BytesIO()
    WARCWriter(out, gzip=False, warc_version=VERSION).write_record(record)
    return gzip.compress(out.getvalue(), _LEVEL, mtime=0)


class _Head:
    """The header of an HTTP message, to be written unchanged by warcio."""

    def __init__(self, content: bytes) -> None:
        self.headers_buff = content

    def compute_headers_buffer(self, header_filter: None) -> None:
        """Do nothing: the header is complete."""


def new_id() -> str:
    """A unique name for a record."""
    return f"<urn:uuid:{uuid4()}>"


def timestamp(at: datetime) -> str:
    """A time in the form of WARC files, with milliseconds."""
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def target(url: str) -> str:
    """The requested URL: without fragment, which is not sent, and without password."""
    parts = urlsplit(urldefrag(url).url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def sha256(*parts: bytes) -> str:
    """A digest in the form of WARC files."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return f"sha256:{digest.hexdigest()}"
