"""The record."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from blogcrawler.items import Comment, FieldSource, Media, Record


def record(**fields) -> Record:
    known = Record("http://blog.test/", "http://blog.test/a/")
    for name, value in fields.items():
        setattr(known, name, value)
        known.provenance.fields[name] = FieldSource("feed", None, 0.99)
    return known


def test_what_the_feed_said_once_is_kept():
    earlier = record(guid="tag:a", authors=["Ann"], tags=["x"], published="2020-04-29T10:05:00+00:00")
    now = Record("http://blog.test/", "http://blog.test/a/", published="2020-04-29")
    now.complete_from(earlier)
    assert (now.guid, now.authors, now.tags, now.published) == ("tag:a", ["Ann"], ["x"], "2020-04-29T10:05:00+00:00")
    assert now.provenance.fields["published"].source == "feed"
    now.authors.append("Bo")
    assert earlier.authors == ["Ann"]


@pytest.mark.parametrize("published", ["2020-04-30", "2020-04-29T11:00:00+00:00"])
def test_what_the_page_says_now_counts(published):
    earlier = record(authors=["Ann"], tags=["x"], published="2020-04-29T10:05:00+00:00")
    now = record(authors=["Bo"], tags=["y"], published=published)
    now.complete_from(earlier)
    assert (now.authors, now.tags, now.published) == (["Bo"], ["y"], published)


def test_a_picture_of_the_page_stays_until_there_is_another():
    def picture(name):
        return Media("http://blog.test/a/", f"sha256/{name}", role="screenshot")

    def file(name):
        return Media(f"http://blog.test/{name}.png", role="image")

    earlier = record(title="A", content_text="tea")
    earlier.media = [picture("old"), file("old")]
    now = record(title="A", content_text="tea")
    now.media = [file("new")]
    now.complete_from(earlier)
    assert now.media == [picture("old"), file("new")]
    now.media = [picture("new"), file("new")]
    now.complete_from(earlier)
    assert now.media == [picture("new"), file("new")]
    now = record(title="A")
    now.complete_from(earlier)
    assert now.media == [picture("old"), file("old")]


def test_a_record_goes_to_a_dictionary_and_back():
    known = record(title="A", authors=["Ann"])
    known.comments, known.media = [Comment("1", author="Bo")], [Media("http://blog.test/a.png")]
    data = known.to_dict()
    assert data == asdict(known)
    assert Record.from_dict(data) == known
    data["authors"].append("Bo")
    data["provenance"]["fields"]["title"]["confidence"] = 0.0
    assert (known.authors, known.provenance.fields["title"].confidence) == (["Ann"], 0.99)


def test_a_record_is_short_in_a_log():
    assert repr(record(content_html="<p>" * 1000)) == "Record('http://blog.test/a/')"
