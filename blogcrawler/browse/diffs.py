"""What differs between two versions of a post: fields, text by paragraphs and then by words, and comments.

Times are bounded: of very long sides, what lies between the first difference and the last one is one change.
"""

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
"""Whether both sides are the same, and the words of each side."""
_FIELDS = ("url", "title", "authors", "published", "updated", "tags", "language", "guid", "comment_count")
_BLANK = re.compile(r"\n\s*\n")
_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_MOST = 4_000_000
"""Pairs of paragraphs or words that are compared at most."""
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
    """How many at the beginning of both sides are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
