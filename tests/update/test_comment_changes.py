"""What the feed of all comments of a blog says that is new, edited or gone."""

from __future__ import annotations

import pytest

from blogcrawler.crawl.update.comment_changes import FeedComments, comment_digest, update_comments
from blogcrawler.feeds.comments import parse_comments
from blogcrawler.items import Comment, Record
from blogcrawler.urls import identity

POST = "http://blog.example.org/a/"
KEY = identity(POST)
DAY = "2026-10-{:02}T10:00:00+00:00"


def comment(day, text=None, zone="+00:00"):
    return Comment(
        f"c{day}",
        None,
        "comment",
        "Ann",
        content_text=text or f"Words of day {day}.",
        published=DAY.format(day)[:19] + zone,
    )


def record(*comments):
    return Record("http://blog.example.org/", POST, comments=list(comments), comment_count=len(comments))


def told(*comments, start=None):
    return FeedComments({KEY: list(comments)}, start)


def said(*comments):
    return {one.id: (comment_digest(one), one.published) for one in comments}


def ids(post):
    return [one.id for one in post.comments]


def test_a_new_comment():
    post = record(comment(1))
    assert update_comments(post, told(comment(1), comment(2)), said(comment(1)))
    assert (ids(post), post.comment_count) == (["c1", "c2"], 2)
    assert not update_comments(post, told(comment(1), comment(2)), said(comment(1), comment(2)))


def test_an_edited_comment():
    post = record(comment(1))
    assert update_comments(post, told(comment(1, "Other words.")), said(comment(1)))
    assert post.comments[0].content_text == "Other words."


def test_what_a_page_writes_in_another_way_was_not_edited():
    post, now = record(comment(1, "Words of day 1. :-)")), comment(1)
    assert not update_comments(post, told(now), said(now))


def test_a_comment_that_is_gone():
    post = record(comment(1), comment(2))
    assert update_comments(post, told(comment(2)), said(comment(1), comment(2)))
    assert (ids(post), post.comment_count) == (["c2"], 1)


def test_a_comment_that_the_feed_would_not_tell_any_more_is_not_gone():
    post = record(comment(1), comment(5))
    assert not update_comments(post, told(comment(5), start=DAY.format(4)), said(comment(1), comment(5)))


def test_the_times_of_the_feed_count_where_pages_have_no_zones():
    first, second = comment(5, zone=""), comment(6, zone="")
    post = record(first, second)
    assert update_comments(post, told(comment(6), start=DAY.format(5)[:17] + "00-01:00"), said(comment(6))) is False
    before = {**said(comment(6)), "c5": (comment_digest(first), "2026-10-05T12:00:00+00:00")}
    assert update_comments(post, told(comment(6), start=DAY.format(5)), before)
    assert ids(post) == ["c6"]


def test_whether_a_feed_reaches_back_to_what_it_said():
    before = {KEY: said(comment(5))}
    assert told(comment(6)).reaches_back({}), "it has all there are"
    assert told(comment(5), comment(6), start=DAY.format(5)).reaches_back(before)
    assert not told(comment(6), start=DAY.format(6)).reaches_back(before)


def test_the_time_of_the_newest_comment():
    feed = told(comment(5), comment(6))
    assert feed.is_newest("Tue, 06 Oct 2026 10:00:00 GMT")
    assert not feed.is_newest("Tue, 06 Oct 2026 10:00:01 GMT")
    assert not any(feed.is_newest(text) for text in (None, "", "yesterday", "Tue, 99 Oct 2026 10:00:00 GMT"))
    assert not told(comment(5, zone="")).is_newest("Mon, 05 Oct 2026 10:00:00 GMT")
    assert told(comment(5), Comment(published="2026-10"), Comment()).is_newest("Mon, 05 Oct 2026 10:00:00 GMT")


def feed_of(days):
    """The feed of all comments, as WordPress has it."""
    items = "".join(
        f"<item><title>Comment on A by Ann</title><link>{POST}#comment-{day}</link><dc:creator>Ann</dc:creator>"
        f"<pubDate>{day:02} Oct 2026 10:00:00 +0000</pubDate><guid isPermaLink='false'>{POST}#comment-{day}</guid>"
        f"<description>Words of day {day}.</description></item>"
        for day in days
    )
    head = "<title>Comments for Words</title><generator>https://wordpress.org/?v=6.4</generator>"
    body = f"<rss version='2.0' xmlns:dc='http://purl.org/dc/elements/1.1/'><channel>{head}{items}</channel></rss>"
    return parse_comments(body.encode(), "http://blog.example.org/comments/feed/", "application/rss+xml")


@pytest.mark.parametrize("count", [3, 5, 6, 7, 10])
def test_a_comment_that_was_pushed_out_of_the_feed_is_not_gone(count):
    """Owners choose how many comments their feed holds."""
    before, now = (FeedComments.of(feed_of(range(first + count - 1, first - 1, -1))) for first in (1, 2))
    post = record()
    assert update_comments(post, before, {})
    assert update_comments(post, now, before.seen()[KEY])
    assert len(post.comments) == count + 1
    assert not now.covers(DAY.format(1))
