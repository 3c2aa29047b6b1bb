"""Updates of a real WordPress, whose posts and comments are added, edited and deleted through WordPress itself."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from blogcrawler.backend import Archive
from tests.crawl.running import DATABASE, crawl, has_traceback
from tests.crawl.wordpress import MARKS, WordPress

PORTS = 18940
FEED = 10
"""Posts and comments that WordPress's feeds hold."""
BASE = 3
"""Requests of an update of which nothing is new: robots.txt, and two feeds."""
SITEMAPS = 2
"""Those that the first update with news reads, to see that they do not say when posts were changed."""

pytestmark = MARKS


@pytest.fixture(scope="module")
def wordpress(tmp_path_factory):
    with WordPress(tmp_path_factory.mktemp("wordpress"), PORTS) as server:
        yield server


@pytest.fixture(scope="module")
def folder(wordpress, tmp_path_factory):
    """Where the archive of the blog is."""
    found = tmp_path_factory.mktemp("archive")
    assert crawl(found, wordpress.url, timeout_s=300).code == 0
    return found


@contextmanager
def kept(folder):
    with Archive.open(f"sqlite:///{folder / DATABASE}", make=False) as archive:
        yield archive


def update(folder, wordpress, *, most):
    """The records of an update that takes so many requests at most."""
    before = wordpress.requests
    done = crawl(folder, wordpress.url, spider="updatecrawl")
    assert done.code == 0
    assert not has_traceback(done)
    assert wordpress.requests - before <= most
    assert len(done.urls) == len(set(done.urls))
    return {record["url"]: record for record in done.records}


def newest(posts, count):
    """The addresses of the newest posts."""
    return sorted(posts, key=lambda url: posts[url]["published"], reverse=True)[:count]


def newest_comments(posts):
    """The newest comments, as pairs of their post's address and themselves."""
    pairs = [(url, one) for url, post in posts.items() for one in post["comments"]]
    return sorted(pairs, key=lambda pair: pair[1]["published"], reverse=True)[:FEED]


def ids(record):
    return [comment["id"] for comment in record["comments"]]


def true_ids(post):
    return [f"comment-{comment['id']}" for comment in post["comments"]]


def test_what_is_new_changed_or_deleted_is_told_and_nothing_else(wordpress, folder, tmp_path):
    before = wordpress.truth(tmp_path / "before")
    assert update(folder, wordpress, most=BASE + 1) == {}  # that has to learn where the feed of comments is
    there = newest(before, 8)
    edited, renamed, trashed = there[2], there[3], there[5]
    old = next(url for url in before if url not in newest(before, FEED) and 0 < len(before[url]["comments"]) < FEED)
    (talk, changed), (_, deleted), (_, held) = newest_comments(before)[1:4]
    html = "<p>It was not there before, and has a few words on rivers.</p><p>And then some more, on mountains.</p>"
    new = wordpress.do("add-post", "--title", "Entirely new", "--slug", "entirely-new", "--html", html)["url"]
    wordpress.do("edit-post", edited, "--append", "<p>One more paragraph, which was put here later.</p>")
    wordpress.do("edit-post", renamed, "--title", "It has another name now")
    wordpress.php(_trash(trashed))
    wordpress.do("add-comment", new, "--author", "Zoe", "--text", "The first word on a new post.")
    wordpress.do("add-comment", old, "--author", "Yan", "--text", "A late word on an old post.")
    wordpress.do("edit-comment", changed["id"], "--text", "Now it says something that it did not say before.")
    wordpress.do("delete-comment", deleted["id"])
    wordpress.php(f"wp_set_comment_status({held['id']}, 'hold');")

    told = update(folder, wordpress, most=BASE + 4 + SITEMAPS)

    now = wordpress.truth(tmp_path / "now")
    assert sorted(told) == sorted({new, edited, renamed, old, talk})
    assert {url: ids(record) for url, record in told.items()} == {url: true_ids(now[url]) for url in told}
    assert told[new]["content_text"].endswith("And then some more, on mountains.")
    assert told[edited]["content_text"].endswith("One more paragraph, which was put here later.")
    assert told[renamed]["title"] == "It has another name now"
    assert [one["content_text"] for one in told[old]["comments"]][-1] == "A late word on an old post."
    texts = {one["id"]: one["content_text"] for one in told[talk]["comments"]}
    assert texts[f"comment-{changed['id']}"] == "Now it says something that it did not say before."
    with kept(folder) as archive:
        assert list(archive.gone(wordpress.url)) == [trashed]
        versions = {url: len(archive.versions(wordpress.url, url)) for url in (*told, trashed)}
        assert archive.record(wordpress.url, trashed) is not None
    assert versions == {new: 0, old: 0, trashed: 0, edited: 1, renamed: 1, talk: 1}
    assert update(folder, wordpress, most=BASE) == {}


def test_edited_comments_are_told_though_the_feed_says_that_it_is_as_it_was(wordpress, folder, tmp_path):
    update(folder, wordpress, most=BASE + 5)
    url, comment = newest_comments(wordpress.truth(tmp_path / "before"))[4]
    wordpress.do("edit-comment", comment["id"], "--text", "It was edited while nothing else happened on this blog.")
    told = update(folder, wordpress, most=BASE)
    assert list(told) == [url]
    assert "while nothing else happened" in str(told[url]["comments"])
    assert update(folder, wordpress, most=BASE) == {}


def test_a_post_that_comes_back_is_no_longer_gone(wordpress, folder, tmp_path):
    update(folder, wordpress, most=BASE + 5)
    url = newest(wordpress.truth(tmp_path / "before"), 5)[4]
    wordpress.php(_set_status(url, "draft"))
    wordpress.do("add-post", "--title", "Something else", "--html", "<p>By which the feed is another one.</p>")
    assert len(update(folder, wordpress, most=BASE + 2)) == 1
    with kept(folder) as archive:
        assert url in archive.gone(wordpress.url)
    wordpress.php(_set_status(url, "publish"))
    assert url in wordpress.truth(tmp_path / "now")
    assert update(folder, wordpress, most=BASE + 1) == {}
    with kept(folder) as archive:
        assert url not in archive.gone(wordpress.url)


def _set_status(url, status):
    return f"wp_update_post(array('ID' => {_id(url)}, 'post_status' => '{status}'));"


def _trash(url):
    return f"wp_trash_post({_id(url)});"


def _id(url):
    return f"get_page_by_path('{url.rstrip('/').rpartition('/')[2]}', OBJECT, 'post')->ID"
