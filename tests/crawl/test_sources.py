"""Blogs that list their posts: in feed archives, sitemaps and APIs. Every post is found, by hardly more pages than posts."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from email.utils import format_datetime
from typing import Any
from xml.sax.saxutils import escape

import pytest
from aiohttp import web

from tests.crawl.blog import Blog, Post, links, make_posts, serve
from tests.crawl.running import Outcome, command, crawl, crawl_until, kept, query
from tests.crawl.weblog import Static, Weblog
from tests.site import Reply

pytestmark = pytest.mark.slow

COUNT = 24
#: entries of a feed, of a document of its archive and of a page of it
IN_FEED = 6
#: posts that a server answers before it keeps others waiting
ANSWERED = 4
XML = "application/xml; charset=utf-8"
SITEMAP = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(urls: list[str]) -> str:
    lines = "".join(f"<url><loc>{escape(url)}</loc><lastmod>2024-05-02</lastmod></url>" for url in urls)
    return f'<?xml version="1.0"?><urlset {SITEMAP}>{lines}</urlset>'


def index(urls: list[str]) -> str:
    lines = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f'<?xml version="1.0"?><sitemapindex {SITEMAP}>{lines}</sitemapindex>'


@dataclass
class Listed(Weblog):
    """A blog with tags, months and static pages, whose posts are listed somewhere. `more` makes further routes."""

    posts: list[Post] = field(default_factory=lambda: make_posts(COUNT))
    in_feed: int = IN_FEED
    form: Callable[[Post], str] = lambda post: post.path
    statics: tuple[Static, ...] = (Static("/about/", "About"), Static("/imprint/", "Imprint"))
    more: Callable[[Listed, str], dict[str, Any]] = lambda blog, base: {}
    #: elements of the feed's channel
    channel: str = ""
    #: HTML in the head of all pages
    head: str = ""

    def routes(self, base):
        return super().routes(base) | self.more(self, base)

    def feed(self, base, posts=None, channel=None):
        shown = self.posts[: self.in_feed] if posts is None else posts
        items = "".join(self._item(post, base) for post in shown)
        told = (self.channel if channel is None else channel).replace("{base}", base)
        return (
            '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
            'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom" '
            'xmlns:openSearch="http://a9.com/-/spec/opensearchrss/1.0/">'
            f"<channel><title>{self.name}</title><link>{base}/</link><language>en</language>{told}{items}</channel></rss>"
        )

    def page(self, post):
        return super().page(post).replace("</head>", f"{self.head}</head>")


def fetched_pages(outcome: Outcome, blog: Blog) -> int:
    """Web pages that were asked for: neither feeds nor sitemaps, nor what an API answers."""
    data = ("/feed", "/comments/feed/", "/robots.txt", "/wp-json", "/?rest_route")
    return sum(not target.startswith(data) and ".xml" not in target for target in outcome.requests)


def check(outcome: Outcome, blog: Blog, url: str, *, because: str | None, most: int = 7) -> None:
    """Every post once, the crawl over for the right reason, and few other pages fetched."""
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(url)
    if because is None:
        assert re.search("no page was left to fetch|posts were linked again, and the last", outcome.summary[1])
    else:
        assert f"all posts listed by the {because} were fetched" in outcome.summary[1]
        assert fetched_pages(outcome, blog) <= len(blog.posts) + most


def from_feed(outcome: Outcome) -> int:
    return sum(record["provenance"]["fields"]["title"]["source"] == "feed" for record in outcome.records)


# ------------------------------------------------------------------------------------------------------- feed archives


def archives(blog: Listed, base: str) -> dict[str, Any]:
    """RFC 5005, section 4: three documents, each naming the one before it."""
    older = blog.posts[blog.in_feed :]
    found = {}
    for number in range(1, 4):
        link = f'<atom:link rel="prev-archive" href="{base}/feed-{number - 1}.xml"/>' if number > 1 else ""
        start = len(older) - IN_FEED * number
        shown = older[start : start + IN_FEED]
        found[f"/feed-{number}.xml"] = Reply(blog.feed(base, shown, link), content_type=XML)
    return found


def test_archive_documents(tmp_path):
    blog = Listed(more=archives, channel='<atom:link rel="prev-archive" href="{base}/feed-3.xml"/>')
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    check(outcome, blog, site.url, because="feed archive")
    assert from_feed(outcome) == COUNT
    assert {"/feed-3.xml", "/feed-2.xml", "/feed-1.xml"} <= set(outcome.requests)
    for post in blog.posts:
        record = outcome.record(site.url + blog.path(post))
        assert (record["guid"], record["authors"]) == (f"tag:{post.slug}", [post.author])
        assert record["content_text"] == post.text


def paged(blog: Listed, base: str) -> dict[str, Any]:
    """WordPress: some entries a page; none is not found."""

    def feed(request: web.Request) -> Reply:
        page = int(request.query.get("paged", 1))
        shown = blog.posts[IN_FEED * (page - 1) : IN_FEED * page]
        return Reply(blog.feed(base, shown), 200 if shown else 404, content_type=XML)

    return {"/feed/": feed}


def test_pages_of_the_feed(tmp_path):
    generator = "<generator>https://wordpress.org/?v=6.1</generator>"
    blog = Listed(more=paged, channel=generator, feed_path="/feed/")
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    check(outcome, blog, site.url, because="feed archive")
    assert [target for target in outcome.requests if "paged" in target] == [
        f"/feed/?paged={page}" for page in range(2, 6)
    ]


def indexed(blog: Listed, base: str) -> dict[str, Any]:
    """Blogger: entries by their number, 10 at most however many are asked for."""

    def feed(request: web.Request) -> Reply:
        start, most = int(request.query.get("start-index", 1)), min(10, int(request.query.get("max-results", IN_FEED)))
        return Reply(blog.feed(base, blog.posts[start - 1 : start - 1 + most]), content_type=XML)

    return {"/feeds/posts/default": feed}


def test_entries_by_number(tmp_path):
    total = f"<generator>Blogger</generator><openSearch:totalResults>{COUNT}</openSearch:totalResults>"
    blog = Listed(more=indexed, channel=total, feed_path="/feeds/posts/default")
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    check(outcome, blog, site.url, because="feed archive")
    assert f"  posts: {COUNT} found, {COUNT} announced by the feed archive" in outcome.summary


def test_a_feed_that_repeats_itself_is_no_archive(tmp_path):
    blog = Listed(channel="<generator>WordPress</generator>")
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    check(outcome, blog, site.url, because=None)
    assert sum("paged" in target for target in outcome.requests) == 1


def test_an_archive_that_lacks_posts_is_disproved(tmp_path):
    def some(blog: Listed, base: str) -> dict[str, Any]:
        return {"/feed-3.xml": Reply(blog.feed(base, blog.posts[IN_FEED : 2 * IN_FEED], ""), content_type=XML)}

    blog = Listed(more=some, channel='<atom:link rel="prev-archive" href="{base}/feed-3.xml"/>')
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    check(outcome, blog, site.url, because=None)


def test_an_archive_of_another_blog_is_not_believed(tmp_path):
    """Its entries lead to pages that are none: what they say must not become records."""

    def wrong(blog: Listed, base: str) -> dict[str, Any]:
        feed = blog.feed(base, blog.posts, "").replace(f"<link>{base}/20", f"<link>{base}/gone/20")
        return {"/feed-3.xml": Reply(feed, content_type=XML)}

    blog = Listed(more=wrong, channel='<atom:link rel="prev-archive" href="{base}/feed-3.xml"/>')
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    check(outcome, blog, site.url, because=None)


def without_end(path: Callable[[Listed, int], str]) -> Callable[[Listed, str], dict[str, Any]]:
    """Pages of a feed, each of which names the next. Their entries lead to `path`."""

    def routes(blog: Listed, base: str) -> dict[str, Any]:
        def more(request: web.Request) -> Reply:
            page = int(request.query["page"])
            posts = make_posts(IN_FEED, seed=page)
            feed = blog.feed(base, posts, f'<atom:link rel="next" href="{base}/feed-more?page={page + 1}"/>')
            for number, post in enumerate(posts, IN_FEED * page):
                feed = feed.replace(blog.path(post), path(blog, number))
            return Reply(feed, content_type=XML)

        return {"/feed-more": more}

    return routes


@pytest.mark.parametrize(
    "path",
    [
        lambda blog, number: f"/2020/01/none-{number}/",
        lambda blog, n: f"{blog.path(blog.posts[n % COUNT])}?ref=feed{n}",
    ],
    ids=["posts that are not there", "the same posts for ever"],
)
def test_a_feed_without_end_is_left(tmp_path, path):
    blog = Listed(more=without_end(path), channel='<atom:link rel="next" href="{base}/feed-more?page=2"/>')
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    assert outcome.urls == blog.urls(site.url), "each post once, under its own address"
    assert sum("/feed-more" in target for target in outcome.requests) <= 6
    assert len(outcome.requests) <= 3 * COUNT


def test_a_page_limit_bounds_the_pages_of_a_feed(tmp_path):
    blog = Listed(
        posts=make_posts(40), in_feed=5, more=paged, channel="<generator>WordPress</generator>", feed_path="/feed/"
    )
    blog.more = lambda blog, base: paged(blog, base)
    with serve(blog) as site:
        first = crawl(tmp_path, f"{site.url}/", server=site, PAGE_LIMIT=4)
        assert sum("paged" in target for target in first.requests) <= 4
        assert "the limit of 4 pages was reached" in first.summary[1]
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    assert outcome.urls == blog.urls(site.url)


# ------------------------------------------------------------------------------------------------------------ sitemaps


def sitemaps(blog: Listed, base: str) -> dict[str, Any]:
    """An index that robots.txt names: packed sitemaps of posts, and others."""
    urls = [base + blog.path(post) for post in blog.posts]
    names = [f"{base}/{name}" for name in ("pages-1.xml", "posts-1.xml.gz", "posts-2.xml.gz", "tags-1.xml")]

    def packed(urls: list[str]) -> Reply:
        return Reply(gzip.compress(urlset(urls).encode()), content_type="application/gzip")

    return {
        "/robots.txt": Reply(f"User-agent: *\nAllow: /\nSitemap: {base}/all.xml\n", content_type="text/plain"),
        "/all.xml": Reply(index(names), content_type=XML),
        "/pages-1.xml": Reply(urlset([f"{base}/about/", f"{base}/nowhere/"]), content_type=XML),
        "/posts-1.xml.gz": packed(urls[:15]),
        "/posts-2.xml.gz": packed(urls[15:]),
        "/tags-1.xml": Reply(
            urlset([f"{base}/tag/{post.slug.split('-')[1]}/" for post in blog.posts]), content_type=XML
        ),
    }


@pytest.mark.parametrize("obey", [True, False])
def test_an_index_of_packed_sitemaps(tmp_path, obey):
    blog = Listed(more=sitemaps)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site, ROBOTSTXT_OBEY=obey)
    check(outcome, blog, site.url, because="sitemap")
    assert {"/all.xml", "/posts-1.xml.gz", "/posts-2.xml.gz"} <= set(outcome.requests)
    assert not {"/pages-1.xml", "/tags-1.xml"} & set(outcome.requests)


def plain(keep: Callable[[list[str]], list[str]]) -> Callable[[Listed, str], dict[str, Any]]:
    """A sitemap at the usual place that has some of the posts, and pages besides."""

    def routes(blog: Listed, base: str) -> dict[str, Any]:
        urls = [base + blog.path(post) for post in blog.posts]
        others = [f"{base}/", f"{base}/about/", f"{base}/category/code/", f"{base}/2020/", f"{base}/search/"]
        return {"/sitemap.xml": Reply(urlset([*others, *keep(urls)]), content_type=XML)}

    return routes


@pytest.mark.parametrize(
    ("kind", "most"), [(Listed, 7), (lambda **more: Listed(form=lambda post: f"/{post.slug}/", **more), 12)]
)
def test_a_plain_sitemap(tmp_path, kind, most):
    """Where posts are words at the top of the site, more of the other pages might be posts."""
    blog = kind(more=plain(list))
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    check(outcome, blog, site.url, because="sitemap", most=most)


def shop(blog: Listed, base: str) -> dict[str, Any]:
    """Two sitemaps: of posts, and of goods at addresses of the same form."""
    goods = [f"/2020/01/chair-{number}-of-wood/" for number in range(150)]
    page = (
        "<html><body><h1>A chair</h1><p>Of wood, with four legs.</p><p>Price: 40</p><form><button>Buy</button></form>"
    )
    return {
        "/sitemap.xml": Reply(index([f"{base}/goods.xml", f"{base}/posts.xml"]), content_type=XML),
        "/goods.xml": Reply(urlset([base + path for path in goods]), content_type=XML),
        "/posts.xml": Reply(urlset([base + blog.path(post) for post in blog.posts]), content_type=XML),
        **{path: Reply(page.replace("40", str(number))) for number, path in enumerate(goods)},
    }


def test_a_sitemap_of_goods_is_soon_left(tmp_path):
    blog = Listed(more=shop)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    assert outcome.urls == blog.urls(site.url)
    assert sum("chair" in target for target in outcome.requests) <= 20


def test_a_sitemap_that_is_older_than_the_newest_posts(tmp_path):
    blog = Listed(more=plain(lambda urls: urls[3:]))
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    check(outcome, blog, site.url, because="sitemap")


@pytest.mark.parametrize(
    "keep",
    [
        lambda urls: urls[::2],
        lambda urls: urls[:15],
        lambda urls: urls[:IN_FEED],
        lambda urls: [],
        lambda urls: urls[15:],
    ],
    ids=["every other", "newer", "those of the feed", "none", "older"],
)
def test_a_sitemap_that_lacks_posts_loses_none(tmp_path, keep):
    blog = Listed(more=plain(keep))
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    check(outcome, blog, site.url, because=None)


def test_old_posts_at_other_addresses_are_found_in_the_sitemap(tmp_path):
    blog = Listed(
        more=plain(list),
        old_form=lambda post: f"/{post.published:%Y/%m}/{post.slug.split('-')[0][-2:]}.html",
        old_from=9,
    )
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(site.url)


def test_the_verdict_names_listed_posts_that_are_gone_and_those_with_a_password(tmp_path):
    posts = make_posts(COUNT)
    form = "<p>Please enter the password:</p><form><input type='password' name='p'><input type='submit'></form>"
    blog = Listed(posts=posts, more=sitemaps)
    gone = (posts[12], posts[17])
    with serve(blog) as site:
        site.routes[blog.path(posts[20])] = blog.page(posts[20]).replace(posts[20].html, form)
        site.routes[blog.path(gone[0])] = Reply("gone", 410)
        site.routes[blog.path(gone[1])] = Reply("not found", 404)
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        again = crawl(tmp_path, f"{site.url}/", spider="updatecrawl")
    assert len(outcome.urls) == COUNT - 2
    assert outcome.summary[0] == f"Complete: {COUNT - 2} posts. 2 listed posts are no longer online (404, 410)."
    assert "  1 post is password-protected." in outcome.summary
    assert again.summary[0] == "Up to date: nothing new."


def test_a_list_page_behind_all_posts_that_does_not_exist_is_no_failure(tmp_path):
    with serve(blog := Blog(make_posts(60))) as site:
        site.routes["/sitemap.xml"] = Reply(urlset(blog.urls(site.url)), content_type=XML)
        done = crawl(tmp_path, f"{site.url}/")
    assert "/page/16/" in site.targets
    assert not any("could not be used" in line for line in done.summary)


def test_a_stale_sitemap_costs_little(tmp_path):
    """Its addresses of older posts are those of an earlier software."""
    blog = Listed(
        more=plain(lambda urls: [*urls[:IN_FEED], *(url.replace("/20", "/19") for url in urls[IN_FEED:] * 3)])
    )
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(site.url)


@pytest.mark.parametrize("body", [b"<urlset", b"\x1f\x8b\x08broken", b"<html>Not found</html>", b""])
def test_a_broken_sitemap_does_no_harm(tmp_path, body):
    blog = Listed(posts=make_posts(14), more=lambda blog, base: {"/sitemap.xml": Reply(body, content_type=XML)})
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    check(outcome, blog, site.url, because=None)


# ----------------------------------------------------------------------------------------------------------- WordPress


@dataclass
class Api:
    """The REST API of a blog; `hides` leaves out its oldest posts, and says so or not."""

    size: int = 100
    hides: int = 0
    is_honest: bool = True
    status: int = 200

    def __call__(self, blog: Listed, base: str) -> dict[str, Any]:
        def posts(request: web.Request) -> Reply:
            page, size = int(request.query["page"]), min(self.size, int(request.query["per_page"]))
            known = blog.posts[: len(blog.posts) - self.hides]
            total = len(blog.posts if self.is_honest else known)
            items = [self._item(blog, base, post) for post in known[size * (page - 1) : size * page]]
            headers = {"X-WP-Total": str(total), "X-WP-TotalPages": str(-(-total // size))}
            return Reply(json.dumps(items), self.status, headers, "application/json")

        def home(request: web.Request) -> Reply:
            is_api = request.query.get("rest_route") == "/wp/v2/posts"
            return (
                posts(request)
                if is_api
                else Reply(blog._list_page("/", blog.posts, 1, 8).replace("</head>", f"{blog.head}</head>"))
            )

        return {"/wp-json/wp/v2/posts": posts, "/": home}

    def _item(self, blog: Listed, base: str, post: Post) -> dict[str, Any]:
        return {
            "link": base + blog.path(post),
            "guid": {"rendered": f"{base}/?p={blog.posts.index(post)}"},
            "title": {"rendered": post.title},
            "content": {"rendered": post.html, "protected": False},
            "date": f"{post.published:%Y-%m-%dT%H:%M:%S}",
            "date_gmt": f"{post.published:%Y-%m-%dT%H:%M:%S}",
            "_embedded": {
                "author": [{"name": post.author}],
                "wp:term": [[{"name": TAGS[blog.posts.index(post) % 3]}], []],
            },
        }


TAGS = ("Code", "Cooking", "Sea")
ROOT = '<link rel="https://api.w.org/" href="/wp-json/">'


@pytest.mark.parametrize("head", [ROOT, '<link rel="https://api.w.org/" href="/?rest_route=/">'])
def test_the_api_of_a_wordpress(tmp_path, head):
    blog = Listed(more=Api(size=9), head=head)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    check(outcome, blog, site.url, because="WordPress API")
    assert f"  posts: {COUNT} found, {COUNT} announced by the WordPress API" in outcome.summary
    assert from_feed(outcome) == COUNT
    told = {site.url + blog.path(post): [TAGS[number % 3]] for number, post in enumerate(blog.posts)}
    assert {record["url"]: record["tags"] for record in outcome.records} == told


class Summaries(Listed):
    """A blog whose feed has no articles."""

    def _item(self, post, base):
        link = base + self.path(post)
        return (
            f"<item><title>{escape(post.title)}</title><link>{link}</link><description>{post.paragraphs[0][:40]} …</description>"
            f"<dc:creator>{post.author}</dc:creator><pubDate>{format_datetime(post.published)}</pubDate></item>"
        )


def test_the_api_has_the_articles_that_the_feed_cuts(tmp_path):
    blog = Summaries(more=Api(), head=ROOT)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    check(outcome, blog, site.url, because="WordPress API")
    for post in blog.posts:
        assert outcome.record(site.url + blog.path(post))["content_text"] == post.text


@pytest.mark.parametrize(
    "api",
    [Api(status=401), Api(status=500), Api(hides=8), Api(hides=8, is_honest=False)],
    ids=["refuses", "fails", "lacks posts", "hides posts"],
)
def test_an_api_without_all_posts_loses_none(tmp_path, api):
    blog = Listed(more=api, head=ROOT)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site, RETRY_TIMES=0)
    check(outcome, blog, site.url, because=None)


# ----------------------------------------------------------------------------------------------- ends, and beginnings


@pytest.mark.parametrize(
    ("source", "moment"),
    [
        ("feed archive", 15),
        ("feed archive", 16),
        ("sitemap", 15),
        ("sitemap", 30),
        ("WordPress API", 14),
        ("WordPress API", 16),
    ],
)
def test_a_killed_crawl_goes_on(tmp_path, source, moment):
    blog = {
        "feed archive": Listed(more=archives, channel='<atom:link rel="prev-archive" href="{base}/feed-3.xml"/>'),
        "sitemap": Listed(more=sitemaps),
        "WordPress API": Listed(more=Api(size=9), head=ROOT),
    }[source]
    with serve(blog) as site:
        code = crawl_until(
            tmp_path, command(f"{site.url}/"), lambda: len(site.targets) >= moment, lambda run: run.kill()
        )
        assert code < 0
        before, asked = set(kept(tmp_path)), len(site.targets)
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert sorted(kept(tmp_path)) == blog.urls(site.url)
        check(outcome, blog, site.url, because=source)
        pages = [target for target in site.targets if target in set(blog.paths())]
        again = before & {site.url + target for target in site.targets[asked:]}
    assert not again, "what was kept is not fetched again"
    assert max(Counter(pages).values()) <= 2, "what was under way is fetched once more"


def test_a_crawl_killed_while_it_looks_at_what_a_source_tells_hands_on_each_post_once(tmp_path):
    """Some of the posts that it looked at are kept: neither are they fetched again, nor told twice."""
    blog = Listed(more=archives, channel='<atom:link rel="prev-archive" href="{base}/feed-3.xml"/>')
    archived = {blog.path(post) for post in blog.posts[IN_FEED:]}

    async def answer(request: web.Request) -> Reply:
        if len(archived & set(site.targets)) > ANSWERED:
            while site.routes is not there:
                await asyncio.sleep(0.02)
        return there[request.path]

    def looked_at() -> set[str]:
        if not archived & set(site.targets):
            return set()
        return {url.removeprefix(site.url) for (url,) in query(tmp_path, "SELECT url FROM training_page")}

    with serve(blog) as site:
        there = dict(site.routes)
        site.routes |= dict.fromkeys(archived, answer)
        crawl_until(
            tmp_path, command(f"{site.url}/"), lambda: len(looked_at()) >= IN_FEED + ANSWERED, lambda run: run.kill()
        )
        before, asked = looked_at(), len(site.targets)
        assert len(before & archived) == ANSWERED
        site.routes = there
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    check(outcome, blog, site.url, because="feed archive")
    assert not before & set(site.targets[asked:])


def test_a_page_limit(tmp_path):
    blog = Listed(more=sitemaps)
    with serve(blog) as site:
        first = crawl(tmp_path, f"{site.url}/", server=site, PAGE_LIMIT=20)
        assert "the limit of 20 pages was reached" in first.summary[1]
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    check(outcome, blog, site.url, because="sitemap")


def test_links_to_what_is_not_there_are_not_followed(tmp_path):
    """A blog with a whole list tells which links lead to posts."""
    dead = [f"/2020/01/gone-{number}/" for number in range(20)]
    blog = Listed(more=sitemaps, extra=links(dead))
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    check(outcome, blog, site.url, because="sitemap", most=9)


def test_an_old_archive_that_the_menu_names_is_found(tmp_path):
    """A sitemap has all posts of a blog's new software; those of the former one are listed on a page of their own."""
    former = Weblog(posts=make_posts(12, seed=9), form=lambda post: f"/weblog/{post.slug.split('-')[0]}.html")
    side = '<p class="side"><a href="/weblog/">Before 2015</a></p></body>'

    def routes(blog: Listed, base: str) -> dict[str, Any]:
        old = former.routes(base)
        pages = Weblog.routes(blog, base) | {path: old[path] for path in former.paths()}
        pages["/weblog/"] = Reply(f"<html><body>{links(former.paths())}</body></html>")
        marked = {
            path: replace(reply, body=reply.body.replace("</body>", side))
            for path, reply in pages.items()
            if isinstance(reply.body, str)
        }
        return marked | plain(list)(blog, base)

    blog = Listed(more=routes)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.urls == sorted([*blog.urls(site.url), *former.urls(site.url)])
