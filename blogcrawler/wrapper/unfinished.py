"""Tells an entry that ends in mid article ("Continue reading") in a feed that brings most articles whole.

There is no sign of it that all feeds have. But where the entry's last text stands in the page, the article goes on: the
next paragraph is of a form that the entry's own have there, and so is most of what follows.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from blogcrawler.wrapper.training import TrainingPage

__all__ = ["is_unfinished"]

SENTENCE = 40
"""Characters of a text that stands in the page just where the entry has it."""
LAST = 4
"""Texts at an entry's end of which one is to be found: links to the whole article may come behind it."""
REST, LEAST = 0.25, 60
"""Characters that follow in the page, as a share of the entry's, and in number."""
MOSTLY = 0.5
"""Share of the text behind it that stands in elements of the entry's forms, or in such as stand between them."""
BESIDE = frozenset(["table", "figure", "pre", "ul", "ol", "dl", "blockquote"])
"""What may stand between the paragraphs of an article; a heading may be that of readers' comments."""


def is_unfinished(page: TrainingPage) -> bool:
    """Does the article go on in the page where its entry ends? O(n)."""
    at = _end(page)
    if at is None:
        return False
    profile = page.profile
    for inner in profile.around(at):
        siblings = list(_siblings(page, inner))
        held = [one for one in siblings if one <= inner or _is_held(page, one)]
        behind = [one for one in siblings if one > max(held, default=inner)]
        if behind:
            return _goes_on(page, behind, {_form(page, one) for one in held if _is_held(page, one)})
    return False


def _end(page: TrainingPage) -> int | None:
    """The last node with one of the last texts of an entry."""
    wanted = set([piece for piece in page.shingles.pieces if len(piece) >= SENTENCE][-LAST:])
    pieces = page.profile.pieces
    return next((at for at in range(len(pieces) - 1, -1, -1) if not wanted.isdisjoint(pieces[at])), None)


def _goes_on(page: TrainingPage, behind: Sequence[int], forms: Collection[tuple[str, str]]) -> bool:
    """Is most of the text behind an entry's end the article's by its elements, from the first on, and no link?"""
    profile = page.profile
    beside = takewhile(lambda at: profile.nodes[at].tag in BESIDE, behind)
    first = next(iter(behind[len(list(beside)) :]), None)
    if first is None or _form(page, first) not in forms:
        return False
    plain = {at: profile.sizes[at] - profile.link_sizes[at] for at in behind}
    rest = sum(size for at, size in plain.items() if _form(page, at) in forms or profile.nodes[at].tag in BESIDE)
    return rest >= max(LEAST, REST * page.size) and rest >= MOSTLY * sum(plain.values())


def _siblings(page: TrainingPage, position: int) -> Iterator[int]:
    """A node and its siblings, those that have text."""
    profile, parent = page.profile, page.profile.parents[position]
    at, end = (parent + 1, profile.ends[parent]) if parent >= 0 else (position, position)
    while at < end:
        if profile.sizes[at]:
            yield at
        at = profile.ends[at]


def _form(page: TrainingPage, position: int) -> tuple[str, str]:
    node = page.profile.nodes[position]
    return node.tag, node.get("class") or ""


def _is_held(page: TrainingPage, position: int) -> bool:
    """Does a node hold a text of the entry?"""
    profile = page.profile
    return any(piece in page.shingles for at in profile.subtree(position) for piece in profile.pieces[at])
