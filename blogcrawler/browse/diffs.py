"""What differs between two versions of a post: fields, text by paragraphs and then by words, and comments.

Times are bounded: paragraphs and words are matched by those that both sides have once (Bram Cohen's patience diff),
which takes O(n log n), and only what lies between two such, if it is short, by `difflib`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from blogcrawler.items import Comment, Record

Kind = Literal["same", "removed", "added"]
_Piece: TypeAlias = "tuple[bool, Sequence[str], Sequence[str]]"
"""Whether both sides are the same, and the words of each side."""
_FIELDS = ("url", "title", "authors", "published", "updated", "tags", "language", "guid", "comment_count")
_BLANK = re.compile(r"\n\s*\n")
_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_SHORT = 1600
"""Pairs of paragraphs or words that are compared one by one at most."""
_ALIKE = 0.4
"""Share of the words that two paragraphs have in common from which on one is the other, changed."""


@dataclass(frozen=True)
class Part:
    """Some words."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Change:
    """A paragraph: as it is in both, as only one side has it, or with its words changed."""

    kind: Literal["same", "removed", "added", "changed"]
    parts: tuple[Part, ...]
    #: how many paragraphs, which are the same, are not shown here
    left_out: int = 0


@dataclass(frozen=True)
class FieldChange:
    """A field that is not the same."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class CommentChange:
    """A comment that is not the same."""

    kind: Literal["removed", "added", "edited"]
    comment: Comment
    text: tuple[Change, ...]


def field_changes(before: Record, after: Record) -> list[FieldChange]:
    """The fields, but for text and comments, that say something else."""
    found = []
    for name in _FIELDS:
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            found.append(FieldChange(name, _told(old), _told(new)))
    return found


def _told(value: str | int | list[str] | None) -> str:
    return "" if value is None else ", ".join(value) if isinstance(value, list) else str(value)


def text_changes(before: str | None, after: str | None) -> list[Change]:
    """The paragraphs of two texts; those that are the same are left out, but for one beside each change."""
    old, new = (_paragraphs(text) for text in (before, after))
    changes: list[Change] = []
    for is_same, left, right in _aligned(old, new):
        if is_same:
            changes += [Change("same", (Part("same", text),)) for text in left]
        else:
            changes += _replaced(left, right)
    return list(_shortened(changes)) if any(change.kind != "same" for change in changes) else []


def comment_changes(before: Sequence[Comment], after: Sequence[Comment]) -> list[CommentChange]:
    """The comments that were removed, added or edited, in the order in which they stand."""
    old, new = _numbered(before), _numbered(after)
    found = [
        CommentChange("removed", comment, (_whole("removed", comment.content_text or ""),))
        for key, comment in old.items()
        if key not in new
    ]
    for key, comment in new.items():
        if key not in old:
            found.append(CommentChange("added", comment, (_whole("added", comment.content_text or ""),)))
        elif _said(old[key]) != _said(comment):
            text = text_changes(old[key].content_text, comment.content_text)
            found.append(CommentChange("edited", comment, tuple(text)))
    return found


def _said(comment: Comment) -> tuple[str | None, ...]:
    return comment.author, comment.content_text, comment.content_html


def _numbered(comments: Sequence[Comment]) -> dict[tuple[object, ...], Comment]:
    """Comments by what names them: those without an id by all that they say, and how often it was said before."""
    found: dict[tuple[object, ...], Comment] = {}
    seen: Counter[tuple[object, ...]] = Counter()
    for comment in comments:
        key: tuple[object, ...] = (comment.id,) if comment.id else (comment.author, comment.content_text)
        seen[key] += 1
        found[*key, seen[key]] = comment
    return found


def _paragraphs(text: str | None) -> list[str]:
    return [part.strip("\n") for part in _BLANK.split(text or "") if part.strip()]


def _whole(kind: Literal["removed", "added"], text: str) -> Change:
    return Change(kind, (Part(kind, text),))


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    """Paragraphs in the place of others: pairs that are alike, word by word, the others as a whole."""
    for number in range(max(len(old), len(new))):
        parts = _words(old[number], new[number]) if number < min(len(old), len(new)) else None
        if parts is not None:
            yield Change("changed", parts)
            continue
        if number < len(old):
            yield _whole("removed", old[number])
        if number < len(new):
            yield _whole("added", new[number])


def _words(old: str, new: str) -> tuple[Part, ...] | None:
    """Two paragraphs word by word; None if they have too little in common."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    pieces = list(_aligned(before, after))
    common = sum(_count(left) for is_same, left, _ in pieces if is_same)
    if common < _ALIKE * max(_count(before), _count(after)):
        return None
    parts: list[Part] = []
    for is_same, left, right in _joined(pieces):
        if is_same:
            parts.append(Part("same", "".join(left)))
            continue
        parts += [Part("removed", "".join(left))] if left else []
        parts += [Part("added", "".join(right))] if right else []
    return tuple(parts)


