"""The date of publication: the node nearest to the article whose text reads as the feed's day.

The paper writes the feed's date in eight forms. Reading the texts of the page instead covers every form that a theme
may use, and yields the value of the field. The page's address is a rule like others: it must agree with the feed.
"""

from __future__ import annotations

import re
from collections import Counter
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from blogcrawler.dates import (
    Moment,
    date_in_url,
    languages_of_month,
    order_of_languages,
    order_shown,
    primary_languages,
    settle_order,
)
from blogcrawler.serialise import stored_as
from blogcrawler.wrapper.core.induce import TOLERANCE, Learned, NodeScores, induce
from blogcrawler.wrapper.core.lists import outside_lists
from blogcrawler.wrapper.core.metadata import REVISED
from blogcrawler.wrapper.core.names import strip
from blogcrawler.wrapper.core.nearness import place_of
from blogcrawler.wrapper.core.place_scores import MINOR, nearness
from blogcrawler.wrapper.core.rules import LINKED, is_text_part
from blogcrawler.wrapper.core.thresholds import CHANCE, NEARLY_ALL, SEVERAL
from blogcrawler.wrapper.core.training import DateReader
from blogcrawler.wrapper.core.values import value_at
from blogcrawler.wrapper.fields.date_rule import LONGEST, DateRule, date_rule
from blogcrawler.wrapper.fields.updated import Updates, labelled_updates, learn_updates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.rules import Rule
    from blogcrawler.wrapper.core.training import LocatedPage
    from blogcrawler.wrapper.core.values import Value

MINIMUM = 0.5
SAME_MINUTE, SAME_DATE, SAME_DAY, NEXT_DAY, SAME_MONTH = 1.0, 0.98, 0.9, 0.88, 0.8
"""Scores of a reading: the feed's moment; its date as written; within 24 hours; the day before or after, because of
time zones; its month, without a day. "3 days ago" scores as within 24 hours if it is right within a day, and "2 weeks
ago" as a month."""
MAX_DATES = 4
"""Maximum number of dates of a text that are tried; more are a list."""
NUMBER = re.compile(r"\d+")
ALL_IN_ONE = re.compile(r"\d{8}")
OTHERWISE = re.compile("[\u0600-\u1dff年]")
"""Scripts with their own digits or calendar, and years of eras."""
WORDY = 0.002
"""Deduction for each character besides the date."""
IN_HEAD = frozenset(["title", "meta", "script", "link"])
"""Elements whose place in the page is irrelevant."""
DAY = 1
"""Number of days that a page's date may be later than the feed's: time zones differ, and posts may appear a day after
their date."""
SHORT = 100
"""Maximum length, in characters, of a text whose date belongs to the theme, and not to a story."""


