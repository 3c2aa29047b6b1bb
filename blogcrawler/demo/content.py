"""The content of the demonstration blog: posts and comments, read from data files of the package.

Each post is a file with `Key: value` lines, an empty line and the article as HTML. The comments of all posts are in one
JSON file, by slug; a reply comes after the comment that it answers.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date, datetime
from html import unescape
from importlib import resources
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urljoin

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.resources.abc import Traversable

BLOG = "Kettle & Thread"
MOTTO = "Notes from a small bindery by the harbour"
AUTHORS = {
    "Maren": "Maren sews, cuts and pays the rent.",
    "Tomas": "Tomas measures things, and came to have one book repaired.",
}

_EXCERPT_WORDS = 40
_BLOCK = re.compile(
    r"<(/?(?:blockquote|caption|dd|dl|dt|figcaption|figure|h2|h3|li|ol|p|pre|table|td|th|tr|ul))\b[^>]*>"
)
_TAG = re.compile("<[^<>]*>")
_LINK = re.compile(r'\b(href|src)="([^"]*)"')


@dataclass(frozen=True)
class Reply:
    """A reader's comment on a post, or a pingback from another blog."""

    id: int
    #: id of the comment that this one answers
    parent: int | None
    #: "comment" or "pingback"
    kind: str
    author: str
    author_url: str | None
    published: datetime
    html: str


@dataclass(frozen=True)
class Post:
    """One post of the demonstration blog."""

    id: int
    slug: str
    title: str
    author: str
    published: datetime
    updated: datetime | None
    tags: tuple[str, ...]
    html: str
    replies: tuple[Reply, ...]

    @property
    def path(self) -> str:
        """Percent-encoded path of the permalink."""
        return f"/{self.published:%Y/%m}/{quote(self.slug)}/"

    @property
    def author_path(self) -> str:
        """Path of the author's list of posts."""
        return f"/author/{self.author.lower()}/"

    @property
    def excerpt(self) -> str:
        """The beginning of the article as plain text."""
        words = plain_text(self.html).partition("\n\n")[0].split()
        return " ".join(words[:_EXCERPT_WORDS]) + (" […]" if len(words) > _EXCERPT_WORDS else "")

    @property
    def replies_label(self) -> str:
        """The number of replies in words."""
        return {0: "No replies", 1: "1 reply"}.get(len(self.replies), f"{len(self.replies)} replies")

    def answers(self, to: int | None) -> list[Reply]:
        """The replies to a comment, or to the post itself for None."""
        return [reply for reply in self.replies if reply.parent == to]

    def absolute_html(self, base: str) -> str:
        """The article with absolute links, as needed in feeds."""
        return _LINK.sub(lambda found: f'{found[1]}="{urljoin(base + self.path, found[2])}"', self.html)


def data() -> Traversable:
    """The folder of the blog's data files."""
    return resources.files("blogcrawler.demo")


def load(until: date | None = None) -> list[Post]:
    """Load the posts, newest first; with `until`, the blog as it was at the end of that day.

    Raises ValueError if the blog had no post yet.
    """
    last_day = until or date.max
    replies = json.loads((data() / "comments.json").read_text(encoding="utf-8"))
    files = [file for file in (data() / "posts").iterdir() if file.name.endswith(".html")]
    posts = [_post(file.read_text(encoding="utf-8"), replies, last_day) for file in files]
    published = [post for post in posts if post.published.date() <= last_day]
    if not published:
        raise ValueError(f"The demonstration blog had no posts by {last_day}; choose a day from March 2019 on.")
    return sorted(published, key=_published, reverse=True)


def last_change(posts: Sequence[Post]) -> datetime:
    """Time of the newest post, edit or comment among `posts` (at least one)."""
    replies = [reply.published for post in posts for reply in post.replies]
    return max([*map(_published, posts), *(post.updated for post in posts if post.updated), *replies])


def plain_text(html: str) -> str:
    """The text of a well-formed fragment, with blank lines between blocks."""
    first, *parts = _BLOCK.split(html)
    blocks = []
    for tag, markup in [("", first), *zip(parts[::2], parts[1::2], strict=True)]:
        text = unescape(_TAG.sub("", markup))
        blocks.append(text.strip("\n") if tag == "pre" else " ".join(text.split()))
    return "\n\n".join(filter(None, blocks))


def _post(source: str, replies: dict[str, list[dict[str, Any]]], last_day: date) -> Post:
    head, _, html = source.partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    updated = datetime.fromisoformat(fields["Updated"]) if "Updated" in fields else None
    below = [_reply(reply) for reply in replies.get(fields["Slug"], ())]
    return Post(
        id=int(fields["Id"]),
        slug=fields["Slug"],
        title=fields["Title"],
        author=fields["Author"],
        published=datetime.fromisoformat(fields["Date"]),
        updated=updated if updated and updated.date() <= last_day else None,
        tags=tuple(fields["Tags"].split(", ")),
        html=html.strip(),
        replies=tuple(reply for reply in below if reply.published.date() <= last_day),
    )


def _reply(fields: dict[str, Any]) -> Reply:
    known = {"kind": "comment", "author_url": None, **fields}
    return Reply(**{**known, "published": datetime.fromisoformat(fields["published"])})


def _published(post: Post) -> datetime:
    return post.published
