"""Comments that several sources tell are one each, and keep their threads."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.feeds.comments import by_time, merge
from blogcrawler.items import Comment

LONG = "A text that is long enough that nobody would write it twice below one and the same post."


def comment(number: int, **told) -> Comment:
    day = f"2014-05-{1 + number % 28:02}T10:00:00+00:00"
    return Comment(**{"id": f"c{number}", "author": "Bob", "published": day, "content_text": f"Text {number}", **told})


def test_what_one_source_lacks_another_tells():
    (found,) = merge([comment(1, author_url=None)], [comment(1, author_url="http://bob.example.org/", parent=None)])
    assert found == comment(1, author_url="http://bob.example.org/")


def test_the_first_source_counts():
    (found,) = merge([comment(1, author="Bob B.")], [comment(1, author="bob", content_text="Other")])
    assert (found.author, found.content_text) == ("Bob B.", "Text 1")


def test_comments_are_known_by_their_addresses():
    url = "http://blog.example.net/a/#c1"
    assert len(merge([comment(1, url=url)], [comment(2, url=url)])) == 1


def test_comments_are_known_by_what_they_say():
    assert len(merge([comment(1)], [comment(1, id="77", published="2014-05-02T12:30:00+02:00")])) == 1
    assert len(merge([comment(1, content_text=LONG)], [comment(9, content_text=LONG)])) == 1


def test_people_repeat_themselves_within_one_source():
    twice = [comment(1, content_text="+1"), comment(2, content_text="+1", published=comment(1).published)]
    assert len(merge(twice)) == 2
    assert len(merge(twice, twice)) == 2


def test_parents_are_told_in_the_terms_of_the_comment_that_is_kept():
    first = [comment(1)]
    second = [comment(1, id="1"), comment(2, id="2", parent="1")]
    assert [(one.id, one.parent) for one in merge(first, second)] == [("c1", None), ("2", "c1")]
    both = merge([comment(1), comment(2)], [*second])
    assert [(one.id, one.parent) for one in both] == [("c1", None), ("c2", "c1")]


def test_a_pingback_is_one_though_only_one_source_knows():
    assert merge([comment(1)], [comment(1, kind="pingback")])[0].kind == "pingback"


@given(st.lists(st.integers(0, 40), max_size=60), st.lists(st.integers(0, 40), max_size=60))
def test_nothing_is_lost_and_nothing_twice(one, other):
    first, second = [comment(n) for n in one], [comment(n, parent=f"c{n // 2}") for n in other]
    found = merge(first, second)
    assert sorted(single.id for single in found) == sorted({single.id for single in first + second})
    assert merge(found) == found
    assert merge(found, second) == found


@given(st.permutations(list(range(20))))
def test_comments_come_in_the_order_of_their_times(order):
    assert [one.id for one in by_time([comment(n) for n in order])] == [f"c{n}" for n in range(20)]


def test_one_without_a_date_stays_behind_the_one_before_it():
    undated = comment(9, published=None)
    assert by_time([comment(2), undated, comment(1)]) == [comment(1), comment(2), undated]
    assert by_time([undated, comment(1), comment(2)]) == [undated, comment(1), comment(2)]
    assert by_time([undated, comment(8, published=None)]) == [undated, comment(8, published=None)]


def test_zones_that_some_tell_do_not_break_the_order():
    """Feeds tell the zone, pages often do not."""
    zoned = [comment(n, published=f"2014-05-02T1{n}:00:00+00:00") for n in range(4)]
    local = [comment(n, published=f"2014-05-02T1{n + 2}:00:00") for n in range(4, 6)]
    assert by_time([*local, *zoned]) == [*zoned, *local]
    unnamed = [comment(n, id=None, published=one.published) for n, one in enumerate([*zoned, *local])]
    assert by_time([*unnamed[4:], *unnamed[:4]]) == unnamed
