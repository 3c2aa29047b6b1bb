"""The comments of one post from all of its sources: how they are merged into its record, and what has changed since an
earlier crawl."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from blogcrawler.feeds.comments import by_time, merge
from blogcrawler.items import FieldSource
from blogcrawler.routes import out_of_path
from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments import align

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.comments.crawl import Crawl
    from blogcrawler.items import Comment, Record

CONFIDENCE, CUT_CONFIDENCE = 0.99, 0.8
"""Confidence in the comments of a complete source, and of an incomplete one."""

logger = logging.getLogger(__name__)


@dataclass
class Gathered:
    """The comments of a post from the sources that have answered."""

    #: a list from each source, the best first
    parts: list[list[Comment]] = field(default_factory=list)
    #: the list of a service that is embedded in the page beside the blog's own comments
    embedded: list[Comment] | None = None
    #: names of the endpoints that have answered
    systems: list[str] = field(default_factory=list)
    #: True if a source claims to have all comments
    is_whole: bool = False
    #: True if no source was requested, since the page has no sign of comments
    is_empty: bool = False
    #: True if a source indicates that some are missing
    is_cut: bool = False
    #: True if a source that may know the post was temporarily unavailable
    is_late: bool = False
    #: number that a source announces
    total: int | None = None
    #: rule that found some of them in the page, and its confidence
    rule: str | None = None
    rule_confidence: float = 0.0
    #: cached result of `comments`
    _own: list[Comment] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def is_answered(self) -> bool:
        """True if a source that knows the post has answered."""
        return bool(self.parts)

    @property
    def found(self) -> int:
        """Number of comments of the source that has the most."""
        return max(map(len, self.parts), default=0)

    @property
    def own_parts(self) -> list[list[Comment]]:
        """The lists of the blog's own comments."""
        return [part for part in self.parts if part is not self.embedded]

    @property
    def comments(self) -> list[Comment]:
        """The blog's own comments from all sources, without duplicates."""
        if self._own is None:
            self._own = merge([], *self.own_parts)
        return self._own

    def add(self, comments: Sequence[Comment], system: str = "", *, is_whole: bool, is_embedded: bool = False) -> None:
        """Add the comments of a source; unless it `is_whole`, it lacks some. A service that is embedded may have all of
        its own comments, while the blog has others."""
        self.parts.append(list(comments))
        self._own = None
        self.is_whole |= is_whole
        self.is_cut |= not (is_whole or is_embedded)
        self.systems += [system] if system else []
        self.embedded = self.parts[-1] if is_embedded else self.embedded

    def add_shown(self, comments: list[Comment], *, rule: str, confidence: float) -> None:
        """Add the comments that the post's page shows."""
        before = len(self.comments)
        self.parts.append(comments)
        self._own = None
        if len(self.comments) > before:
            self.rule, self.rule_confidence = rule, confidence


def is_flat(comments: Sequence[Comment]) -> bool:
    """True for several comments without information on replies."""
    return len(comments) > 1 and not any(comment.parent for comment in comments)


def put(record: Record, gathered: Gathered) -> None:
    """Merge the comments into a record, without duplicates and in order of time."""
    if not gathered.is_answered:
        return
    record.comments = [_as_written(comment) for comment in by_time(merge(record.comments, *gathered.parts))]
    found, announced = len(record.comments), record.comment_count
    if gathered.is_whole:
        record.comment_count = found
    elif announced is None:
        record.comment_count = gathered.total
    else:
        record.comment_count = max(found, announced)
    if not found:
        return
    confidence = CONFIDENCE if gathered.is_whole or record.comment_count == found else CUT_CONFIDENCE
    source = FieldSource("feed", ", ".join(gathered.systems) or None, confidence)
    if gathered.rule is not None:
        source = FieldSource("rule", gathered.rule, round(confidence * gathered.rule_confidence, 3))
    record.provenance.fields["comments"] = source


def _as_written(comment: Comment) -> Comment:
    """The comment with its URL as the blog writes it, see `routes`."""
    url = comment.url and out_of_path(comment.url)
    return comment if url == comment.url else replace(comment, url=url)


def compare(record: Record, earlier: Sequence[Comment], crawl: Crawl, *, is_whole: bool) -> None:
    """Give the comments of a record the ids that they had in an earlier crawl, and count what has changed."""
    record.comments = with_earlier_ids(record.comments, earlier)
    numbers_by_kind = changes(record.comments, earlier, is_whole=is_whole)
    if numbers_by_kind:
        numbers = ", ".join(f"{count} {name}" for name, count in numbers_by_kind.items())
        logger.info("Comments of %s since the last crawl: %s.", record.url, numbers)
    for name, count in numbers_by_kind.items():
        crawl.count(f"since/{name}", count)


def with_earlier_ids(comments: Sequence[Comment], earlier: Sequence[Comment]) -> list[Comment]:
    """The comments with the ids that they had in an earlier crawl, which may have used another source. O(n), except for
    comments whose ids differ."""
    here, known = ({comment.id for comment in side if comment.id} for side in (comments, earlier))
    strangers = [comment for comment in comments if comment.id not in known]
    missing = [comment for comment in earlier if comment.id not in here]
    if not strangers or not missing:
        return list(comments)
    aligned = iter(align(strangers, missing).comments)
    return [comment if comment.id in known else next(aligned) for comment in comments]


def changes(comments: Sequence[Comment], earlier: Sequence[Comment], *, is_whole: bool) -> dict[str, int]:
    """Numbers of comments that are `new`, `edited` or `gone`; numbers of 0 are left out. O(n). Missing comments count
    as gone only if `comments` `is_whole`."""
    before, now = (
        {_key(comment): fold(comment.content_text or "") for comment in side} for side in (earlier, comments)
    )
    edited = sum(before[key] != text for key, text in now.items() if key in before)
    gone = len(before.keys() - now.keys()) if is_whole else 0
    numbers = {"new": len(now.keys() - before.keys()), "edited": edited, "gone": gone}
    return {name: number for name, number in numbers.items() if number}


def _key(comment: Comment) -> tuple[str | None, ...]:
    """The identity of a comment. For a comment without an id, the text belongs to it: an edited one counts as another
    comment."""
    text = fold(comment.content_text or "")
    return (comment.id,) if comment.id else (comment.author, (comment.published or "")[:10], text)
