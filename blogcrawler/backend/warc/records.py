"""What a server was asked and what it answered, as records of WARC files, each of which is one member of gzip.

warcio writes them. Blocks are given to it whole, since it would write the heads of HTTP messages anew, in its own way:
names of headers, their order, doubles and blanks stay as the server had them. One header alone is renamed: bodies
are kept without the chunks that a `Transfer-Encoding` had cut them into, so that it would no longer be true.
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
"""Of compression: warcio's own, 9, takes much longer, and hardly makes pages smaller."""
_MOST_DECODED = 64 * 1024 * 1024
"""Bytes of a body that are decoded to look at it."""
_CHUNKED = re.compile(rb"^(transfer-encoding[ \t]*:)", re.IGNORECASE | re.MULTILINE)
_SECRETS = re.compile(
    rb"^(?:authorization|proxy-authorization|cookie)[ \t]*:[^\n]*\n(?:[ \t][^\n]*\n)*", re.IGNORECASE | re.MULTILINE
)


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

    @property
    def decoded(self) -> tuple[bytes, str]:
        """The body without its compression, as far as that can be read and is known, and its type."""
        coding = self.header("Content-Encoding").lower()
        body = BytesIO(self.body)
        if coding in ("gzip", "x-gzip", "deflate"):
            body = DecompressingBufferedReader(body, decomp_type=coding.removeprefix("x-"))
        return body.read(_MOST_DECODED), self.header("Content-Type")

    def header(self, name: str) -> str:
        """The first value of a header of the response; empty where there is none."""
        wanted = name.lower().encode("ascii")
        for line in self.response_head.splitlines()[1:]:
            key, colon, value = line.partition(b":")
            if colon and key.strip().lower() == wanted:
                return value.strip().decode("latin-1")
        return ""


@dataclass(frozen=True)
class Capture:
    """A response in the WARC files, and where it is; with what the server calls this version of the page."""

    url: str
    record_id: str
    date: str
    digest: str
    place: str
    etag: str = ""
    modified: str = ""

    def answers(self, etag: str, modified: str) -> bool:
        """True if it is the version that If-None-Match or, without that, If-Modified-Since names."""
        return self.etag == etag if etag else bool(modified) and self.modified == modified


def exchange_members(exchange: Exchange, *, record_id: str, info_id: str, earlier: Capture | None = None) -> bytes:
    """The response, then the request. Where the response brings nothing new, `earlier` has its body."""
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
        told = head if _is_same_body(exchange) else b""  # else replays would answer 304, with nothing to see
        response = _member("revisit", record_id, {**common, **_revisit(exchange, earlier)}, RESPONSE, told)
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
    """True if the body was sent again; else the server has said that it would be the same."""
    return exchange.status != 304


def resource_member(uri: str, content_type: str, body: bytes, at: datetime, *, record_id: str, info_id: str) -> bytes:
    """What was made of a page: the tree that a browser showed, or a picture of it."""
    about = {
        "WARC-Target-URI": uri,
        "WARC-Date": timestamp(at),
        "WARC-Warcinfo-ID": info_id,
        "WARC-Payload-Digest": sha256(body),
    }
    return _member("resource", record_id, about, content_type, body)


def warcinfo_member(name: str, at: datetime, fields: Mapping[str, str], *, record_id: str) -> bytes:
    """What a file begins with: who made it, and how."""
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
    if kind == "revisit":  # of which warcio writes nothing but a head
        record.http_headers, record.payload_length = _Head(content), 0
    out = BytesIO()
    WARCWriter(out, gzip=False, warc_version=VERSION).write_record(record)
    return gzip.compress(out.getvalue(), _LEVEL, mtime=0)


class _Head:
    """The head of an HTTP message, for warcio to write as it is."""

    def __init__(self, content: bytes) -> None:
        self.headers_buff = content

    def compute_headers_buffer(self, header_filter: None) -> None:
        """Nothing is to be done."""


def new_id() -> str:
    """The name of a record, which no other has."""
    return f"<urn:uuid:{uuid4()}>"


def timestamp(at: datetime) -> str:
    """A time as WARC files write it, to the millisecond."""
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def target(url: str) -> str:
    """What a server was asked for: without the part behind "#", which it is not told, and without a password."""
    parts = urlsplit(urldefrag(url).url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def sha256(*parts: bytes) -> str:
    """A digest as WARC files write it."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return f"sha256:{digest.hexdigest()}"
