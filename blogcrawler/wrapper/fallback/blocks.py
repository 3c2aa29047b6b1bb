"""Choose the main text from classified lines: the container, the topical blocks in it, and the informative ones of
these.

DGWC (section III-C) forms blocks of topical lines with a sliding window over the whole page, and takes all blocks with
a sufficient mean score as the main text. Here the page's tree limits the choice first: the element with the highest
balance of its lines is the container, and blocks outside of it (comments, teasers of other posts) are ignored, however
topical they look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.lazy import LazyModule

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from blogcrawler.wrapper.fallback.lines import Block
else:
    np = LazyModule("numpy")

WINDOW = 5
"""Length of the sliding window in lines; phi in the paper."""
EVEN = 0.4
"""Probability of a line that counts neither for nor against its container: losing a line is worse than some junk."""
TOPICAL = 0.3
"""Probability at or above which a line in the container is topical, and mean at or above which a block of lines is main
text."""


def topical_blocks(topical: Sequence[bool] | NDArray[np.bool_], window: int = WINDOW) -> list[range]:
    """Blocks of lines that begin and end with a topical one, with fewer than `window` consecutive other lines inside.
    O(n)."""
    blocks: list[range] = []
    for place in np.flatnonzero(topical).tolist():
        if blocks and place - blocks[-1][-1] <= window:
            blocks[-1] = range(blocks[-1].start, place + 1)
        else:
            blocks.append(range(place, place + 1))
    return blocks


def informative_blocks(
    blocks: Sequence[range], scores: NDArray[np.float64], weights: NDArray[np.float64], least: float = TOPICAL
) -> list[range]:
    """The blocks whose mean score (equation 5), with each line weighted, is above `least`. O(n)."""
    return [
        block
        for block in blocks
        if np.average(scores[block.start : block.stop], weights=weights[block.start : block.stop]) > least
    ]


def main_container(blocks: Sequence[Block], probabilities: NDArray[np.float64], sizes: NDArray[np.float64]) -> int:
    """The block element with the highest balance of its lines by length and probability; the innermost of
    equals. O(n)."""
    balance = _balances(blocks, probabilities, sizes)
    return len(balance) - 1 - int(balance[::-1].argmax())


def main_lines(
    blocks: Sequence[Block], container: int, probabilities: NDArray[np.float64], sizes: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """True for lines of main text: informative blocks in the container, without elements of negative balance. O(n)."""
    inside = np.zeros(len(sizes), bool)
    within = blocks[container]
    inside[within.start : within.end] = True
    balance = _balances(blocks, probabilities, sizes)
    after = next((n for n in range(container + 1, len(blocks)) if blocks[n].start >= within.end), len(blocks))
    for place in range(container + 1, after):
        if balance[place] < 0:
            inside[blocks[place].start : blocks[place].end] = False
    chosen = np.zeros(len(sizes), bool)
    for block in informative_blocks(topical_blocks(inside & (probabilities >= TOPICAL)), probabilities, sizes):
        chosen[block.start : block.stop] = True
    return chosen & inside


def _balances(
    blocks: Sequence[Block], probabilities: NDArray[np.float64], sizes: NDArray[np.float64]
) -> NDArray[np.float64]:
    sums = np.concatenate([[0.0], np.cumsum((probabilities - EVEN) * sizes)])
    return np.array([sums[block.end] - sums[block.start] for block in blocks])
