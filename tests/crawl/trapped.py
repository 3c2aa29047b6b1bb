"""A blog among traps: endless calendars, pages, filters, sessions and mazes; copies of posts; answers that are errors.

Each `Forms` writes the addresses of all of them in another way. The server makes every page when it is asked for, the
same at each time but for session ids.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from urllib.parse import parse_qsl, urlencode

from tests.crawl.blog import Blog, Post, make_posts
from tests.site import LocalSite, Reply

TAGS = ("bread", "cameras", "cycling", "gardens", "letters", "maps", "music", "rivers", "trains", "winter")
IN_TEXT = ("dangling", "labels")
"""Kinds that are linked in posts' texts, at addresses of posts' form: pages that are not there, and lists."""
WANTED = "wanted"
"""Kind of what a crawl needs, or what a list of posts is: all else is a trap."""


@dataclass(frozen=True)
class Forms:
    """The addresses of a site. In each, what stands in braces differs from page to page."""

    post: str
    list: str
    archive: str
    tag: str
    about: str
    #: by month, without end in both directions: {y}, {m}; and its days: {d}
    calendar: str
    day: str
    #: lists that go on for ever: {n}
    paging: str
    #: what sorts and filters the archive, as names and values of parameters
    filters: dict[str, tuple[str, ...]]
    #: tags of tags: {tags}, joined by `joint`
    facets: str
    joint: str
    #: a copy of a page, of which each page has endlessly many: {path} and {id}
    session: str
    #: copies of posts: {path}
    copies: tuple[str, ...]
    #: form of a comment to a post: {path} and {id}
    reply: str
    #: pages that are not there, and are answered like others: {words}
    lost: str
    #: an address that leads to the next one: {n}
    hop: str
    #: links that are relative to a folder that is none
    growth: str
    #: a maze of pages of random text: {words}
    maze: str
    #: what pages of errors say
    sorry: str = "Nothing was found here."
    #: whether copies name the post as their canonical address
    has_canonical: bool = True
    #: whether posts link to their neighbours
    has_neighbours: bool = True
    #: what endless lists show: "nothing", "the last page" or "any posts"
    paging_shows: str = "nothing"


FOLDERS = Forms(
    post="/{y}/{m}/{slug}/", list="/page/{n}/", archive="/archives/", tag="/topic/{tag}/", about="/about-me/",
    calendar="/events/{y}/{m}/", day="/events/{y}/{m}/{d}/", paging="/latest/{n}/",
    filters={"orderby": ("title", "date", "author", "size"), "dir": ("up", "down"), "cols": ("1", "2", "3"),
             "since": ("2019", "2020", "2021", "2022")},
    facets="/browse/{tags}/", joint="/", session="/x-{id}{path}", copies=("/printable{path}", "/mobile{path}"),
    reply="{path}?answer={id}", lost="/{words}/", hop="/jump/{n}/", growth="/corner/", maze="/attic/{words}/",
    sorry="Whoops! We could not find what you came for.", paging_shows="the last page",
)  # fmt: skip
QUERIES = Forms(
    post="/read.php?id={id}", list="/index.php?start={n}0", archive="/all.php", tag="/index.php?label={tag}",
    about="/info.php", calendar="/cal.php?y={y}&m={m}", day="/cal.php?y={y}&m={m}&d={d}", paging="/feedback.php?p={n}",
    filters={"s": ("a", "b", "c"), "desc": ("0", "1"), "mode": ("cards", "rows"), "limit": ("5", "15", "50")},
    facets="/index.php?with={tags}", joint=",", session="{path}&visit={id}",
    copies=("{path}&layout=print", "{path}&device=phone"), reply="{path}&quote={id}", lost="/{words}.php",
    hop="/out.php?step={n}", growth="/corner/", maze="/shelf.php?book={words}", sorry="Gone fishing.",
    has_canonical=False, has_neighbours=False,
)  # fmt: skip
FLAT = Forms(
    post="/{slug}", list="/blog/{n}", archive="/blog/everything", tag="/blog/tagged/{tag}", about="/who",
    calendar="/diary?when={y}-{m}", day="/diary?when={y}-{m}-{d}", paging="/stream?offset={n}0",
    filters={"sort_by": ("name", "day"), "order": ("1", "2"), "view": ("tiles", "table"), "lang": ("en", "de", "fr")},
    facets="/blog/tagged/{tags}", joint="+", session="{path}?token={id}", copies=("{path}/amp", "{path}?print=1"),
    reply="{path}?comment_to={id}", lost="/{words}", hop="/redirect/{n}", growth="/corner/", maze="/cellar/{words}",
    sorry="404 - but do stay a while", paging_shows="any posts",
)  # fmt: skip
ALL = {"folders": FOLDERS, "queries": QUERIES, "flat": FLAT}


@dataclass
class TrappedBlog(Blog):
    """A blog whose pages name traps of every kind."""

    posts: list[Post] = field(default_factory=lambda: make_posts(40))
    in_feed: int = 10
    per_page: int = 8
    forms: Forms = FOLDERS
    #: the only kind of traps that there is; None for all but those in running text
    only: str | None = None
    #: whether the archive lists all posts
    has_archive: bool = True
    #: what pages that are not there show: "sorry", "the newest post" or "any post"
    lost_shows: str = "sorry"

    def __post_init__(self) -> None:
        self._by_path = {self.path(post): post for post in self.posts}
        self._tags = {post.slug: random.Random(post.slug).sample(TAGS, 2) for post in self.posts}
        forms = self.forms
        self._archived = self.posts if self.has_archive else self.posts[: self.per_page]
        #: how many pages of posts there are
        self._pages = -(-len(self.posts) // self.per_page)
        self._kinds: list[tuple[str, re.Pattern[str], Callable[[dict[str, str]], str | Reply]]] = [
            ("labels", _pattern(forms.post, slug=r"\w+-\w+-(?P<n>\d{7})", id=r"(?P<n>\d{7})"), self._label),
            ("dangling", _pattern(forms.post, slug=r"[a-w]+-[a-w]+", id=r"\d{4,6}"), self._sorry),
            ("session", _pattern(forms.session, path=r"/.*"), self._copied),
            *(("copy", _pattern(form, path=r"/.*"), self._copied) for form in forms.copies),
            ("reply", _pattern(forms.reply, path=r"/.*"), self._copied),
            ("calendar", _pattern(forms.calendar), self._month),
            ("calendar", _pattern(forms.day), lambda _: self._frame("Day", "<h1>Day</h1><p>No events.</p>")),
            ("paging", _pattern(forms.paging), self._endless),
            ("filter", re.compile(re.escape(forms.archive) + r"\?(?P<query>.*)"), self._filtered),
            (WANTED, _pattern(forms.tag), self._tagged),
            ("facets", _pattern(forms.facets, tags=r".+"), self._faceted),
            ("hop", _pattern(forms.hop), self._hop),
            ("growth", re.compile(re.escape(forms.growth) + r".*"), self._corner),
            ("maze", _pattern(forms.maze, words=r".+"), self._maze),
        ]

    def path(self, post: Post) -> str:
        at = len(self.posts) - self.posts.index(post)
        return self.forms.post.format(
            y=f"{post.published:%Y}", m=f"{post.published:%m}", slug=post.slug, id=100 + 7 * at
        )

    def kind(self, target: str) -> str:
        """Of which kind an address is: `WANTED`, the name of a trap, or "lost" where there is no page."""
        if target in self._fixed() or target in self._by_path or target in ("/feed.xml", "/robots.txt", "/sitemap.xml"):
            return WANTED
        return next((kind for kind, pattern, _ in self._kinds if pattern.fullmatch(target)), "lost")

    def answer(self, target: str) -> Reply:
        """What the site answers."""
        if target == "/feed.xml":
            return Reply(self.feed(self.base), content_type="application/rss+xml; charset=utf-8")
        if target in ("/robots.txt", "/sitemap.xml"):
            return Reply("not found", 404)
        made = self._answer(target)
        return made if isinstance(made, Reply) else Reply(made)

    #: address of the site
    base: str = ""

    def _answer(self, target: str) -> str | Reply:
        fixed = self._fixed()
        if target in fixed:
            return fixed[target]()
        if target in self._by_path:
            return self.page(self._by_path[target])
        for kind, pattern, make in self._kinds:
            found = pattern.fullmatch(target)
            if found and (kind != WANTED or found["tag"] in TAGS):
                return make(found.groupdict())
        if self.lost_shows != "sorry":
            source = random.Random(target if self.lost_shows == "any post" else 0)
            return self.page(source.choice(self.posts) if self.lost_shows == "any post" else self.posts[0])
        return self._sorry({"slug": target})

    def _sorry(self, found: dict[str, str]) -> str:
        return self._frame("Page", f"<h1>Hello</h1><p>{self.forms.sorry}</p>", seed=str(found))

    def _traps(self, kind: str, targets: Iterable[str]) -> list[str]:
        """Those addresses of traps, where there are traps of this kind."""
        is_there = self.only == kind or (self.only is None and kind not in IN_TEXT)
        return list(targets) if is_there else []

    def _fixed(self) -> dict[str, Callable[[], str]]:
        lists = {self.forms.list.format(n=n): (lambda n=n: self._list(n)) for n in range(2, self._pages + 1)}
        return {
            "/": lambda: self._list(1),
            self.forms.archive: lambda: self._frame("Archive", _items(self, self._archived) + self._filters({})),
            self.forms.about: lambda: self._frame("About", "<h1>About</h1><p>Words about this blog.</p>"),
            **lists,
        }

    def _list(self, number: int) -> str:
        shown = self.posts[(number - 1) * self.per_page : number * self.per_page]
        more = (
            f'<p><a href="{escape(self.forms.list.format(n=number + 1))}">Older</a></p>' if number < self._pages else ""
        )
        return self._frame(self.name, _items(self, shown) + more, seed=str(number))

    def page(self, post: Post) -> str:
        return self._post(post, self.path(post))

    def _post(self, post: Post, path: str, canonical: str = "") -> str:
        source, forms = random.Random(path), self.forms
        at = self.posts.index(post)
        own = self.path(post)
        near = [self.posts[to] for to in (at - 1, at + 1) if 0 <= to < len(self.posts)] if forms.has_neighbours else []
        copies = self._traps("copy", (form.format(path=own) for form in forms.copies))
        replies = [forms.reply.format(path=own, id=source.randrange(10**6)) for _ in range(3)]
        replies = self._traps("reply", replies)
        tags = [forms.tag.format(tag=tag) for tag in self._tags[post.slug]]
        facets = [forms.facets.format(tags=forms.joint.join(source.sample(TAGS, 2))) for _ in range(3)]
        facets = self._traps("facets", facets)
        dangling = self._traps("dangling", (self._like_post(post, source, source.randrange(5000, 10**6)),))
        labels = self._traps("labels", (self._like_post(post, source, source.randrange(10**6, 10**7)),))
        day = f"{post.published.day} {post.published:%B %Y}"
        return self._frame(
            post.title,
            f'<article class="post"><h1 class="headline">{escape(post.title)}</h1><p class="byline">By <span class="who">'
            f'{post.author}</span> on <time>{day}</time></p><div class="text">{post.html}'
            f"{_in_text(dangling)}{_in_text(labels)}</div></article>"
            f'<p class="tags">{_links(tags)}</p><p class="copies">{_links(copies)}</p><p class="see">{_links(facets)}</p>'
            f'<p class="near">{_links(map(self.path, near))}</p><div class="comments">'
            f"{''.join(f'<p>{escape(post.slug)} said so. {_links([one])}</p>' for one in replies)}</div>",
            seed=path,
            canonical=canonical,
        )

    def _like_post(self, post: Post, source: random.Random, number: int) -> str:
        """An address of a post's form at which there is none; only labels have large numbers."""
        slug = f"{_words(source, 1)}-{_words(source, 1)}{f'-{number}' if number >= 10**6 else ''}"
        return self.forms.post.format(y=f"{post.published:%Y}", m=f"{post.published:%m}", slug=slug, id=number)

    def _label(self, found: dict[str, str]) -> str:
        shown = random.Random(found["n"]).sample(self.posts, 3)
        return self._frame(f"Label {found['n']}", _items(self, shown))

    def _copied(self, found: dict[str, str]) -> str | Reply:
        post = self._by_path.get(found["path"])
        if post is None:
            return self._answer(found["path"])
        return self._post(post, found["path"], self.path(post) if self.forms.has_canonical else "")

    def _month(self, found: dict[str, str]) -> str:
        at = int(found["y"]) * 12 + int(found["m"]) - 1
        days = [self.forms.day.format(y=found["y"], m=found["m"], d=f"{day:02}") for day in range(1, 29)]
        near = [self.forms.calendar.format(y=to // 12, m=f"{to % 12 + 1:02}") for to in (at - 1, at + 1)]
        month = f"{found['y']}-{found['m']}"
        return self._frame(month, f"<h1>{month}</h1><table>{_links(days)}</table>{_links(near)}")

    def _endless(self, found: dict[str, str]) -> str:
        number = int(found["n"])
        shown = {
            "nothing": [],
            "the last page": self.posts[-self.per_page :],
            "any posts": random.Random(number).sample(self.posts, min(len(self.posts), 5)),
        }[self.forms.paging_shows]
        return self._frame("More", _items(self, shown) + _links([self.forms.paging.format(n=number + 1)]))

    def _filtered(self, found: dict[str, str]) -> str:
        shown = random.Random(found["query"]).sample(self.posts, self.per_page)
        return self._frame("Archive", _items(self, shown) + self._filters(dict(parse_qsl(found["query"]))))

    def _filters(self, chosen: dict[str, str]) -> str:
        ways = [{**chosen, name: value} for name, values in self.forms.filters.items() for value in values]
        targets = self._traps("filter", (f"{self.forms.archive}?{urlencode(way)}" for way in ways))
        return f'<p class="filters">{_links(targets)}</p>'

    def _tagged(self, found: dict[str, str]) -> str:
        shown = [post for post in self.posts if found["tag"] in self._tags[post.slug]]
        return self._frame(found["tag"], _items(self, shown))

    def _faceted(self, found: dict[str, str]) -> str:
        tags = found["tags"].split(self.forms.joint)
        shown = [post for post in self.posts if set(tags) & set(self._tags[post.slug])][:5]
        more = [self.forms.facets.format(tags=self.forms.joint.join([*tags, tag])) for tag in TAGS if tag not in tags]
        return self._frame(" + ".join(tags), _items(self, shown) + _links(more))

    def _hop(self, found: dict[str, str]) -> Reply:
        return Reply("", 302, {"Location": self.forms.hop.format(n=int(found["n"]) + 1)})

    def _corner(self, _: dict[str, str]) -> str:
        return self._frame("Corner", f"<h1>Corner</h1>{_links(['left/', 'right/', 'up/down/'])}")

    def _maze(self, found: dict[str, str]) -> str:
        source = random.Random(found["words"])
        doors = [self.forms.maze.format(words=_words(source, 2)) for _ in range(6)]
        text = " ".join(_words(source, 60).split("-"))
        return self._frame(found["words"], f"<h1>{found['words']}</h1><p>{text}</p>{_links(doors)}")

    def _frame(self, title: str, main: str, *, seed: str = "", canonical: str = "") -> str:
        forms, source = self.forms, random.Random(seed)
        popular = source.sample(self.posts, 3)
        token = f"{random.getrandbits(96):024x}"
        sessions = self._traps("session", (forms.session.format(path=self.path(post), id=token) for post in popular))
        lost = self._traps("lost", [forms.lost.format(words=_words(source, 3)) for _ in range(2)])
        filters = {name: values[0] for name, values in list(forms.filters.items())[:2]}
        traps = {
            "calendar": forms.calendar.format(y=2024, m="05"),
            "paging": forms.paging.format(n=2),
            "filter": f"{forms.archive}?{urlencode(filters)}",
            "hop": forms.hop.format(n=1),
            "growth": forms.growth,
            "maze": forms.maze.format(words=_words(source, 2)),
        }
        places = [forms.archive, forms.about, *(one for kind in traps for one in self._traps(kind, [traps[kind]]))]
        head = f'<link rel="canonical" href="{escape(self.base + canonical)}">' if canonical else ""
        return (
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
            f'<link rel="alternate" type="application/rss+xml" href="/feed.xml">{head}</head><body><header>'
            f'<a class="home" href="/">{self.name}</a></header><main>{main}</main><aside><ul class="popular">'
            f'{_links(sessions)}</ul><ul class="places">{_links(places)}</ul><p class="lost">{_links(lost)}</p></aside>'
            "<footer>Words without meaning, all rights reserved.</footer></body></html>"
        )


def trapped(requests: Iterable[str], blog: TrappedBlog) -> Counter[str]:
    """How many requests went to traps, by kind."""
    return Counter(kind for target in requests if (kind := blog.kind(target)) != WANTED)


@contextmanager
def serve(blog: TrappedBlog) -> Iterator[LocalSite]:
    """The blog's site."""
    with LocalSite({}, default=lambda request: blog.answer(request.raw_path)) as site:
        blog.base = site.url
        yield site


def _pattern(form: str, **groups: str) -> re.Pattern[str]:
    usual = {"y": r"\d{4,}", "m": r"\d\d", "d": r"\d\d", "n": r"\d+?", "id": r"[0-9a-f]+", "tag": r"[a-z]+"}
    parts = re.split(r"\{(\w+)\}", form)
    known = usual | {"tags": r"[^?]+", "words": r"[^?]+"} | groups
    return re.compile(
        "".join(f"(?P<{part}>{known[part]})" if at % 2 else re.escape(part) for at, part in enumerate(parts))
    )


def _items(blog: TrappedBlog, posts: Sequence[Post]) -> str:
    items = "".join(
        f'<li><h2><a href="{escape(blog.path(post))}">{escape(post.title)}</a></h2><p>{post.paragraphs[0][:80]} …</p></li>'
        for post in posts
    )
    return f'<ul class="list">{items}</ul>'


def _links(targets: Iterable[str]) -> str:
    return " ".join(f'<a href="{escape(target)}">{escape(_last_part(target))}</a>' for target in targets)


def _in_text(targets: Iterable[str]) -> str:
    return "".join(f'<p>It is as <a href="{escape(target)}">others have said</a>.</p>' for target in targets)


def _last_part(target: str) -> str:
    return re.split(r"[/=?&]", target.strip("/"))[-1][:30]


def _words(source: random.Random, count: int) -> str:
    letters = "abcdefghiklmnoprstuvw"
    return "-".join("".join(source.choices(letters, k=source.randint(3, 7))) for _ in range(count))
