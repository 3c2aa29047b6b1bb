"""Sites whose links all carry a session's token: a crawl costs what it costs without, and finds each post once."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import pytest

from tests.crawl.blog import Blog, Post, make_posts
from tests.crawl.running import Outcome, command, crawl, crawl_until, run
from tests.crawl.test_traps import Asked
from tests.site import LocalSite, Reply

pytestmark = pytest.mark.slow

OTHERS = 18
"""Requests for robots.txt, feed and sitemap, for what tells of tokens, and for pages that show that there are no more."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
HEX, LOWER = "0123456789abcdef", f"0123456789{LETTERS}"
MIXED = f"{LOWER}{LETTERS.upper()}_-"


@dataclass(frozen=True)
class Form:
    """How addresses carry a token: what is put before a path, or behind it."""

    before: str = ""
    behind: str = ""
    letters: str = HEX
    length: int = 24

    def carry(self, path: str, token: str) -> str:
        behind = self.behind.replace("?", "&") if "?" in path else self.behind
        return self.before.format(token) + path + behind.format(token)

    def read(self, target: str) -> tuple[str, str | None]:
        """The path, and the token."""
        token = f"(?P<token>[{self.letters}]{{{self.length}}})"
        parts = (re.escape(part).replace(r"\{\}", token).replace(r"\?", "[?&]") for part in (self.before, self.behind))
        before, behind = parts
        found = re.fullmatch(f"{before}(?P<path>/.*?){behind}", target)
        return (found["path"], found.groupdict().get("token")) if found else (target, None)

    def make(self, source: random.Random) -> str:
        return "".join(source.choices(self.letters, k=self.length))


NONE = Form()
FORMS = {
    "prefix": Form("/s-{}"),
    "bare": Form("/{}", letters=MIXED, length=22),
    "label": Form("/sid/{}"),
    "parameter": Form(behind="?zz={}"),
    "known parameter": Form(behind="?PHPSESSID={}"),
    "jsessionid": Form(behind=";jsessionid={}", letters="0123456789ABCDEF", length=32),
    "asp.net": Form("/(S({}))", letters=LOWER, length=24),
}


