"""Blogs without a feed whose posts have no titles: notes, and pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.crawl.blog import Blog, Post, make_posts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.site import Reply


@dataclass
class Notes(Blog):
    """Short posts, each shown whole in the lists, with its date as the link to its page."""

    posts: list[Post] = field(default_factory=lambda: make_posts(50))
    per_page: int = 10
    names_feed: bool = False
    #: a note as lists and its own page show it
    note: str = '<div class="note"><div class="said"><p>{text}</p></div><a class="when" href="{path}">{day}</a></div>'
    #: the address of a note
    form: str = "/notes/{number}"

    def routes(self, base: str) -> dict[str, Reply]:
        found = super().routes(base)
        del found[self.folder + self.feed_path]
        return found

    def path(self, post: Post) -> str:
        return self.folder + self.form.format(number=1000 + 7 * self._number(post), at=post.published)

    def _number(self, post: Post) -> int:
        return len(self.posts) - self.posts.index(post)

    def page(self, post: Post) -> str:
        return self._page(self.name, self._shown(post))

    def text(self, post: Post) -> str:
        """What a note says."""
        return " ".join(post.paragraphs)[: 40 + 37 * (self._number(post) % 7)].rstrip()

    def _shown(self, post: Post) -> str:
        day = f"{post.published.day} {post.published:%B %Y}"
        return self.note.format(text=self.text(post), path=self.path(post), day=day, number=self._number(post))

    def _items(self, shown: Iterable[Post]) -> str:
        return "".join(f"<li>{self._shown(post)}</li>" for post in shown)
