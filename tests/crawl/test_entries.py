"""Exports of a blog beside its feed: they teach, and they have what no page shows."""

from __future__ import annotations

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.captured import BASE, addresses, taken_on, write
from tests.crawl.commented import CommentedBlog
from tests.crawl.exported import wxr
from tests.crawl.killing import at_commit
from tests.crawl.running import crawl, kept
from tests.crawl.test_captured import END, assert_right
from tests.crawl.test_page_comments import chat, silent

BLOG = Blog(make_posts(16), in_feed=4)


def assert_from_export(record, file):
    time = max(post.published for post in BLOG.posts).isoformat()
    come = record["provenance"]
    assert (come["status"], come["sha256"], come["warc"]) == (None, None, None)
    assert come["capture"] == {"place": str(file), "time": time, "digest": ""}
    assert come["fetched"] == time
    assert record["content_text"].count("\n\n") == 2
    assert_comments(record)
    assert record["comment_count"] == 2


def assert_complete(done, site):
    assert done.code == 0, done.stderr
    assert done.urls == sorted(site.url + post.path for post in BLOG.posts)
    for post in BLOG.posts:
        record = done.record(site.url + post.path)
        assert_right(record, post)
        assert record["authors"] == [post.author]


def assert_comments(record):
    question, answer = record["comments"]
    assert (question["id"], question["parent"], question["author"]) == ("comment-1", None, "Bob 1")
    assert (answer["id"], answer["parent"], answer["author"]) == ("comment-2", "comment-1", "Bob 2")
    assert question["url"] == f"{record['url']}#comment-1"
    assert record["provenance"]["fields"]["comments"]["source"] == "feed"


def test_an_export_has_the_posts_that_a_site_has_lost(tmp_path):
    lost = BLOG.posts[9:]
    with serve(Blog(BLOG.posts[:9], in_feed=4)) as site:
        file = wxr(tmp_path / "export.xml", BLOG.posts, site.url)
        done = crawl(tmp_path, f"{site.url}/", "-a", f"entries={file}", server=site)
    assert_complete(done, site)
    for post in BLOG.posts:
        record = done.record(site.url + post.path)
        assert_comments(record)
        if post in lost:
            assert_from_export(record, file)
        else:
            assert record["provenance"]["status"] == 200
            assert record["provenance"]["capture"] is None


def test_an_export_fills_what_captures_lack(tmp_path):
    lost = BLOG.posts[6:]
    captures = taken_on(BLOG, END, without={post.path for post in lost})
    place, file = write(tmp_path / "blog.warc.gz", captures), wxr(tmp_path / "export.xml", BLOG.posts, BASE)
    done = crawl(tmp_path, f"{BASE}/", "-a", f"source={place}", "-a", f"entries={file}")
    assert done.code == 0, done.stderr
    assert done.urls == addresses(BLOG.posts)
    for post in BLOG.posts:
        record = done.record(BASE + post.path)
        assert_right(record, post)
        if post in lost:
            assert_from_export(record, file)
        else:
            assert record["provenance"]["capture"]["place"].startswith(str(place))


def test_an_export_is_enough_where_no_page_of_a_post_was_captured(tmp_path):
    captures = taken_on(BLOG, END, without={post.path for post in BLOG.posts})
    place, file = write(tmp_path / "blog.warc.gz", captures), wxr(tmp_path / "export.xml", BLOG.posts, BASE)
    done = crawl(tmp_path, f"{BASE}/", "-a", f"source={place}", "-a", f"entries={file}")
    assert done.code == 0, done.stderr
    assert done.urls == addresses(BLOG.posts)
    for post in BLOG.posts:
        assert_right(done.record(BASE + post.path), post)


@pytest.mark.slow
def test_an_export_is_enough_where_captures_have_neither_home_page_nor_feed(tmp_path):
    kept = BLOG.posts[:5]
    captures = [one for one in taken_on(BLOG, END) if one.path in {post.path for post in kept}]
    place, file = write(tmp_path / "blog.warc.gz", captures), wxr(tmp_path / "export.xml", BLOG.posts, BASE)
    done = crawl(tmp_path, f"{BASE}/", "-a", f"source={place}", "-a", f"entries={file}")
    assert done.code == 0, done.stderr
    assert done.urls == addresses(BLOG.posts)
    for post in BLOG.posts:
        record = done.record(BASE + post.path)
        assert_right(record, post)
        assert record["provenance"]["status"] == (200 if post in kept else None)
    alone = crawl(tmp_path, "http://other.example.org/", "-a", f"source={place}", "-a", f"entries={file}")
    assert alone.code == 1
    assert "has no posts of http://other.example.org/" in alone.sentences[-1]


