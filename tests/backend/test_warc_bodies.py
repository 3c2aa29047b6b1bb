"""What pages said, read back from the WARC files."""

from __future__ import annotations

import gzip
from contextlib import closing, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.backend.warc import KeptBodies
from blogcrawler.errors import DamagedCapture
from tests.backend.test_warc import AT, URL, exchange, store

HEAD = b"HTTP/1.1 203 OK\r\nContent-Type: text/html; charset=latin-1\r\nContent-Encoding: gzip\r\n\r\n"
TEXT = b"<p>A post \xff.</p>" * 50


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder of WARC files, and where a response, a view and another response are in them."""
    folder = tmp_path_factory.mktemp("warc")
    with closing(store(folder)) as written:
        sent = written.keep(exchange(gzip.compress(TEXT), head=HEAD, status=203))
        seen = written.keep_view(f"urn:view:{URL}", "text/html; charset=utf-8", b"<p>Seen.</p>", AT)
        other = written.keep(exchange(b"<p>Other.</p>", url=f"{URL}2/"))
    return folder, sent, seen, other


def test_bodies_are_decoded_and_say_what_they_are(kept):
    folder, sent, seen, other = kept
    with closing(KeptBodies(folder)) as bodies:
        found = bodies.at(sent)
        assert (found.body, found.content_type, found.status) == (TEXT, "text/html; charset=latin-1", 203)
        assert (found.url, found.is_view) == (URL, False)
        view = bodies.at(seen)
        assert (view.body, view.content_type, view.status, view.is_view) == (
            b"<p>Seen.</p>",
            "text/html; charset=utf-8",
            200,
            True,
        )
        assert bodies.of(f"{URL}2/") == bodies.at(other)
        assert bodies.of("http://nobody.example.org/") is None


@pytest.mark.parametrize(
    "place", ["", "none.warc.gz#0", "../{name}#0", "{name}", "{name}#", "{name}#x", "{name}#0", "{name}#7"]
)
def test_places_that_are_none(kept, place):
    folder, sent, *_ = kept
    with closing(KeptBodies(folder)) as bodies, pytest.raises(DamagedCapture, match="blogcrawler verify"):
        bodies.at(place.format(name=sent.partition("#")[0]))


@given(st.binary(min_size=1, max_size=40), st.integers(0, 400))
def test_no_damage_passes_for_a_body(kept, tmp_path_factory, damage, at):
    """Not even one that makes a record of the older ARC format of it."""
    folder, sent, *_ = kept
    name, _, offset = sent.partition("#")
    data = bytearray((folder / name).read_bytes())
    place = int(offset) + at
    data[place : place + len(damage)] = damage
    damaged = tmp_path_factory.mktemp("damaged")
    (damaged / name).write_bytes(data)
    with closing(KeptBodies(damaged)) as bodies, suppress(DamagedCapture):
        assert bodies.at(sent).body == TEXT


def test_a_line_of_arc_is_no_record(tmp_path):
    (tmp_path / "a.warc.gz").write_bytes(b"http://a.example.org/ 1.2.3.4 20200101000000 text/html 0\n\n")
    with closing(KeptBodies(tmp_path)) as bodies, pytest.raises(DamagedCapture):
        bodies.at("a.warc.gz#0")
