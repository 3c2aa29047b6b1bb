"""Comments come from the pages where feeds do not tell all of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.crawl.blog import make_posts, serve
from tests.crawl.commented import CommentedBlog, Said
from tests.crawl.running import Outcome, command, crawl, measured, memory_bytes, run

pytestmark = pytest.mark.slow

NAMES = ("Ann Archer", "bob", "Çelik", "Dr. Eve Stone", "faye99", "Gus", "Hanna L.")
WORDS = ("I saw this", "nobody told me that", "there is more to say", "my brother thinks so", "it depends on the day")


def chat(count: int, at: int = 0) -> list[Said]:
    """So many comments with texts of their own: each third answers the one before."""
    return [
        Said(
            100_000 * at + n,
            NAMES[n % 7],
            f"{WORDS[n % 5].capitalize()}, number {n * 37 + at} of {n}: {WORDS[(n + at) % 5]} when {WORDS[(n * at) % 5]}.",
            100_000 * at + n - 1 if n % 3 == 0 else None,
        )
        for n in range(1, count + 1)
    ]


def silent(comments, **more) -> CommentedBlog:
    """A blog whose comments are on its pages only, without feeds or numbers of them."""
    return CommentedBlog(comments=comments, entry_names_feed=False, entry_counts=False, shows_talk=True, **more)


def all_said(done: Outcome, base: str, blog: CommentedBlog) -> None:
    """Assert that each record has its post's comments, in order."""
    for at, post in enumerate(blog.posts):
        found = done.record(base + blog.path(post))["comments"]
        assert [(one["id"], one["parent"], one["author"], one["content_text"]) for one in found] == [
            (f"c{one.number}", f"c{one.parent}" if one.parent else None, one.author, one.text)
            for one in blog.comments(at)
        ]


def test_pages_tell_what_no_feed_tells(tmp_path):
    blog = silent(lambda at: chat(at % 5, at), posts=make_posts(20), in_feed=10)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        all_said(done, site.url, blog)
        record = done.record(site.url + blog.path(blog.posts[3]))
    assert record["comments"][0]["url"] == f"{record['url']}#c300001"
    assert record["comments"][0]["published"][:10] == record["published"][:10]
    source = record["provenance"]["fields"]["comments"]
    is_remark = 'contains(concat(" ",normalize-space(@class)," ")," remark ")'
    assert (source["source"], source["rule"]) == ("rule", f"//li[{is_remark}]")
    assert source["confidence"] > 0.5
    assert not done.repeated
    assert any("comments: 40 on 16 posts" in line for line in done.summary)


def test_posts_without_comments_have_none_whichever_come_first(tmp_path):
    """That is known when others have shown where comments are, which the first posts wait for."""
    blog = silent(lambda at: chat(2, at) if at % 2 else [], posts=make_posts(28), in_feed=10)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        all_said(done, site.url, blog)
    assert [record["comment_count"] for record in done.records if not record["comments"]] == [0] * 14


def test_what_a_full_feed_lacks_comes_from_the_page_and_its_further_pages(tmp_path):
    blog = CommentedBlog(
        comments=lambda at: chat(0 if at == 7 else 64 if at == 2 else 3 + at, at),
        in_feed=8,
        shows_talk=True,
        talk_size=20,
        is_cut=True,
    )
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        all_said(done, site.url, blog)
        pages = [blog.talk_path(blog.posts[2], number) for number in (1, 2, 3)]
        records = [done.record(site.url + blog.path(post)) for post in blog.posts]
    assert [record["comment_count"] for record in records] == [len(blog.comments(at)) for at in range(8)]
    sources = [record["provenance"]["fields"]["comments"]["source"] for record in records[:7]]
    assert sources == ["feed", "feed", "rule", "feed", "feed", "feed", "feed"]
    asked = {target for target in done.requests if "comment-page" in target}
    assert asked == {*pages, f"{pages[0][:-2]}4/"}  # the post's own address shows this one
    assert not done.repeated
    assert not any("missing" in line for line in done.summary)


def test_comments_of_old_posts_alone_are_learned_when_they_come(tmp_path):
    """As where a blogger has closed comments some years ago."""
    blog = silent(lambda at: chat(1 + at % 4, at) if at >= 40 else [], posts=make_posts(60), in_feed=10)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        all_said(done, site.url, blog)