def _count(words: Sequence[str]) -> int:
    return sum(not word.isspace() for word in words)


def _joined(pieces: Sequence[_Piece]) -> Iterator[_Piece]:
    """Changes with nothing but spaces between them are one, as people would mark them."""
    left: list[str] = []
    right: list[str] = []
    for number, (is_same, removed, added) in enumerate(pieces):
        is_between = 0 < number < len(pieces) - 1 and not _count(removed)
        if is_same and not is_between:
            if left or right:
                yield False, left, right
            left, right = [], []
            yield True, removed, added
        else:
            left += removed
            right += added
    if left or right:
        yield False, left, right


def _shortened(changes: Sequence[Change]) -> Iterator[Change]:
    """Without the paragraphs that are the same and not beside a change."""
    left_out = 0
    for number, change in enumerate(changes):
        beside = changes[max(0, number - 1) : number + 2]
        if change.kind == "same" and all(other.kind == "same" for other in beside):
            left_out += 1
            continue
        if left_out:
            yield Change("same", (), left_out)
            left_out = 0
        yield change
    if left_out:
        yield Change("same", (), left_out)


def _aligned(old: Sequence[str], new: Sequence[str]) -> Iterator[_Piece]:
    """Both sides in pieces, one after another: those that are the same, and those that are not."""
    pairs = [*_matching(old, new), (len(old), len(new))]
    at = [0, 0]
    same: list[str] = []
    for left, right in pairs:
        if left > at[0] or right > at[1]:
            if same:
                yield True, same, same
                same = []
            yield False, old[at[0] : left], new[at[1] : right]
        if left < len(old):
            same.append(old[left])
        at = [left + 1, right + 1]
    if same:
        yield True, same, same


def _matching(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Places of what is the same, rising on both sides."""
    waiting = [(0, len(old), 0, len(new))]
    while waiting:
        start, end, begin, stop = waiting.pop()
        if start == end and begin == stop:
            continue
        if end - start == 1 and stop - begin == 1 and old[start] == new[begin]:
            yield start, begin
            continue
        while start < end and begin < stop and old[start] == new[begin]:
            yield start, begin
            start, begin = start + 1, begin + 1
        tail = 0
        while tail < min(end - start, stop - begin) and old[end - 1 - tail] == new[stop - 1 - tail]:
            tail += 1
        # what is the same at the end comes last, one by one
        waiting += [(end - 1 - n, end - n, stop - 1 - n, stop - n) for n in range(tail)]
        end, stop = end - tail, stop - tail
        if start == end or begin == stop:
            continue
        anchors = _anchors(old, new, start, end, begin, stop)
        if anchors:
            rest = []
            for left, right in anchors:
                rest += [(start, left, begin, right), (left, left + 1, right, right + 1)]
                start, begin = left + 1, right + 1
            waiting += reversed([*rest, (start, end, begin, stop)])
        elif (end - start) * (stop - begin) <= _SHORT:
            matcher = SequenceMatcher(None, old[start:end], new[begin:stop], autojunk=False)
            for block in matcher.get_matching_blocks():
                yield from ((start + block.a + n, begin + block.b + n) for n in range(block.size))


def _anchors(
    old: Sequence[str], new: Sequence[str], start: int, end: int, begin: int, stop: int
) -> list[tuple[int, int]]:
    """The longest rising row of what both sides have once. O(n log n)."""
    counts = Counter(old[start:end])
    others = Counter(new[begin:stop])
    places = {text: number for number, text in enumerate(new[begin:stop], begin) if others[text] == 1}
    pairs = [(n, places[old[n]]) for n in range(start, end) if counts[old[n]] == 1 and old[n] in places]
    ends: list[int] = []
    rows: list[int] = []
    before: list[int] = []
    for number, (_, right) in enumerate(pairs):
        place = bisect_left(ends, right)
        before.append(rows[place - 1] if place else -1)
        ends[place : place + 1], rows[place : place + 1] = [right], [number]
    found = []
    number = rows[-1] if rows else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]
