"""Posts are told from all other pages of blogs of many kinds, whatever the addresses of both look like."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from blogcrawler.crawl.classifier import PostClassifier, feed_since, menu
from blogcrawler.crawl.read_page import Outline, ReadPage, read
from blogcrawler.dom import parse
from blogcrawler.feeds import parse_feed
from blogcrawler.items import Entry, Page
from blogcrawler.urls import Scope, identity
from blogcrawler.wrapper import Example, learn, learn_lines
from tests.crawl.blog import Post, make_posts
from tests.crawl.weblog import CATEGORIES, Static, Weblog, category, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lxml.html import HtmlElement


BASE = "http://blog.example"
FEED = f"{BASE}/feed.xml"

UNDATED = (
    Static("/about/", "About"),
    Static("/contact/", "Contact"),
    Static("/privacy/", "Privacy", in_menu=False),
    Static("/thanks/", "Thanks", in_menu=False, size=1),
)
REVISED = (
    Static("/about/", "About", date="12 March 2021"),
    Static("/colophon/", "Colophon", date="5 June 2021", in_menu=False),
)
DATED = (Static("/now/", "Now", dated=True), Static("/uses/", "Uses", dated=True), Static("/about/", "About"))


def by_slug(post: Post) -> str:
    return f"/{post.slug}/"


def by_day(post: Post) -> str:
    return f"/{post.published:%Y/%m/%d}/{post.slug}/"


def by_day_and_number(post: Post) -> str:
    return f"/{post.published:%Y/%m/%d}/{number(post)}/"


def by_category(post: Post) -> str:
    return f"/{category(post)}/{post.slug}/"


def by_id_and_slug(post: Post) -> str:
    return f"/post/{number(post) + 10**9}/{post.slug}"


def by_id(post: Post) -> str:
    return f"/post/{number(post) + 10**9}"


OLD_FORMS = {
    "number": lambda post: f"/archives/{number(post):06}.html",
    "month": lambda post: f"/{post.published:%Y_%m}_archive/{post.slug}.html",
    "day": lambda post: f"/blog/archive/{post.published:%Y/%m/%d}/{post.slug}.aspx",
    "parameter": lambda post: f"/index.php?itemid={number(post)}",
    "node": lambda post: f"/node/{number(post)}",
}


def newest_of_one_category(count: int) -> list[Post]:
    posts = sorted(make_posts(count), key=lambda post: category(post) != CATEGORIES[0])
    days = [post.published for post in make_posts(count)]
    return [replace(post, published=day) for post, day in zip(posts, days, strict=True)]


BLOGS: dict[str, dict[str, Any]] = {
    "pages beside posts": {"statics": UNDATED},
    "lists with whole posts": {"statics": UNDATED, "full_lists": True},
    "pages with the day of their last change": {"statics": REVISED},
    "pages of the menu with a byline": {"statics": DATED},
    "popular posts beside every page": {"statics": DATED, "popular": (9, 11, 14)},
    "pages without a folder": {
        "statics": (Static("/about.html", "About"), Static("/links.html", "Links", dated=True)),
        "form": lambda post: f"/{post.slug}.html",
    },
    "parameters": {
        "statics": (Static("/?page_id=2", "About"), Static("/?page_id=3", "Now", dated=True)),
        "form": lambda post: f"/?p={number(post) + 10}",
    },
    "pages of pictures": {"statics": UNDATED, "has_attachments": True},
    "pages of pictures below dated addresses": {"statics": UNDATED, "has_attachments": True, "form": by_day},
    "names of digits": {"statics": UNDATED, "form": by_day_and_number},
    "names of digits among others": {
        "statics": UNDATED,
        "form": lambda post: (by_day if number(post) % 4 else by_day_and_number)(post),
    },
    "categories that the feed does not have": {
        "statics": UNDATED,
        "form": by_category,
        "posts": newest_of_one_category(16),
        "in_feed": 5,
    },
    "another language": {
        "statics": (Static("/en/about/", "About"), Static("/de/about/", "About")),
        "form": lambda post: f"/en{by_slug(post)}",
        "old_form": lambda post: f"/de{by_slug(post)}",
    },
    "ids and names": {
        "statics": UNDATED,
        "form": by_id_and_slug,
        "old_form": lambda post: (by_id_and_slug if number(post) % 3 else by_id)(post),
    },
    **{f"old posts by {name}": {"statics": DATED, "old_form": form} for name, form in OLD_FORMS.items()},
    **{
        f"old posts by {name} in an old template": {"statics": DATED, "old_form": form, "old_template": "table"}
        for name, form in OLD_FORMS.items()
    },
    **{
        f"old posts by {name} below dated ones": {"statics": UNDATED, "form": by_day, "old_form": form}
        for name, form in OLD_FORMS.items()
    },
}


def entries_of(blog: Weblog) -> tuple[Entry, ...]:
    return tuple(parse_feed(blog.feed(BASE).encode(), FEED, "application/rss+xml").entries)


class Walk:
    """Reads a whole blog in the order of a crawl: posts first, and last the pages that could not be told before."""

    def __init__(self, blog: Weblog) -> None:
        self.pages = {BASE + path: reply for path, reply in blog.routes(BASE).items()}
        self.trees: dict[str, HtmlElement] = {}
        del self.pages[FEED]
        entries = entries_of(blog)
        wrapper = learn(Example(self.tree(entry.url), entry, entry.url) for entry in entries)
        self.entries = [entry.url for entry in entries]
        wrapper = learn_lines(wrapper, map(self.tree, self.entries))
        no_posts = frozenset({identity(f"{BASE}/"), identity(FEED)})
        self.reader = PostClassifier(Scope.of(f"{BASE}/", self.entries), wrapper, list(self.entries), no_posts)
        self.reader.feed_since = feed_since(entries)
        linked = [self.reader.links(Outline.of(self.tree(url), url)) for url in self.entries]
        self.reader.menu = menu(linked)
        self.waiting, self.undecided = deque([*self.entries, f"{BASE}/"]), deque[str]()
        self.seen = set(map(identity, self.waiting))

    def tree(self, url: str) -> HtmlElement:
        if url not in self.trees:
            body = self.pages[url].body
            self.trees[url] = parse(body.encode() if isinstance(body, str) else body)
        return self.trees[url]

    def read(self, url: str) -> ReadPage:
        return read(Page(url, b"", tree=self.tree(url)), self.reader.wrapper)

    def posts(self) -> Iterator[str]:
        while self.waiting or self.undecided:
            is_last = not self.waiting
            url = self._next()
            if url not in self.pages:
                continue
            self._add_links(url)
            verdict = url in self.entries or self.reader.verdict(self.read(url), is_last=is_last)
            if verdict is None:
                self.undecided.append(url)
            elif verdict:
                self.reader.add_post(self.read(url))
                yield url

    def _next(self) -> str:
        if not self.waiting:
            return self.undecided.popleft()
        best = next((url for url in self.waiting if self.reader.is_permalink(url)), self.waiting[0])
        self.waiting.remove(best)
        return best

    def _add_links(self, url: str) -> None:
        for target in self.reader.links(Outline.of(self.tree(url), url)):
            if identity(target) not in self.seen:
                self.seen.add(identity(target))
                self.waiting.append(target)


@pytest.mark.parametrize("template", ["classes", "elements"])
@pytest.mark.parametrize("name", BLOGS)
def test_posts_and_nothing_but_posts_are_found(name: str, template: str) -> None:
    given = {"posts": make_posts(16), "in_feed": 6, "old_from": 8, **BLOGS[name]}
    blog = Weblog(template=template, titles_are_links=template == "classes", **given)  # type: ignore[arg-type]
    assert sorted(Walk(blog).posts()) == blog.urls(BASE)


@pytest.mark.parametrize("in_feed", [5, 20])
def test_posts_are_found_without_lists(in_feed: int) -> None:
    blog = Weblog(in_feed=in_feed, statics=DATED, has_lists=False, old_form=OLD_FORMS["number"], old_template="table")
    assert sorted(Walk(blog).posts()) == blog.urls(BASE)


class Unlinked(Weblog):
    """Posts link to no other, and lists show the newest alone."""

    def page(self, post: Post) -> str:
        return re.sub(r'<div class="nav">.*?</div>', "", super().page(post))

    def _pages_of_list(self, path: str, posts: Sequence[Post]) -> dict[str, str]:
        return dict([*super()._pages_of_list(path, posts).items()][:1])


@pytest.mark.parametrize("form", OLD_FORMS.values(), ids=OLD_FORMS)
def test_posts_that_nothing_links_to_are_told_by_their_template(form: Callable[[Post], str]) -> None:
    """As a sitemap lists them. A single page with title and date, or several of one day, may be anything."""
    built = (
        Static(f"/{name}.html", name.title(), date="5 June 2021", in_menu=False) for name in ("cv", "faq", "terms")
    )
    alone = Static("/colophon.htm", "Colophon", dated=True, in_menu=False)
    blog = Unlinked(make_posts(16), in_feed=6, old_from=8, old_form=form, has_lists=False, statics=(alone, *built))
    walk = Walk(blog)
    unlinked = [*blog.urls(BASE), *(BASE + page.path for page in blog.statics)]
    walk.waiting.extend(url for url in unlinked if identity(url) not in walk.seen)
    walk.seen.update(map(identity, unlinked))
    assert sorted(walk.posts()) == blog.urls(BASE)


def test_pages_of_the_menu_do_not_make_another_page_a_post() -> None:
    """They may have the posts' template, and a title and a date each."""
    in_menu = [Static(f"/{name}.html", name.title(), dated=True) for name in ("about", "books", "talks")]
    alone = Static("/colophon.html", "Colophon", dated=True, in_menu=False)
    blog = Unlinked(make_posts(16), in_feed=6, has_lists=False, statics=(*in_menu, alone))
    walk = Walk(blog)
    for day, page in enumerate(blog.statics, 1):
        reply = walk.pages[BASE + page.path]
        walk.pages[BASE + page.path] = replace(reply, body=re.sub(r"\w+ \d+, \d{4}", f"May {day}, 2020", reply.body))
    unlinked = [*blog.urls(BASE), *(BASE + page.path for page in blog.statics)]
    walk.waiting.extend(url for url in unlinked if identity(url) not in walk.seen)
    walk.seen.update(map(identity, unlinked))
    assert sorted(walk.posts()) == blog.urls(BASE)


def test_a_feed_tells_since_when_it_has_every_post() -> None:
    entries = entries_of(Weblog(in_feed=5))
    assert feed_since(entries) == entries[-1].published[:10]  # type: ignore[index]
    assert feed_since(entries[::-1]) is None, "these are the oldest first, so there may be newer ones"
    assert feed_since(entries[:2]) is None, "too few to show an order"
    assert feed_since([*entries, replace(entries[-1], published=None)]) is None
