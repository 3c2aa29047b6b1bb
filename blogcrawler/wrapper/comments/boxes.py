"""Threads of blogs whose answers stand in a box behind what they answer, and not within it (`<li>…</li><ul>…</ul>`)."""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice
from typing import TYPE_CHECKING

from blogcrawler.wrapper.comments.region import has_word

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from blogcrawler.wrapper.comments.region import Region
    from blogcrawler.wrapper.comments.view import View

NEAR = 20
"""Nodes of a box before its first comment, at most."""
LEVELS = 8
"""Elements between a list of answers and the list that its box stands in."""


def answered_by_box(regions: Sequence[Region]) -> list[int | None]:
    """For each comment of a page, in document order, the number of the one behind which its box stands; None for those
    in no box. O(n)."""
    return [answered for answered, _ in _boxed(regions)]


def are_boxed(pages: Sequence[Sequence[Region]]) -> bool:
    """Do boxes hold answers? Then another comment follows one of them: a box at the end may hold the rest of a list."""
    for regions in pages:
        last = {_parent(region): region.unit.roots[0] for region in regions}
        for region, (answered, box) in zip(regions, _boxed(regions), strict=True):
            if answered is not None and last[_parent(regions[answered])] > box and region.unit.inside is None:
                return True
    return False


def is_box(view: View, position: int, comments: Sequence[int]) -> bool:
    """Does an element hold some of the comments, whose positions are in order, and no word before them?"""
    at = bisect_right(comments, position)
    first = comments[at] if at < len(comments) else len(view)
    if first >= view.ends[position] or first - position > NEAR:
        return False
    runs = (
        *(2 * it for it in range(position, first)),
        *(2 * it + 1 for it in range(position + 1, first) if view.ends[it] <= first),
    )
    return not any(has_word(view.runs[run]) for run in runs if view.runs[run])


def _parent(region: Region) -> int:
    return region.view.parents[region.unit.roots[0]]


def _boxed(regions: Sequence[Region]) -> list[tuple[int | None, int]]:
    """For each comment the one before its box, if any, and the position of that box; -1 for none."""
    lists = dict.fromkeys(map(_parent, regions))
    boxes = {parent: _box(regions[0], parent, lists) for parent in lists}
    newest: dict[int, int] = {}
    found: list[tuple[int | None, int]] = []
    for number, region in enumerate(regions):
        box = boxes[_parent(region)] if region.unit.inside is None else -1
        found.append((newest.get(region.view.parents[box]) if box >= 0 else None, box))
        newest[_parent(region)] = number
    return found


def _box(region: Region, parent: int, lists: Container[int]) -> int:
    """The element around a list of comments that stands in another such list; -1 where none does."""
    view = region.view
    around = islice(view.around(parent), LEVELS)
    return next((box for box in around if view.parents[box] in lists), -1)
