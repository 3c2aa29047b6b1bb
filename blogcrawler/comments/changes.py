"""Changes of a post's comments since an earlier crawl: each keeps the id that it had."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments import align

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.comments.crawl import Crawl
    from blogcrawler.items import Comment, Record

logger = logging.getLogger(__name__)


def compare(record: Record, earlier: Sequence[Comment], crawl: Crawl, *, is_whole: bool) -> None:
    """Give the comments of a record the ids that they had in an earlier crawl, and count what has changed."""
    record.comments = in_known_terms(record.comments, earlier)
    found = changes(record.comments, earlier, is_whole=is_whole)
    if found:
        numbers = ", ".join(f"{count} {name}" for name, count in found.items())
        logger.info("Comments of %s since the last crawl: %s.", record.url, numbers)
    for name, count in found.items():
        crawl.count(f"since/{name}", count)


def in_known_terms(comments: Sequence[Comment], earlier: Sequence[Comment]) -> list[Comment]:
    """The comments with the ids of an earlier crawl, maybe of another source. O(n) but for those that differ."""
    here, known = ({comment.id for comment in side if comment.id} for side in (comments, earlier))
    strangers = [comment for comment in comments if comment.id not in known]
    missing = [comment for comment in earlier if comment.id not in here]
    if not strangers or not missing:
        return list(comments)
    aligned = iter(align(strangers, missing).comments)
    return [comment if comment.id in known else next(aligned) for comment in comments]


def changes(comments: Sequence[Comment], earlier: Sequence[Comment], *, is_whole: bool) -> dict[str, int]:
    """Numbers of comments that are `new`, `edited` or `gone`, if there are any; gone only if these are all. O(n)."""
    before, now = (
        {_key(comment): fold(comment.content_text or "") for comment in side} for side in (earlier, comments)
    )
    edited = sum(before[key] != text for key, text in now.items() if key in before)
    gone = len(before.keys() - now.keys()) if is_whole else 0
    numbers = {"new": len(now.keys() - before.keys()), "edited": edited, "gone": gone}
    return {name: number for name, number in numbers.items() if number}


def _key(comment: Comment) -> tuple[str | None, ...]:
    """Identity of a comment; those without an id cannot be edited, only replaced."""
    text = fold(comment.content_text or "")
    return (comment.id,) if comment.id else (comment.author, (comment.published or "")[:10], text)
