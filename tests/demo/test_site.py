"""The built blog, without a server: its links, its pages against the truth, its feeds against its pages."""

from __future__ import annotations

import io
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import parse_qs, urldefrag, urljoin, urlsplit

import feedparser
import lxml.etree
import lxml.html
import pytest

from blogcrawler.demo import build
from blogcrawler.demo.site import IN_FEED, NOT_FOUND, redirects
from tests.demo.truth import truth

MISSING = "/2018/11/before-the-bindery/"


def pages(site):
    return {path: parse(body) for path, (kind, body) in site.items() if kind.startswith("text/html")}


def parse(body):
    return lxml.html.document_fromstring(body.decode())


def internal_links(path, tree, base):
    """Path and fragment of every link of a page into the blog itself, with how it was written."""
    bases = tree.xpath("//head/base/@href")
    for href in tree.xpath("//@href | //@src"):
        target, fragment = urldefrag(urljoin(bases[0] if bases else base + path, href))
        parts = urlsplit(target)
        if f"{parts.scheme}://{parts.netloc}" == base:
            yield parts, fragment, href


def resolve(parts, site, moved):
    if parts.path == "/" and "p" in (query := parse_qs(parts.query)):
        return moved[f"/?p={query['p'][0]}"]
    return parts.path if parts.path in site else moved.get(parts.path)


def words(text):
    return "".join(text.split())


def test_every_internal_link_resolves_except_the_one_that_shall_not(site, base):
    moved = redirects()
    broken = set()
    for path, tree in pages(site).items():
        for parts, _, _ in internal_links(path, tree, base):
            if resolve(parts, site, moved) is None:
                broken.add(parts.path)
    assert broken == {MISSING}


def test_fragments_name_an_element_of_their_page(site, base):
    moved = redirects()
    trees = pages(site)
    checked = set()
    for path, tree in trees.items():
        for parts, fragment, href in internal_links(path, tree, base):
            if fragment:
                target = trees[resolve(parts, site, moved)]
                assert target.xpath("boolean(//*[@id=$id])", id=fragment), (path, href)
                checked.add(fragment)
    assert {"respond", "more", "comment-21", "fn-1"} <= checked


def test_redirects_lead_to_pages(site):
    assert set(redirects().values()) <= set(site)
    assert not set(redirects()) & set(site)


@pytest.mark.parametrize("through", ["the archive", "older pages"])
def test_each_post_is_reachable_from_home(site, base, through):
    trees = pages(site)
    posts = {post["path"] for post in truth()}
    allowed = {"/archive/"} if through == "the archive" else {path for path in trees if path.startswith("/page/")}
    seen, waiting = {"/"}, ["/"]
    while waiting:
        path = waiting.pop()
        found = {parts.path for parts, _, _ in internal_links(path, trees[path], base)} - seen
        seen |= found
        waiting += found & allowed
    assert posts <= seen


def test_nothing_that_a_browser_loads_lies_elsewhere(site, base):
    loads = "//@src | //@srcset | //@poster | //object/@data | //link[@rel='stylesheet' or @rel='icon']/@href"
    for path, tree in pages(site).items():
        for url in tree.xpath(loads):
            target = urlsplit(urljoin(base + path, url))
            assert f"{target.scheme}://{target.netloc}" == base, (path, url)
            assert target.path in site
        assert not tree.xpath("//script | //style | //iframe | //@style")
    for path, (kind, body) in site.items():
        if kind.startswith("text/css"):
            assert b"url(" not in body, path
            assert b"@import" not in body, path
        if kind == "image/svg+xml":
            assert not lxml.etree.fromstring(body).xpath("//@href | //@*[local-name()='href']"), path


def test_links_out_lead_to_reserved_names_only(site, base):
    for path, tree in pages(site).items():
        for href in tree.xpath("//a/@href"):
            host = urlsplit(urljoin(base + path, href)).hostname
            assert host is None or host == "blog.test" or host.endswith(".example"), (path, href)


def test_post_pages_tell_the_truth(site):
    for post in truth():
        tree = parse(site[post["path"]][1])
        assert tree.xpath("//h1/text()") == [post["title"]]
        assert tree.xpath("//article/header//a[@rel='author']/text()") == [post["author"]]
        moment = tree.xpath("//article/header//time")[0]
        assert moment.get("datetime") == post["published"]
        written = datetime.strptime(moment.text, "%d %B %Y").date()  # noqa: DTZ007
        assert written == datetime.fromisoformat(post["published"]).date()
        body = tree.xpath("//div[@class='entry-body']")[0]
        assert words(body.text_content()) == words(post["text"])
        assert tree.xpath("//p[@class='filed']/a/text()") == post["tags"]


def test_titles_that_need_care(site):
    titles = {post["title"]: post["path"] for post in truth()}
    ampersand = site[titles["Paste & glue: when wet < damp > dry"]][1]
    assert b"<h1>Paste &amp; glue: when wet &lt; damp &gt; dry</h1>" in ampersand
    japanese = titles["和綴じ: four holes and a silk thread"]
    assert japanese == "/2022/03/%E5%92%8C%E7%B6%B4%E3%81%98/"
    assert "<h1>和綴じ".encode() in site[japanese][1]
    assert "Un cahier for the Café Noé" in titles


def test_articles_are_varied(site):
    seen = set()
    for post in truth():
        body = parse(site[post["path"]][1]).xpath("//div[@class='entry-body']")[0]
        seen |= {element.tag for element in body.iter()}
    assert {"ol", "ul", "dl", "table", "pre", "blockquote", "img", "h2", "sup"} <= seen


