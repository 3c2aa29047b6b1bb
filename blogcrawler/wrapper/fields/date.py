"""The date of publication: the node whose text reads as the feed's day, nearest to the article.

The paper writes the feed's date in eight forms and compares each with the page. Reading what the page says is stronger:
it knows every form that a theme might use, and what it reads is the value of the field. So the target is a day, and a
node scores when its text reads as that day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Self

from blogcrawler.dates import Moment, date_in_url, read_date, settle_order
from blogcrawler.wrapper.induce import TOLERANCE, Learned, NodeScores, induce
from blogcrawler.wrapper.rules import OWN_TEXT, select
from blogcrawler.wrapper.training import DateReader, languages_of
from blogcrawler.wrapper.values import value_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.rules import Rule
    from blogcrawler.wrapper.training import TrainingPage
    from blogcrawler.wrapper.values import Value

__all__ = ["DateScores", "Dates", "learn_dates"]

MINIMUM = 0.5
LONGEST = 300
"""Characters of a text that a date is looked for in."""
SAME_MINUTE, SAME_DATE, SAME_DAY, NEXT_DAY = 1.0, 0.98, 0.9, 0.88
"""Scores of what a text reads as: the feed's moment; its date as written; one within 24 hours; the day before or after,
as two time zones may have it."""
REVISED = re.compile(r"modif|updat", re.IGNORECASE)
"""Properties of the vocabularies (schema.org, Open Graph) that tell when a post was last changed."""
NUMBER = re.compile(r"\d+")
ALL_IN_ONE = re.compile(r"\d{8}")
OTHERWISE = re.compile("[\u0600-\u1dff年]")
"""Scripts with digits or a calendar of their own, and years of eras."""
UNWANTED = 0.03
WORDY = 0.002
"""For each character besides the date."""
DISTANCE = 0.01
FAR = 15
DATA = 0.02
"""An attribute made for machines tells the time and zone too."""
MAX_NODES = 3


@dataclass(frozen=True)
class Dates:
    """How to get the date from a page."""

    rules: tuple[Learned, ...] = ()
    #: order of day, month and year in numbers: DMY, MDY or YMD; None where no training page needs one
    order: str | None = None
    languages: tuple[str, ...] = ()
    #: is the offset that the pages tell the right one? Some themes write local time and call it UTC.
    trusts_offset: bool = True
    #: share of the training pages whose URL holds the date
    url_support: float = 0.0

    def extract(self, tree: HtmlElement, url: str | None) -> tuple[Moment, Learned | None] | None:
        """The date, and the rule that found it; no rule where it stands in the URL."""
        languages = tuple(dict.fromkeys((*filter(None, [tree.get("lang")]), *self.languages)))
        for learned in self.rules:
            for node in select(tree, learned.rule.xpath)[:MAX_NODES]:
                text = value_at(node, learned.rule.attribute)[:LONGEST]
                moment = read_date(text, languages, self.order)
                if moment is not None:
                    return moment if self.trusts_offset else moment.without_offset(), learned
        if url and self.url_support >= MINIMUM:
            moment = date_in_url(url)
            if moment is not None:
                return moment, None
        return None

    def to_dict(self) -> dict[str, Any]:
        """JSON types only."""
        return {
            "rules": [rule.to_dict() for rule in self.rules],
            "order": self.order,
            "languages": list(self.languages),
            "trusts_offset": self.trusts_offset,
            "url_support": self.url_support,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The object of `to_dict`."""
        rules = tuple(Learned.from_dict(item) for item in data["rules"])
        return cls(rules, data["order"], tuple(data["languages"]), data["trusts_offset"], data["url_support"])


