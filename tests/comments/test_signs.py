"""Signs that a post has no comments, and when they are believed."""

from __future__ import annotations

import pytest

from blogcrawler.comments.signs import EMPTY_FEED, MOST_EMPTY, SURE, CommentedPosts, CommentSigns
from blogcrawler.dom import parse
from blogcrawler.items import Comment, Page

SAID = [Comment(id="c1")]
SHOWING, BARE, FORM = "<li id=c99>", "<p>x</p>", "<form><textarea></textarea></form>"


def learn(signs: CommentSigns, html: str, comments: list[Comment], told: dict[str, bool] | None = None) -> None:
    page = Page("http://blog.example.net/a/", html.encode())
    signs.learn(page, parse(page.body), comments, told or {})


def tell_none(signs: CommentSigns, html: str, told: dict[str, bool] | None = None) -> bool:
    page = Page("http://blog.example.net/a/", html.encode())
    return signs.tell_none(page, parse(page.body), told or {})


def proven(html: str = "") -> CommentSigns:
    signs = CommentSigns()
    learn(signs, SHOWING + html, SAID)
    for _ in range(SURE - 1):
        assert not tell_none(signs, BARE + html)
        learn(signs, BARE + html, [])
    return signs


def test_anchors_are_believed_once_posts_with_and_without_comments_agree():
    signs = proven()
    assert tell_none(signs, BARE)
    assert not tell_none(signs, SHOWING)
    learn(signs, BARE, SAID)
    assert not tell_none(signs, BARE)


def test_pages_without_comments_alone_prove_nothing():
    signs = CommentSigns()
    for _ in range(3 * SURE):
        learn(signs, BARE + "0 comments", [])
    assert not tell_none(signs, BARE + "0 comments")


def test_pages_without_a_form_are_not_judged_by_those_with_one():
    signs = proven(FORM)
    assert tell_none(signs, BARE + FORM)
    assert not tell_none(signs, BARE)


@pytest.mark.parametrize(
    "number", ["<p>{} comments</p>", '<script type="application/ld+json">{{"commentCount": {}}}</script>']
)
def test_numbers_are_believed_that_were_right(number):
    signs = CommentSigns()
    learn(signs, number.format(1), [Comment(id="x")])
    for _ in range(SURE - 1):
        assert not tell_none(signs, number.format(0))
        learn(signs, number.format(0), [])
    assert tell_none(signs, number.format(0))
    assert not tell_none(signs, number.format(2))
    assert not tell_none(signs, BARE)


def test_a_sign_that_may_be_right_outweighs_others():
    signs = proven()
    assert not tell_none(signs, BARE + "<p>2 comments</p>")
    learn(signs, BARE + "<p>2 comments</p>", [])  # so that number was of something else
    assert tell_none(signs, BARE + "<p>2 comments</p>")


def test_a_feed_of_all_comments_says_nothing_of_posts_older_than_it():
    posts = CommentedPosts.from_state({"net/a": {"c1": ("", "2020-05-02T10:00:00+00:00")}})
    assert posts.signs("net/b", "2020-06-01T10:00:00+00:00") == {"feed of all comments": False}
    assert posts.signs("net/b", "2020-04-01T10:00:00+00:00") == {}
    assert posts.signs("net/b", None) == {}
    assert posts.signs("net/a", None) == {"feed of all comments": True}


def test_an_empty_feed_of_all_comments_is_believed_after_more_posts():
    signs, told = CommentSigns(), CommentedPosts.from_state({}).signs("net/a", None)
    assert told == {EMPTY_FEED: False}
    for _ in range(MOST_EMPTY):
        assert not tell_none(signs, BARE, told)
        learn(signs, BARE, [], told)
    assert tell_none(signs, BARE, told)
    assert not tell_none(signs, BARE + "<p>1 comment</p>", told)
    learn(signs, BARE, SAID, told)
    assert not tell_none(signs, BARE, told)
