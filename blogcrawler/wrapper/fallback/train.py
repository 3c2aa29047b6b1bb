"""The line classifier of one blog: the shipped one, adapted to training pages that the blog's rules fit."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from blogcrawler.errors import NotEnoughExamples
from blogcrawler.wrapper.fallback.lines import Lines
from blogcrawler.wrapper.fallback.model import LabelledPage, LineModel, shipped_model

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

__all__ = ["label_lines", "train"]

ENOUGH = 8
"""Pages; fewer teach too little."""


def label_lines(page: Lines, container: HtmlElement, article: HtmlElement) -> list[bool]:
    """Which lines of a page are the article's: those in its container that a cleaned copy of it still has. O(n)."""
    kept = Counter(line.text for line in Lines(article).lines)
    inside = set(container.iter())
    found = []
    for line in page.lines:
        topical = page.blocks[line.block].element in inside and kept[line.text] > 0
        kept[line.text] -= topical
        found.append(topical)
    return found


def train(pages: Iterable[tuple[HtmlElement, HtmlElement, HtmlElement]]) -> LineModel | None:
    """Learn from pages, each given as its root, the article's container and a cleaned copy of that.

    None where there are too few. O(n).
    """
    labelled = []
    for root, container, article in pages:
        page = Lines(root)
        labelled.append(LabelledPage(page, root, label_lines(page, container, article)))
    if len(labelled) < ENOUGH:
        return None
    try:
        return shipped_model().adapt(labelled)
    except NotEnoughExamples:
        return None
