"""From entries of several documents to the comments of a post: parents are found, duplicates merged."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from datetime import datetime
from itertools import accumulate
from typing import TYPE_CHECKING

from blogcrawler.similarity import fold

from .read import anchor_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from blogcrawler.items import Comment

    from .read import FeedComment

LONG = 60
"""Characters of a text that nobody writes twice below one post."""
_SAID = "said"
_NUMBER_AT_END = re.compile(r"(?<!\d)(\d{1,25})$")


def thread(entries: Sequence[FeedComment]) -> list[Comment]:
    """The comments of entries, each once, with the ids of those that they answer. O(n) in the entries.

    What an entry answers is another one's guid or address, or an address with the fragment of a comment. Blogger names
    it by an address of its own that ends with the number that the other's guid and id end with, so that form is
    learned.
    """
    known: dict[str, FeedComment] = {}
    for entry in entries:
        known.setdefault(entry.comment.id or f" {len(known)}", entry)
    ids = {name: entry.comment.id for entry in known.values() for name in entry.names if entry.comment.id}
    prefix, own = _prefix(known.values()), set(ids.values())
    return [replace(entry.comment, parent=_parent(entry, ids, own, prefix)) for entry in known.values()]


def _parent(entry: FeedComment, ids: dict[str, str], known: set[str], prefix: str | None) -> str | None:
    own = entry.comment.id
    for answer in entry.answers:
        numbered = _NUMBER_AT_END.search(answer)
        guessed = f"{prefix}{numbered[1]}" if numbered and prefix is not None else None
        named = ids.get(answer) or anchor_of(answer) or (guessed if guessed in known else None)
        if named and named != own:
            return named
    return None


def _prefix(entries: Iterable[FeedComment]) -> str | None:
    """The prefix of ids before the number that ends the guid, if most entries have the same."""
    found: Counter[str | None] = Counter()
    for entry in entries:
        number = _NUMBER_AT_END.search(entry.names[0]) if entry.names else None
        own = entry.comment.id or ""
        found[own.removesuffix(number[1]) if number and own.endswith(number[1]) and own != number[1] else None] += 1
    prefix, count = found.most_common(1)[0] if found else (None, 0)
    return prefix if 2 * count > found.total() and prefix is not None and len(prefix) <= 40 else None


def merge(first: Sequence[Comment], *others: Sequence[Comment]) -> list[Comment]:
    """The comments of several sources, each once; what the first source does not know of one, another may. O(n).

    Two are one if their ids or addresses are the same, or author, text and day (of long texts, author and text).
    Sources may write ids in different terms ("12" and "comment-12"): parents follow those of the comment that is kept.
    """
    kept: list[Comment] = []
    places: dict[tuple[str, ...], int] = {}
    for source in (first, *others):
        _take_in(source, kept, places)
    return kept


def _take_in(source: Sequence[Comment], kept: list[Comment], places: dict[tuple[str, ...], int]) -> None:
    own: set[int] = set()
    at: list[int] = []
    fresh: set[int] = set()
    for comment in source:
        place = _place(comment, places, own)
        if place is None:
            place = len(kept)
            kept.append(comment)
            fresh.add(place)
        own.add(place)
        at.append(place)
        for key in _keys(comment):
            places.setdefault(key, place)
    terms = {comment.id: kept[place].id for comment, place in zip(source, at, strict=True) if comment.id}
    for comment, place in zip(source, at, strict=True):
        told = replace(comment, parent=terms.get(comment.parent or "") or comment.parent)
        kept[place] = told if place in fresh else _joined(kept[place], told)
        fresh.discard(place)


def _place(comment: Comment, places: dict[tuple[str, ...], int], own: set[int]) -> int | None:
    """Index of an equal comment, or None. Two of one source are equal only by id or address: people repeat words."""
    for key in _keys(comment):
        place = places.get(key)
        if place is not None and (key[0] != _SAID or place not in own):
            return place
    return None


def _joined(one: Comment, other: Comment) -> Comment:
    known = {name: value for name, value in vars(one).items() if value is not None}
    kind = "pingback" if "pingback" in (one.kind, other.kind) else "comment"
    return replace(other, **{**known, "kind": kind})


def _keys(comment: Comment) -> Iterator[tuple[str, ...]]:
    """What identifies a comment, the surest first."""
    if comment.id:
        yield ("id", comment.id)
    if comment.url and "#" in comment.url:
        yield ("url", comment.url)
    text = fold(comment.content_text or "")
    if text and comment.published:
        yield (_SAID, fold(comment.author or ""), text, comment.published[:10])
    if len(text) >= LONG:
        yield (_SAID, fold(comment.author or ""), text)


def by_time(comments: Sequence[Comment]) -> list[Comment]:
    """The comments from first to last, each without a date behind the one before it. O(n log n).

    Where only some dates tell their zone, local times decide; of equal ones the numbers that ids end with.
    """
    times = [_time(comment.published) for comment in comments]
    if not any(times):
        return list(comments)
    is_mixed = len({time.tzinfo is None for time in times if time}) > 1
    told = [time.replace(tzinfo=None) if time and is_mixed else time for time in times]
    keys = [(time, _number(comment)) if time else None for time, comment in zip(told, comments, strict=True)]
    known = list(accumulate(keys, lambda before, key: key or before, initial=min(filter(None, keys))))[1:]
    order = sorted(range(len(comments)), key=known.__getitem__)
    return [comments[at] for at in order]


def _time(published: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(published) if published else None
    except ValueError:
        return None


def _number(comment: Comment) -> int:
    found = _NUMBER_AT_END.search(comment.id or "")
    return int(found[1]) if found else 0
