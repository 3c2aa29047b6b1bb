"""The demonstration blog's RSS 2.0 feeds, of posts and of comments, and its sitemap."""

from __future__ import annotations

import re
from email.utils import format_datetime
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from blogcrawler.demo.content import BLOG, MOTTO, last_change

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from blogcrawler.demo.content import Post, Reply

_NAMESPACES = (
    'xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:slash="http://purl.org/rss/1.0/modules/slash/" '
    'xmlns:thr="http://purl.org/syndication/thread/1.0" xmlns:wfw="http://wellformedweb.org/CommentAPI/"'
)
_LINK = re.compile(r'\b(href|src)="([^"]*)"')


def posts_feed(posts: list[Post], base: str) -> str:
    """The main feed with exactly these posts (at least one), each with its whole article."""
    items = [_post_item(post, base) for post in posts]
    return _channel(BLOG, base + "/", base + "/feed.xml", changed=last_change(posts), items=items)


def replies_feed(post: Post, base: str) -> str:
    """The feed of the replies to one post, newest first."""
    link = base + post.path
    items = [_reply_item(f"By: {reply.author}", reply, link) for reply in reversed(post.replies)]
    return _channel(f"Comments on: {post.title}", link, link + "feed/", changed=last_change([post]), items=items)


def comments_feed(posts: list[Post], base: str) -> str:
    """The feed of the newest replies to any of these posts (at least one)."""
    replies = sorted(((reply.published, post, reply) for post in posts for reply in post.replies), key=_first)
    items = [
        _reply_item(f"Comment on {post.title} by {reply.author}", reply, base + post.path)
        for _, post, reply in reversed(replies[-10:])
    ]
    link = base + "/"
    return _channel(f"Comments for {BLOG}", link, link + "comments/feed.xml", changed=last_change(posts), items=items)


def sitemap(addresses: Iterable[tuple[str, datetime | None]]) -> str:
    """A sitemap of absolute URLs, each with the moment of its last change where that is known."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">']
    for url, changed in addresses:
        lastmod = f"<lastmod>{changed.isoformat()}</lastmod>" if changed else ""
        lines.append(f"<url><loc>{_text(url)}</loc>{lastmod}</url>")
    return "\n".join([*lines, "</urlset>", ""])


def _channel(title: str, link: str, own: str, *, changed: datetime, items: Iterable[str]) -> str:
    return "\n".join(
        (
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<rss version="2.0" {_NAMESPACES}>',
            "<channel>",
            f"<title>{_text(title)}</title>",
            f"<link>{_text(link)}</link>",
            f"<description>{_text(MOTTO)}</description>",
            f'<atom:link rel="self" type="application/rss+xml" href="{_text(own)}"/>',
            "<language>en</language>",
            f"<lastBuildDate>{format_datetime(changed)}</lastBuildDate>",
            *items,
            "</channel>",
            "</rss>",
            "",
        )
    )


def _post_item(post: Post, base: str) -> str:
    link = base + post.path
    return "\n".join(
        (
            "<item>",
            f"<title>{_text(post.title)}</title>",
            f"<link>{link}</link>",
            f"<comments>{link}#respond</comments>",
            f"<dc:creator>{_cdata(post.author)}</dc:creator>",
            f"<pubDate>{format_datetime(post.published)}</pubDate>",
            *(f"<category>{_cdata(tag)}</category>" for tag in post.tags),
            f'<guid isPermaLink="false">{base}/?p={post.id}</guid>',
            f"<description>{_text(post.excerpt)}</description>",
            f"<content:encoded>{_cdata(_absolute(post.html, link))}</content:encoded>",
            f"<wfw:commentRss>{link}feed/</wfw:commentRss>",
            f"<slash:comments>{len(post.replies)}</slash:comments>",
            "</item>",
        )
    )


def _reply_item(title: str, reply: Reply, link: str) -> str:
    answers = f'<thr:in-reply-to ref="{link}#comment-{reply.parent}"/>' if reply.parent else None
    lines = (
        "<item>",
        f"<title>{_text(title)}</title>",
        f"<link>{link}#comment-{reply.id}</link>",
        f"<dc:creator>{_cdata(reply.author)}</dc:creator>",
        f"<pubDate>{format_datetime(reply.published)}</pubDate>",
        f'<guid isPermaLink="false">{link}#comment-{reply.id}</guid>',
        answers,
        f"<content:encoded>{_cdata(reply.html)}</content:encoded>",
        "</item>",
    )
    return "\n".join(line for line in lines if line)


def _absolute(html: str, link: str) -> str:
    """`html` with its links resolved against the permalink: a feed's reader has no page to resolve them with."""
    return _LINK.sub(lambda found: f'{found[1]}="{urljoin(link, found[2])}"', html)


def _text(text: str) -> str:
    return escape(text, quote=True)


def _cdata(text: str) -> str:
    return "<![CDATA[" + text.replace("]]>", "]]]]><![CDATA[>") + "]]>"


def _first(row: tuple[datetime, Post, Reply]) -> datetime:
    return row[0]
