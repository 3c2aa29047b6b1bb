"""The page of a post: its article, comments, files, and the source of each field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from starlette.routing import Route

from blogcrawler.browse.context import context_of, requested_post
from blogcrawler.browse.files import is_shown
from blogcrawler.browse.pages import name_of
from blogcrawler.browse.safe_html import safe_html
from blogcrawler.browse.surroundings import PostLinks
from blogcrawler.export.parts import discussions
from blogcrawler.export.text import size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request
    from starlette.responses import Response

    from blogcrawler.items import Record

UNTITLED = "Untitled post"
SOURCES = {
    "feed": "the blog’s feed",
    "rule": "a learned rule",
    "metadata": "metadata of the page",
    "url": "the address",
    "fallback": "a guess without a rule",
}


def post(request: Request) -> Response:
    """The page of a post."""
    context = context_of(request)
    row, kept = requested_post(request)
    archive, record = context.holdings.archive, kept.record
    within = PostLinks.of(archive, row, kept.id, record)
    earlier, later = archive.queries.neighbours(kept.id)
    return context.pages.page(
        "post.html",
        title=name_of(record.title, UNTITLED),
        blog=row,
        kept=kept,
        record=record,
        article=safe_html(record.content_html, record.content_text, record.url, within),
        discussions=discussions(record, lambda html, text: safe_html(html, text, record.url, within)),
        fields=list(_fields(record)),
        files=list(_files(record, within)),
        earlier=earlier,
        later=later,
        versions=archive.queries.version_count(kept.id) + 1,
    )


def _fields(record: Record) -> Iterator[dict[str, Any]]:
    """Return the source of each field."""
    for name, origin in record.provenance.fields.items():
        yield {
            "name": name,
            "source": SOURCES.get(origin.source, origin.source),
            "rule": origin.rule or "",
            "confidence": f"{origin.confidence:.2f}",
            "trust": origin.trust,
        }


def _files(record: Record, within: PostLinks) -> Iterator[dict[str, Any]]:
    """Return the files of a post with their types and URLs, or why they are missing."""
    for media in record.media:
        here = within.files.get(media.url)
        player = (media.type or "").partition("/")[0].lower()
        yield {
            "name": unquote(urlsplit(media.url).path.rpartition("/")[2]) or media.url,
            "url": media.url,
            "here": here,
            "is_shown": here is not None and is_shown(media.type),
            "player": player if here and player in ("audio", "video") else None,
            "role": media.role or "file",
            "type": media.type or "",
            "size": size(media.bytes) if media.bytes is not None else "",
            "error": None if here else media.error or "no file",
        }


ROUTES = [Route("/posts/{post}", post)]