def test_comments_of_the_same_number_on_few_posts(tmp_path):
    """Several such pages together show the form of comments, though none of them shows more than the first did."""
    blog = silent(lambda at: chat(3, at) if at in {18, 21, 27, 29} else [], posts=make_posts(30), in_feed=8)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        all_said(done, site.url, blog)


@pytest.mark.parametrize("early", [{3: 2}, {0: 2, 17: 1}])
def test_comments_that_cannot_be_learned_yet_wait_for_others(tmp_path, early):
    """One of the newest posts has some, of a form that only later pages make clear; meanwhile the crawl goes on."""

    def said(at):
        told = chat(early.get(at, at % 3 if at >= 40 else 0), at)
        return [replace(one, author=NAMES[(one.number + at) % 7]) for one in told]

    blog = silent(said, posts=make_posts(60), in_feed=10, per_page=10)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        all_said(done, site.url, blog)


def test_pages_too_large_to_have_many_at_once_do_not_wait_for_each_other_without_end(tmp_path):
    """While some wait to learn of comments, no further page is fetched, though requests wait."""
    blog = silent(lambda at: chat(at % 4, at), posts=make_posts(40), in_feed=10)
    with serve(blog) as site:
        for post in blog.posts:
            reply = site.routes[blog.path(post)]
            style = f"<style>{'p { margin: 0 } ' * 12000}</style>"
            site.routes[blog.path(post)] = type(reply)(str(reply.body).replace("</main>", f"</main>{style}"))
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        all_said(done, site.url, blog)
    assert len(done.records) == 40


def test_a_blog_without_comments_has_none(tmp_path):
    """Lists of other posts with their days are no comments."""
    blog = silent(lambda _: [], posts=make_posts(20), in_feed=10)
    with serve(blog) as site:
        for at, post in enumerate(blog.posts):
            near = [blog.posts[(at + step) % 20] for step in (1, 3, 7)]
            others = "".join(
                f'<li><a href="{blog.path(one)}">{one.title}</a> <i>{one.published:%d %B %Y}</i></li>' for one in near
            )
            reply = site.routes[blog.path(post)]
            site.routes[blog.path(post)] = type(reply)(str(reply.body).replace("</main>", f"<ul>{others}</ul></main>"))
        done = crawl(tmp_path, f"{site.url}/", server=site)
    assert len(done.records) == 20
    assert not any(record["comments"] for record in done.records)


def test_a_post_has_no_comments_whether_its_feed_was_asked_or_not(tmp_path):
    """Those of the first posts are asked; later ones show that there is nothing to ask for."""
    blog = CommentedBlog(
        comments=lambda at: chat(at % 2, at), posts=make_posts(40), entry_counts=False, shows_talk=True
    )
    blog.page_names_feed = True
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
    assert len(done.records) == 40
    assert all(record["comment_count"] == len(record["comments"]) for record in done.records)
    silent_ones = [record for record in done.records if not record["comments"]]
    assert not any("comments" in record["provenance"]["fields"] for record in silent_ones)
    asked = sum("comments.atom" in target for target in done.requests)
    assert 20 < asked < 40, "some were not asked"


def test_rules_outlast_the_crawl(tmp_path):
    blog = silent(lambda at: chat(at % 5, at), posts=make_posts(16))
    with serve(blog) as site:
        crawl(tmp_path, f"{site.url}/", server=site, PAGE_LIMIT=12)
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.records
        for record in done.records:
            at = next(at for at, post in enumerate(blog.posts) if record["url"].endswith(blog.path(post)))
            assert len(record["comments"]) == at % 5


def test_thousands_of_comments_on_one_page_in_bounded_memory(tmp_path):
    blog = silent(lambda at: chat(2000, at) if at == 1 else chat(2, at))
    with serve(blog) as site:
        limit = 500 * 1024 * 1024
        arguments = measured(tmp_path, ["prlimit", f"--as={8 * limit}", *command(f"{site.url}/")])
        done = run(tmp_path, arguments, server=site, timeout_s=200)
        assert done.code == 0, done.stderr
        all_said(done, site.url, blog)
    assert memory_bytes(tmp_path) < limit
