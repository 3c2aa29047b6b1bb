"""Parquet: what is read back is what the records say."""

from __future__ import annotations

import sys
from datetime import timedelta

import pyarrow.parquet
import pytest

from blogcrawler.backend import Archive
from blogcrawler.errors import BlogcrawlerError
from blogcrawler.export import FORMATS, Selection
from blogcrawler.items import Record
from tests.archives import save_records
from tests.export.archives import ANN, LATER, NOW, a_record, address, filled, odd

KNOWN = ("first_seen", "last_changed", "gone")


def export(archive, folder):
    FORMATS["parquet"].export(Selection.of(archive), str(folder / "posts.parquet"))
    return pyarrow.parquet.ParquetFile(folder / "posts.parquet")


def record(row):
    """The record of a row."""
    row["provenance"]["fields"] = dict(row["provenance"]["fields"])
    return Record.from_dict(row)


def test_the_rows_are_the_records(tmp_path):
    with filled(tmp_path) as archive:
        rows = export(archive, tmp_path).read().to_pylist()
        posts = list(Selection.of(archive).posts())
    assert [[row[name] for name in KNOWN] for row in rows] == [
        [getattr(post, name) for name in KNOWN] for post in posts
    ]
    for row, post in zip(rows, posts, strict=True):
        if post.record.url != odd().url:
            assert record(row) == post.record
    (found,) = (row for row in rows if row["url"] == odd().url)
    assert found["title"] == odd().title
    assert found["comments"][0]["id"] == "?"
    assert (rows[0]["last_changed"], rows[0]["last_changed"].utcoffset()) == (LATER, timedelta())


def test_columns_are_compressed_and_groups_are_bounded(tmp_path):
    with Archive.open(address(tmp_path)) as archive:
        text = "The kettle is on. " * 30_000
        save_records(archive, [a_record(f"{n}", content_html=text) for n in range(40)], now=NOW)
        meta = export(archive, tmp_path).metadata
    assert {meta.row_group(n).num_rows for n in range(meta.num_row_groups)} == {16, 8}
    assert meta.row_group(0).column(0).compression == "ZSTD"
    assert (tmp_path / "posts.parquet").stat().st_size < len(text)


def test_without_pyarrow_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with filled(tmp_path) as archive, pytest.raises(BlogcrawlerError, match=r"pip install 'blogcrawler\[parquet\]'"):
        FORMATS["parquet"].export(Selection.of(archive, [ANN]), str(tmp_path / "posts.parquet"))
    assert not (tmp_path / "posts.parquet").exists()
