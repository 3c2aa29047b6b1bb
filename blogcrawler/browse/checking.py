"""Pages for checking extraction: a post's archived page next to its record, and six sample posts of a blog."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from starlette.responses import HTMLResponse
from starlette.routing import Route

from blogcrawler.browse.context import context_of, requested_blog, requested_post
from blogcrawler.browse.outlined import FRAME_POLICY, colours, outlined
from blogcrawler.browse.pages import is_language, name_of
from blogcrawler.browse.posts import SOURCES, UNTITLED
from blogcrawler.browse.security import POLICY
from blogcrawler.browse.surroundings import PostLinks
from blogcrawler.choices import CORRECTABLE
from blogcrawler.dom import base_url, resolve
from blogcrawler.errors import DamagedCapture, NotAWebPage
from blogcrawler.export.text import encoded
from blogcrawler.reextraction import ArchivedPages, PostPage, wrapper_of
from blogcrawler.wrapper import SHOWN_FIELDS, Wrapper, find_places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from blogcrawler.backend import Archive, BlogRow, KeptPost
    from blogcrawler.browse.holdings import Holdings
    from blogcrawler.items import Record

WITH_FORMS = {"referrer-policy": "same-origin"}
"""Headers of pages with forms. Browsers then send the Referer or Origin that `security.Guard` checks."""
WITH_FRAMES = {**WITH_FORMS, "content-security-policy": f"{POLICY}; frame-src 'self'"}
"""Content security policy of pages that frame archived pages."""
_POSTS = 6
_CANDIDATES = 60
"""Number of posts, spread over the life of the blog, from which the samples are selected."""
_SHOWN = 300
"""Longest value shown, in characters."""


@dataclass(frozen=True)
class DisplayedField:
    """A field of a record, for display."""

    name: str
    value: str
    source: str
    rule: str
    confidence: float | None
    trust: str
    colour: str
    is_correctable: bool
    is_corrected: bool


def displayed_fields(record: Record, corrected: frozenset[str] = frozenset()) -> list[DisplayedField]:
    """Return the fields of a record: doubtful ones first, empty ones last."""
    fields = list(_displayed_fields(record, corrected))
    return sorted(fields, key=lambda one: (one.confidence is None, one.confidence or 0.0, SHOWN_FIELDS.index(one.name)))


def _displayed_fields(record: Record, corrected: frozenset[str]) -> Iterator[DisplayedField]:
    for name in SHOWN_FIELDS:
        source = record.provenance.fields.get(name)
        yield DisplayedField(
            name,
            _value(record, name),
            SOURCES.get(source.source, source.source) if source is not None else "",
            (source.rule or "") if source is not None else "",
            source.confidence if source is not None else None,
            source.trust if source is not None else "empty",
            colours()[name],
            name in CORRECTABLE,
            name in corrected,
        )


def _value(record: Record, name: str) -> str:
    value = record.content_text if name == "content" else getattr(record, name)
    text = ", ".join(value) if isinstance(value, list) else " ".join((value or "").split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …"


def page_of(holdings: Holdings, blog: BlogRow, record: Record) -> PostPage:
    """Return the archived page of a post. Raises DamagedCapture or NotAWebPage if it cannot be read."""
    with ArchivedPages(holdings.archive, blog.home, holdings.warcs) as archived:
        return PostPage.of(holdings.archive, archived, record)


def frame_of(
    holdings: Holdings, blog: BlogRow, kept: KeptPost, choice: Callable[[int], str] | None = None
) -> HTMLResponse:
    """Return the response with a post's archived page, for a frame."""
    record = kept.record
    try:
        post = page_of(holdings, blog, record)
    except (DamagedCapture, NotAWebPage) as error:
        return _frame(f'<!DOCTYPE html><meta charset="utf-8"><title>No page</title><p>{_escaped(str(error))}</p>')
    within, base = PostLinks.of(holdings.archive, blog, kept.id, record), base_url(post.tree, record.url)

    def picture(source: str) -> str | None:
        url = resolve(source, base)
        return within.shown(url) if url else None

    places = find_places(post.tree, record, post.wrapper)
    language = record.language if is_language(record.language) else None
    return _frame(outlined(post.tree, places, picture=picture, choice=choice, language=language))


