"""What a feed says that the archive does not know."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from blogcrawler.backend import KnownPost
from blogcrawler.crawl.update.feed_changes import digest, find_news, missing_posts
from blogcrawler.crawl.update.update_memory import Announcements
from blogcrawler.items import Entry
from blogcrawler.urls import identity

NOW = datetime(2026, 11, 1, tzinfo=UTC)
BEGUN = NOW + timedelta(hours=1)


def entry(day, **more):
    return Entry(
        f"http://blog.example.org/{day}/", title=f"Day {day}", published=f"2026-10-{day:02}T10:00:00+00:00", **more
    )


def post(day, **more):
    said = entry(day)
    values = dict.fromkeys(("guid", "updated", "language", "gone", "comment_count")) | {"published": said.published}
    return KnownPost(said.url, **{**values, **dict.fromkeys(("first_seen", "last_seen", "last_changed"), NOW), **more})


def known(*posts):
    return {identity(one.url): one for one in posts}


def said(*entries):
    return {identity(one.url): digest(one) for one in entries}


def keys(*days):
    return {identity(entry(day).url) for day in days}


def test_new_and_changed_posts():
    entries = [entry(4), replace(entry(3), title="Another name"), entry(2)]
    news = find_news(entries, known(post(3), post(2)), Announcements(said(entry(3), entry(2))))
    assert (news.new, news.changed, news.has_rolled_over) == ([entries[0]], [entries[1]], False)


def test_what_a_part_of_an_update_has_kept_was_not_known_before():
    found = post(4, first_seen=BEGUN + timedelta(minutes=1))
    news = find_news([entry(4)], known(found), Announcements(), begun=BEGUN)
    assert (news.new, news.changed, news.has_rolled_over) == ([], [], True)


def test_what_was_changed_since_a_part_of_an_update_has_kept_it():
    earlier = Announcements(said(entry(2)))
    earlier.begin(said(entry(4), entry(2)), {}, now=BEGUN)
    found = post(4, first_seen=BEGUN + timedelta(minutes=1), last_changed=BEGUN + timedelta(minutes=1))
    now = replace(entry(4), title="Another name")
    assert find_news([now, entry(2)], known(found, post(2)), earlier, begun=BEGUN).changed == [now]


def test_a_post_that_was_gone_and_is_in_the_feed_again():
    back = post(3, gone=NOW)
    assert find_news([entry(3)], known(back), Announcements()).changed == [entry(3)]
    assert find_news([entry(3)], known(back), Announcements(said(entry(3)))).changed == [], "it was there all the time"


@pytest.mark.parametrize(
    ("listed", "old", "has_holes"),
    [
        ([9, 8, 2], [7, 6, 5, 2], True),
        ([9, 8, 7, 6, 5], [7, 6, 5], False),
        ([9, 8, 7, 1], [7, 6, 5, 1], False),  # an old one is kept below the newest
        ([9, 8, 6], [7, 6], False),  # one was deleted
        ([7, 2], [7, 6, 5, 2], False),  # there is nothing new
        ([8, 2, 9], [7, 6, 5, 2], False),  # in no order
    ],
)
def test_whether_a_feed_passes_over_known_posts(listed, old, has_holes):
    posts = known(*(post(day) for day in old))
    assert find_news([entry(day) for day in listed], posts, Announcements()).has_holes is has_holes


def test_what_a_part_of_an_update_has_kept_tells_of_holes_too():
    posts = known(post(9, first_seen=BEGUN), *(post(day) for day in (7, 6, 5, 2)))
    assert find_news([entry(9), entry(2)], posts, Announcements(), begun=BEGUN).has_holes


def test_posts_that_are_missing_between_others():
    posts = known(*(post(day) for day in range(1, 7)))
    assert missing_posts([entry(6), entry(4), entry(3)], posts, keys(6, 5, 4, 3, 2)).keys() == keys(5)


@pytest.mark.parametrize(
    ("entries", "posts"),
    [
        ([entry(6), entry(3), entry(4)], [post(5)]),  # in another order
        ([entry(6), replace(entry(3), published=None)], [post(5)]),
        ([entry(6), entry(3)], [post(5, gone=NOW)]),
        ([entry(6), replace(entry(3), guid="five")], [post(5, guid="five")]),
        ([entry(6), entry(3)], [post(5, published=None)]),
        ([], [post(5)]),
    ],
)
def test_posts_that_need_not_be_missing(entries, posts):
    assert missing_posts(entries, known(*posts), keys(5)) == {}


def test_posts_that_the_feed_never_had_are_not_missing():
    assert missing_posts([entry(6), entry(3)], known(post(5)), keys()) == {}


PINNED = entry(2)
EDITED = replace(entry(2), content_html="<p>Other words.</p>", updated="2026-10-31T10:00:00+00:00")


@pytest.mark.parametrize(
    ("entries", "has_rolled_over"),
    [
        ([entry(9), entry(8), entry(3)], False),
        ([PINNED, entry(9), entry(8), entry(7)], True),
        ([PINNED, entry(9), entry(8), entry(3)], False),
        ([entry(9), EDITED, entry(8)], True),
        ([entry(9), replace(entry(3), title="Another")], False),
        ([entry(3), PINNED], False),
        ([replace(entry(3), title="Another"), EDITED], False),
        ([PINNED, entry(3), entry(8)], False),  # the oldest first
        ([entry(9), entry(8)], True),
    ],
)
def test_whether_a_feed_reaches_back_to_what_is_known(entries, has_rolled_over):
    news = find_news(entries, known(post(3), post(2)), Announcements(said(entry(3), entry(2))), begun=BEGUN)
    assert news.has_rolled_over is has_rolled_over


def test_a_guid_that_is_not_unique_tells_nothing():
    same = "http://blog.example.org/"
    first = find_news([entry(4, guid=same), entry(3, guid=same)], known(post(3)) | {same: post(3)}, Announcements())
    assert first.new == [entry(4, guid=same)]
    alone = find_news([entry(6, guid=same)], {**known(post(3)), same: post(3)}, Announcements())
    assert alone.new == [entry(6, guid=same)], "a post of another day is another one"


def test_an_edit_without_a_later_stamp():
    stamp = "2026-10-03T10:00:00+00:00"
    before = replace(entry(3), updated=stamp, content_html="<p>One.</p>")
    now = replace(before, content_html="<p>Two.</p>")
    news = find_news([now], known(post(3, updated=stamp)), Announcements(said(before)), begun=BEGUN)
    assert news.changed == [now]
