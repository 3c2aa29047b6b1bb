"""Sitemaps of every form, whole and broken."""

from __future__ import annotations

import gzip
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawler.feeds.sources.sitemap import MAX_BYTES, read_sitemap
from blogcrawler.urls import canonicalise
from tests.feeds.sources.server import SITE, rss

URL = f"{SITE}/sitemap.xml"
SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(urls, extra: str = "", space: str = SPACE) -> str:
    lines = "".join(f"<url><loc>{escape(url)}</loc>{extra}</url>" for url in urls)
    return f'<?xml version="1.0" encoding="UTF-8"?><urlset {space}>{lines}</urlset>'


def pages(body: str | bytes) -> list[str]:
    return [url for url, _ in read_sitemap(body.encode() if isinstance(body, str) else body, URL).pages]


TWO = [f"{SITE}/a?x=1&y=2", f"{SITE}/b"]


@pytest.mark.parametrize(
    "body",
    [
        urlset(TWO),
        "\n\n" + urlset(TWO),
        "\ufeff" + urlset(TWO),
        "<b>Warning</b>: headers already sent\n" + urlset(TWO),
        urlset(TWO, space=""),
        urlset(TWO).replace("<loc>", "<loc>\n   ").replace("</loc>", "\n</loc>"),
        urlset(TWO).replace("<loc>", "<loc><![CDATA[").replace("</loc>", "]]></loc>").replace("&amp;", "&"),
        urlset(TWO).replace("urlset", "s:urlset").replace("xmlns=", "xmlns:s="),
        urlset(TWO) + "<!-- 20 queries -->",
        urlset(TWO)[:-9],
        "\n".join(TWO),
        "\r\n".join(["", *TWO, "no address"]),
        gzip.compress(urlset(TWO).encode(), mtime=0),
        gzip.compress("\n".join(TWO).encode(), mtime=0),
    ],
)
def test_pages(body) -> None:
    assert pages(body) == TWO


def test_extensions_are_no_pages() -> None:
    extra = (
        '<image:image xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><image:loc>http://example.org/i.jpg'
        "</image:loc></image:image>"
        '<news:news xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><news:title>A</news:title></news:news>'
        '<video:video xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"><video:player_loc>http://example.org/v'
        "</video:player_loc></video:video>"
        '<xhtml:link xmlns:xhtml="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="de" href="http://example.org/de"/>'
    )
    assert pages(urlset(TWO, extra)) == TWO


def test_lastmod() -> None:
    body = urlset([TWO[0]], "<lastmod>2014-05-02T10:00:00+02:00</lastmod>").replace("</urlset>", "")
    body += f"<url><loc>{TWO[1]}</loc><lastmod> 2014-05-02 </lastmod></url><url><loc>/c</loc><lastmod>soon</lastmod></url></urlset>"
    assert [day for _, day in read_sitemap(body.encode(), URL).pages] == [
        "2014-05-02T10:00:00+02:00",
        "2014-05-02",
        None,
    ]


def test_an_index_names_sitemaps() -> None:
    body = f"<sitemapindex {SPACE}><sitemap><loc>/a.xml</loc><lastmod>2014-05-02</lastmod></sitemap></sitemapindex>"
    assert read_sitemap(body.encode(), URL).maps == ((f"{SITE}/a.xml", "2014-05-02"),)


def test_a_feed_may_be_a_sitemap() -> None:
    assert pages(rss([2, 1])) == [f"{SITE}/2014/05/post-2/", f"{SITE}/2014/05/post-1/"]


def test_links_are_resolved_and_repeated_ones_are_one() -> None:
    assert pages(urlset(["/a", "a", "//example.org/a", "javascript:1", ""])) == [f"{SITE}/a"]


@pytest.mark.parametrize(
    "body", [b"", b"\n", b"<html><body>http://example.org/a</body></html>", b"{}", b"\x1f\x8b", b"\x00" * 50]
)
def test_what_is_no_sitemap_has_no_pages(body) -> None:
    assert pages(body) == []


def test_what_a_broken_archive_still_has() -> None:
    many = [f"{SITE}/{number}" for number in range(5000)]
    found = pages(gzip.compress(urlset(many).encode())[:-3000])
    assert 0 < len(found) < 5000
    assert found == many[: len(found)]


def test_a_bomb_is_not_unpacked() -> None:
    bomb = gzip.compress(b"http://example.org/a\n" + b" " * (3 * MAX_BYTES))
    assert pages(bomb) == [f"{SITE}/a"]


def test_entities_are_not_expanded() -> None:
    body = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>' + urlset(["/a"]).replace("/a", "/&a;")
    assert all("hostname" not in url for url in pages(body))


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes(body) -> None:
    read_sitemap(body, URL)
    read_sitemap(b"<urlset><url><loc>" + body, URL)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.from_regex(r"http://example\.org/[a-z0-9]{1,8}(\?[a-z]=[a-z0-9]{1,3}(&[b-z]=1)?)?", fullmatch=True),
        unique=True,
        max_size=30,
    )
)
def test_what_is_written_is_read(urls) -> None:
    assert set(pages(urlset(urls))) == set(map(canonicalise, urls))
    assert set(pages(gzip.compress(urlset(urls).encode()))) == set(map(canonicalise, urls))


@pytest.mark.parametrize("form", [urlset, "\n".join])
def test_routes_are_pages_where_the_blog_has_some(form):
    body = form([f"{SITE}/#/a", f"{SITE}/#/b", f"{SITE}/c#d"]).encode()
    assert [url for url, _ in read_sitemap(body, URL).pages] == [f"{SITE}/", f"{SITE}/c"]
    found = [url for url, _ in read_sitemap(body, URL, has_routes=True).pages]
    assert found == [f"{SITE}/%23%2F/a", f"{SITE}/%23%2F/b", f"{SITE}/c"]
