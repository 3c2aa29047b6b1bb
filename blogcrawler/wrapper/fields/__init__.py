"""One file a field of a post: what its target is, how nodes score against it, and how the learned rules are applied."""

from __future__ import annotations

from blogcrawler.wrapper.fields.article import (
    Article,
    drop_title,
    is_empty,
    lacks_text,
    learn_article,
    refine_article,
)
from blogcrawler.wrapper.fields.author import Authors, guess_author, learn_authors, misnames_authors
from blogcrawler.wrapper.fields.continued import tell_rests
from blogcrawler.wrapper.fields.date import Dates, learn_dates
from blogcrawler.wrapper.fields.evidence import Evidence, gather_evidence
from blogcrawler.wrapper.fields.language import Languages, learn_languages
from blogcrawler.wrapper.fields.tags import extract_tags, learn_tags, tells_more_tags
from blogcrawler.wrapper.fields.text import TextRule
from blogcrawler.wrapper.fields.title import find_title_by, learn_title, title_link

__all__ = [
    "Article",
    "Authors",
    "Dates",
    "Evidence",
    "Languages",
    "TextRule",
    "drop_title",
    "extract_tags",
    "find_title_by",
    "gather_evidence",
    "guess_author",
    "is_empty",
    "lacks_text",
    "learn_article",
    "learn_authors",
    "learn_dates",
    "learn_languages",
    "learn_tags",
    "learn_title",
    "misnames_authors",
    "refine_article",
    "tell_rests",
    "tells_more_tags",
    "title_link",
]
