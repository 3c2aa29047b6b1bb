"""The article of a page that no rule fits, by features of its lines: a main-text extractor in two stages.

After DGWC, a distributed generic crawler: a classifier tells topical lines first, then blocks of them are formed and
scored. What differs from the paper, and why, is said in the modules: `lines`, `features`, `discretise`, `model`,
`blocks`.
"""

from __future__ import annotations

from blogcrawler.wrapper.fallback.extract import extract_main_text
from blogcrawler.wrapper.fallback.facts import (
    Fact,
    find_date,
    find_shown_date,
    find_title,
    is_marked_article,
    is_site_name,
    lists_posts,
)
from blogcrawler.wrapper.fallback.heads import NO_ENDS, Ends, Heads
from blogcrawler.wrapper.fallback.train import NO_LINES, OwnLines, train

__all__ = [
    "NO_ENDS",
    "NO_LINES",
    "Ends",
    "Fact",
    "Heads",
    "OwnLines",
    "extract_main_text",
    "find_date",
    "find_shown_date",
    "find_title",
    "is_marked_article",
    "is_site_name",
    "lists_posts",
    "train",
]