@dataclass(frozen=True)
class Dates:
    """How to extract the dates from a page."""

    rules: tuple[DateRule, ...] = ()
    #: order of day, month and year in numbers: DMY, MDY or YMD; None if unknown
    order: str | None = None
    languages: tuple[str, ...] = ()
    #: whether the pages' time zone is right; some themes write local time as UTC
    trusts_offset: bool = True
    #: training pages with a date in the URL, and those of them for which it is the feed's
    in_url: int = 0
    url_right: int = 0
    #: without rules: training pages for which a date is guessed, and those for which it is the feed's
    guessed: int = 0
    guess_right: int = 0
    #: folded texts with dates that all training pages share: of the site's last change, of an event
    of_site: frozenset[str] = frozenset()
    updates: Updates = field(default_factory=Updates, metadata=stored_as("updated"))

    def extract(
        self,
        tree: HtmlElement,
        url: str | None,
        fetched: datetime | None = None,
        article: HtmlElement | None = None,
    ) -> tuple[Moment, Learned | None] | None:
        """The date, and its rule or None for the URL; "3 days ago" is relative to `fetched`, if known."""
        languages = self._languages(tree)
        in_url = date_in_url(url) if url and self.trusts_url else None
        certain = in_url if self.in_url == self.url_right >= SEVERAL else None
        for rule in self.rules:
            moment = rule.extract(tree, languages, self.order, fetched, article)
            is_late = moment is not None and certain is not None and (moment.date - certain.date).days > DAY
            if moment is not None and not is_late:
                return moment if self.trusts_offset else moment.without_offset(), rule.learned
        return (in_url, None) if in_url is not None else None

    def shows_date(self, tree: HtmlElement, url: str | None, fetched: datetime | None = None) -> bool:
        """True if a page has a date at the place of posts' dates, even if only that of a change."""
        if self.extract(tree, url, fetched) is not None:
            return True
        languages = self._languages(tree)
        return any(rule.shows_date(tree, languages) for rule in self.rules)

    def extract_updated(
        self, tree: HtmlElement, published: Moment | None, fetched: datetime | None = None
    ) -> tuple[Moment, Learned | str] | None:
        """The time of the last change, if it is after `published`; and the rule or metadata that states it."""
        if published is None or not self.updates:
            return None
        update = self.updates.extract(tree, self._languages(tree), self.order, fetched)
        if update is None:
            return None
        moment = update[0] if self.trusts_offset else update[0].without_offset()
        return (moment, update[1]) if moment.is_after(published) else None

    @property
    def trusts_url(self) -> bool:
        """True if a date in the URL is that of the post."""
        return self.url_right > 0 and self.url_right >= NEARLY_ALL * self.in_url

    @property
    def trusts_guess(self) -> bool:
        """True if at least half of the guessed dates that were tested are those of the posts."""
        return 2 * self.guess_right >= self.guessed

    @property
    def is_tested(self) -> bool:
        """True if a rule, or the date in the URL, or guessing was tested with the feed's days."""
        return bool(self.rules or self.in_url or self.guessed)

    @property
    def url_confidence(self) -> float:
        """Confidence in a date in the URL, 0 to 1, by Laplace's rule of succession."""
        return round((self.url_right + 1) / (self.in_url + 2), 3)

    def _languages(self, tree: HtmlElement) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*filter(None, [tree.get("lang")]), *self.languages)))


def learn_dates(pages: Sequence[LocatedPage], reader: DateReader) -> Dates:
    """Rules for the dates. O(n) in the size of the pages."""
    days = [(page, day) for page in pages if (day := Moment.parse_iso(page.entry.published)) is not None]
    languages = reader.languages
    if not days:
        return Dates((), _order((), pages, languages), languages)
    scores = [page.once(DateScores, day, reader) for page, day in days]
    learned = induce(scores, MINIMUM)
    if any(_stands_behind(rule.rule, pages) for rule in learned):  # comments may be there
        scores = [part.outside_lists(page) for part, (page, _) in zip(scores, days, strict=True)]
        learned = induce(scores, MINIMUM)
    if learned and learned[0].support < CHANCE:
        learned = ()
    months = () if learned else _months(days, reader)
    learned = learned or months
    shown = [_shown(rule, days) for rule in learned]
    languages = (*languages, *_languages_shown(shown, languages))
    order = _order(shown, pages, languages)
    rules, moments, revised = [], [], []
    for rule, texts in zip(learned, shown, strict=True):
        dated = replace(date_rule(rule, [(text, day) for text, day, _ in texts], languages), months=bool(months))
        read = [(dated.read(text, languages, order, page.fetched), day) for text, day, page in texts]
        if any(reader.spans(text) for text, *_ in texts) or any(moment is not None for moment, _ in read):
            place = place_of(rule.rule, [page for *_, page in texts])
            rules.append(replace(dated, place=place))  # "2 weeks ago" on all pages is no rule for a day
            moments += [(moment, day) for moment, day in read if moment is not None]
            revised.append([(text, day) for text, day, _ in texts if REVISED.search(text)])
    in_url = [moment.may_be_same_day(day) for page, day in days if (moment := date_in_url(page.url)) is not None]
    updates = learn_updates(
        pages, lambda page, day: page.once(DateScores, day, reader, unwanted=None), languages, order
    )
    for published_rule, revised_texts in zip(rules, revised, strict=True):
        updates = updates or labelled_updates(published_rule, revised_texts, languages, order)
    return Dates(tuple(rules), order, languages, _offsets_agree(moments), len(in_url), sum(in_url), updates=updates)


