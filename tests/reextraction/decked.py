"""A blog whose feed says a line of the page for the title that is none, so that the rule learned for titles is wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape

from tests.crawl.blog import Blog, Post, make_posts

HEADLINE = "//h1[@class='headline']"


@dataclass
class Decked(Blog):
    """The line stands above the title, its own on each page."""

    def page(self, post: Post) -> str:
        line = f'<div class="deck">{escape(deck(post))}</div>'
        return super().page(post).replace('<h1 class="headline">', f'{line}<h1 class="headline">')

    def feed(self, base: str) -> str:
        found = super().feed(base)
        for post in self.posts[: self.in_feed]:
            found = found.replace(f"<title>{escape(post.title)}</title>", f"<title>{escape(deck(post))}</title>")
        return found


def deck(post: Post) -> str:
    return " ".join(reversed(post.paragraphs[2].split()[:5]))


def decked(count: int = 9, **more: object) -> Decked:
    return Decked(make_posts(count), in_feed=5, **more)  # type: ignore[arg-type]


def titles(blog: Blog, base: str) -> dict[str, str]:
    """What the records should say."""
    return {base + blog.path(post): post.title for post in blog.posts}


def with_new_post(blog: Decked) -> Decked:
    """The same, a post later."""
    return replace(blog, posts=make_posts(len(blog.posts) + 1))
