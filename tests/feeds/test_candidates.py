"""Feeds that pages offer, and their order."""

from __future__ import annotations

import lxml.html
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawler.feeds import FeedCandidate, candidates, home_of_usual

HOST = "http://blog.example.net"


def found(html: str, url: str = f"{HOST}/", headers: tuple[str, ...] = ()) -> list[FeedCandidate]:
    return candidates(lxml.html.document_fromstring(html), url, headers)


def offered(html: str, url: str = f"{HOST}/") -> list[str]:
    """The addresses that the page itself offers, without the host."""
    return [one.url.removeprefix(HOST) for one in found(html, url) if one.how != "well-known"]


def link(href: str, title: str = "", kind: str = "application/rss+xml", extra: str = "") -> str:
    return f'<link rel="alternate" type="{kind}" title="{title}" href="{href}" {extra}>'


@pytest.mark.parametrize(
    "kind",
    [
        *("application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"),
        *("application/x.atom+xml", "text/rss", "application/ATOM+XML; charset=utf-8"),
    ],
)
def test_declared_feeds_of_every_type(kind):
    assert offered(link("/anything", kind=kind)) == ["/anything"]


@pytest.mark.parametrize("kind", ["text/xml", "application/xml", "application/json", ""])
def test_vague_types_need_a_feeds_address(kind):
    html = link("/feed.xml", kind=kind) + link("/oembed?url=x", kind=kind) + link("/wp-json/wp/v2/pages/2", kind=kind)
    assert offered(html) == ["/feed.xml"]


def test_other_alternates_are_no_feeds():
    html = '<link rel="alternate" hreflang="fr" href="/fr/"><link rel="stylesheet" type="text/xml" href="/feed.xml">'
    assert offered(html + '<link rel="alternate" type="application/json+oembed" href="/feed/oembed">') == []


def test_http_header():
    headers = ('</feed.xml>; rel="alternate"; type="application/rss+xml", </x>; rel=preload', "<<>;;;=")
    assert found("<p>x", headers=headers)[0].url == f"{HOST}/feed.xml"


def test_base_scheme_and_white_space():
    html = f'<base href="{HOST}/sub/">' + link(" feed.xml\n") + link("feed:https://blog.example.net/a.xml")
    assert [one.url for one in found(html)[:2]] == [
        "https://blog.example.net/a.xml",
        f"{HOST}/sub/feed.xml",
    ]
    assert found(link("feed://blog.example.net/rss"))[0].url == f"{HOST}/rss"
    assert f"{HOST}/my-feed:a/rss" in [one.url for one in found(link("/my-feed:a/rss"))]


@pytest.mark.parametrize(
    "anchor",
    [
        '<a href="/feed/">x</a>',
        '<a href="/rss.xml">x</a>',
        '<a href="/feeds/posts/default">x</a>',
        '<a href="/?feed=rss2">x</a>',
        '<a href="/index.rdf">x</a>',
        '<a href="/x.php"><img alt="RSS" src="x"></a>',
        '<a href="/x.php" title="Atom feed">x</a>',
        '<a href="/x.php" class="icon-rss"></a>',
        '<a href="/x.php">RSS 2.0</a>',
        '<a href="http://feeds.feedburner.com/blog">x</a>',
        '<a href="https://reader.example/subscription/feed%2Fhttp%3A%2F%2Fblog.example.net%2Ffeed%2F">x</a>',
    ],
)
def test_anchors_that_lead_to_feeds(anchor):
    assert found(f"<body>{anchor}")[0].how == "anchor"


@pytest.mark.parametrize(
    "anchor",
    [
        '<a href="/2014/feed-the-birds/">Feed the birds</a>',
        '<a href="/2014/why-rss/">Why I still read with RSS every day</a>',
        '<a class="feed-item-title" href="/2014/a/">A post</a>',
        '<a href="/sitemap.xml">Sitemap</a>',
        '<a href="http://other.example/feed/">RSS</a>',
        '<a href="#rss">RSS</a>',
        '<a href="/about.html">RSS</a>',
        '<a href="mailto:x@example.org">feed</a>',
        '<a href="javascript:void(0)">RSS</a>',
    ],
)
def test_anchors_that_do_not(anchor):
    assert offered(f"<body>{anchor}") == []


