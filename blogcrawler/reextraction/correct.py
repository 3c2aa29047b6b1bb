"""Corrections: a person selects the element of a post's page that holds a field; preview and save the choice."""

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
from blogcrawler.wrapper import Wrapper, element_value, node_at
from blogcrawler.wrapper.fields.date import Dates

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from blogcrawler.backend import Archive
    from blogcrawler.items import Page, Record
    from blogcrawler.reextraction.archived import ArchivedPages

LONGEST_SHOWN = 300
"""Maximum length of a shown value in characters."""


@dataclass(frozen=True)
class PostPage:
    """A post's archived page, in which a person can select elements."""

    record: Record
    page: Page
    tree: HtmlElement
    #: the blog's wrapper; None if there is none, or if it cannot be read
    wrapper: Wrapper | None

    @classmethod
    def of(cls, archive: Archive, archived: ArchivedPages, record: Record) -> Self:
        """Load the archived page of a record. Raises DamagedCapture or NotAWebPage if there is none."""
        page = archived.page(record)
        return cls(record, page, parse_page(page), wrapper_of(archive, record.blog))


def wrapper_of(archive: Archive, home: str) -> Wrapper | None:
    """Load the wrapper of a blog; None if nothing was learned or it cannot be read any more."""
    data = archive.load_wrapper(home)
    try:
        return None if data is None else Wrapper.from_dict(data)
    except UnreadableRules:
        return None


@dataclass(frozen=True)
class Proposal:
    """The value that a field would have if it were read from the selected element."""

    record: Record
    page: Page
    field: CorrectedField
    path: str
    words: str | None
    #: the value as readers see it, shortened
    value: str


def propose(post: PostPage, field: str, path: str, words: str | None = None) -> Proposal:
    """Preview the value that a field would get from the element at `path`.

    Raises BadArgument for a field that cannot be corrected, a path without an element, and an element without a
    suitable value.
    """
    record = post.record
    correctable = next((name for name in CORRECTABLE if name == field), None)
    if correctable is None:
        raise BadArgument(f"{field!r} cannot be corrected; {', '.join(CORRECTABLE)} can.")
    node = node_at(post.tree, path)
    if node is None:
        raise BadArgument(f"The page of {record.url} has no element at {path[:200]!r}.")
    words = (words or "").strip() or None
    if words is not None and words not in inline_text(node):
        raise BadArgument(
            f"The element does not say {words[:80]!r}; give words that occur in the element, exactly as written there."
        )
    values = element_value(node, correctable, post.wrapper.dates if post.wrapper is not None else Dates(), words)
    if values is None or not (value := _shown(values, correctable)):
        raise BadArgument(
            f"The element at {path[:200]} of {record.url} contains nothing that could be {_NAMES[correctable]}."
        )
    return Proposal(record, post.page, correctable, path, words, value[:LONGEST_SHOWN])


_NAMES: dict[CorrectedField, str] = {
    "title": "a title",
    "authors": "names of authors",
    "published": "a date that can only be read in one way",
    "tags": "tags",
    "content": "an article",
}


def correct(archive: Archive, proposal: Proposal) -> None:
    """Save a correction; it is used whenever the blog's wrapper is learned. Raises BackendUnavailable."""
    record = proposal.record
    correction = KeptCorrection(
        record.url,
        proposal.field,
        proposal.path,
        proposal.words,
        datetime.now(UTC),
        proposal.page,
        entry_of(record) or Entry(record.url),
    )
    archive.corrections(record.blog).save(correction)


def take_back(archive: Archive, record: Record, field: str) -> None:
    """Delete a correction. Raises BadArgument if there is none."""
    if not archive.corrections(record.blog).drop(record.url, field):
        raise BadArgument(f"The {field} of {record.url} has no correction.")


def _shown(values: dict[str, Any], field: CorrectedField) -> str:
    if field == "content":
        return inline_text(fragment(values["content_html"])).strip()
    value = values[field]
    return ", ".join(value) if isinstance(value, tuple) else str(value)
