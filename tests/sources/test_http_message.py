"""Archived HTTP responses, in the states in which crawlers leave them."""

from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.sources.http_message import decode_body, headers_of_body, parse_head, zstd

TEXT = b"<p>A page about nothing.</p>\n" * 300
LIMIT = 1_000_000


def raw_deflate(data):
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(data) + compressor.flush()


ENCODERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "Deflate": raw_deflate,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


def chunked(data, size=1000):
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    return b"".join(b"%x;a=b\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def decoded(body, *headers, limit=LIMIT):
    message = b"\r\n".join([b"HTTP/1.1 200 OK", *headers, b"", b""]) + body
    head = parse_head(message)
    assert head.status == 200
    return decode_body(head, message[head.size :], max_bytes=limit)


@pytest.mark.parametrize("coding", ENCODERS)
@pytest.mark.parametrize("is_chunked", [False, True])
def test_encodings_are_undone(coding, is_chunked):
    body = ENCODERS[coding](TEXT)
    headers = [b"content-encoding: " + coding.encode()] + [b"Transfer-Encoding: chunked"] * is_chunked
    found = decoded(chunked(body) if is_chunked else body, *headers)
    assert (found.body, found.is_cut, found.is_encoded) == (TEXT, False, False)


@pytest.mark.parametrize("coding", [*ENCODERS, "gzip, br", "identity", ""])
@pytest.mark.parametrize("body", [TEXT, b"<p>Hi</p>", b"\n<html>", b"<!D", b"ok", b"[1]", b""])
def test_a_body_that_was_decoded_is_left_alone(coding, body):
    found = decoded(body, b"Content-Encoding: " + coding.encode(), b"Transfer-Encoding: chunked")
    assert (found.body, found.is_cut) == (body, False)


def test_a_compressed_body_with_early_damage_is_not_shown_as_text():
    found = decoded(gzip.compress(TEXT)[:10] + b"\xff" * 40, b"Content-Encoding: gzip")
    assert (found.body, found.is_cut) == (b"", True)


def test_a_body_that_begins_like_a_chunk_is_left_alone():
    body = b"bad\r\n" + TEXT
    assert decoded(body, b"Transfer-Encoding: chunked").body == body


@pytest.mark.parametrize("coding", ENCODERS)
def test_a_cut_body_is_decoded_as_far_as_it_goes(coding):
    whole = bytes(TEXT + b"".join(b"%d" % (number**7) for number in range(9999)))
    body = ENCODERS[coding](whole)
    found = decoded(body[: len(body) // 2], b"Content-Encoding: " + coding.encode())
    assert found.is_cut
    assert whole.startswith(found.body)
    assert len(found.body) > 1000
    found = decoded(chunked(whole)[:5500], b"Transfer-Encoding: chunked")
    assert found.is_cut
    assert whole.startswith(found.body)
    assert len(found.body) > 4000


@pytest.mark.parametrize("coding", ENCODERS)
def test_a_body_is_bounded(coding):
    found = decoded(ENCODERS[coding](bytes(30_000_000)), b"Content-Encoding: " + coding.encode(), limit=1000)
    assert (found.body, found.is_cut) == (bytes(1000), True)


def test_an_unknown_encoding_stays_and_is_declared():
    message = b"HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\nContent-Length: 3\r\nA: b\r\n\r\nxyz"
    head = parse_head(message)
    body = decode_body(head, message[head.size :], max_bytes=LIMIT)
    assert body.body == b"xyz"
    assert headers_of_body(head, body) == ((b"Content-Encoding", b"compress"), (b"A", b"b"))


STATUS_LINES = {
    "HTTP/2 200": 200,
    "HTTP/1.1 404": 404,
    "HTTP/1.0 301 Moved  ": 301,
    "HTTP/3 200 \t": 200,
    "ICY 200 OK": 200,
    "http/1.1 500 x": 500,
    "HTTP/1.1 2000": 0,
    "<html>": 0,
    "": 0,
}


@pytest.mark.parametrize(("line", "status"), STATUS_LINES.items())
def test_status_lines(line, status):
    assert parse_head(f"{line}\r\ncontent-type: text/html\r\n\r\nx".encode()).status == status


def test_headers_keep_order_names_and_values():
    head = parse_head(
        b"HTTP/2 200\ncontent-TYPE: Text/HTML; charset=x\nnonsense\nset-cookie: a\nset-cookie: b\r\n  c\n\nbody"
    )
    assert head.headers == (
        (b"content-TYPE", b"Text/HTML; charset=x"),
        (b"set-cookie", b"a"),
        (b"set-cookie", b"b c"),
    )
    assert (head.mime, head.value(b"set-cookie"), head.value(b"x")) == ("text/html", b"a, b c", b"")


@given(st.binary() | st.binary().map(lambda data: b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + data))
def test_no_message_is_an_error(message):
    head = parse_head(message)
    assert decode_body(head, message[head.size :], max_bytes=10).body is not None


@given(st.binary(), st.sampled_from(sorted(ENCODERS)), st.binary(min_size=1, max_size=20), st.integers(0, 2000))
def test_damaged_bodies_are_no_error(data, coding, junk, place):
    body = ENCODERS[coding](data + TEXT)
    body = body[:place] + junk + body[place + len(junk) :]
    found = decoded(body, b"Content-Encoding: " + coding.encode())
    assert len(found.body) <= LIMIT
