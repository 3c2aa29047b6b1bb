"""What becomes of comments between two crawls."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.comments.gathered import changes, with_earlier_ids
from blogcrawler.items import Comment


def comment(number: int, **told) -> Comment:
    own = {"id": f"comment-{number}", "author": "Bob", "published": f"2014-05-{number + 1:02}T10:00:00+00:00"}
    return Comment(**{**own, "content_text": f"What I have to say, for the time number {number}.", **told})


BEFORE = [comment(n) for n in range(4)]


def test_new_edited_and_gone_are_told_apart():
    now = [*BEFORE[:2], comment(2, content_text="What I have to say, and now in other words."), comment(7)]
    assert changes(now, BEFORE, is_whole=True) == {"new": 1, "edited": 1, "gone": 1}


def test_nothing_is_gone_where_some_are_not_told():
    assert changes(BEFORE[1:], BEFORE, is_whole=False) == {}


def test_another_source_changes_no_identity():
    """The feed had told the first two; now a page in whose terms the ids are others shows all."""
    now = [
        replace(comment(n), id=f"c{n}", parent="c0" if n == 3 else None, published=f"2014-05-{n + 1:02}")
        for n in range(5)
    ]
    known = with_earlier_ids(now, BEFORE[:2])
    assert [one.id for one in known] == [f"comment-{n}" for n in range(5)]
    assert known[3].parent == "comment-0"
    assert changes(known, BEFORE[:2], is_whole=True) == {"new": 3}


@given(st.sets(st.integers(0, 20)), st.sets(st.integers(0, 20)))
def test_numbers_add_up(before, now):
    sides = [[comment(n) for n in sorted(side)] for side in (now, before)]
    found = changes(with_earlier_ids(*sides), sides[1], is_whole=True)
    expected = {"new": len(now - before), "gone": len(before - now)}
    assert found == {name: number for name, number in expected.items() if number}
