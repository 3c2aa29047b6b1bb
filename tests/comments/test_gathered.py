"""How the comments of several sources get into a record."""

from __future__ import annotations

import json

import pytest

from blogcrawler.comments.gathered import Gathered, put
from blogcrawler.items import Comment, FieldSource, Provenance, Record

SITE = "http://blog.example.net"
POST = f"{SITE}/2014/05/a-post/"


def record(*comments: Comment, count: int | None = None, told: bool = False) -> Record:
    fields = {"comments": FieldSource("feed", None, 0.99)} if told else {}
    return Record(SITE, POST, comments=list(comments), comment_count=count, provenance=Provenance(fields=fields))


def test_a_record_gets_each_comment_once_and_in_order():
    gathered, made = Gathered(), record(count=5)
    late, early = (Comment(id=f"c{n}", published=f"2014-05-0{n}T10:00:00Z", content_text=f"{n}") for n in (2, 1))
    gathered.add([late, early], system="WordPress", is_whole=False)
    gathered.add([late], is_whole=False)
    put(made, gathered)
    assert ([one.id for one in made.comments], made.comment_count) == (["c1", "c2"], 5)
    source = made.provenance.fields["comments"]
    assert (source.source, source.rule, source.confidence) == ("feed", "WordPress", 0.8)


@pytest.mark.parametrize(
    ("is_whole", "total", "before", "after"),
    [(True, None, None, 1), (True, None, 4, 1), (False, 7, None, 7), (False, None, None, None), (False, None, 0, 1)],
)
def test_how_many_there_are(is_whole, total, before, after):
    gathered, made = Gathered(), record(count=before)
    gathered.add([Comment(id="c1")], is_whole=is_whole)
    gathered.total = total
    put(made, gathered)
    assert made.comment_count == after


def test_a_record_says_nothing_of_comments_where_nobody_answered():
    made = record()
    put(made, Gathered())
    assert (made.comments, made.comment_count, made.provenance.fields) == ([], None, {})


ONE, TWO = Comment(id="c1", content_text="old"), Comment(id="c2", content_text="old")


@pytest.mark.parametrize(
    ("now", "count", "kept"),
    [
        ([Comment(id="c2", content_text="new")], None, ["c1 old", "c2 new"]),
        ([Comment(id="c2", content_text="new")], 2, ["c1 old", "c2 new"]),
        ([Comment(id="c2", content_text="new")], 1, ["c2 new"]),
        ([], 0, []),
        ([], None, ["c1 old", "c2 old"]),
    ],
)
def test_what_is_kept_of_an_earlier_crawl(now, count, kept):
    later = record(*now, count=count)
    later.complete_from(record(ONE, TWO, count=2, told=True))
    assert [f"{one.id} {one.content_text}" for one in later.comments] == kept
    assert ("comments" in later.provenance.fields) == (not now and bool(kept))


def test_a_record_with_comments_is_the_same_after_json():
    made = record(ONE, TWO, count=2, told=True)
    assert Record.from_dict(json.loads(json.dumps(made.to_dict()))) == made
