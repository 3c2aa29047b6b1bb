"""JSON-LD: blogs, posts and comments in the vocabulary of schema.org. Unknown values are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import quote

from blogcrawler.export.format import TextFormat
from blogcrawler.export.text import json_line, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.backend import BlogRow
    from blogcrawler.export.selection import Selection
    from blogcrawler.items import Comment, Media, Record

_TYPES = {"image": "ImageObject", "audio": "AudioObject", "video": "VideoObject"}
"""schema.org types of files by the first part of their media type."""


def write(selection: Selection, stream: BinaryIO) -> None:
    """Write one graph, with each blog and each post in a line."""
    stream.write(b'{"@context": "https://schema.org", "@graph": [')
    separator = b"\n"
    for node in _nodes(selection):
        stream.write(separator + json_line(node).removesuffix(b"\n"))
        separator = b",\n"
    stream.write(b"\n]}\n")


FORMAT = TextFormat("jsonld", write)


def _nodes(selection: Selection) -> Iterator[dict[str, Any]]:
    for blog in selection.blogs:
        yield _blog(blog)
        for post in selection.posts(blog):
            yield _posting(post.record)


def _blog(blog: BlogRow) -> dict[str, Any]:
    return _known(
        {"@type": "Blog", "@id": blog.home, "url": blog.home, "name": blog.title, "inLanguage": blog.language}
    )


def _posting(record: Record) -> dict[str, Any]:
    return _known(
        {
            "@type": "BlogPosting",
            "@id": record.url,
            "url": record.url,
            "mainEntityOfPage": record.url,
            "identifier": record.guid,
            "isPartOf": {"@id": record.blog},
            "headline": record.title,
            "author": [{"@type": "Person", "name": name} for name in record.authors],
            "datePublished": record.published,
            "dateModified": record.updated,
            "keywords": record.tags,
            "inLanguage": record.language,
            "articleBody": record.content_text,
            "commentCount": record.comment_count,
            "comment": [_comment(comment, record) for comment in record.comments],
            "associatedMedia": list(map(_file, record.media)),
        }
    )


def _comment(comment: Comment, record: Record) -> dict[str, Any]:
    author = _known({"@type": "Person", "name": comment.author, "url": comment.author_url})
    return _known(
        {
            "@type": "Comment",
            "@id": _name(comment.id, record),
            "identifier": comment.id,
            "url": comment.url,
            "genre": comment.kind,
            "author": author if len(author) > 1 else None,
            "dateCreated": comment.published,
            "text": comment.content_text,
            "parentItem": {"@id": _name(comment.parent, record)} if comment.parent else None,
        }
    )


def _name(comment_id: str | None, record: Record) -> str | None:
    """Return the ID of a comment in the graph: its position on the post's page."""
    return f"{record.url.partition('#')[0]}#{quote(plain(comment_id))}" if comment_id else None


def _file(file: Media) -> dict[str, Any]:
    return _known(
        {
            "@type": _TYPES.get((file.type or file.role or "").partition("/")[0], "MediaObject"),
            "contentUrl": file.url,
            "encodingFormat": file.type,
            "contentSize": None if file.bytes is None else str(file.bytes),
            "sha256": file.sha256,
        }
    )


def _known(node: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in node.items() if value not in (None, [])}
