"""The mechanisms of the wrapper that can be switched off besides its refinements: for each, functions of the package and
what takes their place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from blogcrawler.dom import fragment
from blogcrawler.wrapper.exclusions import Exclusions
from blogcrawler.wrapper.fallback.model import NO_LINES
from blogcrawler.wrapper.foreign_parts import _beginning
from blogcrawler.wrapper.induce import NodeScores


def _gives(value: Any) -> Callable[..., Any]:
    return lambda *arguments, **named: value


def _first(value: Any, *arguments: Any, **named: Any) -> Any:
    return value


SWITCHES: Mapping[str, Mapping[str, Any]] = {
    "bylines": {"own_text.byline_pieces": _gives(frozenset())},
    "captions": {"fields.article.illustrate": _first},
    "cuts": {"cleaning.learn_cut": _gives([])},
    "discussions": {"own_text.discussions": lambda pages, *_: [[False] * len(page.profile) for page in pages]},
    "drop_title": {"wrapper.drop_title": _gives(None)},
    "editor": {"fields.author._editor": _gives(None)},
    "endings": {"training._without_endings": lambda example: fragment(example.entry.content_html or "")},
    "exclusions": {"cleaning._learn_nodes": lambda pages, cuts, terms: Exclusions(tuple(cuts))},
    "guesses": {"induction.try_guesses": lambda pages, dates: dates},
    "months": {"fields.date._months": _gives(())},
    "nearness": {name: _gives("first") for name in (
        "fields.title.place_of", "fields.date.place_of", "fields.author.place_of")},
    "older": {"older.learn_older": _first},
    "own_lines": {"learning.train": _gives(NO_LINES)},
    "parts": {"fields.evidence._parts": _gives((set(), 0))},
    "people_shown": {"fields.author._shown_with_more": _gives(())},
    "phrases": {"cleaning._learn_phrases": _gives(())},
    "picture": {"fields.article.learn_picture": _gives(None)},
    "refine": {"learning.refine": _first},
    "spread": {"fields.evidence.LONG": 10**9},
    "tag_links": {"fields.tags.tag_links": _gives([])},
    "teasers": {"own_text.teasers": lambda pages, *_: [()] * len(pages)},
    "templates": {"learning.clusters": _gives([])},
    "texts_of_site": {"fields.title._texts_of_site": _gives(())},
    "title_doubt": {"fields.title._doubted": _first},
    "title_parts": {"fields.title.text_parts": _gives(())},
    "beginnings": {"fields.evidence._around_beginnings": _gives(set())},
    "called_readers": {"foreign_parts._called_readers": _gives(())},
    "ends_beside": {"validation._blocks_beside": _gives([])},
    "first_paragraph": {"foreign_parts._first_paragraph": lambda page, is_own: _beginning(page)},
    "headings": {"container.Remains.may_head": _gives(False)},
    "keep_amid": {"container.Remains._keep_amid": _gives(None)},
    "keep_listings": {"cleaning._is_of_listing_or_table": _gives(False)},
    "keep_own": {"container.Remains.may_be_own": _gives(False)},
    "keep_plain": {"container.Remains.is_plain": _gives(False)},
    "listed": {"own_text._listed": _gives(frozenset())},
    "media_scores": {"fields.evidence.media_scores": lambda page: NodeScores(page.lookup, {})},
    "sections": {"container.Remains.is_section": _gives(False)},
    "shape": {"exclusions.COMPOUND": frozenset()},
    "told": {"cleaning._told": _gives(0)},
}  # fmt: skip