def _months(days: Sequence[tuple[LocatedPage, Moment]], reader: DateReader) -> tuple[Learned, ...]:
    """A rule for texts with only a month, if this is the feed's month on nearly all pages and not the same on all."""
    reader = DateReader(reader.languages, months=True)
    scores = [page.once(DateScores, day, reader) for page, day in days]
    learned = induce(scores, MINIMUM)[:1]
    for rule in learned:
        right = [day for part, (_, day) in zip(scores, days, strict=True) if part.score(rule.rule) >= MINIMUM]
        if len(right) < NEARLY_ALL * len(days) or len({(day.year, day.month) for day in right}) < 2:
            return ()
    return learned


def _stands_behind(rule: Rule, pages: Sequence[LocatedPage]) -> bool:
    return any(
        page.profile.positions[node] >= page.profile.ends[page.profile.positions[page.article]]
        for page in pages
        if page.article is not None
        for node in page.lookup.select(rule.xpath)[:1]
    )


def _shown(learned: Learned, days: Sequence[tuple[LocatedPage, Moment]]) -> list[tuple[str, Moment, LocatedPage]]:
    return [
        (value_at(node, learned.rule.attribute)[:LONGEST], day, page)
        for page, day in days
        for node in page.lookup.select(learned.rule.xpath)[:1]
    ]


def _languages_shown(
    texts_of_rules: Iterable[Sequence[tuple[str, Moment, LocatedPage]]], declared: Sequence[str]
) -> tuple[str, ...]:
    """The one language in which most texts name the feed's months, if no declared language does; languages
    share names."""
    named = [
        names for texts in texts_of_rules for text, day, _ in texts if (names := languages_of_month(text, day.month))
    ]
    known = primary_languages(declared)
    if not any(names.isdisjoint(known) for names in named):
        return ()
    (best, most), *others = Counter(language for names in named for language in names).most_common(2)
    return () if best in known or any(count == most for _, count in others) else (best,)


def _order(
    texts_of_rules: Sequence[Sequence[tuple[str, Moment, LocatedPage]]],
    pages: Sequence[LocatedPage],
    languages: Sequence[str],
) -> str | None:
    """The order of day and month: by agreement with the feed, or else by other dates of the pages, or by custom."""
    return (
        settle_order((text, day) for texts in texts_of_rules for text, day, _ in texts)
        or order_shown({value.text for page in pages for value in page.values if len(value.text) <= SHORT})
        or order_of_languages(languages)
    )


class _DayPrecheck:
    """Fast pre-check before parsing a date, which is 50 times slower."""

    def __init__(self, day: Moment, *, months: bool) -> None:
        dates = [day.date + timedelta(days=apart) for apart in ((-1, 0, 1) if day.day is not None else range(31))]
        self._years = {form for date in dates for form in (str(date.year), f"{date.year % 100:02}")}
        self._year = re.compile("|".join({f"{date.year % 100:02}" for date in dates}))
        self._days = {form for date in dates for form in (str(date.day), f"{date.day:02}")}
        self._days |= self._years if months else set()

    def may_name(self, folded: str) -> bool:
        """True if a text has the numbers of such a year and day, or may write them in other characters."""
        if self._year.search(folded):
            numbers = NUMBER.findall(folded)
            if ALL_IN_ONE.match(folded) or not (self._days.isdisjoint(numbers) or self._years.isdisjoint(numbers)):
                return True
        return not folded.isascii() and OTHERWISE.search(folded) is not None


