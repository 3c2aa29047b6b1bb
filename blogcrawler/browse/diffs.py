"""Differences between two versions of a post: fields, text (by paragraph, then by word), and comments. The running time
is bounded: in very long texts, everything between the first and the last difference is one change."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from blogcrawler.items import Comment, Record

Kind = Literal["same", "removed", "added"]
_Piece: TypeAlias = "tuple[bool, Sequence[str], Sequence[str]]"
"""Whether both sides are equal, and the words of each side."""
_FIELDS = ("url", "title", "authors", "published", "updated", "tags", "language", "guid", "comment_count")
_BLANK = re.compile(r"\n\s*\n")
_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_MOST = 4_000_000
"""Largest number of compared pairs of paragraphs or words."""
_ALIKE = 0.4
"""Smallest share of common words of two paragraphs that count as one changed paragraph."""


@dataclass(frozen=True)
class Part:
    """A run of words."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Change:
    """A paragraph that is unchanged, added, removed, or changed in some words."""

    kind: Literal["same", "removed", "added", "changed"]
    parts: tuple[Part, ...]
    #: number of unchanged paragraphs that are left out here
    left_out: int = 0


@dataclass(frozen=True)
class FieldChange:
    name: str
    before: str
    after: str


@dataclass(frozen=True)
class CommentChange:
    kind: Literal["removed", "added", "edited"]
    comment: Comment
    text: tuple[Change, ...]


def field_changes(before: Record, after: Record) -> list[FieldChange]:
    """Return the fields that differ, except text and comments."""
    differing = []
    for name in _FIELDS:
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            differing.append(FieldChange(name, _as_text(old), _as_text(new)))
    return differing


def _as_text(value: str | int | list[str] | None) -> str:
    return "" if value is None else ", ".join(value) if isinstance(value, list) else str(value)


def text_changes(before: str | None, after: str | None) -> list[Change]:
    """Return the changed paragraphs of two texts, with one unchanged paragraph of context on each side."""
    old, new = (_paragraphs(text) for text in (before, after))
    changes: list[Change] = []
    for is_same, left, right in _aligned(old, new):
        if is_same:
            changes += [Change("same", (Part("same", text),)) for text in left]
        else:
            changes += _replaced(left, right)
    return list(_shortened(changes)) if any(change.kind != "same" for change in changes) else []


def comment_changes(before: Sequence[Comment], after: Sequence[Comment]) -> list[CommentChange]:
    """Return the removed, added and edited comments, in document order."""
    old, new = _numbered(before), _numbered(after)
    differing = [
        CommentChange("removed", comment, (_whole("removed", comment.content_text or ""),))
        for key, comment in old.items()
        if key not in new
    ]
    for key, comment in new.items():
        if key not in old:
            differing.append(CommentChange("added", comment, (_whole("added", comment.content_text or ""),)))
        elif _said(old[key]) != _said(comment):
            text = text_changes(old[key].content_text, comment.content_text)
            differing.append(CommentChange("edited", comment, tuple(text)))
    return differing


def _said(comment: Comment) -> tuple[str | None, ...]:
    return comment.author, comment.content_text, comment.content_html


def _numbered(comments: Sequence[Comment]) -> dict[tuple[object, ...], Comment]:
    """Return comments by ID; comments without one by their content and its number of earlier occurrences."""
    numbered: dict[tuple[object, ...], Comment] = {}
    occurrences: Counter[tuple[object, ...]] = Counter()
    for comment in comments:
        key: tuple[object, ...] = (comment.id,) if comment.id else (comment.author, comment.content_text)
        occurrences[key] += 1
        numbered[*key, occurrences[key]] = comment
    return numbered


def _paragraphs(text: str | None) -> list[str]:
    return [part.strip("\n") for part in _BLANK.split(text or "") if part.strip()]


def _whole(kind: Literal["removed", "added"], text: str) -> Change:
    return Change(kind, (Part(kind, text),))


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    """Return replaced paragraphs: similar pairs word by word, others as a whole."""
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
    """Return two paragraphs word by word; None if they have too few words in common."""
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
    """Join changes that are separated only by spaces."""
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
    """Leave out unchanged paragraphs that are not next to a change."""
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
    """Return the aligned runs of both sides: equal ones and different ones."""
    head = _same(old, new)
    tail = _same(old[head:][::-1], new[head:][::-1])
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    if head:
        yield True, old[:head], new[:head]
    if len(left) * len(right) > _MOST:
        yield False, left, right
    else:
        for tag, start, end, begin, stop in SequenceMatcher(None, left, right).get_opcodes():
            yield tag == "equal", left[start:end], right[begin:stop]
    if tail:
        yield True, old[len(old) - tail :], new[len(new) - tail :]


def _same(old: Sequence[str], new: Sequence[str]) -> int:
    """Return the length of the common prefix."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
