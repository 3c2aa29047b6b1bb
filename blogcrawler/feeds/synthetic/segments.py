"""Segmentation of a page by lowest common ancestors: from anchors, one in each post, to the posts' blocks."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import networkx as nx

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .outline import Outline


@dataclass(frozen=True)
class Segment:
    """A list: the lowest common ancestor of anchors of one form, and the blocks in it that hold one anchor each."""

    ancestor: int
    #: for each block its anchor, and the ancestor's children that it is made of: one, or a run of siblings
    blocks: tuple[tuple[int, tuple[int, ...]], ...]


def segment(outline: Outline, anchors: Iterable[int]) -> Iterator[Segment]:
    """The lists among a page's anchors: those of one form are taken together, since lists repeat one template.

    The graph of the ways from the root to the anchors is a tree, where just the lowest common ancestors of two anchors
    have several successors. A successor from which one way leads to one anchor is a block. O(n·d) for n anchors at the
    depth d.
    """
    by_form: dict[int, list[int]] = defaultdict(list)
    for anchor in anchors:
        by_form[outline.forms[anchor]].append(anchor)
    for alike in by_form.values():
        if len(alike) > 1:
            yield from _lists(outline, alike)


def _lists(outline: Outline, anchors: Sequence[int]) -> Iterator[Segment]:
    graph = nx.DiGraph()
    for anchor in anchors:
        below = anchor
        for above in outline.ancestors(anchor):
            known = above in graph
            graph.add_edge(above, below)
            if known:
                break
            below = above
    blocks: dict[int, dict[int, int]] = defaultdict(dict)
    for anchor in anchors:
        block = anchor
        above = outline.parents[block]
        while graph.out_degree(above) == 1 and outline.parents[above] >= 0:
            block, above = above, outline.parents[above]
        if graph.out_degree(above) > 1:
            blocks[above][block] = anchor
    for ancestor, children in sorted(blocks.items()):
        if len(children) > 1:
            runs = _runs(outline, ancestor, sorted(children))
            yield Segment(ancestor, tuple((children[run[0]], run) for run in runs))


def _runs(outline: Outline, ancestor: int, children: Sequence[int]) -> list[tuple[int, ...]]:
    """Each block with the siblings that follow it: where posts have no element of their own, they are its rest.

    The last block is followed by as many as the others are at most, since what stands behind the list does not end it.
    """
    siblings = [outline.positions[node] for node in outline.nodes[ancestor] if node in outline.positions]
    place = {position: number for number, position in enumerate(siblings)}
    starts = [place[child] for child in children]
    longest = max(after - before for before, after in pairwise(starts))
    ends = [*starts[1:], min(len(siblings), starts[-1] + longest)]
    return [tuple(siblings[start:end]) for start, end in zip(starts, ends, strict=True)]