@pytest.mark.parametrize(
    ("html", "url", "first"),
    [
        pytest.param(
            link("/comments/feed/", "Blog » Comments Feed") + link("/feed/", "Blog » Feed"),
            "/",
            "/feed/",
            id="comments",
        ),
        pytest.param(
            link("/kommentare.xml", "Blog: Rückmeldungen aller Leser") + link("/a.xml", "Blog"),
            "/",
            "/a.xml",
            id="words",
        ),
        pytest.param(link("/c.xml", "ブログ コメント") + link("/p.xml", "ブログ"), "/", "/p.xml", id="japanese"),
        pytest.param(
            link("/feed/", "B » Feed")
            + link("/comments/feed/", "B » Commenti")
            + link("/2014/05/post/feed/", "B » Post Commenti"),
            "/2014/05/post/",
            "/feed/",
            id="post page",
        ),
        pytest.param(
            link("/tag/x/feed/", "x") + link("/category/y/feed/", "y") + link("/feed/", "z"),
            "/",
            "/feed/",
            id="sections",
        ),
        pytest.param(link("/podcast.xml", "Podcast") + link("/blog.xml", "Blog"), "/", "/blog.xml", id="podcast"),
        pytest.param(link("/feed.xml") + link("/blog/feed.xml"), "/blog/", "/blog/feed.xml", id="folder"),
        pytest.param(link("/feed.fr.xml") + link("/feed.en.xml"), "/en/", "/feed.en.xml", id="language of the folder"),
        pytest.param(
            '<html lang="fr"><head>' + link("/feed.en.xml") + link("/feed.fr.xml"), "/", "/feed.fr.xml", id="language"
        ),
        pytest.param(
            '<html lang="de"><head>' + link("/1.xml", extra='hreflang="en"') + link("/2.xml", extra='hreflang="de-AT"'),
            "/",
            "/2.xml",
            id="hreflang",
        ),
        pytest.param(link("http://other.example/feed") + link("/rss"), "/", "/rss", id="other site"),
        pytest.param('<a href="/rss.xml">RSS</a>' + link("/atom.xml"), "/", "/atom.xml", id="declared before linked"),
        pytest.param(
            "<title>Random comments</title>" + link("/r.xml", "Random comments") + link("/comments/r.xml", "Comments"),
            "/",
            "/r.xml",
            id="a blog called Comments",
        ),
    ],
)
def test_the_posts_feed_comes_first(html, url, first):
    assert found(html, HOST + url)[0].url == HOST + first


def test_unlinked_feeds_are_tried_before_comments():
    ranked = found(link("/comments/feed/", "Comments"))
    assert ranked[0].how == "well-known"
    assert ranked[-1].url != f"{HOST}/comments/feed/" or len(ranked) <= 50


@pytest.mark.parametrize(
    ("html", "url", "wanted", "within"),
    [
        ("<p>x", "/", "/feed/", 1),
        ("<p>x", "/", "/atom.xml", 5),
        ("<p>x", "/blog/", "/blog/feed/", 1),
        ("<p>x", "/blog/", "/feed/", 8),
        ("<p>x", "/2014/05/post.html", "/feed/", 15),
        ('<meta name="generator" content="Hexo 5.4">', "/", "/atom.xml", 1),
        ('<meta name="generator" content="Hugo 0.80">', "/", "/index.xml", 1),
        ('<html lang="fr"><meta name="generator" content="Pelican">', "/", "/feeds/all-fr.atom.xml", 2),
        ('<a href="/blog/">Blog</a>', "/", "/blog/feed/", 12),
    ],
)
def test_well_known_paths(html, url, wanted, within):
    assert f"{HOST}{wanted}" in [one.url for one in found(html, HOST + url)[:within]]


def test_candidates_are_bounded_and_different():
    html = "".join(link(f"/{number}/feed/") for number in range(1000)) * 2
    ranked = found(html)
    assert len(ranked) == len({one.url for one in ranked}) == 50
    assert [one.penalty for one in ranked] == sorted(one.penalty for one in ranked)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text(max_size=30), min_size=3, max_size=3), st.sampled_from(["link rel=alternate type=text/rss", "a"])
)
def test_any_attribute_is_survived(texts, tag):
    node = lxml.html.document_fromstring(f"<html><body><{tag} id=x></body></html>")
    (target,) = node.xpath("//*[@id='x']")
    for key, text in zip(("href", "title", "hreflang"), texts, strict=True):
        target.set(key, "".join(c for c in text if c.isprintable()))
    for one in candidates(node, f"{HOST}/x/", [texts[0]]):
        assert one.url.startswith(("http://", "https://"))


@pytest.mark.parametrize(
    ("url", "home"),
    [
        ("http://blog.example.org/feed", "http://blog.example.org/"),
        ("http://blog.example.org/words/feed/", "http://blog.example.org/words/"),
        ("http://blog.example.org/feed/atom/", "http://blog.example.org/"),
        ("http://blog.example.org/feeds/posts/default", "http://blog.example.org/"),
        ("http://blog.example.org/?feed=rss2", "http://blog.example.org/"),
        ("http://blog.example.org/tea.xml", None),
        ("http://blog.example.org/", None),
        ("http://feed/", None),
        ("http://rss", None),
    ],
)
def test_the_home_page_above_a_usual_address(url, home):
    assert home_of_usual(url) == home
