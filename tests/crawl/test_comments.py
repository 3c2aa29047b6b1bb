"""Comments come into the records from feeds and endpoints, at few requests."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.browser.installed import needs_a_browser
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.commented import CommentedBlog, Said, talk
from tests.crawl.running import Outcome, command, crawl, measured, memory_bytes, query, run
from tests.site import Reply

pytestmark = pytest.mark.slow

EMPTY = '<feed xmlns="http://www.w3.org/2005/Atom"><title>No</title></feed>'


def said(done: Outcome, base: str, blog: CommentedBlog, at: int) -> list[tuple[object, ...]]:
    """The comments in the record of the post at a place: id, parent, author, text."""
    record = done.record(base + blog.path(blog.posts[at]))
    return [(one["id"], one["parent"], one["author"], one["content_text"]) for one in record["comments"]]


def told(comments: list[Said]) -> list[tuple[object, ...]]:
    return [(f"c{one.number}", f"c{one.parent}" if one.parent else None, one.author, one.text) for one in comments]


def asked(done: Outcome) -> Counter[str]:
    return Counter(target for target in done.requests if "comments" in target)


def test_every_comment_with_author_date_and_thread(tmp_path):
    """Also of posts that the feed has no longer, whose own feeds are where those of the others are."""
    blog = CommentedBlog(comments=lambda at: talk(25) if at == 1 else talk(at % 4))
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        for at in range(8):
            assert said(done, site.url, blog, at) == told(blog.comments(at))
        record = done.record(site.url + blog.path(blog.posts[1]))
    assert record["comment_count"] == 25
    first = record["comments"][0]
    assert first["url"] == f"{record['url']}#c1"
    assert (first["kind"], first["author_url"]) == ("comment", "http://r.example.org/")
    assert first["published"] == f"{record['published'][:14]}{int(record['published'][14:16]) + 1:02}:00+00:00"
    assert record["provenance"]["fields"]["comments"]["source"] == "feed"
    assert asked(done)[blog.feed_of(blog.posts[1])] == 1
    assert "comments: 36 on 6 posts" in "\n".join(done.summary)


def test_posts_that_announce_none_are_not_asked_for(tmp_path):
    blog = CommentedBlog(in_feed=8)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
    assert set(asked(done)) == {blog.feed_of(post) for at, post in enumerate(blog.posts) if at % 4}


def test_a_page_names_the_feed_of_its_comments_beside_that_of_the_blog(tmp_path):
    blog = CommentedBlog(entry_names_feed=False, entry_counts=False, page_names_feed=True)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        for at in range(8):
            assert said(done, site.url, blog, at) == told(blog.comments(at))
    assert all(count == 1 for count in asked(done).values())


def test_another_posts_feed_and_broken_ones_give_no_comments(tmp_path):
    blog = CommentedBlog(
        in_feed=8,
        comments=lambda _: talk(3),
        swapped={1: 2},
        instead={3: Reply("gone", 404), 4: Reply("<html><body>no feed</body></html>"), 5: Reply(EMPTY)},
    )
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site, RETRY_TIMES=0)
        assert done.code == 0
        for at in range(8):
            assert said(done, site.url, blog, at) == ([] if at in (1, 3, 4, 5) else told(talk(3)))
            assert done.record(site.url + blog.path(blog.posts[at]))["comment_count"] == 3
    assert any("4 failed" in line for line in done.summary)


def test_what_nobody_answers_is_asked_for_three_times(tmp_path):
    blog = CommentedBlog(
        posts=make_posts(20), in_feed=20, comments=lambda _: talk(3), instead=dict.fromkeys(range(20), Reply("x", 404))
    )
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
    assert len(done.records) == 20
    assert asked(done).total() == 3


def test_conventions_are_given_up_where_they_do_not_hold(tmp_path):
    blog = Blog(posts=make_posts(20), extra="<img src='/wp-content/x.png'>")
    with serve(blog) as site:
        for path, reply in site.routes.items():
            if "<head>" in str(reply.body):
                site.routes[path] = Reply(
                    str(reply.body).replace("</head>", "<link href='/wp-content/themes/x.css'></head>")
                )
        done = crawl(tmp_path, f"{site.url}/", server=site)
        paths = {f"{blog.path(post)}feed/" for post in blog.posts}
    assert len(done.records) == 20
    assert len([target for target in done.requests if target in paths]) == 3


def test_blogs_without_comments_cost_nothing(tmp_path):
    blog = Blog(posts=make_posts(12))
    with serve(blog) as site:
        with_stage = crawl(tmp_path, f"{site.url}/", server=site)
    with serve(blog) as site:
        (tmp_path / "off").mkdir()
        without = crawl(tmp_path / "off", f"{site.url}/", server=site, COMMENTS=False)
    assert sorted(with_stage.requests) == sorted(without.requests)


def test_posts_whose_pages_show_none_are_not_asked_for_once_that_is_known(tmp_path):
    blog = CommentedBlog(
        posts=make_posts(30),
        in_feed=10,
        entry_counts=False,
        shows_comments=True,
        comments=lambda at: talk(3) if at < 15 or at == 29 else [],
    )
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert said(done, site.url, blog, 29) == told(talk(3))
    assert sum(len(record["comments"]) for record in done.records) == 48
    assert asked(done).total() <= 20


def test_the_stage_can_be_turned_off(tmp_path):
    blog = CommentedBlog()
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site, COMMENTS=False)
    assert not asked(done)
    assert not any(record["comments"] for record in done.records)


def test_the_archive_keeps_comments_and_a_later_crawl_brings_new_ones(tmp_path):
    blog = CommentedBlog(in_feed=8, comments=lambda _: talk(3))
    with serve(blog) as site:
        crawl(tmp_path, f"{site.url}/", server=site)
        blog.comments = lambda _: talk(5)
        blog.size = 2
        site.reset(blog)
        later = crawl(tmp_path, f"{site.url}/", server=site)
        blog.instead = dict.fromkeys(range(8), Reply("broken", 404))
        site.reset(blog)
        broken = crawl(tmp_path, f"{site.url}/", server=site)
        for done in (later, broken):
            assert said(done, site.url, blog, 0) == told(talk(5))
        blog.instead = {}
        blog.comments = lambda at: [replace(talk(1)[0], text="Said anew."), *talk(5)[2:]] if at == 2 else talk(5)
        site.reset(blog)
        edited = crawl(tmp_path, f"{site.url}/", server=site)
        assert said(edited, site.url, blog, 2) == told(blog.comments(2))
    assert "  comments since the last crawl: 16 new" in later.summary
    assert not any("since the last crawl" in line for line in broken.summary)
    assert "  comments since the last crawl: 1 edited, 1 no longer online" in edited.summary
    kept = [json.loads(row[0]) for row in query(tmp_path, "SELECT comments FROM post")]
    assert sorted(len(comments) for comments in kept) == [4, *[5] * 7]
    assert kept[0][2]["parent"] == "c2"


def test_thousands_of_comments_in_bounded_memory(tmp_path):
    blog = CommentedBlog(in_feed=8, comments=lambda at: talk(5000) if at == 0 else [], size=100)
    with serve(blog) as site:
        limit = 900 * 1024 * 1024
        arguments = measured(tmp_path, ["prlimit", f"--as={4 * limit}", *command(f"{site.url}/")])
        done = run(tmp_path, arguments, server=site, timeout_s=200)
        assert done.code == 0, done.stderr
        assert said(done, site.url, blog, 0) == told(talk(5000))
    assert asked(done).total() == 50
    assert memory_bytes(tmp_path) < limit


@pytest.mark.parametrize("is_open", [True, False])
def test_an_api_has_all_in_one_request_and_the_feed_what_it_keeps_back(tmp_path, is_open):
    """As WordPress does: threads from the API, which tells no pingbacks, and from the feed where it is closed."""
    blog = CommentedBlog(in_feed=8, entry_counts=False, comments=lambda _: talk(3), shows_comments=True)
    with serve(blog) as site:
        for at, post in enumerate(blog.posts):
            path = blog.path(post)
            number = 40 + at
            head = f'<link rel="https://api.w.org/" href="{site.url}/api/"><link href="/wp/v2/posts/{number}">'
            shown = str(site.routes[path].body).replace('id="c', 'id="comment-')
            site.routes[path] = Reply(shown.replace("</head>", f"{head}</head>"))
            feed = site.routes[blog.feed_of(post)]
            site.routes[blog.feed_of(post)] = Reply(
                str(feed.body).replace("#c", "#comment-").replace("Remark 3 on this.", "[…] a link here […]"),
                content_type=feed.content_type,
            )
            held_back = 1 if at == 2 else 0
            items = [
                {
                    "id": one.number,
                    "parent": one.parent or 0,
                    "author_name": one.author,
                    "date_gmt": f"{post.published + timedelta(minutes=one.number):%Y-%m-%dT%H:%M:%S}",
                    "content": {"rendered": f"<p>{one.text}</p>"},
                    "link": f"{site.url}{path}#comment-{one.number}",
                    "type": "comment",
                }
                for one in blog.comments(at)[: 3 - held_back]
            ]
            where = f"/api/wp/v2/comments?post={number}&per_page=100&page=1&order=asc"
            if is_open:
                headers = {"X-WP-Total": str(len(items))}
                site.routes[where] = Reply(json.dumps(items), headers=headers, content_type="application/json")
            else:
                site.routes[where] = Reply("{}", 401, content_type="application/json")
        done = crawl(tmp_path, f"{site.url}/", server=site)
        records = [done.record(site.url + blog.path(post)) for post in blog.posts]
    assert [len(record["comments"]) for record in records] == [3] * 8
    assert [one["parent"] for one in records[2]["comments"]] == [None, None, "comment-2"]
    assert [one["kind"] for one in records[2]["comments"]] == ["comment", "comment", "pingback"]
    apis = [target for target in done.requests if target.startswith("/api/wp/v2/comments")]
    feeds = [target for target in done.requests if target.endswith("comments.atom")]
    assert (len(apis), len(feeds)) == ((8, 1) if is_open else (3, 8))
    rules = {record["provenance"]["fields"]["comments"]["rule"] for record in records}
    assert rules == ({"WordPress"} if is_open else {None})


@needs_a_browser
def test_what_a_comment_system_has_told_is_not_asked_for_again(tmp_path):
    blog = CommentedBlog(in_feed=8, entry_counts=False, comments=lambda at: talk(2) if at == 4 else [])
    path = blog.path(blog.posts[4])
    shown = blog.comments(4)
    replies = [
        {"id": 70 + one.number, "parent": None, "author": one.author, "website": None, "created": 1590504931.0 + at,
         "text": f"<p>{one.text} It is said at length, so that it can be told from any other remark here.</p>"}
        for at, one in enumerate(shown)
    ]  # fmt: skip
    with serve(blog) as site:
        answer = json.dumps({"total_replies": 2, "replies": replies})
        site.routes[f"/isso/?uri={path.replace('/', '%2F')}"] = Reply(answer, content_type="application/json")
        script = "<section id='isso-thread'></section><script data-isso='/isso/' src='/isso/js/embed.min.js'></script></body>"
        site.routes[path] = Reply(str(site.routes[path].body).replace("</body>", script))
        done = crawl(tmp_path, f"{site.url}/", server=site, RENDER="auto")
        record = done.record(site.url + path)
    told_by_system = [one for one in record["comments"] if one["id"].startswith("isso-")]
    assert [(one["id"], one["author"]) for one in told_by_system] == [("isso-71", "Reader 1"), ("isso-72", "Reader 2")]
    assert told_by_system[0]["published"] == "2020-05-26T14:55:31+00:00"
    assert record["provenance"]["fields"]["comments"]["rule"] == "Isso"
    assert len([target for target in done.requests if target.startswith("/isso/?")]) == 1


def test_nothing_is_missing_where_a_system_has_told_all(tmp_path):
    blog = Blog(make_posts(6))
    told = {
        "id": 7,
        "parent": None,
        "author": "Ann",
        "website": None,
        "created": 1590504931.0,
        "text": "<p>A word.</p>",
    }
    with serve(blog) as site:
        for path in blog.paths():
            answer = json.dumps({"total_replies": 1, "replies": [told]})
            site.routes[f"/isso/?uri={path.replace('/', '%2F')}"] = Reply(answer, content_type="application/json")
            script = (
                "<section id='isso-thread'></section><script data-isso='/isso/' src='/isso/js/embed.min.js'></script>"
            )
            site.routes[path] = Reply(str(site.routes[path].body).replace("</body>", f"{script}</body>"))
        done = crawl(tmp_path, f"{site.url}/", RENDER="never")
    assert done.urls == blog.urls(site.url)
    assert all([one["id"] for one in record["comments"]] == ["isso-7"] for record in done.records)
    (line,) = [line for line in done.summary if "comments:" in line]
    assert "6 on 6 posts (6 requests)" in line
    assert "missing" not in line
