"""Blogs for the tests: posts with made-up text, and small templates in the manner of real themes."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape

from blogcrawler.dom import parse, readable_text
from blogcrawler.items import Entry
from blogcrawler.wrapper import Example, Extraction, Wrapper, learn

WORDS = [
    "river",
    "stone",
    "lantern",
    "quiet",
    "market",
    "bicycle",
    "harbour",
    "winter",
    "bread",
    "letter",
    "garden",
    "window",
    "copper",
    "thread",
    "signal",
    "mountain",
    "kettle",
    "paper",
    "orchard",
    "railway",
    "violet",
    "hammer",
    "summer",
    "coffee",
    "village",
    "pencil",
    "shadow",
    "button",
    "cabbage",
    "drizzle",
    "engine",
    "forest",
    "glove",
    "hedge",
    "island",
    "jacket",
    "kitchen",
    "ladder",
    "mirror",
    "needle",
    "oven",
    "pocket",
    "quarrel",
    "rubber",
    "saddle",
    "ticket",
    "umbrella",
    "valley",
    "whistle",
    "yellow",
    "zebra",
    "archive",
    "blanket",
    "candle",
    "donkey",
    "elbow",
    "feather",
    "gravel",
    "honey",
    "insect",
    "journey",
    "knot",
    "lemon",
    "meadow",
    "never",
    "often",
    "perhaps",
    "rather",
    "seldom",
    "suddenly",
    "together",
    "under",
    "very",
    "without",
    "they",
    "found",
    "carried",
    "opened",
    "thought",
    "painted",
    "remembered",
    "wondered",
    "followed",
    "because",
    "although",
    "before",
    "while",
    "after",
    "since",
    "until",
    "where",
    "which",
    "whose",
]
AUTHORS = ("Ann Keller", "Boris Lund", "Carla Weiss")
TAGS = ("Travel", "Cooking", "Machines", "Books", "Weather")
ADDRESS = "http://blog.test"

Template = Callable[["Post"], str]


def prose(seed: int | str, words: int) -> str:
    """A paragraph of so many words, its own for each seed."""
    chance = random.Random(seed)
    text = " ".join(chance.choice(WORDS) for _ in range(words))
    return f"{text.capitalize()}."


@dataclass(frozen=True)
class Post:
    number: int
    title: str
    author: str
    published: dt.datetime
    tags: tuple[str, ...]
    paragraphs: tuple[str, ...]

    @property
    def slug(self) -> str:
        return self.title.lower().replace(" ", "-")

    @property
    def path(self) -> str:
        return f"/{self.published:%Y/%m/%d}/{self.slug}/"

    @property
    def url(self) -> str:
        return ADDRESS + self.path

    @property
    def body(self) -> str:
        return "\n".join(f"<p>{paragraph}</p>" for paragraph in self.paragraphs)

    @property
    def summary(self) -> str:
        return " ".join(self.paragraphs[0].split()[:30]) + " […]"

    def entry(self, **changes: object) -> Entry:
        """What a feed with whole articles says of the post."""
        entry = Entry(
            self.url,
            title=self.title,
            authors=(self.author,),
            published=self.published.isoformat(),
            tags=self.tags,
            content_html=self.body,
            language="en",
        )
        return replace(entry, **changes)  # type: ignore[arg-type]


@cache
def post(number: int) -> Post:
    """The post of a number: always the same one."""
    chance = random.Random(number)
    title = " ".join(chance.sample(WORDS, 4)).capitalize()
    day = dt.datetime(2013, 1, 1, 9, 30, tzinfo=dt.timezone(dt.timedelta(hours=2))) + dt.timedelta(
        days=13 * number, minutes=37 * number
    )
    paragraphs = tuple(prose(f"{number}/{part}", chance.randint(35, 80)) for part in range(chance.randint(3, 6)))
    tags = tuple(chance.sample(TAGS, chance.randint(1, 3)))
    return Post(number, title, AUTHORS[number % len(AUTHORS)], day, tags, paragraphs)


POSTS = tuple(post(number) for number in range(12))
"""In the feed: what wrappers are learned from."""
OLD = tuple(post(number) for number in range(40, 46))
"""Not in the feed: what wrappers are tried on."""


def layout(main: str, *, title: str = "A blog", head: str = "", side: str = "", language: str | None = "en") -> str:
    """A page with head line, menu, side bar and foot."""
    return f"""<!DOCTYPE html>
