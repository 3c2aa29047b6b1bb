"""The main text of a page that no rule fits."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from blogcrawler.dom.tags import BLOCKS
from blogcrawler.wrapper.fallback.blocks import main_container, main_lines
from blogcrawler.wrapper.fallback.lines import Lines
from blogcrawler.wrapper.fallback.model import LineModel, shipped_model

if TYPE_CHECKING:
    from lxml.html import HtmlElement
    from numpy.typing import NDArray

__all__ = ["MainText", "extract_main_text"]

LEAST = 0.5
"""Confidence below which there is no main text."""
MEDIA = frozenset(["img", "picture", "video", "audio", "iframe", "embed", "object", "svg", "math", "source"])


@dataclass(frozen=True)
class MainText:
    """The article of a page, as it was guessed."""

    #: a copy of its container without what is not main text
    article: HtmlElement
    #: 0 to 1
    confidence: float


def extract_main_text(root: HtmlElement, model: LineModel | None = None) -> MainText | None:
    """The main text of a page by a line classifier, the shipped one if none is given. The page is left as it is.

    None where no text is likely enough. O(n).
    """
    page = Lines(root)
    if not page.lines:
        return None
    probabilities = (model or shipped_model()).probabilities(page, root)
    sizes = np.array([len(line.text) for line in page.lines], float)
    container = main_container(page.blocks, probabilities, sizes)
    chosen = main_lines(page.blocks, container, probabilities, sizes)
    confidence = _confidence(chosen, probabilities, sizes)
    if confidence < LEAST:
        return None
    return MainText(_copy(page, container, chosen), confidence)


def _confidence(chosen: NDArray[np.bool_], probabilities: NDArray[np.float64], sizes: NDArray[np.float64]) -> float:
    """F1 of the chosen text that is to be expected if the probabilities are right."""
    hits = float((probabilities * sizes)[chosen].sum())
    whole = float((probabilities * sizes).sum()) + float(sizes[chosen].sum())
    return round(2 * hits / whole, 3) if hits else 0.0


def _copy(page: Lines, container: int, chosen: NDArray[np.bool_]) -> HtmlElement:
    """The container without the lines that were not chosen. What holds no line (a picture) stays."""
    original = page.blocks[container].element
    copy: HtmlElement = deepcopy(original)
    copy.tail = None
    twins = dict(zip(original.iter(), copy.iter(), strict=True))
    within = page.blocks[container]
    gone = 0
    for block in page.blocks[container + 1 :]:
        if block.start >= within.end:
            break
        if block.end > block.start >= gone and not chosen[block.start : block.end].any():
            twins[block.element].drop_tree()
            gone = block.end
    for line in page.lines[within.start : within.end]:
        pass
    _drop_loose(page, within.start, within.end, chosen, twins)
    return copy


def _drop_loose(page: Lines, start: int, end: int, chosen: NDArray[np.bool_], twins: dict) -> None:
    for place in np.flatnonzero(~chosen[start:end]) + start:
        for element, is_tail in page.lines[place].runs:
            twin = twins[element]
            if is_tail:
                twin.tail = None
            else:
                twin.text = None
