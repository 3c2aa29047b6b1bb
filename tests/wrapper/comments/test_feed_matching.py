"""Which comments of a page a feed tells, too."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.items import Comment
from blogcrawler.wrapper.comments import align

TOLD = [
    Comment("c1", None, "comment", "Ann", None, "2014-03-01T23:10:00+00:00", None, None, "Well said, I think so too."),
    Comment("c2", "c1", "comment", "Bob", None, "2014-03-02T10:00:00+00:00", None, None, "No."),
    Comment("c3", None, "comment", "Cy", None, "2014-03-03T10:00:00+00:00", None, None, "No."),
]


def in_other_terms(comment: Comment) -> Comment:
    """As a page shows it: other ids, local time, no offset."""
    parent = comment.parent and comment.parent.replace("c", "node-")
    return replace(comment, id=comment.id.replace("c", "node-"), parent=parent, published=comment.published[:10])


def test_told_comments_are_found_by_what_they_say():
    shown = [in_other_terms(one) for one in TOLD]
    extra = Comment("node-9", "node-2", "comment", "Eve", None, "2014-03-04", None, None, "Something else altogether.")
    found = align([*shown, extra], TOLD)
    assert found.share == 1
    assert [(one.id, one.parent) for one in found.comments] == [
        ("c1", None),
        ("c2", "c1"),
        ("c3", None),
        ("c9", "c2"),
    ]


def test_ids_of_comments_that_a_page_alone_shows_are_in_the_feeds_terms():
    """Else what one answers would be another's id in other terms."""
    newest = [replace(one, id=one.id.replace("c", "comment-1")) for one in TOLD[1:]]
    shown = [replace(one, id=one.id.replace("c", "n1"), parent=one.parent and "n11") for one in TOLD]
    found = align(shown, [replace(newest[0], parent="comment-11"), newest[1]])
    assert [(one.id, one.parent) for one in found.comments] == [
        ("comment-11", None),
        ("comment-12", "comment-11"),
        ("comment-13", None),
    ]


def test_numbers_that_differ_are_no_terms():
    shown = [replace(one, id=f"n{at}") for at, one in enumerate(TOLD)]
    assert [one.id for one in align(shown, TOLD[1:]).comments] == ["n0", "c2", "c3"]


def test_local_time_may_be_another_day():
    shown = replace(TOLD[0], id="x", published="2014-03-02T01:10:00")
    assert align([shown], TOLD[:1]).share == 1
    assert align([replace(shown, published="2014-03-09")], TOLD[:1]).share == 0


@pytest.mark.parametrize("other", ["Dee", None])
def test_short_texts_of_others_are_others(other):
    shown = [replace(TOLD[1], id="x", author=other)]
    assert align(shown, TOLD[1:2]).share == (other is None)


def test_one_id_with_another_text_is_another_comment():
    """Pages number what they show from 1 on, and feeds do so, too."""
    shown = [replace(TOLD[0], content_text="Where did you get these wonderful shoes?")]
    assert align(shown, TOLD).share == 0


def test_a_pingback_is_known_by_its_site():
    told = replace(TOLD[0], kind="pingback", author="A Blog » On dogs", content_text="[…] see what Ann says […]")
    shown = Comment(
        None, None, "pingback", "A Blog \u00bb On dogs", "http://a.example/", None, None, None, "Pingback: A Blog"
    )
    found = align([shown, in_other_terms(TOLD[1])], [told, TOLD[1]])
    assert found.share == 1
    assert found.comments[0].id == "c1"
    assert align([replace(shown, author="Another")], [told]).share == 0


def test_nothing_told_is_all_found():
    assert align(TOLD, []).share == 1
    assert align([], TOLD).share == 0


@given(
    st.lists(st.builds(Comment, st.none() | st.text(max_size=3), content_text=st.text(max_size=20)), max_size=8),
    st.randoms(),
)
def test_none_is_lost_or_doubled(comments, random):
    told = random.sample(comments, len(comments) // 2)
    found = align(comments, told)
    assert [one.content_text for one in found.comments] == [one.content_text for one in comments]
    assert 0 <= found.share <= 1


@pytest.mark.parametrize("place", [0, 1, 2])
def test_equal_words_of_several_people_are_each_ones_own(place):
    shown = [Comment(author=name, content_text="Thanks!") for name in ("Ann", "Bob", "Cem")]
    found = align(shown, [Comment(id="comment-7", author=shown[place].author, content_text="Thanks!")])
    assert [comment.id for comment in found.comments] == ["comment-7" if at == place else None for at in range(3)]
    assert found.share == 1


@pytest.mark.parametrize(
    ("text", "is_one"), [("A long remark that nobody would write twice below a post. " * 2, True), ("Thanks!", False)]
)
def test_who_gives_no_name_has_one_in_each_language(text, is_one):
    shown = Comment(author="Anonyme", content_text=text.strip(), published="2011-12-01")
    told = Comment(id="c7", author="Anonymous", content_text=text.strip(), published="2011-12-01T13:15:15-05:00")
    assert align([shown], [told]).comments[0].id == ("c7" if is_one else None)


@pytest.mark.parametrize("step", [1, -1])
def test_one_text_of_two_sites_is_each_ones_own(step):
    """As where one site mirrors another, and both link to the post within a day."""
    said = "[…] they are making a film, along the same sort of lines as […]"
    told = [
        Comment(f"comment-{n}", kind="pingback", author=f"Site {n}",
                published=f"2009-06-{10 + n}T18:27:46+00:00", content_text=said)
        for n in (1, 2)
    ]  # fmt: skip
    shown = [Comment(None, author=one.author, published=one.published, content_text=said) for one in told]
    found = align(shown, told[::step]).comments
    assert [(one.id, one.author) for one in found] == [(one.id, one.author) for one in told]
