"""CSV: read back by the standard library's reader, each value is what the record says."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawler.backend import Archive
from blogcrawler.export import FORMATS, Selection
from blogcrawler.export.comma import COLUMNS, FORMAT
from tests.export.archives import ANN, BO, DIGEST, LATER, NOW, ODD, URLS, a_record, address, filled


def read(archive, *addresses):
    """The rows, and the bytes that they come from."""
    stream = io.BytesIO()
    FORMAT.write(Selection.of(archive, addresses), stream)
    body = stream.getvalue()
    return list(csv.DictReader(io.StringIO(body.decode("utf-8"), newline=""), strict=True)), body


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    with filled(tmp_path_factory.mktemp("csv")) as archive:
        return {row["url"]: row for row in read(archive)[0]}


def value(cell):
    """What the documentation says that a cell means."""
    return cell.removeprefix("'")


def values(cell):
    """What it says that a list means."""
    found, is_escaped = [""], False
    for character in value(cell):
        if character == "|" and not is_escaped:
            found.append("")
        elif character != "\\" or is_escaped:
            found[-1] += character
        is_escaped = character == "\\" and not is_escaped
    return found if cell else []


def test_each_post_is_a_row(rows):
    assert list(rows) == URLS
    assert rows[f"{BO}b"] == {
        "blog": BO,
        "url": f"{BO}b",
        "guid": "tag:b",
        "title": "Post b",
        "authors": "Ann|Bo",
        "published": "2014-05-02T10:00:00+02:00",
        "updated": "2014-06-01",
        "tags": "tea|green tea",
        "language": "en",
        "content_html": "<p>Water for b</p>\n<p>Boil it.</p>",
        "content_text": "Water for b\n\nBoil it.",
        "comment_count": "3",
        "comments_kept": "3",
        "media_kept": "1",
        "fetched": NOW.isoformat(),
        "status": "200",
        "sha256": DIGEST,
        "rendered": "false",
        "warc": "",
        "generator": "WordPress 6.1",
        "first_seen": NOW.isoformat(),
        "last_changed": NOW.isoformat(),
        "gone": "",
    }
    assert (rows[f"{ANN}a"]["last_changed"], rows[f"{ANN}gone"]["gone"]) == (LATER.isoformat(), LATER.isoformat())


def test_what_is_unknown_is_an_empty_cell(rows):
    filled = {name for name, cell in rows[f"{ANN}bare"].items() if cell}
    assert filled == {"blog", "url", "comments_kept", "media_kept", "rendered", "first_seen", "last_changed"}


def test_odd_text_comes_back_as_it_was(rows):
    row = rows[f"{ANN}odd"]
    assert value(row["title"]) == value(row["content_html"]) == ODD
    assert values(row["authors"]) == [ODD, "a|b\\", ""]
    assert values(row["tags"]) == [f"{ODD}?", "=cmd"]


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    with Archive.open(address(tmp_path_factory.mktemp("csv"))) as opened:
        yield opened


@settings(max_examples=40)
@given(
    text=st.lists(st.sampled_from([*"=+-@\t\r\n ＝＋－＠'|\\\"", ""]) | st.text(max_size=9), max_size=4).map("".join)
)
def test_no_cell_is_a_formula_and_each_comes_back(archive, text):
    archive.save_record(a_record(title=text, authors=[text, text], tags=[text]), now=NOW)
    (row,), body = read(archive)
    assert value(row["title"]) == archive.record(ANN, f"{ANN}a").title
    clean = text.replace("\0", "").encode("utf-8", "replace").decode()
    assert values(row["authors"]) == [clean, clean]
    assert not any(cell.strip().startswith(tuple("=+-@＝＋－＠")) for cell in row.values())
    assert body.endswith(b"\r\n")


def test_what_is_no_formula_is_as_it_was(rows):
    assert rows[f"{ANN}a"]["title"] == "Changed"
    assert rows[f"{BO}b"]["content_html"].startswith("<p>")


def test_rows_end_as_rfc_4180_says(tmp_path):
    with filled(tmp_path) as archive:
        _, body = read(archive, BO)
    head, _, rest = body.partition(b"\r\n")
    assert head.decode() == ",".join(COLUMNS)
    assert rest.count(b"\r\n") == 1


def test_it_is_named_csv():
    assert FORMATS["csv"] is FORMAT
