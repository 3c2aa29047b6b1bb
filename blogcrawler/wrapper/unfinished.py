"""Tells an entry that ends in mid article ("Continue reading") in a feed that brings most articles whole.

Where the entry's last text is in the page, the article goes on: the next paragraph is of a form that the entry's own
have there, and so is most of what follows.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from blogcrawler.wrapper.profile import Profile
    from blogcrawler.wrapper.training import TrainingPage

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


class End(NamedTuple):
    """Where an entry ends in its page."""

    #: the node with the entry's last text
    last: int
    #: that one, or the innermost around it that something follows
    position: int
    #: siblings with text of the entry, and that one
    held: Sequence[int]
    #: siblings with text behind all of these
    behind: Sequence[int]


def is_unfinished(page: TrainingPage) -> bool:
    """True if the article goes on in the page where its entry ends. O(n)."""
    if page.rest:
        return True
    end = end_of(page)
    return end is not None and _goes_on(page, end.behind, {form(page.profile, one) for one in end.held})


def end_of(page: TrainingPage) -> End | None:
    """Where the entry ends in its page; None where it does not, or nothing follows. O(n)."""
    last, profile = _last(page), page.profile
    if last is None:
        return None
    for inner in profile.around(last):
        siblings = list(children(profile, profile.parents[inner])) if inner else []
        held = [one for one in siblings if one <= inner or _is_held(page, one)]
        latest = max(held, default=inner)
        behind = [one for one in siblings if one > latest]
        if behind:
            return End(last, inner, [one for one in held if _is_held(page, one)], behind)
    return None


def _last(page: TrainingPage) -> int | None:
    """The last node with one of the last texts of an entry."""
    wanted = set([piece for piece in page.shingles.pieces if len(piece) >= SENTENCE][-LAST:])
    pieces = page.profile.pieces
    return next((at for at in range(len(pieces) - 1, -1, -1) if not wanted.isdisjoint(pieces[at])), None)


def _goes_on(page: TrainingPage, behind: Sequence[int], forms: Collection[tuple[str, str]]) -> bool:
    """True if most of the text behind an entry's end is the article's by its elements, and no link."""
    profile = page.profile
    beside = takewhile(lambda at: profile.nodes[at].tag in BESIDE, behind)
    first = next(iter(behind[len(list(beside)) :]), None)
    if first is None or form(profile, first) not in forms:
        return False
    plain = {at: profile.sizes[at] - profile.link_sizes[at] for at in behind}
    rest = sum(size for at, size in plain.items() if form(profile, at) in forms or profile.nodes[at].tag in BESIDE)
    return rest >= max(LEAST, REST * page.size) and rest >= MOSTLY * sum(plain.values())


def children(profile: Profile, position: int) -> Iterator[int]:
    """The children of a node that have text."""
    at = position + 1
    while at < profile.ends[position]:
        if profile.sizes[at]:
            yield at
        at = profile.ends[at]


def form(profile: Profile, position: int) -> tuple[str, str]:
    """What an article's paragraphs have in common: tag and class."""
    node = profile.nodes[position]
    return node.tag, node.get("class") or ""


def _is_held(page: TrainingPage, position: int) -> bool:
    profile = page.profile
    return any(piece in page.shingles for at in profile.subtree(position) for piece in profile.pieces[at])