def test_comments_are_nested_as_they_answer(site):
    for post in truth():
        tree = parse(site[post["path"]][1])
        shown = {}
        for item in tree.xpath("//li[starts-with(@id, 'comment-')]"):
            above = item.xpath("ancestor::li[starts-with(@id, 'comment-')][1]/@id")
            text = item.xpath("article/div")[0].text_content()
            shown[item.get("id")] = (above[0] if above else None, item.xpath("article//cite")[0].text_content(), text)
        expected = {
            f"comment-{reply['id']}": (
                f"comment-{reply['parent']}" if reply["parent"] else None,
                reply["author"],
                reply["text"],
            )
            for reply in post["comments"]
        }
        assert {key: (*value[:2], words(value[2])) for key, value in shown.items()} == {
            key: (*value[:2], words(value[2])) for key, value in expected.items()
        }
        order = [reply["id"] for reply in post["comments"]]
        assert [int(key.removeprefix("comment-")) for key in shown] == order


def read_feed(site, path, base):
    kind, body = site[path]
    parsed = feedparser.parse(
        io.BytesIO(body), response_headers={"content-type": kind, "content-location": base + path}, sanitize_html=False
    )
    assert not parsed.bozo
    return parsed


def test_the_feed_agrees_with_the_pages(site, base):
    feed = read_feed(site, "/feed.xml", base)
    assert feed.version == "rss20"
    assert feed.feed.link == base + "/"
    newest = truth()[:IN_FEED]
    assert [entry.link for entry in feed.entries] == [base + post["path"] for post in newest]
    for entry, post in zip(feed.entries, newest, strict=True):
        tree = parse(site[post["path"]][1])
        assert entry.title == tree.xpath("string(//h1)")
        assert entry.author == post["author"]
        assert [tag.term for tag in entry.tags] == post["tags"]
        assert parsedate_to_datetime(entry.published).isoformat() == post["published"]
        content = lxml.html.fragment_fromstring(entry.content[0].value, create_parent="div")
        assert words(content.text_content()) == words(post["text"])
        assert all(urlsplit(url).scheme for url in content.xpath("//@href | //@src"))
        assert int(entry.slash_comments) == len(post["comments"])
        assert entry.wfw_commentrss == entry.link + "feed/"
        assert entry.comments == entry.link + "#respond"
        assert redirects()[entry.id.removeprefix(base)] == post["path"]


def test_each_post_has_a_feed_of_its_replies(site, base):
    for post in truth():
        feed = read_feed(site, post["path"] + "feed/", base)
        assert feed.feed.link == base + post["path"]
        assert [entry.author for entry in feed.entries] == [reply["author"] for reply in reversed(post["comments"])]
        for entry, reply in zip(feed.entries, reversed(post["comments"]), strict=True):
            content = lxml.html.fragment_fromstring(entry.content[0].value, create_parent="div")
            assert words(content.text_content()) == words(reply["text"])
            assert entry.link == f"{base}{post['path']}#comment-{reply['id']}"


def test_the_comments_feed_has_the_newest_of_all(site, base):
    replies = sorted((reply["published"], reply["author"]) for post in truth() for reply in post["comments"])
    feed = read_feed(site, "/comments/feed.xml", base)
    assert [entry.author for entry in feed.entries] == [author for _, author in reversed(replies)][:10]


def test_the_printed_version_is_canonical_at_the_permalink(site, base):
    for post in truth():
        tree = parse(site[post["path"] + "print/"][1])
        assert tree.xpath("//link[@rel='canonical']/@href") == [base + post["path"]]
        assert words(post["text"]) in words(tree.xpath("//body")[0].text_content())


def test_the_archive_lists_titles_and_the_about_page_is_no_post(site):
    archive = parse(site["/archive/"][1])
    assert archive.xpath("//main//li/a/text()") == [post["title"] for post in truth()]
    about = parse(site["/about/"][1])
    assert about.xpath("boolean(//article[@class='entry']//div[@class='entry-body'])")
    assert not about.xpath("//main//time")


def test_the_sitemap_holds_every_post_and_can_be_left_out(site, base):
    namespaces = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
    locations = lxml.etree.fromstring(site["/sitemap.xml"][1]).xpath("//s:loc/text()", namespaces=namespaces)
    assert {base + post["path"] for post in truth()} <= set(locations)
    assert f"Sitemap: {base}/sitemap.xml".encode() in site["/robots.txt"][1]
    without = build(base, sitemap=False)
    assert "/sitemap.xml" not in without
    assert b"Sitemap:" not in without["/robots.txt"][1]


@pytest.mark.parametrize("day", [date(2019, 3, 4), date(2020, 6, 1), date(2024, 2, 21)])
def test_an_earlier_blog_is_whole_too(day, base):
    site = build(base, until=day)
    posts = truth(day)
    assert {path for path, (_, body) in site.items() if b'<div id="respond">' in body} == {
        post["path"] for post in posts
    }
    feed = read_feed(site, "/feed.xml", base)
    assert len(feed.entries) == min(IN_FEED, len(posts))
    for tree in pages(site).values():
        assert not tree.xpath("//nav//a[contains(@href, '/2025/')]")


def test_building_twice_gives_the_same(site, base):
    assert build(base + "/") == site


def test_content_types(site):
    kinds = {path.rpartition("/")[2].rpartition(".")[2] or "html": kind for path, (kind, _) in site.items()}
    assert kinds["png"] == "image/png"
    assert kinds["svg"] == "image/svg+xml"
    assert kinds["css"] == "text/css; charset=utf-8"
    assert kinds["txt"] == "text/plain; charset=utf-8"
    assert site[NOT_FOUND][0] == "text/html; charset=utf-8"
    assert site["/files/headband.png"][1].startswith(b"\x89PNG\r\n\x1a\n")


def test_data_files_are_small(site):
    assert sum(len(body) for path, (_, body) in site.items() if path.startswith("/files/")) < 4_000