def learn_dates(pages: Sequence[TrainingPage]) -> Dates:
    """Rules for the date. O(n) in the size of the pages."""
    days = [(page, day) for page in pages if (day := _day(page)) is not None]
    if not days:
        return Dates()
    languages = languages_of(pages)
    reader = DateReader(languages)
    rules = induce([DateScores(page, day, reader) for page, day in days], MINIMUM)
    shown = [
        (value_at(node, learned.rule.attribute)[:LONGEST], day)
        for learned in rules
        for page, day in days
        for node in select(page.tree, learned.rule.xpath)[:1]
    ]
    order = settle_order(shown)
    moments = [(moment, day) for text, day in shown if (moment := read_date(text, languages, order)) is not None]
    in_url = sum((moment := date_in_url(page.url)) is not None and moment.same_day(day) for page, day in days)
    return Dates(rules, order, languages, _offsets_agree(moments), in_url / len(days))


class _Near:
    """A cheap test for texts that may name a day or one beside it: reading takes fifty times as long."""

    def __init__(self, day: Moment) -> None:
        dates = [day.date + timedelta(days=apart) for apart in (-1, 0, 1)]
        self._years = {form for date in dates for form in (str(date.year), f"{date.year % 100:02}")}
        self._year = re.compile("|".join({f"{date.year % 100:02}" for date in dates}))
        self._days = {form for date in dates for form in (str(date.day), f"{date.day:02}")}

    def may_name(self, folded: str) -> bool:
        """Does a text have numbers of such a year and day, or may it write them otherwise?"""
        if self._year.search(folded):
            numbers = NUMBER.findall(folded)
            if ALL_IN_ONE.match(folded) or not (self._days.isdisjoint(numbers) or self._years.isdisjoint(numbers)):
                return True
        return not folded.isascii() and OTHERWISE.search(folded) is not None


class DateScores(NodeScores):
    """Scores of the texts that read as a day, less a little for other words and for the distance to the article.

    Texts are read from the one that might score most, and only as long as they may come near the best.
    """

    def __init__(self, page: TrainingPage, day: Moment, reader: DateReader) -> None:
        super().__init__(page.tree, {})
        self._day, self._reader = day, reader
        near = _Near(day)
        self._values = {
            (value.node, value.attribute): (_reward(value, page.distances), value.text)
            for value in page.values
            if len(value.text) <= LONGEST and near.may_name(value.folded)
        }
        for place, (reward, _) in sorted(self._values.items(), key=lambda item: -item[1][0]):
            if SAME_MINUTE + reward < self.best - TOLERANCE:
                break
            self.best = max(self.best, self._score(place))

    def score(self, rule: Rule) -> float:
        """The score of the first node that a rule selects."""
        nodes = select(self.tree, rule.xpath)
        return self._score((nodes[0], rule.attribute)) if nodes else 0.0

    def _score(self, place: tuple[HtmlElement, str]) -> float:
        if place not in self.of and place in self._values:
            reward, text = self._values[place]
            likeness = max((_likeness(moment, self._day) for moment in self._reader.moments(text)), default=0.0)
            self.of[place] = likeness + reward if likeness else 0.0
        return self.of.get(place, 0.0)


def _reward(value: Value, distances: Sequence[int]) -> float:
    """What is added to the score of a text for its form and its place."""
    reward = -WORDY * min(50, max(0, len(value.text) - 10))
    if value.attribute in {"", OWN_TEXT}:
        reward -= DISTANCE * min(FAR, distances[value.position])
    else:
        reward += DATA
    if any(REVISED.search(str(value.node.get(name, ""))) for name in ("property", "itemprop", "name")):
        reward -= UNWANTED
    return reward


def _offsets_agree(moments: Iterable[tuple[Moment, Moment]]) -> bool:
    """Are most moments that pages tell to the minute, with an offset, those of the feed?"""
    apart = [minutes for read, day in moments if (minutes := read.minutes_from(day)) is not None]
    return 2 * sum(minutes == 0 for minutes in apart) >= len(apart)


def _likeness(read: Moment, day: Moment) -> float:
    if read.minutes_from(day) == 0:
        return SAME_MINUTE
    if read.date == day.date:
        return SAME_DATE
    if read.same_day(day):
        return SAME_DAY
    return NEXT_DAY if abs((read.date - day.date).days) == 1 else 0.0


def _day(page: TrainingPage) -> Moment | None:
    return Moment.parse_iso(page.entry.published) if page.entry.published else None
