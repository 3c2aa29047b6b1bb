"""What the program exports as WXR comes back as entries."""

from __future__ import annotations

import pytest

from blogcrawler.dom import fragment, readable_text
from blogcrawler.export import FORMATS, Selection
from blogcrawler.feeds.exports import read_export
from tests.export.archives import ANN, filled


@pytest.fixture
def exported(tmp_path):
    with filled(tmp_path) as archive:
        FORMATS["wxr"].export(Selection.of(archive, ()), str(tmp_path / "wxr"))
        records = {record.record.url: record.record for record in archive.posts(ANN)}
    return tmp_path / "wxr", records


def test_posts_come_back(exported):
    folder, records = exported
    entries = {entry.url: entry for entry in read_export(folder / "1-ann.example.org.xml", ANN).entries}
    assert list(entries) == [url for url in entries if url in records]
    record, entry = records[f"{ANN}a"], entries[f"{ANN}a"]
    assert (entry.guid, entry.title, entry.published) == (record.guid, record.title, record.published)
    assert entry.authors == (record.authors[0],)
    assert sorted(entry.tags) == sorted(record.tags)
    assert entry.language == record.language
    assert readable_text(fragment(entry.content_html)) == record.content_text


def test_comments_come_back_with_their_threads(exported):
    folder, records = exported
    (entry,) = (one for one in read_export(folder, ANN).entries if one.url == f"{ANN}a")
    first, second, third = entry.comments
    for comment, kept in zip(entry.comments, records[f"{ANN}a"].comments, strict=True):
        assert (comment.kind, comment.author, comment.content_text) == (kept.kind, kept.author, kept.content_text)
        assert comment.url is None
    assert (first.parent, second.parent, third.parent) == (None, first.id, None)
    assert first.published == "2014-05-03"
    assert first.author_url == "http://cy.example.org/"
