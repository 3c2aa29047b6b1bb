"""A rule for a date: a node, and which date of its text is meant ("Updated 3 June 2015, posted 2 May 2014").

The words beside the right date distinguish it from other dates, as in `text`, or the words before other dates do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blogcrawler.dates import find_dates, read_relative, settled
from blogcrawler.serialise import INLINE
from blogcrawler.wrapper.core.induce import Learned  # noqa: TC001  (serialise)
from blogcrawler.wrapper.core.nearness import Place, nearest_first
from blogcrawler.wrapper.core.rules import select
from blogcrawler.wrapper.core.values import value_at
from blogcrawler.wrapper.fields.text import learn_marks, marks_before

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.dates import DateSpan, Moment

LONGEST = 300
"""Maximum length, in characters, of a text that is searched for a date."""
LETTER = re.compile(r"[^\W\d_]")
MAX_LABELS = 8
MAX_NODES = 3
"""Maximum number of selected nodes that are tried until one has a date; more are a list."""


@dataclass(frozen=True)
class DateRule:
    """A learned rule, and the texts directly before and behind the date in the text that it extracts."""

    learned: Learned = field(metadata=INLINE)
    before: str = ""
    after: str = ""
    #: which of several selected nodes it uses
    place: Place = "first"
    #: texts directly before other dates of the text
    others: tuple[str, ...] = ()
    #: whether a month without a day may be the date
    months: bool = False

    def extract(
        self,
        tree: HtmlElement,
        languages: Sequence[str],
        order: str | None,
        fetched: dt.datetime | None,
        article: HtmlElement | None = None,
    ) -> Moment | None:
        """The date in a page, chosen with the help of the article's container; None if no date is certain."""
        texts = self._texts(tree, article)
        return next(filter(None, (self.read(text, languages, order, fetched) for text in texts)), None)

    def shows_date(self, tree: HtmlElement, languages: Sequence[str]) -> bool:
        """True if the rule's place holds any date, even if only another one, such as "Updated 3 June 2015"."""
        return any(find_dates(text[:LONGEST], languages, months=self.months) for text in self._texts(tree))

    def _texts(self, tree: HtmlElement, article: HtmlElement | None = None) -> Iterator[str]:
        nodes = select(tree, self.learned.rule.xpath)
        for node in nearest_first(nodes, article, self.place)[:MAX_NODES]:
            yield value_at(node, self.learned.rule.attribute)

    def read(
        self, text: str, languages: Sequence[str], order: str | None, fetched: dt.datetime | None
    ) -> Moment | None:
        """The date in a text; a relative one ("3 days ago") if the time of fetching is known."""
        text = text[:LONGEST]
        spans = find_dates(text, languages, months=self.months)
        if spans:
            span = self.choose(text, spans)
            return settled(span.readings, order) if span else None
        return read_relative(self._between(text), languages, fetched) if fetched is not None else None

    def choose(self, text: str, spans: Sequence[DateSpan]) -> DateSpan | None:
        """The date between the marks."""
        for span in spans:
            begun = f" {text[: span.start]}"
            if any(_ends_with(begun, label) for label in self.others):
                continue
            if _ends_with(begun, self.before) and _begins_with(f"{text[span.end :]} ", self.after):
                return span
        return None

    def _between(self, text: str) -> str:
        _, mark, rest = f" {text} ".partition(self.before) if self.before else ("", "", text)
        rest = rest if mark or not self.before else ""
        return rest.partition(self.after)[0] if self.after else rest


def date_rule(learned: Learned, dated_texts: Sequence[tuple[str, Moment]], languages: Sequence[str]) -> DateRule:
    """The rule, with marks if needed, that finds the known days in the texts that it extracts. O(n)."""
    read = [(text, find_dates(text, languages), day) for text, day in dated_texts]
    plain = DateRule(learned)
    if not any(len(spans) > 1 for _, spans, _ in read):
        return plain
    pairs = [
        (f" {text} ", text[spans[right].start : spans[right].end])  # a mark may begin or end the text
        for text, spans, day in read
        if (right := _right(spans, day)) is not None and not _all_agree(spans, day)
    ]
    before, after = learn_marks(pairs) if pairs else ("", "")
    rules = [
        plain,
        DateRule(learned, before),
        DateRule(learned, "", after),
        DateRule(learned, before, after),
        DateRule(learned, others=_labels_of_others(read)),
    ]
    return max(rules, key=lambda rule: sum(_finds(rule, text, spans, day) for text, spans, day in read))


def label_before(text: str, span: DateSpan) -> str | None:
    """The word directly before a date of a text, with the punctuation and spaces behind it."""
    return next((mark for mark in marks_before(f" {text[: span.start]}") if LETTER.search(mark)), None)


def _labels_of_others(read: Sequence[tuple[str, Sequence[DateSpan], Moment]]) -> tuple[str, ...]:
    """The labels of other dates beside the right one, without labels that the right one has, too."""
    own, others = set(), set()
    for text, spans, day in read:
        right = _right(spans, day)
        if right is not None:
            own.add(label_before(text, spans[right]))
            others |= {label_before(text, span) for span in spans if not _agrees(span, day)}
    return tuple(sorted(label for label in others - own if label))[:MAX_LABELS]


def _finds(rule: DateRule, text: str, spans: Sequence[DateSpan], day: Moment) -> bool:
    span = rule.choose(text, spans) if spans else None
    return span is not None and _agrees(span, day)


def _right(spans: Sequence[DateSpan], day: Moment) -> int | None:
    return next((place for place, span in enumerate(spans) if _agrees(span, day)), None)


def _all_agree(spans: Sequence[DateSpan], day: Moment) -> bool:
    """True if all of several dates agree with the day, so that nothing shows which one is meant."""
    return len(spans) > 1 and all(_agrees(span, day) for span in spans)


def _agrees(span: DateSpan, day: Moment) -> bool:
    return any(reading.moment.may_be_same_day(day) for reading in span.readings)


def _ends_with(text: str, mark: str) -> bool:
    return text.endswith(mark) or text.rstrip().endswith(mark.rstrip() or mark)


def _begins_with(text: str, mark: str) -> bool:
    return text.startswith(mark) or text.lstrip().startswith(mark.lstrip() or mark)