def test_an_export_teaches_a_blog_without_a_feed(tmp_path):
    blog = Blog(BLOG.posts, names_feed=False, feed_path="/nowhere/it-is.xml")
    with serve(blog) as site:
        file = wxr(tmp_path / "export.xml", BLOG.posts[4:], site.url)
        done = crawl(tmp_path, f"{site.url}/", "-a", f"entries={file}", server=site)
    assert_complete(done, site)


@pytest.mark.slow
@pytest.mark.parametrize("status", ["private", "draft", "trash", "pending", "future"])
def test_what_is_not_public_is_no_record(tmp_path, status):
    hidden = BLOG.posts[12]
    with serve(Blog(BLOG.posts[:9], in_feed=4)) as site:
        file = wxr(tmp_path / "export.xml", BLOG.posts, site.url, statuses={hidden.slug: status})
        done = crawl(tmp_path, f"{site.url}/", "-a", f"entries={file}", server=site)
    assert done.urls == sorted(site.url + post.path for post in BLOG.posts if post != hidden)
    assert hidden.path not in done.requests


def test_comments_that_feeds_have_too_are_there_once(tmp_path):
    blog = CommentedBlog(BLOG.posts[:8], comments=lambda at: chat(4, at))
    assert_all_said(tmp_path, blog)


@pytest.mark.slow
def test_comments_that_pages_have_too_are_there_once(tmp_path):
    blog = silent(lambda at: chat(4, at), posts=make_posts(20), in_feed=10)
    assert_all_said(tmp_path, blog)


def assert_all_said(folder, blog):
    """The export is older: it lacks the last comment of each post."""
    with serve(blog) as site:
        file = wxr(folder / "export.xml", blog.posts, site.url, comments=lambda at: chat(3, at))
        done = crawl(folder, f"{site.url}/", "-a", f"entries={file}", server=site)
        assert done.code == 0, done.stderr
        for at, post in enumerate(blog.posts):
            comments = done.record(site.url + post.path)["comments"]
            assert [(one["author"], one["content_text"]) for one in comments] == [
                (one.author, one.text) for one in chat(4, at)
            ]
            assert [one["parent"] for one in comments] == [None, None, comments[1]["id"], None]


@pytest.mark.slow
def test_an_interrupted_crawl_begins_anew_with_an_export(tmp_path):
    with serve(Blog(BLOG.posts[:9], in_feed=4)) as site:
        file = wxr(tmp_path / "export.xml", BLOG.posts, site.url)
        first = crawl(tmp_path, f"{site.url}/", server=site, PAGE_LIMIT=6)
        assert len(first.records) < 9
        more = ("-a", f"entries={file}")
        second = crawl(tmp_path, f"{site.url}/", *more, server=site, PAGE_LIMIT=6)
        third = crawl(tmp_path, f"{site.url}/", *more, server=site)
    assert len(second.records) < len(BLOG.posts)
    assert third.urls == sorted(site.url + post.path for post in BLOG.posts)
    assert not set(second.requests) & set(third.requests) & {post.path for post in BLOG.posts}


@pytest.mark.slow
def test_a_crawl_with_an_export_that_is_killed_again_and_again_loses_nothing(tmp_path):
    """Also while the posts without a page are saved, at the end."""
    with serve(Blog(BLOG.posts[:6], in_feed=4)) as site:
        file = wxr(tmp_path / "export.xml", BLOG.posts, site.url)
        more = ("-a", f"entries={file}")
        for number in range(1, 60, 3):
            done = crawl(tmp_path, f"{site.url}/", *more, *at_commit(number), server=site)
            assert done.code in (0, -9), done.stderr
            if done.code == 0:
                break
        done = crawl(tmp_path, f"{site.url}/", *more, server=site)
    assert done.code == 0, done.stderr
    assert sorted(kept(tmp_path)) == sorted(site.url + post.path for post in BLOG.posts)
    assert done.urls == sorted(kept(tmp_path))


def test_other_files_are_refused_in_one_sentence(tmp_path):
    (tmp_path / "words.txt").write_text("words")
    with serve(BLOG) as site:
        done = crawl(tmp_path, f"{site.url}/", "-a", f"entries={tmp_path / 'words.txt'}", server=site)
        assert done.code == 1
        assert "is no export of a blog" in done.sentences[-1]
        missing = crawl(tmp_path, f"{site.url}/", "-a", "entries=nothing.xml", server=site)
    assert missing.code == 2
    assert "There is no file or folder nothing.xml" in missing.stderr
