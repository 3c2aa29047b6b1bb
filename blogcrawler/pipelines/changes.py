"""What has become of a post's comments since an earlier crawl: each keeps the id that it had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments import align

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.items import Comment

__all__ = ["Changes", "changes", "in_known_terms"]


@dataclass(frozen=True)
class Changes:
    """How many comments of a post are new, say something else than before, or are gone."""

    new: int = 0
    edited: int = 0
    gone: int = 0

    def __str__(self) -> str:
        told = {"new": self.new, "edited": self.edited, "gone": self.gone}
        return ", ".join(f"{count} {name}" for name, count in told.items() if count)


def in_known_terms(comments: Sequence[Comment], earlier: Sequence[Comment]) -> list[Comment]:
    """The comments, with the ids under which an earlier crawl knew them. O(n) but for those in other terms.

    Another source may tell them now ("c12" on a page, where a feed said "comment-12").
    """
    here, known = ({comment.id for comment in side if comment.id} for side in (comments, earlier))
    strangers = [comment for comment in comments if comment.id not in known]
    missing = [comment for comment in earlier if comment.id not in here]
    if not strangers or not missing:
        return list(comments)
    aligned = iter(align(strangers, missing).comments)
    return [comment if comment.id in known else next(aligned) for comment in comments]


def changes(comments: Sequence[Comment], earlier: Sequence[Comment], *, is_whole: bool) -> Changes:
    """What has changed; nothing is known to be gone unless these are all comments. O(n)."""
    before, now = (
        {_key(comment): fold(comment.content_text or "") for comment in side} for side in (earlier, comments)
    )
    edited = sum(before[key] != text for key, text in now.items() if key in before)
    return Changes(len(now.keys() - before.keys()), edited, len(before.keys() - now.keys()) if is_whole else 0)


def _key(comment: Comment) -> tuple[str | None, ...]:
    """What a comment is known by; those without an id cannot be edited, only replaced."""
    text = fold(comment.content_text or "")
    return (comment.id,) if comment.id else (comment.author, (comment.published or "")[:10], text)
