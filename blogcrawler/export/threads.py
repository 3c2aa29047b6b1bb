"""Comments in the order in which they are read: each with its answers below it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.items import Comment

_DEEPEST = 6
"""Levels that are indented; what is deeper stands at the last one."""


@dataclass(frozen=True)
class Threaded:
    """A comment in its place."""

    comment: Comment
    #: what names it on its page
    anchor: str
    #: 0 for one that answers the post
    depth: int
    #: how many levels end behind it; -1 where the next comment answers it
    closes: int
    #: the comment that it answers
    parent: Comment | None
    #: what names that
    parent_anchor: str | None


def anchors(comments: Sequence[Comment]) -> dict[str, str]:
    """What names comments on pages, by their ids; the first one where several have it."""
    found: dict[str, str] = {}
    for number, comment in enumerate(comments, 1):
        if comment.id:
            found.setdefault(comment.id, f"comment-{number}")
    return found


def threaded(comments: Sequence[Comment], kind: str) -> list[Threaded]:
    """The comments of a kind, answers behind what they answer. One whose parent is not there answers the post. O(n)."""
    numbers: dict[str, int] = {}
    for number, comment in enumerate(comments):
        if comment.id and comment.kind == kind:
            numbers.setdefault(comment.id, number)
    parents = {
        number: numbers.get(comment.parent) if comment.parent else None
        for number, comment in enumerate(comments)
        if comment.kind == kind
    }
    order = _reading_order(parents)
    depths = [depth for _, depth in order] + [0]
    return [
        Threaded(
            comments[number],
            f"comment-{number + 1}",
            depth,
            depth - depths[place + 1],
            None if (parent := parents[number]) is None or parent == number else comments[parent],
            None if parent is None or parent == number else f"comment-{parent + 1}",
        )
        for place, (number, depth) in enumerate(order)
    ]


def _reading_order(parents: dict[int, int | None]) -> list[tuple[int, int]]:
    """Numbers with their depths; each once, also where they answer each other in a circle."""
    answers: dict[int | None, list[int]] = {}
    for number, parent in parents.items():
        answers.setdefault(parent if parent != number else None, []).append(number)
    order: list[tuple[int, int]] = []
    seen: set[int] = set()
    for start in [*answers.get(None, ()), *parents]:
        waiting = [(start, 0)]
        while waiting:
            number, depth = waiting.pop()
            if number not in seen:
                seen.add(number)
                order.append((number, min(depth, _DEEPEST)))
                waiting.extend((answer, depth + 1) for answer in reversed(answers.get(number, ())))
    return order
