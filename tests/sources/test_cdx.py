"""Lines of CDX and CDXJ files."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.sources.cdx import CdxReader, moment_of, time_number

DIGEST = "B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A"
ENTRY = ("http://example.org/", 20140502100000, 200, "text/html", f"sha1:{DIGEST}", "a.warc.gz", 42)
LINES = [
    f"org,example)/ 20140502100000 http://example.org/ text/html 200 {DIGEST} - - 99 42 a.warc.gz",
    f"org,example)/ 20140502100000 http://example.org/ text/html 200 {DIGEST} - 42 a.warc.gz",
    "org,example)/ 20140502100000 "
    + json.dumps({"url": ENTRY[0], "mime": "text/html", "status": "200", "digest": f"sha1:{DIGEST}", "length": "9"} | {"offset": "42", "filename": "a.warc.gz"}),
    "org,example)/ 2014-05-02T10:00:00Z "
    + json.dumps({"url": ENTRY[0], "mime": "text/html; x", "status": 200, "digest": DIGEST, "offset": 42, "filename": "a.warc.gz"}),
]  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_forms(line):
    assert CdxReader().entry(line + "\n") == ENTRY


def test_the_header_names_the_fields():
    reader = CdxReader()
    assert reader.entry(" CDX g V a b s m k\n") is None
    assert reader.entry(f"a.warc.gz 42 http://example.org/ 20140502100000 200 text/html {DIGEST}\n") == ENTRY


NO_TIMES = ("20141302", "20140230", "", "-", "x")
NO_PAGES = [
    "",
    "\n",
    "!meta 0 {}",
    "org,example)/ 20140502100000 {",
    "a b c d e f g h i",
    LINES[0].replace("http:", "ftp:"),
]


@pytest.mark.parametrize("line", NO_PAGES + [LINES[0].replace("20140502100000", time) for time in NO_TIMES])
def test_a_line_that_lists_no_page_is_skipped(line):
    assert CdxReader().entry(line) is None


def test_unknown_values():
    entry = CdxReader().entry("org,example)/ 2014 http://example.org/ unk - - - - - - -")
    assert entry == ("http://example.org/", 20140101000000, 0, "", "", "", -1)


@given(st.text() | st.from_regex(r"( CDX [a-zA-Z ]*|\S* \d{0,16} (\{.*\}|http://\S+ \S+ \S+ \S+ - - \d+ \d+ \S+))"))
def test_no_line_is_an_error(line):
    reader = CdxReader()
    for _ in range(2):
        entry = reader.entry(line)
        assert entry is None or moment_of(entry.time)


@given(st.datetimes())
def test_times(moment):
    text = f"{moment:%Y}".zfill(4) + f"{moment:%m%d%H%M%S}"
    assert time_number(text) == int(text)
    assert moment_of(int(text)) == moment_of(time_number(f"{moment.isoformat()}Z"))
    assert moment_of(int(text)).isoformat()[:19] == moment.isoformat()[:19]
