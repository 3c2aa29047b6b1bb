"""WARC files are compared with their digests, and with what records say of them."""

from __future__ import annotations

import gzip
import random
import zlib
from dataclasses import replace
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from blogcrawler.backend.warc import OPEN, WarcStore, damaged_warcs, kept_records, missing_captures, size_of_warcs
from blogcrawler.backend.warc.check import warc_files
from tests.backend.test_warc import AT, URL, exchange, files, store, written
from tests.export.archives import a_record

BODY = b"<p>A post of some length, so that there is something to damage.</p>" * 20


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a file with all kinds of records."""
    folder = tmp_path_factory.mktemp("whole")
    kept = store(folder)
    kept.keep(exchange(BODY, ip="192.0.2.7"))
    kept.keep(exchange(BODY))
    kept.keep(exchange(b"", status=304, head=b"HTTP/1.1 304 Not Modified\r\n\r\n"))
    kept.keep(exchange(b"a=1", url=f"{URL}form", request=b"POST / HTTP/1.1\r\n\r\n", request_body=b"q=tea"))
    kept.keep(exchange(random.Random(1).randbytes(60_000), url=f"{URL}large"))
    kept.keep_view(f"urn:view:{URL}", "text/html", BODY, AT)
    kept.close()
    (file,) = files(folder)
    return file.read_bytes()


@pytest.fixture
def file(tmp_path, whole):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(whole)
    return path


def told(folder):
    return [(fault.where, fault.description) for fault in damaged_warcs(folder)]


def begins(file):
    return [record.offset for record in kept_records(file)]


def test_files_that_are_as_they_were(file, whole):
    seen = []
    assert list(damaged_warcs(file.parent, seen.append)) == []
    assert sum(seen) == size_of_warcs(file.parent) == len(whole)


def test_what_records_are(file, whole):
    found = list(kept_records(file))
    pair = ["response", "request"]
    assert [record.kind for record in found] == [
        "warcinfo", *pair, "revisit", "request", "revisit", "request", *pair, *pair, "resource"
    ]  # fmt: skip
    assert [record.url for record in found[1:3]] == [URL, URL]
    assert found[1].http_head.startswith(b"HTTP/1.1 200 Very OK\r\nsErVer: x\r\n")
    assert found[1].http_head.endswith(b"\r\n\r\n")
    assert [(one.offset + one.length) for one in found] == [*(one.offset for one in found[1:]), len(whole)]


@settings(max_examples=150)
@given(st.data())
def test_no_damage_is_overlooked(tmp_path_factory, whole, data):
    """A bit that is another one is found, or is none of what was written (gzip keeps a time, too)."""
    at, bit = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 7))
    damaged = bytearray(whole)
    damaged[at] ^= 1 << bit
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "a.warc.gz").write_bytes(damaged)
    if not told(folder):
        assert gzip.decompress(bytes(damaged)) == gzip.decompress(whole)


@settings(max_examples=50)
@given(st.data())
def test_a_file_that_ends_too_early(tmp_path_factory, whole, data):
    size = data.draw(st.integers(1, len(whole) - 1) | st.sampled_from(_ends(whole)))
    folder = tmp_path_factory.mktemp("cut")
    file = folder / "a.warc.gz"
    file.write_bytes(whole[:size])
    is_between = all(record.fault is None for record in kept_records(file))
    assert is_between == (size in _ends(whole))
    assert bool(told(folder)) != is_between
    file.rename(folder / f"a.warc.gz{OPEN}")
    assert told(folder) == [], "the next crawl cuts it"


def _ends(whole):
    """Where members end, but for the last."""
    found, rest = [], whole
    while rest:
        decoder = zlib.decompressobj(31)
        decoder.decompress(rest)
        rest = decoder.unused_data
        found.append(len(whole) - len(rest))
    return found[:-1]


def test_each_fault_is_told_with_its_place(file, whole):
    other = gzip.decompress(whole).replace(b"A post of some", b"A pest of some", 1)
    response = begins(file)[1]
    file.write_bytes(b"".join(map(gzip.compress, _records(other))))
    ((where, what),) = told(file.parent)
    assert where == f"a.warc.gz#{begins(file)[1]}" != f"a.warc.gz#{response + 1_000_000}"
    assert what == "does not match its warc-block-digest"


def _records(content):
    parts = content.split(b"WARC/1.1\r\n")[1:]
    return [b"WARC/1.1\r\n" + part for part in parts]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"WARC-Type: response", b"WARC-Kind: response", "lacks warc-type"),
        (b"WARC-Record-ID", b"WARC-Recorded", "lacks warc-record-id"),
        (b"Content-Length: ", b"Content-Length: 1", "longer or shorter"),
        (b"Content-Length: ", b"Content-Length: x", "longer or shorter"),
        (b"WARC/1.1", b"HTTP/1.1", "has no WARC header"),
    ],
)
def test_heads_that_are_none(file, whole, old, new, expected):
    info, response, *rest = _records(gzip.decompress(whole))
    file.write_bytes(b"".join(map(gzip.compress, [info, response.replace(old, new, 1), *rest])))
    ((_, what),) = told(file.parent)
    assert expected in what


def test_payloads_are_compared_too(file, whole):
    info, response, *rest = _records(gzip.decompress(whole))
    head, digest, tail = response.partition(b"WARC-Payload-Digest: sha256:")
    file.write_bytes(b"".join(map(gzip.compress, [info, head + digest + b"0" * 64 + tail[64:], *rest])))
    assert [what for _, what in told(file.parent)] == ["does not match its warc-payload-digest"]


def test_files_of_another_program(tmp_path):
    """warcio writes SHA-1 in base32."""
    with (tmp_path / "b.warc.gz").open("wb") as stream:
        writer = WARCWriter(stream, gzip=True)
        head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        record = writer.create_warc_record(URL, "response", payload=BytesIO(BODY), http_headers=head)
        writer.write_record(record)
        record.raw_stream.close()
    assert told(tmp_path) == []
    assert [record.kind for record in kept_records(tmp_path / "b.warc.gz")] == ["response"]


def test_what_is_no_gzip_or_empty(tmp_path):
    (tmp_path / "a.warc.gz").write_bytes(b"")
    (tmp_path / "b.warc.gz").write_bytes(b"no gzip at all")
    (tmp_path / "c.warc.gz").mkdir()
    (tmp_path / "index.db").write_bytes(b"no WARC")
    assert [path.name for path in warc_files(tmp_path)] == ["a.warc.gz", "b.warc.gz", "c.warc.gz"]
    (empty, other, folder) = told(tmp_path)
    assert empty == ("a.warc.gz", "holds no record")
    assert other[0] == "b.warc.gz#0"
    assert "is not gzip data" in other[1]
    assert folder[0] == "c.warc.gz"


def test_heads_without_end_are_not_kept_in_memory(tmp_path):
    packer = zlib.compressobj(wbits=31)
    with (tmp_path / "a.warc.gz").open("wb") as stream:
        for _ in range(200):
            stream.write(packer.compress(b"WARC/1.1\r\n" + b"a" * 1_000_000))
        stream.write(packer.flush())
    assert [what for _, what in told(tmp_path)] == ["has no WARC header"]


# ------------------------------------------------------------------------------------------------------ what records say


def post(place):
    record = a_record()
    return replace(record, provenance=replace(record.provenance, warc=place))


def test_places_of_records(tmp_path):
    (place,) = written(tmp_path, exchange())
    kept = WarcStore(tmp_path, max_bytes=1 << 30)
    open_place = kept.keep(exchange(url=f"{URL}b"))
    view = kept.keep_view("urn:view:x", "text/html", b"<p>", AT)
    assert list(missing_captures(tmp_path, [post(place), post(open_place), post(view), post(None)])) == []
    name, _, offset = place.partition("#")
    wrong = [f"no.warc.gz#{offset}", f"{name}#0", f"{name}#{int(offset) + 1}", f"{name}#9999999", name, f"../{place}"]
    faults = list(missing_captures(tmp_path, map(post, wrong)))
    assert [fault.description.partition(" ")[2] for fault in faults] == [
        "is missing", *["is not the record of a page"] * 3, "is missing", "is missing"
    ]  # fmt: skip
    kept.close()


@pytest.mark.parametrize("line", [b"WARC-Type: warcinfo", b"WARC-Target-URI: http://other.example/", b"WARC-Date: x"])
def test_a_page_that_speaks_of_warc_is_no_head(tmp_path, line):
    """Neither a body nor a server's own headers are a part of the record's head."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + line + b"\r\n\r\n"
    (in_body,) = written(tmp_path / "a", exchange(b"<pre>\r\n" + line + b"\r\n</pre>"))
    (in_head,) = written(tmp_path / "b", exchange(b"<p>a", head=head))
    assert list(missing_captures(tmp_path / "a", [post(in_body)])) == []
    assert list(missing_captures(tmp_path / "b", [post(in_head)])) == []
