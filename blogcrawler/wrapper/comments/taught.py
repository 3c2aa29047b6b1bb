"""Which parts of pages are comments, where the posts' own comment feeds tell some of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.dom import fragment, inline_text
from blogcrawler.similarity import Alphabet
from blogcrawler.wrapper.comments.lines import day_line
from blogcrawler.wrapper.comments.matching import MOST, match
from blogcrawler.wrapper.comments.region import Region

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.items import Comment
    from blogcrawler.wrapper.comments.units import Unit
    from blogcrawler.wrapper.comments.view import View


class Teacher:
    """What the comment feeds of some pages tell."""

    def __init__(self, told: Sequence[Sequence[Comment] | None]) -> None:
        self._alphabet = Alphabet()
        self.texts = [None if comments is None else [_said(one) for one in comments] for comments in told]
        self._told = [None if comments is None else self._sets(comments) for comments in told]

    @property
    def knows(self) -> bool:
        """Does any feed have a comment?"""
        return any(self._told)

    def score(self, views: Sequence[View], units: Sequence[Sequence[Unit]]) -> float:
        """How well parts of the pages are the feeds' comments, 0 to 1; 0 where there are fewer on most pages.

        Pages whose feeds are empty speak against what is found there. O(n) but for the matching.
        """
        scores, short = [], 0
        for view, found, told in zip(views, units, self._told, strict=True):
            if told is None or (not told and not found):
                continue
            if len(found) < len(told):
                short += 1
                scores.append(0.0)
                continue
            texts = [self._alphabet.read(_text(view, unit))[1] for unit in found[: 2 * MOST]]
            pairs = match(texts, told) if told else []
            scores.append(sum(weight for *_, weight in pairs) / max(1, len(told)))
        return 0.0 if not scores or 2 * short > len(scores) else sum(scores) / len(scores)

    def _sets(self, comments: Sequence[Comment]) -> list[int]:
        return [self._alphabet.read(_said(comment))[1] for comment in comments]


def _said(comment: Comment) -> str:
    return comment.content_text or inline_text(fragment(comment.content_html or ""))


def _text(view: View, unit: Unit) -> str:
    line = day_line(view, unit.anchor) if unit.anchor is not None else ()
    return " ".join(text for number, (_, _, text) in Region(view, unit).numbered if number not in line)
