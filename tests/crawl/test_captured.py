"""Blogs that are gone, brought back from WARC files."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.crawl.blog import Blog, make_posts
from tests.crawl.captured import BASE, Taken, addresses, as_of, taken_on, write
from tests.crawl.commented import CommentedBlog
from tests.crawl.killing import at_commit
from tests.crawl.running import crawl, kept
from tests.crawl.test_page_comments import chat
from tests.crawl.test_redesigns import Redesigned
from tests.site import Reply

BLOG = Blog(make_posts(24), in_feed=6)
END = "2022-06-01"


def bring_back(folder, place, *more, **settings):
    return crawl(folder, f"{BASE}/", "-a", f"source={place}", *more, **settings)


def assert_right(record, post):
    assert record["title"] == post.title
    assert record["content_text"] == post.text
    assert record["published"][:10] == f"{post.published:%Y-%m-%d}"


def test_every_captured_post_is_found_with_its_fields(tmp_path):
    file = write(tmp_path / "blog.warc.gz", taken_on(BLOG, END))
    done = bring_back(tmp_path, file)
    assert done.code == 0, done.stderr
    assert done.urls == addresses(BLOG.posts)
    for post in BLOG.posts:
        assert_right(done.record(BASE + post.path), post)


def test_a_record_names_its_capture_and_not_the_web(tmp_path):
    file = write(tmp_path / "blog.warc.gz", taken_on(BLOG, END))
    (record, *_) = bring_back(tmp_path, file).records
    come = record["provenance"]
    assert come["fetched"] == "2022-06-01T00:00:00+00:00"
    assert come["capture"]["time"] == come["fetched"]
    path, _, offset = come["capture"]["place"].rpartition("#")
    assert path == str(file)
    assert int(offset) < file.stat().st_size
    assert come["capture"]["digest"].startswith("sha1:")
    assert come["warc"] is None


def test_captured_feeds_of_many_years_name_posts_that_no_page_has(tmp_path):
    """Of the old posts there is neither a page nor a list: feeds that were captured while they were new have them."""
    old = BLOG.posts[6:]
    lost = {post.path for post in old} | {f"/page/{number}/" for number in range(2, 7)}
    captures = taken_on(BLOG, END, without=lost)
    for year in ("2020-06-01", "2020-10-01", "2021-02-01", "2021-06-01", "2021-10-01"):
        feed = [one for one in taken_on(as_of(BLOG, year), year) if one.path == "/feed.xml"]
        captures += feed
    done = bring_back(tmp_path, write(tmp_path / "blog.warc.gz", captures))
    assert done.code == 0, done.stderr
    assert done.urls == addresses(BLOG.posts)
    for post in BLOG.posts:
        record = done.record(BASE + post.path)
        assert_right(record, post)
        is_page = post not in old
        assert record["provenance"]["status"] == (200 if is_page else None)
    assert any("not captured" in line for line in done.summary)


@pytest.mark.parametrize("home", ["/", "/about/"])
def test_captured_posts_that_no_captured_page_links_to_are_found(tmp_path, home):
    """Also if the feed names another page as the blog's home."""
    captures = taken_on(BLOG, END, without={f"/page/{number}/" for number in range(2, 7)})
    channel = f"<link>{BASE}/</link>"
    captures = [
        replace(one, reply=replace(one.reply, body=one.reply.body.replace(channel, f"<link>{BASE}{home}</link>")))
        for one in captures
    ]
    done = bring_back(tmp_path, write(tmp_path / "blog.warc.gz", captures))
    assert done.urls == addresses(BLOG.posts)
    for post in BLOG.posts:
        assert_right(done.record(BASE + post.path), post)


def test_a_post_between_captured_feeds_that_no_captured_page_links_to_is_found(tmp_path):
    """It is younger than the oldest entry of all captured feeds, and in none of them."""
    captures = taken_on(BLOG, END, without={f"/page/{number}/" for number in range(2, 7)})
    captures += [one for one in taken_on(as_of(BLOG, "2020-10-01"), "2020-10-01") if one.path == "/feed.xml"]
    done = bring_back(tmp_path, write(tmp_path / "blog.warc.gz", captures))
    assert done.urls == addresses(BLOG.posts)


