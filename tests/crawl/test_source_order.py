"""The cheapest source is read first."""

from __future__ import annotations

from blogcrawler.crawl.post_sources import Basis
from blogcrawler.feeds import parse_feed
from tests.feeds.sources.server import SITE, atom, rss

FEED = f"{SITE}/feed/"


def order(feed: str, *, api: bool = False, named: bool = False) -> list[str]:
    found = Basis(
        f"{SITE}/",
        parse_feed(feed.encode(), FEED),
        known=(),
        api_root=SITE if api else None,
        sitemaps=(f"{SITE}/s.xml",) if named else (),
    )
    return [source.name for source in found.sources(lambda _: True)]


def test_a_complete_feed_is_the_cheapest() -> None:
    assert order(atom([2, 1], extra="<fh:complete/>"), api=True) == ["feed archive", "WordPress API", "sitemap"]


def test_an_api_before_a_sitemap_before_an_archive_of_unknown_length() -> None:
    feed = rss(range(20, 10, -1), generator="WordPress")
    assert order(feed, api=True) == ["WordPress API", "sitemap", "feed archive"]
    assert order(feed) == ["sitemap", "feed archive"]


def test_a_short_archive_before_a_sitemap() -> None:
    feed = rss(range(60, 35, -1), {"next": f"{FEED}2"}, "Blogger", total=60)
    assert order(feed) == ["feed archive", "sitemap"]


def test_what_is_not_there_is_left_out() -> None:
    assert order(rss([2, 1])) == ["sitemap"]
