"""Combines entries of several documents into the comments of a post: finds parents and merges duplicates."""

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
"""Length of a text that nobody writes twice below the same post."""
_TEXT = "said"
_NUMBER_AT_END = re.compile(r"(?<!\d)(\d{1,25})$")


def thread(entries: Sequence[FeedComment]) -> list[Comment]:
    """The distinct comments of the entries, with the ids of their parents. O(n) in the entries.

    An entry answers another entry's guid or URL, or a URL with the fragment of a comment. Blogger refers to a comment
    by a different URL, which ends with the same number as its guid and id, so the prefix of the ids is learned.
    """
    by_id: dict[str, FeedComment] = {}
    for entry in entries:
        by_id.setdefault(entry.comment.id or f" {len(by_id)}", entry)
    ids = {name: entry.comment.id for entry in by_id.values() for name in entry.names if entry.comment.id}
    prefix, all_ids = _prefix(by_id.values()), set(ids.values())
    return [replace(entry.comment, parent=_parent(entry, ids, all_ids, prefix)) for entry in by_id.values()]


def _parent(entry: FeedComment, ids: dict[str, str], all_ids: set[str], prefix: str | None) -> str | None:
    own_id = entry.comment.id
    for answer in entry.answers:
        numbered = _NUMBER_AT_END.search(answer)
        guessed = f"{prefix}{numbered[1]}" if numbered and prefix is not None else None
        named = ids.get(answer) or anchor_of(answer) or (guessed if guessed in all_ids else None)
        if named and named != own_id:
            return named
    return None


def _prefix(entries: Iterable[FeedComment]) -> str | None:
    """Return the common prefix of ids such as "c123"; None unless most guids end with the number of the id."""
    prefixes: Counter[str | None] = Counter()
    for entry in entries:
        number = _NUMBER_AT_END.search(entry.names[0]) if entry.names else None
        own_id = entry.comment.id or ""
        prefixes[
            own_id.removesuffix(number[1]) if number and own_id.endswith(number[1]) and own_id != number[1] else None
        ] += 1
    prefix, count = prefixes.most_common(1)[0] if prefixes else (None, 0)
    return prefix if 2 * count > prefixes.total() and prefix is not None and len(prefix) <= 40 else None


def merge(first: Sequence[Comment], *others: Sequence[Comment]) -> list[Comment]:
    """Merge the comments of several sources; values missing in one source are taken from the next. O(n).

    Two comments are equal if their ids or URLs are equal, or author, text and day (for long texts, author and text).
    Sources may write ids differently ("12" and "comment-12"): parents use the ids of the comments that remain.
    """
    merged: list[Comment] = []
    index_by_key: dict[tuple[str, ...], int] = {}
    for source in (first, *others):
        _merge_source(source, merged, index_by_key)
    return merged


def _merge_source(source: Sequence[Comment], merged: list[Comment], index_by_key: dict[tuple[str, ...], int]) -> None:
    own_indices: set[int] = set()
    indices: list[int] = []
    new_indices: set[int] = set()
    for comment in source:
        index = _index_of_equal(comment, index_by_key, own_indices)
        if index is None:
            index = len(merged)
            merged.append(comment)
            new_indices.add(index)
        own_indices.add(index)
        indices.append(index)
        for key in _keys(comment):
            index_by_key.setdefault(key, index)
    terms = {comment.id: merged[index].id for comment, index in zip(source, indices, strict=True) if comment.id}
    for comment, index in zip(source, indices, strict=True):
        with_parent = replace(comment, parent=terms.get(comment.parent or "") or comment.parent)
        merged[index] = with_parent if index in new_indices else _joined(merged[index], with_parent)
        new_indices.discard(index)


def _index_of_equal(comment: Comment, index_by_key: dict[tuple[str, ...], int], own_indices: set[int]) -> int | None:
    """Index of an equal comment; None if there is none.

    Within one source only ids and URLs count, since people repeat words.
    """
    for key in _keys(comment):
        index = index_by_key.get(key)
        if index is not None and (key[0] != _TEXT or index not in own_indices):
            return index
    return None


def _joined(first: Comment, second: Comment) -> Comment:
    values = {name: value for name, value in vars(first).items() if value is not None}
    kind = "pingback" if "pingback" in (first.kind, second.kind) else "comment"
    return replace(second, **{**values, "kind": kind})


def _keys(comment: Comment) -> Iterator[tuple[str, ...]]:
    """The keys that identify a comment, the most reliable first."""
    if comment.id:
        yield ("id", comment.id)
    if comment.url and "#" in comment.url:
        yield ("url", comment.url)
    text = fold(comment.content_text or "")
    if text and comment.published:
        yield (_TEXT, fold(comment.author or ""), text, comment.published[:10])
    if len(text) >= LONG:
        yield (_TEXT, fold(comment.author or ""), text)


def by_time(comments: Sequence[Comment]) -> list[Comment]:
    """Sort the comments by time; a comment without a date stays after its predecessor. O(n log n).

    If only some dates have an offset, local times are compared; equal times are ordered by the numbers at the end of
    the ids.
    """
    times = [_time(comment.published) for comment in comments]
    if not any(times):
        return list(comments)
    is_mixed = len({time.tzinfo is None for time in times if time}) > 1
    local_times = [time.replace(tzinfo=None) if time and is_mixed else time for time in times]
    keys = [(time, _number(comment)) if time else None for time, comment in zip(local_times, comments, strict=True)]
    known = list(accumulate(keys, lambda before, key: key or before, initial=min(filter(None, keys))))[1:]
    order = sorted(range(len(comments)), key=known.__getitem__)
    return [comments[at] for at in order]


def _time(published: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(published) if published else None
    except ValueError:
        return None


def _number(comment: Comment) -> int:
    match = _NUMBER_AT_END.search(comment.id or "")
    return int(match[1]) if match else 0
