"""Signs that a post has no comments, and when they are believed."""

from __future__ import annotations

import pytest

from blogcrawler.comments.signs import EMPTY_FEED, MOST_EMPTY, SURE, CommentedPosts, CommentSigns, PageSigns
from blogcrawler.dom import parse
from blogcrawler.items import Comment, Page

SAID = [Comment(id="c1")]
SHOWING, BARE, FORM = "<li id=c99>", "<p>x</p>", "<form><textarea></textarea></form>"


def learn(signs: CommentSigns, html: str, comments: list[Comment], of_feed: dict[str, bool] | None = None) -> None:
    signs.learn(shown(html, of_feed), comments)


def exclude(signs: CommentSigns, html: str, of_feed: dict[str, bool] | None = None) -> bool:
    return signs.exclude_comments(shown(html, of_feed))


def shown(html: str, of_feed: dict[str, bool] | None) -> PageSigns:
    page = Page("http://blog.example.net/a/", html.encode())
    return PageSigns(page, parse(page.body), of_feed or {})


def proven(html: str = "") -> CommentSigns:
    signs = CommentSigns()
    learn(signs, SHOWING + html, SAID)
    for _ in range(SURE - 1):
        assert not exclude(signs, BARE + html)
        learn(signs, BARE + html, [])
    return signs


def test_anchors_are_believed_once_posts_with_and_without_comments_agree():
    signs = proven()
    assert exclude(signs, BARE)
    assert not exclude(signs, SHOWING)
    learn(signs, BARE, SAID)
    assert not exclude(signs, BARE)


def test_pages_without_comments_alone_prove_nothing():
    signs = CommentSigns()
    for _ in range(3 * SURE):
        learn(signs, BARE + "0 comments", [])
    assert not exclude(signs, BARE + "0 comments")


def test_pages_without_a_form_are_not_judged_by_those_with_one():
    signs = proven(FORM)
    assert exclude(signs, BARE + FORM)
    assert not exclude(signs, BARE)


@pytest.mark.parametrize(
    "number", ["<p>{} comments</p>", '<script type="application/ld+json">{{"commentCount": {}}}</script>']
)
def test_numbers_are_believed_that_were_right(number):
    signs = CommentSigns()
    learn(signs, number.format(1), [Comment(id="x")])
    for _ in range(SURE - 1):
        assert not exclude(signs, number.format(0))
        learn(signs, number.format(0), [])
    assert exclude(signs, number.format(0))
    assert not exclude(signs, number.format(2))
    assert not exclude(signs, BARE)


def test_a_sign_that_may_be_right_outweighs_others():
    signs = proven()
    assert not exclude(signs, BARE + "<p>2 comments</p>")
    learn(signs, BARE + "<p>2 comments</p>", [])  # so that number was of something else
    assert exclude(signs, BARE + "<p>2 comments</p>")


def test_a_feed_of_all_comments_says_nothing_of_posts_older_than_it():
    posts = CommentedPosts.from_state({"url": "", "told": {"net/a": {"c1": ("", "2020-05-02T10:00:00+00:00")}}})
    assert posts.signs("net/b", "2020-06-01T10:00:00+00:00") == {"feed of all comments": False}
    assert posts.signs("net/b", "2020-04-01T10:00:00+00:00") == {}
    assert posts.signs("net/b", None) == {}
    assert posts.signs("net/a", None) == {"feed of all comments": True}


def test_a_blog_without_a_feed_of_all_comments_has_no_such_sign():
    assert CommentedPosts.from_state({"in_vain": 1}).signs("net/a", "2020-06-01T10:00:00+00:00") == {}


def test_an_empty_feed_of_all_comments_is_believed_after_more_posts():
    signs, of_feed = CommentSigns(), CommentedPosts.from_state({"url": "", "told": {}}).signs("net/a", None)
    assert of_feed == {EMPTY_FEED: False}
    for _ in range(MOST_EMPTY):
        assert not exclude(signs, BARE, of_feed)
        learn(signs, BARE, [], of_feed)
    assert exclude(signs, BARE, of_feed)
    assert not exclude(signs, BARE + "<p>1 comment</p>", of_feed)
    learn(signs, BARE, SAID, of_feed)
    assert not exclude(signs, BARE, of_feed)
