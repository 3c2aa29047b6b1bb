"""Decide whether a learned wrapper still fits a blog's pages, or the blog has a new design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.dom import fragment, inline_text
from blogcrawler.similarity import similarity, squeezed
from blogcrawler.wrapper.core.containment import Shingles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

    from blogcrawler.items import Entry, Page
    from blogcrawler.wrapper.core.extraction import Extraction
    from blogcrawler.wrapper.wrapper import Wrapper

LIKE = 0.8
"""Similarity of an extracted value and the entry's value at or above which they are the same."""
GUESSED = "fallback"
"""Source of values that no rule has found."""
SHORT = 60
"""Number of characters below which an entry's text proves nothing."""
HELD = 0.5
"""Minimum share of a summary that its article holds: the summary may be cut, or end in a note."""


@dataclass(frozen=True)
class Habits:
    """What to expect from the pages of entries that have only a summary, besides their titles."""

    #: whether a rule finds the article
    has_rule: bool = False
    #: whether the article holds the summary
    has_summary: bool = False
    #: whether the entries' content is only a part of the article, and so a summary
    is_cut: bool = False

    @classmethod
    def of(cls, wrapper: Wrapper, pages: Iterable[tuple[Page, Entry]]) -> Habits:
        """The habits of the pages that a wrapper was learned from, whose trees are parsed; none without pages. O(n)."""
        extractions = [(_extraction(wrapper, page, page.tree), entry) for page, entry in pages if page.tree is not None]
        whole = [
            _is_article(extraction, text) for extraction, entry in extractions if len(text := _content(entry)) >= SHORT
        ]
        is_cut = bool(whole) and not _is_usual(whole)
        held = [
            _holds(extraction, text)
            for extraction, entry in extractions
            if len(text := _summary(entry, is_cut=is_cut)) >= SHORT
        ]
        return cls(_is_usual([_is_by_rule(extraction) for extraction, _ in extractions]), _is_usual(held), is_cut)


def share_that_fits(wrapper: Wrapper, pages: Iterable[tuple[Page, Entry]], habits: Habits | None = None) -> float:
    """Share of the pages, whose trees are parsed, that a wrapper reads in agreement with their entries; 1 without
    pages. O(n)."""
    verdicts = [fits(wrapper, page, page.tree, entry, habits) for page, entry in pages if page.tree is not None]
    return sum(verdicts) / len(verdicts) if verdicts else 1.0


def fits(wrapper: Wrapper, page: Page, tree: HtmlElement, entry: Entry, habits: Habits | None = None) -> bool:
    """True if the rules find what the entry states: the article, or else title and summary."""
    extraction, habits = _extraction(wrapper, page, tree), habits or Habits()
    content, summary = _content(entry), _summary(entry, is_cut=habits.is_cut)
    if len(content) >= SHORT and not habits.is_cut:
        return _is_by_rule(extraction) and _is_article(extraction, content)
    if habits.has_rule and not _is_by_rule(extraction):
        return False
    if habits.has_summary and len(summary) >= SHORT and not _holds(extraction, summary):
        return False
    if entry.title:
        return similarity(extraction.title or "", entry.title) >= LIKE
    return extraction.article is not None


def _extraction(wrapper: Wrapper, page: Page, tree: HtmlElement) -> Extraction:
    return wrapper.extract(tree, page.url, page.fetched_at)


def _is_by_rule(extraction: Extraction) -> bool:
    source = extraction.sources.get("content")
    return source is not None and source.source != GUESSED


def _content(entry: Entry) -> str:
    """The content of an entry that counts as the whole article."""
    return inline_text(fragment(entry.content_html)) if entry.content_html and not entry.is_summary else ""


def _is_article(extraction: Extraction, content: str) -> bool:
    return extraction.article is not None and similarity(inline_text(extraction.article), content) >= LIKE


def _summary(entry: Entry, *, is_cut: bool) -> str:
    is_summary = entry.is_summary or is_cut
    return squeezed(inline_text(fragment(entry.content_html))) if entry.content_html and is_summary else ""


def _holds(extraction: Extraction, summary: str) -> bool:
    """True if an article holds most of a summary."""
    text = squeezed(inline_text(extraction.article)) if extraction.article is not None else ""
    return Shingles([text]).share(summary) >= HELD


def _is_usual(flags: list[bool]) -> bool:
    """True if a property holds for most pages that a wrapper was learned from, so that it is expected from others."""
    return 2 * sum(flags) > len(flags)
