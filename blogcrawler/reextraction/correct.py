"""A person says which element of a post's page has a field: what that would be, and how it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from blogcrawler.backend import KeptCorrection
from blogcrawler.choices import CORRECTABLE, CorrectedField
from blogcrawler.dom import fragment, inline_text, parse_page
from blogcrawler.errors import BadArgument, UnreadableRules
from blogcrawler.items import Entry
from blogcrawler.reextraction.archived import entry_of
from blogcrawler.wrapper import Wrapper, node_at, told_by
from blogcrawler.wrapper.fields.date import Dates

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from blogcrawler.backend import Archive
    from blogcrawler.items import Page, Record
    from blogcrawler.reextraction.archived import ArchivedPages

SHOWN = 300
"""Characters of a value that are shown."""


@dataclass(frozen=True)
class PostPage:
    """A post's archived page, in which elements are pointed out."""

    record: Record
    page: Page
    tree: HtmlElement
    #: None where the blog has none, or one that cannot be read
    wrapper: Wrapper | None

    @classmethod
    def of(cls, archive: Archive, archived: ArchivedPages, record: Record) -> Self:
        """The page of a record. Raises DamagedCapture or NotAWebPage where it is not there."""
        page = archived.page(record)
        return cls(record, page, parse_page(page), wrapper_of(archive, record.blog))


def wrapper_of(archive: Archive, home: str) -> Wrapper | None:
    """What was learned of a blog; None where that is nothing, or cannot be read any more."""
    kept = archive.load_wrapper(home)
    try:
        return None if kept is None else Wrapper.from_dict(kept)
    except UnreadableRules:
        return None


@dataclass(frozen=True)
class Proposal:
    """What a field would say if an element of the page had it."""

    record: Record
    page: Page
    field: CorrectedField
    path: str
    words: str | None
    #: as readers see it, cut
    value: str


def propose(post: PostPage, field: str, path: str, words: str | None = None) -> Proposal:
    """What the element at a path of a post's page says as a field.

    Raises BadArgument for a field that cannot be corrected, a path that leads nowhere, and an element that says nothing
    of the kind.
    """
    record = post.record
    known = next((name for name in CORRECTABLE if name == field), None)
    if known is None:
        raise BadArgument(f"{field!r} cannot be corrected; {', '.join(CORRECTABLE)} can.")
    node = node_at(post.tree, path)
    if node is None:
        raise BadArgument(f"The page of {record.url} has no element at {path[:200]!r}.")
    words = (words or "").strip() or None
    if words is not None and words not in inline_text(node):
        raise BadArgument(f"The element does not say {words[:80]!r}; give words that stand in it, as it writes them.")
    told = told_by(node, known, post.wrapper.dates if post.wrapper is not None else Dates(), words)
    if told is None or not (value := _shown(told, known)):
        raise BadArgument(f"The element at {path[:200]} of {record.url} says nothing that could be {_NAMES[known]}.")
    return Proposal(record, post.page, known, path, words, value[:SHOWN])


_NAMES: dict[CorrectedField, str] = {
    "title": "a title",
    "authors": "names of authors",
    "published": "a date that can only be read in one way",
    "tags": "tags",
    "content": "an article",
}


def correct(archive: Archive, proposal: Proposal) -> None:
    """Keep a correction for all times that the blog's wrapper is learned. Raises BackendUnavailable."""
    record = proposal.record
    kept = KeptCorrection(
        record.url,
        proposal.field,
        proposal.path,
        proposal.words,
        datetime.now(UTC),
        proposal.page,
        entry_of(record) or Entry(record.url),
    )
    archive.corrections(record.blog).save(kept)


def take_back(archive: Archive, record: Record, field: str) -> None:
    """Forget a correction. Raises BadArgument where there is none."""
    if not archive.corrections(record.blog).drop(record.url, field):
        raise BadArgument(f"The {field} of {record.url} was not corrected.")


def _shown(told: dict[str, Any], field: CorrectedField) -> str:
    if field == "content":
        return inline_text(fragment(told["content_html"])).strip()
    value = told[field]
    return ", ".join(value) if isinstance(value, tuple) else str(value)