def test_the_archive_as_of_a_day(tmp_path):
    day = "2021-02-01"
    then = as_of(BLOG, day)
    file = write(tmp_path / "blog.warc.gz", [*taken_on(then, day), *taken_on(BLOG, END)])
    done = bring_back(tmp_path, file, "-a", f"at={day}")
    assert done.urls == addresses(then.posts)
    assert {record["provenance"]["fetched"][:10] for record in done.records} == {day}
    assert not any("not captured" in line for line in done.summary), "posts of later days are not missing"


def test_addresses_that_others_took_over_are_not_the_blog(tmp_path):
    parked = Reply("<html><head><title>gone.example.org</title></head><body>This domain is for sale.</body></html>")
    later = [replace(one, reply=parked) for one in taken_on(BLOG, "2024-06-01")]
    done = bring_back(tmp_path, write(tmp_path / "blog.warc.gz", [*taken_on(BLOG, END), *later]))
    assert done.urls == addresses(BLOG.posts)
    for post in BLOG.posts:
        assert_right(done.record(BASE + post.path), post)


def test_a_redirect_to_the_same_address_by_https_is_not_the_page(tmp_path):
    """Only the redirect was captured of one post."""
    lost = BLOG.posts[9]
    moved = Taken(
        lost.path, datetime(2022, 5, 1, tzinfo=UTC), Reply("", 301, headers={"Location": f"https{BASE[4:]}{lost.path}"})
    )
    done = bring_back(tmp_path, write(tmp_path / "blog.warc.gz", [*taken_on(BLOG, END, without={lost.path}), moved]))
    assert done.urls == addresses([post for post in BLOG.posts if post is not lost])
    assert any("not captured: 1" in line and lost.path in line for line in done.summary), done.summary


PARKED = """<html><head><title>gone.example.org</title></head><body><h1>This domain is for sale</h1>
<p>Buy it today, or search for <a href="https://parking.example.com/tea">tea</a>.</p></body></html>"""
LOGIN = '<html><body><h1>Log in</h1><form><input name="who"><input type="password"></form><a href="/about/">Help</a></body></html>'


@pytest.mark.parametrize("other", [PARKED, LOGIN])
def test_a_page_of_others_that_was_captured_nearer_to_the_last_feed_is_not_used(tmp_path, other):
    pages = [one for one in taken_on(BLOG, "2021-12-20") if one.path != "/feed.xml"]
    later = [replace(one, time=datetime(2022, 5, 20, tzinfo=UTC), reply=Reply(other)) for one in pages]
    feed = [one for one in taken_on(BLOG, END) if one.path == "/feed.xml"]
    done = bring_back(tmp_path, write(tmp_path / "blog.warc.gz", [*pages, *later, *feed]))
    assert done.urls == addresses(BLOG.posts)
    for post in BLOG.posts:
        record = done.record(BASE + post.path)
        assert_right(record, post)
        assert record["provenance"]["fetched"][:10] == "2021-12-20"


def test_a_missing_page_with_status_200_is_not_used(tmp_path):
    """Some posts had been deleted when the feed was captured last, and the server said so in the blog's own design."""
    deleted = {post.path for post in BLOG.posts[3:12]}
    error = (
        '<article class="post"><h1 class="headline">Page not found</h1><div class="text"><p>Sorry.</p></div></article>'
    )
    found = [one for one in taken_on(BLOG, "2021-12-20") if one.path in deleted]
    design = BLOG.page(BLOG.posts[0])
    page = re.sub(
        r"<article.*</article>",
        error,
        re.sub("<title>.*?</title>", "<title>Not found</title>", design),
        flags=re.DOTALL,
    )
    missing = [replace(one, time=datetime(2022, 6, 1, tzinfo=UTC), reply=Reply(page)) for one in found]
    captures = [*taken_on(BLOG, END, without=deleted), *found, *missing]
    done = bring_back(tmp_path, write(tmp_path / "blog.warc.gz", captures))
    assert done.urls == addresses(BLOG.posts)
    for post in BLOG.posts:
        assert_right(done.record(BASE + post.path), post)


