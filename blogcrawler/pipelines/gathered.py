"""The comments of a post, as its sources have told them, and how they are put into its record."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from blogcrawler.feeds.comments import by_time, merge
from blogcrawler.items import FieldSource
from blogcrawler.routes import out_of_path

if TYPE_CHECKING:
    from blogcrawler.items import Comment, Record

__all__ = ["Gathered", "put"]

CONFIDENCE, CUT_CONFIDENCE = 0.99, 0.8
"""In comments of a source that has all of them, and of one that lacks some."""


@dataclass
class Gathered:
    """The comments of a post, as far as its sources have told them: each source's are a list, the best first."""

    parts: list[list[Comment]] = field(default_factory=list)
    #: those of services that are embedded in the page beside the blog's own
    embedded: list[Comment] = field(default_factory=list)
    #: names of the endpoints that have told some
    systems: list[str] = field(default_factory=list)
    #: has a source answered that knows the post?
    is_answered: bool = False
    #: does a source have all comments, as far as it tells?
    is_whole: bool = False
    #: was none asked, since the page has nothing where others have comments?
    is_empty: bool = False
    #: does one lack some, as far as it tells?
    is_cut: bool = False
    #: has one that may know the post no answer at the time?
    is_late: bool = False
    #: what a source announces
    total: int | None = None
    #: by which some were found in the page, and how sure that is
    rule: str | None = None
    rule_confidence: float = 0.0

    @property
    def found(self) -> int:
        """Comments of the source that told most."""
        return max(map(len, self.parts), default=0)

    @property
    def has_told_own(self) -> bool:
        """Has a source of the blog's own comments answered?"""
        return any(part is not self.embedded for part in self.parts)

    @property
    def comments(self) -> list[Comment]:
        """The blog's own of all sources, each once."""
        return merge([], *(part for part in self.parts if part is not self.embedded))

    def add(
        self,
        comments: list[Comment],
        *,
        is_whole: bool,
        is_cut: bool | None = None,
        total: int | None = None,
        system: str = "",
    ) -> None:
        """Take in what a source told. One that is not `is_whole` lacks some, unless it is told not to be `is_cut`."""
        self.parts.append(comments)
        self.is_cut |= not is_whole if is_cut is None else is_cut
        self.is_answered = True
        self.is_whole |= is_whole
        self.total = total if total is not None else self.total
        self.systems += [system] if system else []

    def add_embedded(self, comments: list[Comment], system: str) -> None:
        """Take in all that an embedded service told; the blog may have comments of its own besides."""
        self.embedded = comments
        self.add(comments, is_whole=False, is_cut=False, system=system)

    def add_shown(self, comments: list[Comment], *, rule: str, confidence: float) -> None:
        """Take in what the post's page shows."""
        before = len(self.comments)
        self.parts.append(comments)
        self.is_answered = True
        if len(self.comments) > before:
            self.rule, self.rule_confidence = rule, confidence

    def source(self, *, is_whole: bool) -> FieldSource:
        """Where the comments came from."""
        confidence = CONFIDENCE if is_whole else CUT_CONFIDENCE
        if self.rule is not None:
            return FieldSource("rule", self.rule, round(confidence * self.rule_confidence, 3))
        return FieldSource("feed", ", ".join(self.systems) or None, confidence)


def _as_written(comment: Comment) -> Comment:
    """A comment with its address as the blog writes it, see `routes`."""
    url = comment.url and out_of_path(comment.url)
    return comment if url == comment.url else replace(comment, url=url)


def put(record: Record, gathered: Gathered) -> None:
    """Put what was gathered into a record, each comment once, from the first to the last."""
    if not gathered.is_answered:
        return
    merged = by_time(merge(record.comments, *gathered.parts))
    record.comments = [_as_written(comment) for comment in merged]
    found, told = len(record.comments), record.comment_count
    if gathered.is_whole or (told is not None and told < found):
        record.comment_count = max(found, told or 0) if not gathered.is_whole else found
    elif told is None:
        record.comment_count = gathered.total
    if found:
        is_whole = gathered.is_whole or record.comment_count == found
        record.provenance.fields["comments"] = gathered.source(is_whole=is_whole)
