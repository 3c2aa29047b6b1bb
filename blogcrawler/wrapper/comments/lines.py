"""The line that tells a comment's day: some themes close its element only behind the comment's text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.wrapper.profile import LINES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.wrapper.comments.view import View

BREAKS = LINES | {"hr"}


def day_line(view: View, anchor: int) -> frozenset[int]:
    """The texts, as numbers of runs, that stand in one line with the day which a node tells.

    All of its texts where an attribute tells the day. O(n) in the nodes within.
    """
    whole: list[int] = []
    for line in _lines(view, anchor):
        if any(view.tells_day(" ".join(view.runs[run].split())) for run in line if view.runs[run]):
            return frozenset(line)
        whole += line
    return frozenset(whole)


def _lines(view: View, top: int) -> Iterator[list[int]]:
    """The texts of a node, line by line."""
    line: list[int] = []
    around: list[int] = []
    for position in range(top, view.ends[top] + 1):
        while around and (position == view.ends[top] or position >= view.ends[around[-1]]):
            closed = around.pop()
            if closed == top:
                break
            if view.nodes[closed].tag in BREAKS:
                yield line
                line = []
            line.append(2 * closed + 1)
        if position == view.ends[top]:
            break
        if view.nodes[position].tag in BREAKS:
            yield line
            line = []
        line.append(2 * position)
        around.append(position)
    yield line
