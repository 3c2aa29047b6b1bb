"""The main text of a page that no rule fits."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from blogcrawler.dom import is_hidden
from blogcrawler.dom.tags import BLOCKS
from blogcrawler.similarity import fold
from blogcrawler.wrapper.fallback.blocks import main_container, main_lines
from blogcrawler.wrapper.fallback.features import features
from blogcrawler.wrapper.fallback.lines import Lines
from blogcrawler.wrapper.fallback.model import NO_LINES, OwnLines, shipped_model
from blogcrawler.wrapper.fallback.readers import comments_of, outside_boxes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from blogcrawler.wrapper.fallback.lines import Line

LEAST = 0.5
"""Confidence below which there is no main text."""
SHORTEST = 20
"""Characters; less is a message of a server as likely as a post."""
PREFACE = 0.1
"""Share of the text that may stand above the heading with the page's title: it is dropped together with that."""
SURER = 0.05
"""By so much the blog's own classifier must be surer than the shipped one.

It is the better one on pages of the template that it was trained on, and far worse on others. Of the development
corpus, mean F1 and share of F1 >= 0.9 on other pages of the same template: shipped 0.956, 0.905; own 0.966, 0.940;
chosen so 0.961, 0.917. On pages of another blog's template: 0.956, 0.905; 0.884, 0.827; 0.956, 0.905.
"""


@dataclass(frozen=True)
class MainText:
    """The article of a page, as it was guessed."""

    #: a copy of its container without what is not main text
    article: HtmlElement
    #: the container itself, in the page
    container: HtmlElement
    #: 0 to 1: F1 of the text that is to be expected if the line classifier's probabilities are right
    confidence: float


class _Choice(NamedTuple):
    confidence: float
    container: int
    #: for each line, whether it is main text
    lines: NDArray[np.bool_]


def extract_main_text(root: HtmlElement, own: OwnLines = NO_LINES) -> MainText | None:
    """The main text of a page by the shipped line classifier, or by the blog's own where that is surer. O(n).
    A line that several of the blog's posts show is none. None where no text is likely enough."""
    page = Lines(root)
    if comments := comments_of(page, tuple(filter(None, [root.get("lang")]))):
        page = Lines(root, comments)
    if not page.lines:
        return None
    told = features(page, root)
    titles = np.flatnonzero(told["is_title"] * told["is_heading"])
    is_new = np.array([fold(line.text) not in own.shared for line in page.lines]) & outside_boxes(page)
    best = _choose(page, shipped_model().probabilities(told) * is_new, titles)
    if own.model is not None:
        other = _choose(page, own.model.probabilities(told) * is_new, titles)
        best = other if other.confidence > best.confidence + SURER else best
    size = sum(len(page.lines[place].text) for place in np.flatnonzero(best.lines))
    if best.confidence < LEAST or size < SHORTEST:
        return None
    container = page.blocks[best.container].element
    return MainText(_copy(page, best.container, best.lines), container, best.confidence)


def _choose(page: Lines, probabilities: NDArray[np.float64], titles: NDArray[np.intp]) -> _Choice:
    sizes = np.array([len(line.text) for line in page.lines], float)
    container = main_container(page.blocks, probabilities, sizes)
    lines = main_lines(page.blocks, container, probabilities, sizes)
    for title in titles:
        if sizes[:title][lines[:title]].sum() <= PREFACE * sizes[lines].sum():
            lines[: title + 1] = False
    return _Choice(_confidence(lines, probabilities, sizes), container, lines)


def _confidence(chosen: NDArray[np.bool_], probabilities: NDArray[np.float64], sizes: NDArray[np.float64]) -> float:
    """F1 of the chosen text that is to be expected if the probabilities are right."""
    hits = float((probabilities * sizes)[chosen].sum())
    whole = float((probabilities * sizes).sum()) + float(sizes[chosen].sum())
    return round(2 * hits / whole, 3) if hits else 0.0


def _copy(page: Lines, container: int, chosen: NDArray[np.bool_]) -> HtmlElement:
    """The container without lines not chosen, and what is left out or hidden. What holds no line (a picture) stays."""
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
    """Take a line's texts out of a copy, with the inline elements that held nothing else."""
    texts = []
    for element, is_tail in line.runs:
        twin = twins.get(element)
        if twin is not None and is_tail:
            twin.tail = None  # all of these first: what is behind an element moves when that is dropped
        elif twin is not None:
            texts.append(twin)
    for twin in texts:
        twin.text = None
        if twin.tag not in BLOCKS and twin.getparent() is not None and len(twin) == 0:
            twin.drop_tree()