@dataclass
class Tokened(Blog):
    """A blog whose links carry tokens."""

    posts: list[Post] = field(default_factory=lambda: make_posts(48))
    in_feed: int = 10
    per_page: int = 8
    form: Form = FORMS["prefix"]
    #: does each page have a token of its own? Else a session goes on with the token that a client sends.
    per_page_tokens: bool = True
    #: what an address without a token leads to: "page", "redirect" to one with a token, or "nothing"
    without: str = "page"
    #: do the feed's links carry a token?
    in_feed_too: bool = True
    has_sitemap: bool = False
    has_feed: bool = True

    def __post_init__(self) -> None:
        self.names_feed = self.has_feed
        self._source = random.Random(self.per_page)
        self._made: dict[str, Reply] = {}

    def answer(self, target: str, base: str) -> Reply:
        path, token = self.form.read(target)
        if path == "/sitemap.xml" and self.has_sitemap:
            urls = "".join(f"<url><loc>{base}{self.path(post)}</loc></url>" for post in self.posts)
            return Reply(f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{urls}</urlset>")
        reply = self._pages(base).get(path)
        if reply is None:
            return Reply("not found", 404)
        if token is None and path not in ("/", "/feed.xml") and self.without != "page":
            away = {"Location": self.form.carry(path, self.form.make(self._source))}
            return Reply("not found", 404) if self.without == "nothing" else Reply("", 302, away)
        new = self.form.make(self._source) if self.per_page_tokens or token is None else token
        is_page = path != "/feed.xml"
        return replace(reply, body=self._carrying(str(reply.body), new, base, is_page=is_page))

    def _pages(self, base: str) -> dict[str, Reply]:
        if not self._made:
            self._made = self.routes(base)
            if not self.has_feed:
                del self._made[self.feed_path]
        return self._made

    def _carrying(self, html: str, token: str, base: str, *, is_page: bool) -> str:
        if is_page:
            return re.sub(r'href="(/[^"]*)"', lambda found: f'href="{self.form.carry(found[1], token)}"', html)
        if not self.in_feed_too:
            return html
        links = rf"<link>{re.escape(base)}(/[^<]*)</link>"
        return re.sub(links, lambda found: f"<link>{base}{self.form.carry(found[1], token)}</link>", html)


@contextmanager
def serve(blog: Tokened) -> Iterator[LocalSite]:
    with LocalSite({}, default=lambda request: blog.answer(request.raw_path, site.url)) as site:
        yield site


def check(tmp_path, blog: Tokened, crawls: int = 1) -> None:
    """Each crawl into one archive finds each post once, at the same address, at little more than a post's page each."""
    urls = set()
    with serve(blog) as site:
        for _ in range(crawls):
            done = crawl(tmp_path, f"{site.url}/", server=Asked(site), TIME_LIMIT=60)
            assert done.code == 0, done.stderr
            assert paths(done, blog, site.url) == blog.paths(), "each post once"
            assert len(done.requests) <= len(blog.posts) + len(blog.posts) // blog.per_page + OTHERS
            urls.add(tuple(done.urls))
        has_token = blog.without == "nothing" and blog.form is not FORMS["asp.net"]
        assert (urls == {tuple(blog.urls(site.url))}) is not has_token
    assert len(urls) == 1


def paths(done: Outcome, blog: Tokened, base: str) -> list[str]:
    """The paths of the records, without tokens."""
    return sorted(blog.form.read(url.removeprefix(base))[0] for url in done.urls)


@pytest.mark.parametrize("form", FORMS)
def test_a_token_for_each_page(tmp_path, form):
    check(tmp_path, Tokened(form=FORMS[form]))


@pytest.mark.parametrize("form", ["prefix", "parameter"])
def test_a_token_for_each_crawl(tmp_path, form):
    check(tmp_path, Tokened(form=FORMS[form], per_page_tokens=False), crawls=2)


def test_sources_without_tokens(tmp_path):
    check(tmp_path, Tokened(form=FORMS["bare"], has_sitemap=True, in_feed_too=False))


def test_a_blog_without_a_feed_costs_what_it_costs_without_tokens(tmp_path):
    cost = {}
    for form in (FORMS["label"], NONE):
        blog = Tokened(form=form, has_feed=False)
        (folder := tmp_path / str(len(cost))).mkdir()
        with serve(blog) as site:
            done = crawl(folder, f"{site.url}/", server=Asked(site))
            assert done.urls == blog.urls(site.url)
        cost[form] = len(done.requests)
    assert cost[FORMS["label"]] <= cost[NONE] + 4, "the page once more, and one page in three spellings"


@pytest.mark.parametrize(
    ("form", "without"),
    [("prefix", "nothing"), ("parameter", "nothing"), ("label", "redirect"), ("asp.net", "redirect")],
)
def test_sites_that_want_tokens(tmp_path, form, without):
    check(tmp_path, Tokened(form=FORMS[form], without=without), crawls=2 if form == "prefix" else 1)


@pytest.mark.parametrize("without", ["page", "nothing"])
def test_a_crawl_that_was_killed_goes_on(tmp_path, without):
    blog = Tokened(form=FORMS["prefix"], without=without)
    with serve(blog) as site:
        crawl_until(tmp_path, command(f"{site.url}/"), lambda: len(site.paths) > 35, lambda process: process.kill())
        done = run(tmp_path, command(f"{site.url}/"), server=Asked(site))
        assert done.code == 0, done.stderr
        assert paths(done, blog, site.url) == blog.paths()
        assert len(site.paths) <= len(blog.posts) + len(blog.posts) // blog.per_page + OTHERS + 10
    assert len({blog.form.read(url.removeprefix(site.url))[1] for url in done.urls}) == 1


@dataclass
class Plain(Blog):
    """A blog without sessions, whose addresses are full of what looks like tokens."""

    posts: list[Post] = field(default_factory=lambda: make_posts(30))
    in_feed: int = 10
    per_page: int = 8
    #: of a post's path
    form: str = "/{uuid}/"

    def path(self, post: Post) -> str:
        source = random.Random(post.slug)
        digits = f"{source.getrandbits(128):032x}"
        uuid = "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])
        day = f"{post.published:%Y/%m/%d}"
        return self.folder + self.form.format(uuid=uuid, hash=digits[:12], slug=post.slug, day=day)

    def page(self, post: Post) -> str:
        picture = f"/cdn/{random.Random(post.title).getrandbits(96):024x}/a.jpg?v={random.getrandbits(64):016x}"
        return super().page(post).replace("</article>", f'<img src="{picture}" alt=""></article>')


def crawl_plain(folder, blog: Plain) -> Outcome:
    """Crawl it from the top of its site, which redirects to its folder."""
    with LocalSite({}) as site:
        away = {"/": Reply("", 302, {"Location": f"{blog.folder}/"})} if blog.folder else {}
        site.routes = away | blog.routes(site.url)
        done = crawl(folder, f"{site.url}/", server=Asked(site))
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
    return done


@pytest.mark.parametrize("form", ["/{uuid}/", "/{slug}-{hash}"])
def test_permalinks_like_tokens_cost_nothing(tmp_path, form):
    assert not crawl_plain(tmp_path, Plain(form=form)).repeated


@pytest.mark.parametrize(("form", "folder"), [("/{uuid}", "/u/x7Kq92bTz4")])
def test_a_folder_like_a_token_is_a_folder(tmp_path, form, folder):
    cost = []
    for one in (folder, "/words" * folder.count("/")):
        (place := tmp_path / str(len(cost))).mkdir()
        cost.append(len(crawl_plain(place, Plain(form=form, folder=one)).requests))
    assert cost[0] <= cost[1] + 8, "the page once more, after its redirect, and two pages in three spellings"
