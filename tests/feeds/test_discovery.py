"""Which feed is believed of those that the pages of a blog name, and of those that are guessed."""

from __future__ import annotations

import pytest

from blogcrawler.feeds.discovery import discover
from blogcrawler.items import Page

SITE = "http://blog.example.net"


def rss(*paths: str, year: int = 2023, home: str = "/") -> str:
    items = "".join(
        f"<item><title>Post {number}</title><link>{SITE}{path}</link>"
        f"<pubDate>{number + 1:02d} Mar {year} 10:00:00 GMT</pubDate></item>"
        for number, path in enumerate(paths)
    )
    return f"<rss version='2.0'><channel><title>A blog</title><link>{SITE}{home}</link>{items}</channel></rss>"


def posts(count: int, folder: str = "posts") -> list[str]:
    return [f"/{folder}/{number}/" for number in range(count)]


def page(*links: str, feeds: tuple[str, ...] = (), head: str = "") -> str:
    named = "".join(f"<link rel='alternate' type='application/rss+xml' href='{feed}'>" for feed in feeds)
    return (
        f"<html><head>{named}{head}</head><body>{''.join(f'<a href={link}>A post</a>' for link in links)}</body></html>"
    )


async def found(routes: dict[str, str], start: str = "/", moved: dict[str, str] | None = None) -> str:
    """The path of the feed that is found for a blog of these pages and feeds; `moved` addresses lead to others."""

    async def fetch(url: str):
        path = url.removeprefix(SITE) or "/"
        path = (moved or {}).get(path, path)
        body = routes.get(path, "gone")
        kind = "text/xml" if body.startswith("<rss") else "text/html"
        return Page(SITE + path, body.encode(), kind, 200 if path in routes else 404)

    return (await discover(SITE + start, fetch)).feed.url.removeprefix(SITE)


@pytest.mark.parametrize("start", ["/", "/home/"])
@pytest.mark.parametrize("alone", [("/home/",), ("/home",), ("/",)])
async def test_a_feed_of_the_home_page_alone_is_no_blogs(start, alone):
    routes = {"/home/": page(*posts(9)), "/home/index.xml": rss(*alone, home="/home/"), "/index.xml": rss(*posts(9))}
    assert await found(routes, start, {"/": "/home/"}) == "/index.xml"


async def test_a_declared_feed_of_the_home_page_alone_is_no_blogs():
    home = page(*posts(9), feeds=("/home/index.xml",))
    routes = {"/home/": home, "/home/index.xml": rss("/home/"), "/index.xml": rss(*posts(9))}
    assert await found(routes, moved={"/": "/home/"}) == "/index.xml"


async def test_the_canonical_address_is_asked_too():
    home = page(*posts(9), head=f"<link rel=canonical href={SITE}/blog/home/>")
    routes = {"/": home, "/index.xml": rss("/"), "/blog/home/index.xml": rss(*posts(9))}
    assert await found(routes) == "/blog/home/index.xml"


async def test_a_start_that_leads_to_a_section_is_of_the_whole_blog():
    section, whole = posts(3, "news"), [*posts(3, "news"), *posts(6, "notes")]
    routes = {"/news/": page(*section), "/news/index.xml": rss(*section), "/index.xml": rss(*whole)}
    assert await found(routes, moved={"/": "/news/"}) == "/index.xml"
    assert await found(routes, "/news/") == "/news/index.xml"


async def test_a_start_that_leads_to_a_language_is_of_that_language():
    routes = {
        "/fr/": page(*posts(3, "fr/notes")),
        "/fr/index.xml": rss(*posts(3, "fr/notes"), home="/fr/"),
        "/index.xml": rss(*posts(9, "notes")),
    }
    assert await found(routes, moved={"/": "/fr/"}) == "/fr/index.xml"


@pytest.mark.parametrize("feeds", [("/old.xml", "/new.xml"), ("/new.xml", "/old.xml")])
async def test_of_two_feeds_the_one_that_goes_on_is_the_blogs(feeds):
    routes = {
        "/": page(feeds=feeds),
        "/old.xml": rss(*posts(9, "old"), year=2014),
        "/new.xml": rss(*posts(4, "new"), year=2023),
    }
    assert await found(routes) == "/new.xml"


@pytest.mark.parametrize("feeds", [("/a.xml", "/b.xml"), ("/b.xml", "/a.xml")])
async def test_of_two_feeds_the_one_that_the_home_page_shows_is_the_blogs(feeds):
    routes = {
        "/": page(*posts(5), "/episodes/3/", feeds=feeds),
        "/a.xml": rss(*posts(9, "episodes")),
        "/b.xml": rss(*posts(5)),
    }
    assert await found(routes) == "/b.xml"


async def test_where_comments_alone_are_named_the_posts_are_looked_for():
    comments = [f"/posts/{number}/#comment-{number}" for number in range(5)]
    home = page(*posts(5), feeds=("/replies.xml",))
    assert await found({"/": home, "/replies.xml": rss(*comments), "/feed/": rss(*posts(5))}) == "/feed/"


async def test_a_feed_of_the_home_page_alone_is_better_than_none():
    assert await found({"/": page(), "/index.xml": rss("/")}) == "/index.xml"
