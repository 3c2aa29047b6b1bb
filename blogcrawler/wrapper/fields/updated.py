"""The time of a post's last change: learned like the date of publication, or stated in a standard vocabulary.

Pages are trusted as far as they agree with the few feeds that state it, but not for the day on which the site was
built.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from blogcrawler.dates import Moment, find_dates, read_date, settled
from blogcrawler.wrapper.core.induce import Learned, induce
from blogcrawler.wrapper.core.metadata import REVISED, claims
from blogcrawler.wrapper.core.thresholds import NEARLY_ALL, SEVERAL, STATED
from blogcrawler.wrapper.core.values import value_at
from blogcrawler.wrapper.fields.date_rule import DateRule, date_rule, label_before

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterable, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.induce import NodeScores
    from blogcrawler.wrapper.core.training import LocatedPage

MINIMUM = 0.5
ENOUGH = 2
"""Number of entries changed more than a day after publication that are needed to learn a rule."""


@dataclass(frozen=True)
class Updates:
    """How to extract the day of the last change from a page."""

    rules: tuple[DateRule, ...] = ()
    #: trusted places of the standard vocabularies, see `metadata.claims`
    places: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.rules or self.places)

    def extract(
        self, tree: HtmlElement, languages: Sequence[str], order: str | None, fetched: dt.datetime | None
    ) -> tuple[Moment, Learned | str] | None:
        """The moment, and the rule or place that states it."""
        for rule in self.rules:
            moment = rule.extract(tree, languages, order, fetched)
            if moment is not None:
                return moment, rule.learned
        for place, moment in _claimed(tree, languages, order, self.places) if self.places else ():
            if place in self.places:
                return moment, place
        return None


def learn_updates(
    pages: Sequence[LocatedPage],
    scores: Callable[[LocatedPage, Moment], NodeScores],
    languages: Sequence[str],
    order: str | None,
) -> Updates:
    """Rules and places for the last change. `scores` returns how well a page's texts read as a day. O(n)."""
    changed = [(page, day) for page in pages if (day := _changed(page)) is not None]
    if len(changed) < ENOUGH or _is_built(changed):
        return Updates((), _trusted_places(pages, languages, order))
    rules = []
    for learned in induce([scores(page, day) for page, day in changed], MINIMUM):
        texts = [
            (value_at(node, learned.rule.attribute), day)
            for page, day in changed
            for node in page.lookup.select(learned.rule.xpath)[:1]
        ]
        rule = date_rule(learned, texts, languages)
        if _holds(rule, pages, languages, order):
            rules.append(rule)
    return Updates(tuple(rules), () if rules else _trusted_places(pages, languages, order))


def labelled_updates(
    rule: DateRule, dated_texts: Sequence[tuple[str, Moment]], languages: Sequence[str], order: str | None
) -> Updates:
    """A rule for the date beside that of publication with the label of a change, from texts and days. O(n). This date
    must be later on some pages, not always the same day, and earlier on none."""
    dates: dict[str, list[tuple[Moment, Moment]]] = defaultdict(list)
    for text, day in dated_texts:
        for span in find_dates(text, languages):
            label, moment = label_before(text, span), settled(span.readings, order)
            if label and moment is not None and REVISED.search(label):
                dates[label].append((moment, day))
    for label, dated in dates.items():
        apart = [0 if moment.may_be_same_day(day) else (moment.date - day.date).days for moment, day in dated]
        later = [(day, moment) for (moment, day), days in zip(dated, apart, strict=True) if days > 0]
        if min(apart) >= 0 and len(later) >= ENOUGH and not _is_built(later):
            learned = replace(rule.learned, score=min(rule.learned.score, STATED))
            return Updates((DateRule(learned, label, place=rule.place),))
    return Updates()


def _changed(page: LocatedPage) -> Moment | None:
    """The time of a post's change according to the feed, if it is more than a day after publication."""
    published, updated = Moment.parse_iso(page.entry.published), Moment.parse_iso(page.entry.updated)
    if published is None or updated is None or (updated.date - published.date).days <= 1:
        return None
    return updated


def _is_built(changed: Iterable[tuple[object, Moment]]) -> bool:
    days = Counter(day.date for _, day in changed)
    total = sum(days.values())
    return total > ENOUGH and 2 * days.most_common(1)[0][1] > total


def _holds(rule: DateRule, pages: Sequence[LocatedPage], languages: Sequence[str], order: str | None) -> bool:
    """True if a rule agrees with the feed on all pages where it finds anything."""
    moments = [(rule.extract(page.tree, languages, order, page.fetched), page) for page in pages]
    return _agree((moment, page) for moment, page in moments if moment is not None)


def _trusted_places(pages: Sequence[LocatedPage], languages: Sequence[str], order: str | None) -> tuple[str, ...]:
    if not any(True for page in pages[:SEVERAL] for _ in claims(page.tree, "updated")):
        return ()  # a template that states it does so on every page
    by_place: dict[str, list[tuple[Moment, LocatedPage]]] = defaultdict(list)
    for page in pages:
        first: dict[str, Moment] = {}
        for place, moment in _claimed(page.tree, languages, order):
            first.setdefault(place, moment)
        for place, moment in first.items():
            by_place[place].append((moment, page))
    return tuple(
        place
        for place, moments in by_place.items()
        if _agree(moments) and not _is_built((page, moment) for moment, page in moments if _differs(moment, page))
    )


def _differs(moment: Moment, page: LocatedPage) -> bool:
    published = Moment.parse_iso(page.entry.published)
    return published is None or not moment.may_be_same_day(published)


def _agree(moments: Iterable[tuple[Moment, LocatedPage]]) -> bool:
    """True if pages agree with the feed, and never state a day before the publication."""
    right = wrong = 0
    for moment, page in moments:
        published, updated = Moment.parse_iso(page.entry.published), Moment.parse_iso(page.entry.updated)
        if updated is not None:
            same = moment.may_be_same_day(updated)
            right, wrong = right + same, wrong + (not same)
        elif published is not None and moment.date < published.date and not moment.may_be_same_day(published):
            wrong += 1
        else:
            right += 1
    return right > 0 and right >= NEARLY_ALL * (right + wrong)


def _claimed(
    tree: HtmlElement, languages: Sequence[str], order: str | None, places: Sequence[str] = ()
) -> Iterable[tuple[str, Moment]]:
    for claim in claims(tree, "updated", places):
        moment = read_date(claim.value, languages, order)
        if moment is not None:
            yield claim.where, moment