def _frame(page: str) -> HTMLResponse:
    return HTMLResponse(encoded(page), headers={"content-security-policy": FRAME_POLICY})


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def corrected_of(archive: Archive, blog: BlogRow) -> Mapping[str, frozenset[str]]:
    """Return the manually corrected fields by post key."""
    fields_by_post: dict[str, set[str]] = {}
    for correction in archive.corrections(blog.home).without_pages():
        fields_by_post.setdefault(archive.key_of(correction.url), set()).add(correction.field)
    return {key: frozenset(names) for key, names in fields_by_post.items()}


def checked(request: Request) -> Response:
    """The page that shows a post's archived page next to its record."""
    context = context_of(request)
    row, kept = requested_post(request)
    archive = context.holdings.archive
    corrected = corrected_of(archive, row).get(archive.key_of(kept.record.url), frozenset())
    return context.pages.page(
        "check.html",
        title=f"Fields on the page: {name_of(kept.record.title, UNTITLED)}",
        blog=row,
        kept=kept,
        record=kept.record,
        fields=displayed_fields(kept.record, corrected),
        headers=WITH_FRAMES,
    )


def frame(request: Request) -> Response:
    """The archived page for the frame."""
    row, kept = requested_post(request)
    return frame_of(context_of(request).holdings, row, kept)


def rules(request: Request) -> Response:
    """The page of a blog's rules and six sample posts."""
    context, row = context_of(request), requested_blog(request)
    archive = context.holdings.archive
    wrapper, corrected = wrapper_of(archive, row.home), corrected_of(archive, row)
    return context.pages.page(
        "rules.html",
        title=f"The rules of {name_of(row.title, row.home)}",
        blog=row,
        rules=list(_rules(wrapper)) if wrapper is not None else [],
        tests=list(wrapper.validation.answers) if wrapper is not None else [],
        posts=[
            {
                "kept": kept,
                "title": name_of(kept.record.title, UNTITLED),
                "fields": displayed_fields(kept.record, corrected.get(archive.key_of(kept.record.url), frozenset())),
            }
            for kept in chosen(archive, row)
        ],
        corrections=[
            {
                "post": archive.post_id(row.home, correction.url),
                "url": correction.url,
                "field": correction.field,
                "moment": correction.moment,
            }
            for correction in archive.corrections(row.home).without_pages()
        ],
        headers=WITH_FRAMES,
    )


def _rules(wrapper: Wrapper) -> Iterator[dict[str, Any]]:
    """Return the rules of each field, those of the first template first."""
    for number, one in enumerate((wrapper, *wrapper.templates, *wrapper.older)):
        learned_rules: Sequence[tuple[str, Any]] = (
            *(("content", learned) for learned in one.article.rules),
            *(("title", rule.learned) for rule in one.title),
            *(("authors", rule.learned) for rule in one.authors.rules),
            *(("published", rule.learned) for rule in one.dates.rules),
            *(("updated", rule.learned) for rule in one.dates.updates.rules),
            *(("tags", rule.learned) for rule in one.tags),
        )
        for name, learned in learned_rules:
            template = f", template {number}" if number else ""
            yield {
                "name": f"{name}{template}",
                "rule": str(learned.rule),
                "pages": f"{learned.support:.0%}",
                "score": f"{learned.score:.2f}",
            }


def chosen(archive: Archive, blog: BlogRow) -> list[KeptPost]:
    """Return sample posts: spread over the years, the least confident post of each period, doubtful ones first. Reads a
    constant number of records."""
    ids = archive.queries.spread(blog.id, _CANDIDATES)
    doubts = archive.queries.lowest_confidences(ids, SHOWN_FIELDS)
    ends = [number * len(ids) // _POSTS for number in range(_POSTS + 1)]
    parts = [part for start, end in pairwise(ends) if (part := [one for one in ids[start:end] if one in doubts])]
    worth = sorted((min(part, key=doubts.__getitem__) for part in parts), key=doubts.__getitem__)
    return [post for post_id in worth if (post := _post(archive, blog, post_id)) is not None]


def _post(archive: Archive, blog: BlogRow, post_id: int) -> KeptPost | None:
    place = archive.queries.place(post_id)
    return None if place is None else archive.post(blog.home, place[1])


ROUTES = [
    Route("/posts/{post}/page", checked),
    Route("/posts/{post}/frame", frame),
    Route("/blogs/{blog}/rules", rules),
]
