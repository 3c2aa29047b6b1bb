"""Maximum weighted matching of parts of a page and the comments of a feed, in a bipartite graph.

The weight of an edge is the Sørensen-Dice similarity of two texts (Blanvillain, Kasioumis and Banos, "BlogForever
Crawler", section 3.5). Bigram sets are of one alphabet, so each text is read once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

from blogcrawler.similarity import CAPACITY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

ALIKE = 0.5
"""Similarity from which it is asked whether two may be one."""
MOST = 1000
"""Texts on a side: the matching is cubic at worst."""


def weights(nodes: Sequence[int], comments: Sequence[int]) -> NDArray[np.float64]:
    """Dice similarities of sets of bigrams of one alphabet: a row a node, a column a comment."""
    one, other = _matrix(nodes), _matrix(comments)
    shared = (one @ other.T).toarray().astype(np.float64)
    sizes = np.array([bits.bit_count() for bits in nodes])[:, None] + np.array([it.bit_count() for it in comments])
    found: NDArray[np.float64] = 2 * shared / np.maximum(sizes, 1)
    return found


def match(
    nodes: Sequence[int], comments: Sequence[int], may_be: Callable[[int, int], float] | None = None
) -> list[tuple[int, int, float]]:
    """The pairs of a node and a comment, with their similarities, whose sum is the greatest.

    `may_be` says of the numbers of a node and a comment that are alike whether they may be one at all: 0 where not, 1
    where all else tells so, a little less where it does not. Each side is cut to its first `MOST`. O(n³) in that at
    worst, and hardly more than O(n²) on real pages.
    """
    nodes, comments = nodes[:MOST], comments[:MOST]
    if not nodes or not comments:
        return []
    likeness = weights(nodes, comments)
    if may_be is not None:
        for row, column in np.argwhere(likeness >= ALIKE).tolist():
            likeness[row, column] *= may_be(row, column)
    rows, columns = linear_sum_assignment(likeness, maximize=True)
    return [(int(row), int(column), float(likeness[row, column])) for row, column in zip(rows, columns, strict=True)]


def _matrix(sets: Sequence[int]) -> csr_array[np.int32, tuple[int, int]]:
    columns = [_places(bits) for bits in sets]
    ends = np.concatenate([[0], np.cumsum([len(places) for places in columns])])
    ones = np.ones(int(ends[-1]), dtype=np.int32)
    places = np.concatenate(columns) if columns else np.zeros(0, dtype=np.int64)
    return csr_array((ones, places, ends), shape=(len(sets), CAPACITY))


def _places(bits: int) -> NDArray[np.int64]:
    raw = np.frombuffer(bits.to_bytes(CAPACITY // 8, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(raw, bitorder="little"))
