"""Turn the answer with which a web archive shows a capture into the response that was captured.

The Internet Archive sends captured headers with the prefix X-Archive-Orig-. pywb adds the prefix only to headers that
would affect the transfer, and sends the others unchanged. Both state the time of the capture (RFC 7089).
"""

from __future__ import annotations

import re
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from blogcrawler.sources.capture import Capture, CapturedResponse
from blogcrawler.sources.cdx import moment_of
from blogcrawler.sources.http_message import ResponseHead, decode_body, headers_of_body
from blogcrawler.sources.polite_requests import is_same_host

if TYPE_CHECKING:
    from datetime import datetime

    from blogcrawler.sources.kept_answers import Answer

_MAX_BODY_BYTES = 64 << 20
_PREFIX = b"x-archive-orig-"
_SHOWN = re.compile(r"/(\d{14})(?:[a-z]{2}_)?/(https?:)/+(.*)", re.DOTALL | re.IGNORECASE)
_UNPREFIXED = {b"content-type", b"location"}
"""Captured headers without the prefix in the Internet Archive's answers."""
_OF_PYWB = {b"memento-datetime", b"content-location", b"date", b"server"}
_LINK_OF_PYWB = re.compile(rb'rel="?timegate\b')
_GZIP = b"\x1f\x8b"


def captured_response(capture: Capture, address: str, answer: Answer) -> CapturedResponse:
    """The captured response in the answer from an address.

    Its capture is another one than `capture` if the web archive has shown one of another time instead.
    """
    head = ResponseHead(answer.status, _captured_headers(answer, address), 0)
    body = decode_body(ResponseHead(answer.status, _codings(answer), 0), answer.body, max_bytes=_MAX_BODY_BYTES)
    time = shown_time(address, answer) or capture.time
    if time != capture.time:
        exact = urljoin(address, answer.header("content-location"))  # pywb redirects only if it is set up to do so
        place = exact if _SHOWN.search(exact) else address
        capture = Capture(_original(place), time, head.status, head.mime, "", place)
    return CapturedResponse(capture, head.status, headers_of_body(head, body), body.body, body.is_cut)


def shown_time(address: str, answer: Answer) -> datetime | None:
    """The time of the capture that an answer shows; None if it shows none."""
    try:
        time = parsedate_to_datetime(answer.header("memento-datetime"))
        return time if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, TypeError, IndexError):
        shown = _SHOWN.search(address)
    try:
        return moment_of(int(shown[1])) if shown and (answer.is_capture or answer.status == 200) else None
    except ValueError:
        return None


def _original(place: str) -> str:
    """The captured URL of an address in a web archive."""
    shown = _SHOWN.search(place)
    return f"{shown[2]}//{shown[3]}" if shown else place


def _captured_headers(answer: Answer, address: str) -> list[tuple[bytes, bytes]]:
    known = {name.lower() for name, _ in answer.headers}
    is_by_internet_archive = b"x-archive-src" in known
    captured = []
    for name, value in answer.headers:
        key = name.lower().removeprefix(_PREFIX)
        is_unprefixed = key in _UNPREFIXED if is_by_internet_archive else not _is_added_by_pywb(key, value)
        if key != name.lower() or (is_unprefixed and _PREFIX + key not in known):
            captured.append((name[-len(key) :], _location(value, address) if key == b"location" else value))
    return captured


def _is_added_by_pywb(name: bytes, value: bytes) -> bool:
    return name in _OF_PYWB or (name == b"link" and _LINK_OF_PYWB.search(value) is not None)


def _location(value: bytes, address: str) -> bytes:
    """The target of a redirect as it was captured; the Internet Archive points it to its own capture."""
    target = value.decode("latin-1")
    is_changed = _SHOWN.search(target) and is_same_host(urljoin(address, target), address)
    return _original(target).encode("latin-1") if is_changed else value


def _codings(answer: Answer) -> list[tuple[bytes, bytes]]:
    """The content codings of the body. Web archives that have decoded it leave the header with the prefix, which
    therefore counts only where the body begins like a compressed one."""
    names = {b"content-encoding"} | ({_PREFIX + b"content-encoding"} if answer.body.startswith(_GZIP) else set())
    return [(b"Content-Encoding", value) for name, value in answer.headers if name.lower() in names]
