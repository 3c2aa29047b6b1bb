"""Extract the main text of a page that no rule fits."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from blogcrawler.dom import is_hidden
from blogcrawler.dom.tags import BLOCKS
from blogcrawler.lazy import LazyModule
from blogcrawler.similarity import fold
from blogcrawler.wrapper.fallback.blocks import main_container, main_lines
from blogcrawler.wrapper.fallback.features import features
from blogcrawler.wrapper.fallback.lines import Lines
from blogcrawler.wrapper.fallback.model import NO_LINES, OwnLines, shipped_model
from blogcrawler.wrapper.fallback.ranking import Candidate, shipped_ranker
from blogcrawler.wrapper.fallback.reader_comments import comments_of, outside_boxes

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from blogcrawler.wrapper.fallback.lines import Line
else:
    np = LazyModule("numpy")

LEAST = 0.5
"""Confidence below which a page has no main text."""
SHORTEST = 20
"""Minimum number of characters; a shorter text is as likely a server message as a post."""
PREFACE = 0.1
"""Maximum share of the text that may be above the heading with the page's title. This text is dropped together with the
heading."""
LEAST_SHARE = 0.001
"""Minimum assumed share of an article that is lost or wrong, since no page is known exactly."""


@dataclass(frozen=True)
class MainText:
    """The estimated article of a page."""

    #: a copy of its container with nothing but main text
    article: HtmlElement
    #: the container itself, in the page
    container: HtmlElement
    #: expected F1 of the text, 0 to 1, if the line classifier's probabilities are right
    expected: float
    #: holds the signs from which the probability of an F1 of at least 0.9 is computed
    candidate: Candidate

    @property
    def confidence(self) -> float:
        """The probability of an F1 of at least 0.9, by a model fitted to pages that the line classifier had
        not seen."""
        return round(shipped_ranker("article").probabilities([self.candidate])[0], 3)


def extract_main_text(root: HtmlElement, own: OwnLines = NO_LINES) -> MainText | None:
    """The main text of a page by the shipped line classifier. O(n). Lines that several posts of the blog share are not
    part of it. None if no text is likely enough."""
    page = Lines(root)
    if comments := comments_of(page, tuple(filter(None, [root.get("lang")]))):
        page = Lines(root, comments)
    if not page.lines:
        return None
    values = features(page, root)
    is_new = np.array([fold(line.text) not in own.shared for line in page.lines]) & outside_boxes(page)
    likely = shipped_model().probabilities(values) * is_new
    sizes = np.array([len(line.text) for line in page.lines], float)
    container = main_container(page.blocks, likely, sizes)
    chosen = main_lines(page.blocks, container, likely, sizes)
    for title in np.flatnonzero(values["is_title"] * values["is_heading"]):
        if sizes[:title][chosen[:title]].sum() <= PREFACE * sizes[chosen].sum():
            chosen[: title + 1] = False
    size, hits, whole = (float(part.sum()) for part in (sizes[chosen], (likely * sizes)[chosen], likely * sizes))
    expected = 2 * hits / (whole + size) if hits else 0.0
    if expected < LEAST or size < SHORTEST:
        return None
    shares = {"lost": (whole - hits) / size, "wrong": 1 - hits / size}
    signs = {name: log(LEAST_SHARE + share) for name, share in shares.items()}
    article = _copy(page, container, chosen)
    return MainText(article, page.blocks[container].element, expected, Candidate("", "fallback", "lines", signs))


def _copy(page: Lines, container: int, chosen: NDArray[np.bool_]) -> HtmlElement:
    """The container without lines that were not chosen, and without left-out or hidden elements. Elements without lines
    (pictures) stay."""
    within = page.blocks[container]
    copy: HtmlElement = deepcopy(within.element)
    copy.tail = None
    twins = dict(zip(within.element.iter(), copy.iter(), strict=True))
    for element, twin in list(twins.items())[1:]:
        if isinstance(element.tag, str) and (element in page.left_out or is_hidden(element)):
            twin.drop_tree()
    refused = np.concatenate([[0], np.cumsum(~chosen)])
    behind = within.start
    for block in page.blocks[container + 1 :]:
        if block.start >= within.end:
            break
        if block.end > block.start >= behind and refused[block.end] - refused[block.start] == block.end - block.start:
            twins[block.element].drop_tree()
            behind = block.end
    for place in range(within.start, within.end):
        if not chosen[place]:
            _drop_runs(page.lines[place], twins)
    return copy


def _drop_runs(line: Line, twins: Mapping[HtmlElement, HtmlElement]) -> None:
    """Remove a line's texts from a copy, with the inline elements that held nothing else."""
    texts = []
    for element, is_tail in line.runs:
        twin = twins.get(element)
        if twin is not None and is_tail:
            twin.tail = None  # first remove all texts behind elements: dropping an element moves the text behind it
        elif twin is not None:
            texts.append(twin)
    for twin in texts:
        twin.text = None
        if twin.tag not in BLOCKS and twin.getparent() is not None and len(twin) == 0:
            twin.drop_tree()
