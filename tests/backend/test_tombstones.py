"""Records of WARC files that are replaced by others of the same length."""

from __future__ import annotations

import os
from datetime import UTC, datetime

import pytest

from blogcrawler.backend.warc import Place, damaged_warcs, finish_tombstones, kept_records, tombstones, write_tombstones
from tests.backend.test_warc import exchange, files, read, store

NOW = datetime(2026, 11, 28, 8, tzinfo=UTC)
SMALLEST = {"body": b"", "head": b"HTTP/1.1 204\r\n\r\n", "request": b"GET / HTTP/1.0\r\n\r\n", "status": 204}


@pytest.fixture
def warc(tmp_path):
    """A file of three responses: the smallest that there can be, a large one, and one that stays."""
    kept = store(tmp_path)
    kept.keep(exchange(url="http://a.b/", **SMALLEST))
    kept.keep(exchange(os.urandom(300_000)))
    kept.keep(exchange(b"<p>It stays.</p>", url="http://a.b/stays"))
    kept.close()
    (file,) = files(tmp_path)
    return file


def places(file):
    """Of all records but the first, and the last two."""
    found = [Place(one.offset, one.length, one.headers["warc-record-id"]) for one in kept_records(file)]
    return found[1:-2]


def test_nothing_moves_and_all_can_be_read(warc, tmp_path):
    size, before = warc.stat().st_size, [one.offset for one in kept_records(warc)]
    write_tombstones(warc, places(warc), NOW)
    assert (warc.stat().st_size, [one.offset for one in kept_records(warc)]) == (size, before)
    assert [kind for kind, *_ in read(warc)] == ["warcinfo", *["metadata"] * 4, "response", "request"]
    _, header, block = read(warc)[1]
    assert (header("WARC-Date"), block) == ("2026-11-28T08:00:00Z", b"removed: on request\r\n")
    assert header("WARC-Target-URI") is None
    assert list(damaged_warcs(tmp_path)) == []
    assert b"a.b" not in b"".join(block for *_, block in read(warc)[1:-2])


@pytest.mark.parametrize("is_half_written", [False, True])
def test_what_was_cut_short_is_finished(warc, tmp_path, monkeypatch, is_half_written):
    def fail(file, content, offset):
        if is_half_written:
            os.lseek(file, offset, os.SEEK_SET)
            os.write(file, content[:100])
        raise OSError("the power is off")

    with monkeypatch.context() as patch:
        patch.setattr(tombstones.os, "pwrite", fail)
        with pytest.raises(OSError, match="power"):
            write_tombstones(warc, places(warc), NOW)
    finish_tombstones(tmp_path)
    assert [kind for kind, *_ in read(warc)] == ["warcinfo", *["metadata"] * 4, "response", "request"]
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".db"] == [warc.name]
