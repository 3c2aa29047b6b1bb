"""The comments of one post from all of its sources, and how they are put into its record."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from blogcrawler.feeds.comments import by_time, merge
from blogcrawler.items import FieldSource
from blogcrawler.routes import out_of_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.items import Comment, Record

CONFIDENCE, CUT_CONFIDENCE = 0.99, 0.8
"""In comments of a source that has all of them, and of one that lacks some."""


@dataclass
class Gathered:
    """The comments of a post, as far as its sources have answered."""

    #: a list from each source, the best first
    parts: list[list[Comment]] = field(default_factory=list)
    #: the one of a service that is embedded in the page beside the blog's own comments
    embedded: list[Comment] | None = None
    #: names of the endpoints that have answered
    systems: list[str] = field(default_factory=list)
    #: True if a source has all comments, as far as it tells
    is_whole: bool = False
    #: True if none was asked, since the page has nothing where others have comments
    is_empty: bool = False
    #: True if a source lacks some, as far as it tells
    is_cut: bool = False
    #: True if a source that may know the post gave no answer for now
    is_late: bool = False
    #: number that a source announces
    total: int | None = None
    #: rule by which some were found in the page, and its confidence
    rule: str | None = None
    rule_confidence: float = 0.0

    @property
    def is_answered(self) -> bool:
        """True if a source has answered that knows the post."""
        return bool(self.parts)

    @property
    def found(self) -> int:
        """Number of comments of the source that has most."""
        return max(map(len, self.parts), default=0)

    @property
    def own_parts(self) -> list[list[Comment]]:
        """The lists of the blog's own comments."""
        return [part for part in self.parts if part is not self.embedded]

    @property
    def comments(self) -> list[Comment]:
        """The blog's own of all sources, each once."""
        return merge([], *self.own_parts)

    def add(self, comments: Sequence[Comment], system: str = "", *, is_whole: bool, is_embedded: bool = False) -> None:
        """Take in the comments of a source, which lacks some unless it `is_whole`.

        Beside all comments of a service that is embedded the blog may have comments of its own.
        """
        self.parts.append(list(comments))
        self.is_whole |= is_whole
        self.is_cut |= not (is_whole or is_embedded)
        self.systems += [system] if system else []
        self.embedded = self.parts[-1] if is_embedded else self.embedded

    def add_shown(self, comments: list[Comment], *, rule: str, confidence: float) -> None:
        """Take in the comments that the post's page shows."""
        before = len(self.comments)
        self.parts.append(comments)
        if len(self.comments) > before:
            self.rule, self.rule_confidence = rule, confidence


def is_flat(comments: Sequence[Comment]) -> bool:
    """True for several comments that do not tell who answers whom."""
    return len(comments) > 1 and not any(comment.parent for comment in comments)


def put(record: Record, gathered: Gathered) -> None:
    """Put the comments into a record, each once, from the first to the last."""
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
    """A comment with its address as the blog writes it, see `routes`."""
    url = comment.url and out_of_path(comment.url)
    return comment if url == comment.url else replace(comment, url=url)
