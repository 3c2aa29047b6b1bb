"""What there is to find on the demonstration blog."""

from __future__ import annotations

from datetime import date
from typing import Any

from blogcrawler.demo.content import Reply, load, plain_text


def truth(until: date | None = None) -> list[dict[str, Any]]:
    """What there is to find, newest post first.

    Each post has `path` (percent-encoded), `id`, `title`, `author`, `published` (ISO 8601 with offset), `tags`, `text`
    and `comments`, oldest first, each of them with `id`, `parent`, `kind`, `author`, `published` and `text`. Texts have
    a blank line between any two blocks, cells of tables included: compare their words. `until` as in `load`.
    """
    return [
        {
            "path": post.path,
            "id": post.id,
            "title": post.title,
            "author": post.author,
            "published": post.published.isoformat(),
            "tags": list(post.tags),
            "text": plain_text(post.html),
            "comments": [_reply_truth(reply) for reply in post.replies],
        }
        for post in load(until)
    ]


def _reply_truth(reply: Reply) -> dict[str, Any]:
    return {
        "id": reply.id,
        "parent": reply.parent,
        "kind": reply.kind,
        "author": reply.author,
        "published": reply.published.isoformat(),
        "text": plain_text(reply.html),
    }
