"""Exports of the made-up blogs of these tests, as WordPress writes them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from tests.crawl.commented import Said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

    from tests.crawl.blog import Post

_COMMENTS = (
    Said(1, "Bob 1", "Where was this, and when does it begin?"),
    Said(2, "Bob 2", "In Whitby, all summer long, each day.", 1),
)


def wxr(
    file: Path,
    posts: Iterable[Post],
    base: str,
    *,
    statuses: dict[str, str] | None = None,
    comments: Callable[[int], Sequence[Said]] = lambda _: _COMMENTS,
) -> Path:
    """Write a WXR file with these posts and comments on each; `statuses` by slug, else they are published;
    `comments` by place."""
    items = "".join(
        _item(post, base, (statuses or {}).get(post.slug, "publish"), comments(at)) for at, post in enumerate(posts)
    )
    file.write_text(
        '<?xml version="1.0" encoding="UTF-8" ?>\n<rss version="2.0" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:wp="http://wordpress.org/export/1.2/">\n<channel>\n'
        "<pubDate>Sat, 04 Jun 2022 10:00:00 +0000</pubDate>\n"
        f"<generator>https://wordpress.org/?v=6.1</generator>\n{items}</channel>\n</rss>\n",
        "utf-8",
    )
    return file


def _item(post: Post, base: str, status: str, said: Sequence[Said]) -> str:
    time = f"{post.published:%Y-%m-%d %H:%M:%S}"
    text = "\n\n".join(post.paragraphs)
    comments = "".join(_comment(one, post.published + timedelta(minutes=one.number % 100_000)) for one in said)
    return (
        f"<item><title>{escape(post.title)}</title><link>{base}{post.path}</link>"
        f"<dc:creator><![CDATA[{post.author}]]></dc:creator><content:encoded><![CDATA[{text}]]></content:encoded>"
        f"<wp:post_date>{time}</wp:post_date><wp:post_date_gmt>{time}</wp:post_date_gmt>"
        f"<wp:status>{status}</wp:status><wp:post_type>post</wp:post_type>{comments}</item>\n"
    )


def _comment(said: Said, at: datetime) -> str:
    time = f"{at:%Y-%m-%d %H:%M:%S}"
    return (
        f"<wp:comment><wp:comment_id>{said.number}</wp:comment_id><wp:comment_author>{said.author}</wp:comment_author>"
        f"<wp:comment_date>{time}</wp:comment_date><wp:comment_date_gmt>{time}</wp:comment_date_gmt>"
        f"<wp:comment_content>{said.text}</wp:comment_content><wp:comment_approved>1</wp:comment_approved>"
        f"<wp:comment_type>comment</wp:comment_type><wp:comment_parent>{said.parent or 0}</wp:comment_parent></wp:comment>"
    )
