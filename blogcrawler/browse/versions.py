"""The versions of a post, and the differences between two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.routing import Route

from blogcrawler.browse.context import context_of, number_in, requested_post
from blogcrawler.browse.diffs import comment_changes, field_changes, text_changes
from blogcrawler.browse.pages import name_of
from blogcrawler.browse.posts import UNTITLED

if TYPE_CHECKING:
    from datetime import datetime

    from starlette.requests import Request
    from starlette.responses import Response

    from blogcrawler.backend import BlogRow, KeptPost
    from blogcrawler.items import Record


@dataclass(frozen=True)
class _Dated:
    """A version with its number, from 1 for the oldest; the last one is current."""

    number: int
    record: Record
    seen: datetime
    #: None for the current version
    replaced: datetime | None


def versions(request: Request) -> Response:
    """The page of all versions of a post, the newest first."""
    context = context_of(request)
    row, post = requested_post(request)
    dated = _versions(request, row, post)
    title = name_of(post.record.title, UNTITLED)
    return context.pages.page(
        "versions.html", title=f"Versions of {title}", blog=row, post=post, name=title, versions=dated[::-1]
    )


def _versions(request: Request, row: BlogRow, post: KeptPost) -> list[_Dated]:
    earlier = context_of(request).holdings.archive.versions(row.home, post.record.url)
    dated = [_Dated(number, one.record, one.seen, one.replaced) for number, one in enumerate(earlier, 1)]
    return [*dated, _Dated(len(dated) + 1, post.record, post.last_changed, None)]


def diff(request: Request) -> Response:
    """The page of the differences between two versions; without numbers, between the last two."""
    context = context_of(request)
    row, post = requested_post(request)
    dated = _versions(request, row, post)
    before, after = (
        _chosen(dated, request.query_params.get(name), otherwise)
        for name, otherwise in (("from", max(1, len(dated) - 1)), ("to", len(dated)))
    )
    title = name_of(post.record.title, UNTITLED)
    text = text_changes(before.record.content_text, after.record.content_text)
    return context.pages.page(
        "diff.html",
        title=f"Changes of {title}",
        blog=row,
        post=post,
        name=title,
        versions=dated[::-1],
        before=before,
        after=after,
        fields=field_changes(before.record, after.record),
        text=text,
        is_markup_alone=not text and before.record.content_html != after.record.content_html,
        comments=comment_changes(before.record.comments, after.record.comments),
    )


def _chosen(dated: list[_Dated], asked: str | None, otherwise: int) -> _Dated:
    number = otherwise if asked is None else number_in(asked)
    if number is None:
        raise HTTPException(400, "Version numbers start at 1.")
    if number > len(dated):
        raise HTTPException(404, f"This post has {len(dated)} {'version' if len(dated) == 1 else 'versions'}.")
    return dated[number - 1]


ROUTES = [Route("/posts/{post}/versions", versions), Route("/posts/{post}/diff", diff)]
