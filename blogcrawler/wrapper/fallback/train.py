"""What one blog's pages say of their lines: the shipped classifier, adapted to them, and lines of several pages."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.errors import NotEnoughExamples
from blogcrawler.similarity import fold
from blogcrawler.wrapper.fallback.lines import Lines
from blogcrawler.wrapper.fallback.model import LabelledPage, LineModel, shipped_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml.html import HtmlElement

ENOUGH = 8
"""Pages; fewer teach too little."""
SENTENCE = 40
"""Characters of a line that two posts do not share by chance."""
SHARED = 3
"""Pages on which a line of the template stands, at least; on all where there are fewer."""
MOST_SHARED = 200


@dataclass(frozen=True)
class OwnLines:
    """What the pages of a blog tell of its lines."""

    #: the blog's own classifier; None where too few pages were there to learn it
    model: LineModel | None = None
    #: folded texts of long lines that several posts show: about the author, the licence, the blog
    shared: frozenset[str] = frozenset()


NO_LINES = OwnLines()


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


def train(pages: Iterable[tuple[HtmlElement, HtmlElement, HtmlElement]]) -> OwnLines:
    """Learn from pages, each given as its root, the article's container and a cleaned copy of that. O(n)."""
    labelled = []
    for root, container, article in pages:
        page = Lines(root)
        labelled.append(LabelledPage(page, root, label_lines(page, container, article)))
    return OwnLines(_adapted(labelled), _shared([one.lines for one in labelled]))


def _adapted(labelled: Sequence[LabelledPage]) -> LineModel | None:
    if len(labelled) < ENOUGH:
        return None
    try:
        return shipped_model().adapt(labelled)
    except NotEnoughExamples:
        return None


def _shared(pages: Sequence[Lines]) -> frozenset[str]:
    """The long lines that stand on several pages, those of most pages first."""
    counts: Counter[str] = Counter()
    for page in pages:
        texts = {fold(line.text) for line in page.lines}
        counts.update(text for text in texts if len(text) >= SENTENCE)
    least = max(2, min(SHARED, len(pages)))
    found = sorted((text for text, count in counts.items() if count >= least), key=lambda text: (-counts[text], text))
    return frozenset(found[:MOST_SHARED])