<html{f' lang="{language}"' if language else ""}>
<head><meta charset="utf-8"><title>{escape(title)}</title>{head}</head>
<body class="blog">
<div id="page">
<div id="header"><a href="/">The quiet blog</a><p>Notes of all sorts</p></div>
<ul class="menu"><li><a href="/">Home</a></li><li><a href="/about/">About</a></li><li><a href="/archive/">Archive</a></li></ul>
<div id="main">
{main}
</div>
<div id="sidebar">{side}</div>
<div id="footer"><p>All notes are free to share. Made with a small program.</p></div>
</div>
</body>
</html>"""


def recent(posts: Sequence[Post] = POSTS) -> str:
    """A side bar with the newest posts."""
    items = "".join(f'<li><a href="{one.path}">{escape(one.title)}</a></li>' for one in posts)
    return f'<div class="widget"><h3>Recent posts</h3><ul>{items}</ul></div>'


def tag_links(one: Post) -> str:
    return ", ".join(f'<a href="/tag/{tag.lower()}/" rel="tag">{tag}</a>' for tag in one.tags)


def classic(one: Post) -> str:
    """Title, byline, article in a container, tags below; ids that only one post has; a side bar of recent posts."""
    main = f"""<div id="post-{one.number}" class="post hentry">
<h2 class="post-title"><a href="{one.path}">{escape(one.title)}</a></h2>
<p class="byline">Posted on <span class="date">{one.published:%d %B %Y}</span> by <a class="author" href="/a/">{one.author}</a></p>
<div class="post-body">
{one.body}
</div>
<p class="tagged">{tag_links(one)}</p>
</div>"""
    return layout(main, title=f"{one.title} | The quiet blog", side=recent())


def modern(one: Post) -> str:
    """Elements of HTML5 with data for machines."""
    main = f"""<article class="note" itemscope>
<header><h1 itemprop="headline">{escape(one.title)}</h1>
<time datetime="{one.published.isoformat()}">{one.published:%B} {one.published.day}, {one.published.year}</time>
<address>{one.author}</address></header>
<section class="text">
{one.body}
</section>
<footer><ul class="labels">{"".join(f"<li>{tag}</li>" for tag in one.tags)}</ul></footer>
</article>"""
    return layout(main, title=one.title, side=recent())


def listing(posts: Sequence[Post] = POSTS) -> str:
    """A list of posts in the markup of `classic`, as home pages have it."""
    shown = [
        f"""<div id="post-{one.number}" class="post hentry">
<h2 class="post-title"><a href="{one.path}">{escape(one.title)}</a></h2>
<p class="byline">Posted on <span class="date">{one.published:%d %B %Y}</span> by <a class="author" href="/a/">{one.author}</a></p>
<div class="post-body">{one.body}</div></div>"""
        for one in posts
    ]
    return layout("\n".join(shown), side=recent())


def examples(template: Template, posts: Sequence[Post] = POSTS, **changes: object) -> list[Example]:
    """Training pages: posts in a template, and their entries with the same fields changed in all of them."""
    return [Example(parse(template(one)), one.entry(**changes), one.url) for one in posts]


def summaries(template: Template, posts: Sequence[Post] = POSTS) -> list[Example]:
    """The same of a feed that brings the beginnings of articles."""
    return [
        Example(parse(template(one)), one.entry(content_html=f"<p>{one.summary}</p>", is_summary=True), one.url)
        for one in posts
    ]


def learned(template: Template, posts: Sequence[Post] = POSTS, **changes: object) -> Wrapper:
    return learn(examples(template, posts, **changes))


def extracted(wrapper: Wrapper, template: Template, one: Post) -> Extraction:
    return wrapper.extract(parse(template(one)), one.url)


def words(found: Extraction) -> str:
    """The text of an extracted article on one line."""
    return " ".join(readable_text(found.article).split()) if found.article is not None else ""


def article(one: Post) -> str:
    """The text that should be extracted."""
    return " ".join(one.paragraphs)
