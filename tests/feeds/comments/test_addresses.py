"""Where the feed of a post's comments may be."""

from __future__ import annotations

import pytest

from blogcrawler.dom import parse
from blogcrawler.feeds import parse_feed
from blogcrawler.feeds.comments import blog_comment_feeds, comment_feed_addresses, form_of, page_feeds
from blogcrawler.feeds.comments.addresses import feed_key

SITE = "http://blog.example.net"
POST = f"{SITE}/2014/05/a-post/"
FEED = '<link rel="alternate" type="application/rss+xml" href="{}">'
WORDPRESS = b'<html><head><link rel="stylesheet" href="/wp-content/themes/x/style.css"></head></html>'
MOVED = b'<article><img src="/wp-content/uploads/2010/05/a.png"><img src="/wp-includes/images/smilies/b.gif"></article>'
"""Of a blog that was WordPress's once."""
BLOGGER = b"<a href='http://www.blogger.com/comment.g?blogID=111&postID=222'>Comment</a>"


def urls(url=POST, **told) -> list[str]:
    return [address.url for address in comment_feed_addresses(url, **told)]


def test_what_the_entry_names_comes_first_and_each_address_once():
    found = comment_feed_addresses(
        POST, named=f"{POST}feed/", offered=[f"{POST}feed"], form="feed/", source=WORDPRESS, shared=set()
    )
    assert [(address.url, address.how) for address in found] == [(f"{POST}feed/", "entry")]


@pytest.mark.parametrize(
    ("item", "told"),
    [
        (f"<wfw:commentRss>{POST}feed/</wfw:commentRss>", f"{POST}feed/"),
        (f"<wfw:commentRSS>{POST}feed/</wfw:commentRSS>", f"{POST}feed/"),
        (f'<a:link rel="replies" type="application/atom+xml" href="{POST}r.atom"/>', f"{POST}r.atom"),
        (f'<a:link rel="replies" type="text/html" href="{POST}#comments"/>', None),
        ("<comments>/2014/05/a-post/#comments</comments>", None),
    ],
)
def test_what_entries_name(item, told):
    body = (
        '<rss version="2.0" xmlns:wfw="http://wellformedweb.org/CommentAPI/" xmlns:a="http://www.w3.org/2005/Atom">'
        f"<channel><link>{SITE}/</link><item><link>{POST}</link>{item}</item></channel></rss>"
    )
    (entry,) = parse_feed(body.encode(), f"{SITE}/feed/").entries
    assert entry.comments_feed == told


def test_a_pages_own_feed_is_one_that_no_other_page_names():
    offered = [f"{SITE}/feed/", f"{SITE}/comments/77.xml"]
    assert urls(offered=offered, shared={feed_key(f"{SITE}/feed")}) == [f"{SITE}/comments/77.xml"]


def test_of_the_first_page_only_what_names_the_post_is_its_own():
    offered = [f"{SITE}/feed/", f"{SITE}/comments/feed/", f"{SITE}/rss/a-post.xml", f"{POST}feed/"]
    assert urls(offered=offered) == [f"{SITE}/rss/a-post.xml", f"{POST}feed/"]


def test_the_feeds_of_a_page():
    tree = parse(
        "<html><head>"
        + FEED.format("feed/")
        + FEED.format("http://other.example.org/feed")
        + FEED.format("/feed")
        + '<link rel="alternate" type="text/html" hreflang="de" href="/de/"></head><body>x</body></html>'
    )
    assert page_feeds(tree, POST) == [f"{POST}feed/", f"{SITE}/feed"]


@pytest.mark.parametrize(
    ("url", "told", "found"),
    [
        (POST, {"source": WORDPRESS}, [f"{POST}feed/"]),
        (f"{SITE}/a-post", {"source": WORDPRESS}, [f"{SITE}/a-post/feed/"]),
        (f"{SITE}/?p=45", {"source": WORDPRESS}, [f"{SITE}/?p=45&feed=rss2"]),
        (f"{SITE}/", {"source": WORDPRESS}, []),
        (POST, {"source": MOVED}, []),
        (f"{SITE}/p.html", {"source": BLOGGER}, [f"{SITE}/feeds/222/comments/default?max-results=200"]),
        (
            f"{SITE}/p.html",
            {"guid": "tag:blogger.com,1999:blog-111.post-333"},
            [f"{SITE}/feeds/333/comments/default?max-results=200"],
        ),
        (POST, {"source": b"<html>"}, []),
    ],
)
def test_conventions(url, told, found):
    assert urls(url, **told) == found


def test_the_form_of_the_blogs_own_entries_holds_for_posts_without_one():
    form = form_of(POST, f"{POST}comments.rss")
    assert urls(f"{SITE}/2013/01/older/", form=form) == [f"{SITE}/2013/01/older/comments.rss"]


@pytest.mark.parametrize("feed", [None, POST, f"{SITE}/comments?id=4", f"{POST}{'x' * 100}"])
def test_addresses_that_are_no_form(feed):
    assert form_of(POST, feed) is None


def test_addresses_of_other_sites_are_left_out_but_for_the_platforms():
    assert urls(named="http://evil.example.org/feed") == []
    platform = "https://www.blogger.com/feeds/111/222/comments/default"
    assert urls(named=platform) == [platform]


@pytest.mark.parametrize("path", ["a-post/", "2014/05/a-post/", "x/y/z/a-post/"])
def test_the_feed_of_all_comments_that_pages_name_is_found(path):
    html = (
        f'<html><head><link rel="alternate" type="application/rss+xml" title="Feed" href="{SITE}/feed/">'
        f'<link rel="alternate" type="application/rss+xml" title="Comments Feed" href="{SITE}/talk.xml"></head>'
        "<body><p>Words</p></body></html>"
    )
    pages = [(parse(html.encode()), f"{SITE}/{path}{number}/", html.encode()) for number in range(3)]
    assert blog_comment_feeds(f"{SITE}/", pages) == [f"{SITE}/talk.xml"]