class CutFeeds(CommentedBlog):
    """A blog of WordPress: its feeds of comments hold ten, and no link leads to the older ones."""

    def document(self, base, at, path):
        generator = "<generator>https://wordpress.org/?v=6.1</generator>"
        return super().document(base, at, path).replace("<title>", f"{generator}<title>", 1)


def test_comments_are_read_from_pages_where_older_ones_of_their_feed_were_not_captured(tmp_path):
    """Not captured does not mean that the feed has no further page."""
    counts = [14 if at == 2 else 3 + at for at in range(8)]
    blog = CutFeeds(
        comments=lambda at: chat(counts[at], at), in_feed=8, shows_talk=True, is_cut=True, entry_counts=False
    )
    captures = [one for one in taken_on(blog, END) if "?page=" not in one.path]
    done = bring_back(tmp_path, write(tmp_path / "blog.warc.gz", captures))
    assert done.code == 0, done.stderr
    assert [len(done.record(BASE + post.path)["comments"]) for post in blog.posts] == counts


def test_a_place_without_captures_of_the_blog(tmp_path):
    others = [replace(one, base="http://another.example.org") for one in taken_on(BLOG, END)]
    done = bring_back(tmp_path, write(tmp_path / "blog.warc.gz", others))
    assert done.code == 1
    assert f"{BASE}/ was not captured." in done.stderr
    assert "404" not in done.stderr


def test_moved_hosts_are_one_blog(tmp_path):
    """Some pages were captured with www, some by https."""
    captures = taken_on(BLOG, END)
    bases = (BASE, "http://www.gone.example.org", "https://gone.example.org")
    captures = [replace(one, base=bases[number % 3]) for number, one in enumerate(captures)]
    done = bring_back(tmp_path, write(tmp_path / "blog.warc.gz", captures))
    assert done.urls == addresses(BLOG.posts)


@pytest.mark.slow
def test_a_blog_that_was_redesigned_between_captures(tmp_path):
    """The old posts were captured in their old clothes only."""
    blog = Redesigned(make_posts(42), in_feed=8)
    done = bring_back(tmp_path, write(tmp_path / "blog.warc.gz", taken_on(blog, "2023-06-01")))
    assert done.urls == addresses(blog.posts)
    for post in blog.posts:
        record = done.record(BASE + post.path)
        assert record["content_text"].removeprefix(post.title).split() == post.text.split()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("at=2014",), "source="),
        (("source=nothing.warc.gz",), "There is no file or folder nothing.warc.gz"),
        (("source=.", "at=2014-02-31"), "'2014-02-31' is no time"),
        (("source=.", "from=2015", "to=2014"), "2015 is later than 2014"),
        (("source=.", "at=2015", "to=2014"), "either at="),
    ],
)
def test_wrong_arguments(tmp_path, arguments, sentence):
    more = [part for argument in arguments for part in ("-a", argument)]
    done = crawl(tmp_path, f"{BASE}/", *more)
    assert done.code == 2
    assert sentence in done.stderr


@pytest.mark.slow
def test_a_crawl_that_is_killed_again_and_again_loses_and_doubles_nothing(tmp_path):
    blog = Blog(make_posts(30), in_feed=6)
    old = {post.path for post in blog.posts[20:]}
    feeds = [one for one in taken_on(as_of(blog, "2020-12-01"), "2020-12-01") if one.path == "/feed.xml"]
    captures = [*taken_on(blog, "2023-06-01", without=old), *feeds]
    file = write(tmp_path / "blog.warc.gz", captures)
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    undisturbed.mkdir()
    killed.mkdir()
    expected = bring_back(undisturbed, file)
    for number in range(1, 31):
        done = bring_back(killed, file, *at_commit(number))
        assert done.code in (0, -9), done.stderr
        if done.code == 0:
            break
    done = bring_back(killed, file)
    assert done.code == 0, done.stderr
    assert kept(killed).keys() == kept(undisturbed).keys()
    assert {url: rest[-1] for url, rest in kept(killed).items()} == {
        url: rest[-1] for url, rest in kept(undisturbed).items()
    }
    assert done.urls == expected.urls
    assert len(expected.urls) > 20
