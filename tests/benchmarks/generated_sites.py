"""Sites that are made up: a blog beside a forum, a wiki and a shop ten times its size, with traps.

Each kind of site has addresses of its own form; what stands at which place of a page is drawn at random from a seed. So
no rule about names or forms of addresses can be right on all of them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from zlib import crc32

from blogcrawler.urls import Scope, canonicalise
from tests.benchmarks.linkgraphs import NOTHING, Answer, Graph, SeenLink

__all__ = ["KINDS", "Kind", "generate"]

FEED = 10
"""Posts in the feed."""
SHARES = {"forum": 4, "wiki": 3, "shop": 3}
"""Pages of the other sections, times the number of posts."""
PER_LIST = 8
SYLLABLES = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zy", "lan", "der", "mit", "kor", "sun", "pel"]


@dataclass(frozen=True)
class Kind:
    """Forms of addresses. In each, `{n}` is a number, `{slug}` words, `{y}` and `{m}` a year and a month."""

    name: str
    post: str
    #: of the blog's pages with lists of posts, and of the list of all posts of a tag
    list: str
    tag: str
    forum: str
    forum_list: str
    wiki: str
    shop: str
    shop_list: str
    #: a space without end, by year and month
    calendar: str
    #: a parameter of which every list has endlessly many
    noise: str = ""
    has_neighbours: bool = True
    has_archive: bool = False
    #: of the lists of the oldest third of the posts, which nothing but the menu links to; and its label
    former: str = ""
    former_label: str = ""


KINDS = [
    Kind("dated", "/{y}/{m}/{slug}/", "/page/{n}/", "/tag/{slug}/", "/forum/topic/{slug}-{n}/", "/forum/page/{n}/",
         "/wiki/{slug}/", "/shop/product/{slug}/", "/shop/page/{n}/", "/events/{y}/{m}/", "?orderby=c{n}"),
    Kind("numbered", "/archives/{n}", "/?paged={n}", "/?tag={slug}", "/viewtopic.php?t={n}", "/viewforum.php?start={n}",
         "/w/index.php?title={slug}", "/item/{n}", "/items?page={n}", "/calendar.php?y={y}&month={m}", has_neighbours=False),
    Kind("flat", "/{slug}", "/blog?page={n}", "/topics/{slug}", "/discussion/{n}/{slug}", "/discussions/p{n}",
         "/docs/{slug}", "/p/{slug}", "/catalogue?p={n}", "/agenda/{y}-{m}", "?sort=s{n}", has_neighbours=False),
    Kind("files", "/posts/{slug}.html", "/index{n}.html", "/tags/{slug}.html", "/board/thread{n}.html",
         "/board/list{n}.html", "/manual/{slug}.html", "/store/{slug}.html", "/store/list-{n}.html", "/cal/{y}/{m}.html"),
    Kind("queries", "/index.php?article={n}", "/index.php?start={n}", "/index.php?topic={slug}", "/index.php?thread={n}",
         "/index.php?board={n}", "/index.php?page={slug}", "/index.php?product={n}", "/index.php?shelf={n}",
         "/index.php?month={y}{m}", "&view=v{n}", has_archive=True),
    Kind("alike", "/{slug}/", "/news/{n}/", "/about-{slug}/", "/thread-{n}/", "/threads/{n}/", "/guide/{slug}/",
         "/{slug}-buy/", "/buy/{n}/", "/dates/{y}/{m}/", has_archive=True),
    Kind("moved", "/blog/{slug}", "/blog/page/{n}", "/blog/tag/{slug}", "/forum/{n}-{slug}", "/forum/list/{n}",
         "/wiki/{slug}", "/shop/{slug}", "/shop/list/{n}", "/events/{y}-{m}", former="/former/{n}",
         former_label="Archive 2004-2009"),
]  # fmt: skip


def generate(kind: Kind, posts: int = 60, seed: int = 1, others: int = 10) -> Graph:
    """A site of a kind, the same for the same arguments; `others` times as many pages as posts are none."""
    return _Generator(kind, posts, seed, others).graph()


class _Generator:
    def __init__(self, kind: Kind, posts: int, seed: int, others: int) -> None:
        self.kind = kind
        self.random = random.Random(f"{kind.name} {seed}")
        self.site = f"http://{kind.name}-{seed}.test"
        self.posts = [self.address(kind.post, n) for n in range(posts, 0, -1)]
        self.tags = [self.address(kind.tag, n) for n in range(max(3, posts // 6))]
        self.tags_of = {url: self.random.sample(self.tags, 2) for url in self.posts}
        former = posts // 3 if kind.former else 0
        self.recent, self.former = self.posts[: posts - former], self.posts[posts - former :]
        size = {name: posts * share * others // 10 for name, share in SHARES.items()}
        self.forum = [self.address(kind.forum, n) for n in range(size["forum"])]
        self.wiki = [self.address(kind.wiki, n) for n in range(size["wiki"])]
        self.shop = [self.address(kind.shop, n) for n in range(size["shop"])]
        self.pages: dict[str, list[SeenLink]] = {}

    def address(self, form: str, n: int) -> str:
        slug = "-".join("".join(self.random.choices(SYLLABLES, k=2)) for _ in range(3)) + f"-{'abcdefghij'[n % 10]}"
        year, month = 2024 - n // 24, n % 12 + 1
        return canonicalise(self.site + form.format(n=100 + n, slug=slug, y=year, m=f"{month:02}"))

    def graph(self) -> Graph:
        home = f"{self.site}/"
        self.lists(home, self.recent, self.kind.list, "posts")
        for tag in self.tags:
            self.lists(tag, [url for url in self.recent if tag in self.tags_of[url]], "", "posts")
        if self.former:
            self.lists(self.former_start, self.former, self.kind.former, "posts")
        self.lists(self.address(self.kind.forum_list, 0), self.forum, self.kind.forum_list, "threads")
        self.lists(self.address(self.kind.shop_list, 0), self.shop, self.kind.shop_list, "items")
        if self.kind.has_archive:
            self.page(f"{self.site}/all", self.links("archive", self.posts))
        for part in (self.recent, self.former):
            self.articles(part)
        for section, urls in (("thread", self.forum), ("wiki", self.wiki), ("item", self.shop)):
            for url in urls:
                self.page(url, self.links(section, self.random.sample(urls, min(len(urls), 6))))
        pages = {
            url: Answer(page=url, is_post=url in set(self.posts), links=tuple(links))
            for url, links in self.pages.items()
        }
        scope = Scope.of(home, self.posts[:FEED])
        return Graph(self.kind.name, home, self.posts[:FEED], frozenset(self.posts), partial(self.answer, pages), scope)

    def articles(self, posts: Sequence[str]) -> None:
        """The pages of posts, which link to none but these; former ones have lost their tags."""
        for at, url in enumerate(posts):
            near = [posts[to] for to in (at - 1, at + 1) if 0 <= to < len(posts)] if self.kind.has_neighbours else []
            text = self.links("", self.random.sample([*self.wiki, *self.shop, *posts], 2))
            tags = self.tags_of[url] if posts is self.recent else []
            self.page(url, [*self.links("tags", tags), *self.links("near", near, rel=("next",)), *text])

    def answer(self, pages: dict[str, Answer], url: str) -> Answer:
        """A page; each list under any value of the parameter that changes nothing; each month of the calendar."""
        if url in pages:
            return pages[url]
        form = re.escape(self.kind.noise).replace(re.escape("{n}"), r"\d+")
        bare = re.sub(f"{form}$", "", url) if form else url
        if bare in pages:
            return pages[bare]
        month = re.escape(self.site + self.kind.calendar).replace(r"\{y\}", r"(\d{4})").replace(r"\{m\}", r"(\d\d)")
        found = re.fullmatch(month, url)
        if found is None:
            return NOTHING
        at = int(found[1]) * 12 + int(found[2]) - 1
        months = (self.site + self.kind.calendar.format(y=to // 12, m=f"{to % 12 + 1:02}") for to in (at - 1, at + 1))
        return Answer(page=url, links=(*self.menu(), *self.links("months", list(months))))

    def lists(self, first: str, urls: Sequence[str], form: str, place: str) -> None:
        """The pages that list some URLs: the first, and those of a form."""
        parts = [urls[at : at + PER_LIST] for at in range(0, len(urls), PER_LIST)] or [[]]
        pages = [
            first,
            *(
                self.address(form or f"{first.removeprefix(self.site).rstrip('/')}/{{n}}", n)
                for n in range(1, len(parts))
            ),
        ]
        if not form and "?" in first:
            parts, pages = [urls], [first]
        for at, (url, part) in enumerate(zip(pages, parts, strict=True)):
            more = [SeenLink(to, str(n), (), self.place("pager")) for n, to in enumerate(pages) if abs(n - at) <= 2]
            noise = []
            if self.kind.noise and "?" in url + self.kind.noise[:1] and not ("?" in url and self.kind.noise[0] == "?"):
                noise = self.links(
                    "sort", [url + self.kind.noise.format(n=self.random.randrange(10**6)) for _ in range(2)]
                )
            self.page(url, [*self.links(place, part), *more, *noise])

    def page(self, url: str, links: Sequence[SeenLink]) -> None:
        self.pages[url] = [*self.menu(), *links]

    def menu(self) -> list[SeenLink]:
        ends = [f"{self.site}/", self.forum_start, self.wiki[0], self.shop_start, self.calendar_start]
        named = [SeenLink(self.former_start, self.kind.former_label, (), self.place("menu"))] if self.former else []
        return [*self.links("menu", [*ends, *([f"{self.site}/all"] if self.kind.has_archive else [])]), *named]

    @property
    def former_start(self) -> str:
        return canonicalise(self.site + self.kind.former.format(n=0))

    @property
    def forum_start(self) -> str:
        return canonicalise(self.site + self.kind.forum_list.format(n=100))

    @property
    def shop_start(self) -> str:
        return canonicalise(self.site + self.kind.shop_list.format(n=100))

    @property
    def calendar_start(self) -> str:
        return self.site + self.kind.calendar.format(y=2024, m="06")

    def links(self, place: str, urls: Sequence[str], rel: tuple[str, ...] = ()) -> list[SeenLink]:
        return [SeenLink(url, "", rel, self.place(place)) for url in urls]

    def place(self, name: str) -> int:
        """The number of a place of this site's pages; 0 is running text."""
        return crc32(f"{self.site} {name}".encode()) if name else 0


Generate = Callable[[Kind], Graph]