class DateScores(NodeScores):
    """Scores of the texts that read as a day, slightly lower for additional words and for the distance to the article.
    Texts are read in the order of their possible scores, and only while they may come near the best."""

    def __init__(
        self, page: LocatedPage, day: Moment, reader: DateReader, unwanted: re.Pattern[str] | None = REVISED
    ) -> None:
        super().__init__(page.lookup, {})
        self._day, self._reader, self._fetched = day, reader, page.fetched
        near = _DayPrecheck(day, months=reader.months)
        self._values = {
            (value.node, value.attribute): (_reward(value, page, unwanted), value.text)
            for value in page.values
            if len(value.text) <= LONGEST
            and (not reader.months or strip(value.folded) in page.shown)  # and not only in a list of all months
            and (near.may_name(value.folded) or (page.fetched is not None and reader.counted(value.text) is not None))
        }
        self._find_best()

    def outside_lists(self, page: LocatedPage) -> DateScores:
        """The scores of the texts that are in no list beside the post."""
        outside = set(outside_lists({node for node, _ in self._values}, page.article))
        part = copy(self)
        part._values = {
            place: reward_and_text for place, reward_and_text in self._values.items() if place[0] in outside
        }
        part.of = {place: score for place, score in self.of.items() if place in part._values}
        part.best = 0.0
        part._find_best()
        return part

    def _find_best(self) -> None:
        for place, (reward, _) in sorted(self._values.items(), key=lambda item: -item[1][0]):
            if SAME_MINUTE + reward < self.best - TOLERANCE:
                break
            self.best = max(self.best, self._score(place))

    def score(self, rule: Rule) -> float:
        """The score of the first node that a rule selects."""
        nodes = self.lookup.select(rule.xpath)
        return self._score((nodes[0], rule.attribute)) if nodes else 0.0

    def _score(self, place: tuple[HtmlElement, str]) -> float:
        if place not in self.of and place in self._values:
            reward, text = self._values[place]
            likeness = self._likeness(text)
            self.of[place] = likeness + reward if likeness else 0.0
        return self.of.get(place, 0.0)

    def _likeness(self, text: str) -> float:
        spans = self._reader.spans(text)
        best = 0.0
        for number, span in enumerate(spans[:MAX_DATES]):
            likeness = max(_likeness(reading.moment, self._day) for reading in span.readings)
            best = max(best, likeness - MINOR if number and likeness else likeness)
        if spans or self._fetched is None:
            return best
        counted = self._reader.counted(text)
        relative = counted.before(self._fetched) if counted else None
        if relative is None or abs((relative.moment.date - self._day.date).days) > max(1, relative.precision):
            return 0.0
        return SAME_DAY if relative.precision <= 1 else SAME_MONTH


def _reward(value: Value, page: LocatedPage, unwanted: re.Pattern[str] | None) -> float:
    reward = -WORDY * min(50, max(0, len(value.text) - 10))
    reward += MINOR * _is_data(value.attribute)
    reward += nearness(value, page) if value.node.tag not in IN_HEAD else 0
    if unwanted is not None and any(unwanted.search(name) for name in _names(value)):
        reward -= MINOR
    return reward


def _is_data(attribute: str) -> bool:
    """True if a value is for machines: it may also state the time of day and the zone."""
    return bool(attribute) and not is_text_part(attribute)


def _names(value: Value) -> list[str]:
    if value.attribute.startswith(LINKED):
        return [value.attribute]
    return [str(value.node.get(name, "")) for name in ("property", "itemprop", "name")]


def _offsets_agree(moments: Iterable[tuple[Moment, Moment]]) -> bool:
    """True if most times on pages, given to the minute with an offset, are those of the feed."""
    apart = [minutes for read, day in moments if (minutes := read.minutes_from(day)) is not None]
    return 2 * sum(minutes == 0 for minutes in apart) >= len(apart)


def _likeness(read: Moment, day: Moment) -> float:
    if read.day is None:
        return SAME_MONTH if read.same_day(day) else 0.0
    if read.minutes_from(day) == 0:
        return SAME_MINUTE
    if read.date == day.date:
        return SAME_DATE
    if read.same_day(day):
        return SAME_DAY
    return NEXT_DAY if abs((read.date - day.date).days) == 1 else 0.0
