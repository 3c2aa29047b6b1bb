"""The mechanisms of the wrapper that can be switched off besides its refinements: for each, functions of the package and
what takes their place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from blogcrawler.dom import fragment
from blogcrawler.wrapper.core.induce import NodeScores
from blogcrawler.wrapper.fallback.model import NO_LINES
from blogcrawler.wrapper.refinements.exclusions import Exclusions


def _gives(value: Any) -> Callable[..., Any]:
    return lambda *arguments, **named: value


def _first(value: Any, *arguments: Any, **named: Any) -> Any:
    return value


SWITCHES: Mapping[str, Mapping[str, Any]] = {
    "bylines": {"refinements.own_text.byline_pieces": _gives(frozenset())},
    "captions": {"fields.article.illustrate": _first},
    "cuts": {"refinements.cleaning.learn_cut": _gives([])},
    "discussions": {"refinements.own_text.discussions": lambda pages, *_: [[False] * len(page.profile) for page in pages]},
    "drop_title": {"wrapper.drop_title": _gives(None)},
    "editor": {"fields.author._editor": _gives(None)},
    "endings": {"core.training._without_endings": lambda example: fragment(example.entry.content_html or "")},
    "exclusions": {"refinements.cleaning._learn_nodes": lambda pages, cuts, terms: Exclusions(tuple(cuts))},
    "guesses": {"induction.try_guesses": lambda pages, dates: dates},
    "months": {"fields.date._months": _gives(())},
    "nearness": {name: _gives("first") for name in (
        "fields.title.place_of", "fields.date.place_of", "fields.author.place_of")},
    "older": {"older_templates.learn_older": _first},
    "shared_lines": {"learning.train": _gives(NO_LINES)},
    "parts": {"fields.evidence._parts": _gives((set(), 0))},
    "people_shown": {"fields.author._shown_with_more": _gives(())},
    "phrases": {"refinements.cleaning._learn_phrases": _gives(())},
    "picture": {"fields.article.learn_picture": _gives(None)},
    "refine": {"learning.refine": _first},
    "spread": {"fields.evidence.LONG": 10**9},
    "tag_links": {"fields.tags.tag_links": _gives([])},
    "teasers": {"refinements.own_text.teasers": lambda pages, *_: [()] * len(pages)},
    "templates": {"learning.clusters": _gives([])},
    "texts_of_site": {"fields.title._texts_of_site": _gives(())},
    "title_doubt": {"fields.title._doubted": _first},
    "title_parts": {"fields.title.text_parts": _gives(())},
    "beginnings": {"fields.evidence._around_beginnings": _gives(set())},
    "called_readers": {"refinements.foreign_parts._called_readers": _gives(())},
    "keep_amid": {"refinements.container.Remains._keep_amid": _gives(None)},
    "keep_listings": {"refinements.container.KEPT": frozenset()},
    "keep_own": {"refinements.container.Remains.may_be_own": _gives(False)},
    "keep_plain": {"refinements.container.Remains.is_plain": _gives(False)},
    "listed": {"refinements.own_text._listed": _gives(frozenset())},
    "media_scores": {"fields.evidence.media_scores": lambda page: NodeScores(page.lookup, {})},
    "sections": {"refinements.container.Remains.is_section": _gives(False)},
    "shape": {"refinements.exclusions.COMPOUND": frozenset()},
}  # fmt: skip
