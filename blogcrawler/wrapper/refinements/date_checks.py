"""Check dates: those of a feed that dates its posts wrongly, and those that are guessed from pages.

The feed confirms a rule for the date. If hardly any page states the feed's day, while nearly all state different days
at the place of a post's date, the pages are right. Their day must be one that may be that of publication: it is
labelled so, or is before the feed's day. A feed with a few days for many posts comes from an import, or from a program
that built all pages again; the pages' data for machines was made at the same time, so that only visible dates are used.

If posts show no date, a page may show others, such as that of the site's last change. A date that all training pages
share is no post's.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dates import Moment, could_be_date, read_date
from blogcrawler.wrapper.core.thresholds import GUESSED, MOST, NEARLY_ALL, SEVERAL
from blogcrawler.wrapper.fallback.dates import find_date

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date

    from blogcrawler.wrapper.core.training import LocatedPage
    from blogcrawler.wrapper.fallback.ranking import Fact
    from blogcrawler.wrapper.fields.date import Dates

MOST_GUESSES = 8
"""Maximum number of pages for which a date is guessed."""
DAY = len("2014-05-02")
DATA = frozenset({"content", "datetime"})


class _Day(NamedTuple):
    stated: Moment
    shown: Moment
    #: whether a vocabulary labels it as the day of publication
    is_claimed: bool


def better_days(
    pages: Sequence[LocatedPage], feed_days: Sequence[Moment | None], dates: Dates
) -> list[str | None] | None:
    """The days that pages show, if they are right and the feed's days (`feed_days`) are wrong; otherwise None. O(n)."""
    known = [moment.date for moment in feed_days if moment is not None]
    agreeing = max(sum(rule.learned.support for rule in dates.rules), dates.url_right / len(pages))
    if len(known) < SEVERAL or (2 * agreeing >= 1 and not _are_few(known)):
        return None
    page_days = _read(find_date, pages, dates)
    if 2 * agreeing >= 1 or _are_few([moment.date for moment, _ in filter(None, page_days)]):
        page_days = [
            _beside_data(page, dates) or visible
            for page, visible in zip(pages, _read(partial(find_date, is_shown=True), pages, dates), strict=True)
        ]
    days = [
        _Day(day, *seen) for day, seen in zip(feed_days, page_days, strict=True) if day is not None and seen is not None
    ]
    if len(days) < NEARLY_ALL * len(known) or not (_are_of_import(days) or _are_of_posts(days)):
        return None
    return [day[0].isoformat() if day is not None else None for day in page_days]


def _read(
    find: Callable[..., Fact | None], pages: Sequence[LocatedPage], dates: Dates
) -> list[tuple[Moment, bool] | None]:
    """The day that each page states, if it is certain enough, and whether a vocabulary labels it as that of
    publication."""
    facts = (find(page.tree, page.url, page.entry.title, dates.languages, dates.order, dates.of_site) for page in pages)
    sure = (fact if fact is not None and fact.source.confidence >= GUESSED else None for fact in facts)
    return [
        (moment, fact.source.source != "fallback")
        if fact is not None and (moment := Moment.parse_iso(fact.value)) is not None
        else None
        for fact in sure
    ]


def _beside_data(page: LocatedPage, dates: Dates) -> tuple[Moment, bool] | None:
    """The visible day in the element whose attribute a rule reads."""
    for rule in (rule.learned.rule for rule in dates.rules if rule.learned.rule.attribute):
        for node in page.lookup.select(rule.xpath)[:1]:
            moment = read_date(page.text(node), dates.languages, dates.order)
            if moment is not None:
                return moment, True
    return None


def _are_few(days: Sequence[date]) -> bool:
    """True if most of the days are shared by several posts."""
    counts = Counter(days)
    return 2 * sum(count for count in counts.values() if count >= SEVERAL) > len(days)


def _are_of_import(days: Sequence[_Day]) -> bool:
    """True if the dates of the feed are those of an import into other blog software: for most posts, the pages show
    earlier, different days, and the feed gives only a few days for these posts."""
    earlier = [day for day in days if day.shown.date < day.stated.date and not day.shown.may_be_same_day(day.stated)]
    return (
        2 * len(earlier) > len(days)
        and _are_few([day.stated.date for day in earlier])
        and len({day.shown.date for day in earlier}) >= MOST * len(earlier)
    )


def _are_of_posts(days: Sequence[_Day]) -> bool:
    """True if the pages state different days, hardly any of which agrees with the feed."""
    return (
        2 * sum(day.shown.may_be_same_day(day.stated) for day in days) < len(days)
        and len({day.shown.date for day in days}) >= MOST * len(days)
        and 2 * sum(day.is_claimed or day.shown.date < day.stated.date for day in days) >= len(days)
    )


def try_guesses(pages: Sequence[LocatedPage], dates: Dates) -> Dates:
    """The dates, with the texts that must not be guessed as dates, and the share of right guesses if no rule exists."""
    dates = replace(dates, of_site=_texts_of_site(pages))
    if dates.rules or dates.in_url:
        return dates
    dated_pages = [(page, moment) for page in pages if (moment := Moment.parse_iso(page.entry.published)) is not None]
    guesses = [
        (guess, moment)
        for page, moment in dated_pages[:MOST_GUESSES]
        if (guess := page.once(_guess, dates.languages, dates.order, dates.of_site)) is not None
    ]
    right = sum(guess.may_be_same_day(moment) for guess, moment in guesses)
    return replace(dates, guessed=len(guesses), guess_right=right)


def _texts_of_site(pages: Sequence[LocatedPage]) -> frozenset[str]:
    """The folded texts with a date that all pages share."""
    days = {page.entry.published[:DAY] for page in pages if page.entry.published}
    if len(pages) < SEVERAL or len(days) == 1:
        return frozenset()
    common = frozenset(text for text in pages[0].once(_texts) if could_be_date(text, months=True))
    for page in pages[1:]:
        common &= page.once(_texts) if common else common
    return common


def _texts(page: LocatedPage) -> frozenset[str]:
    """All texts of a page, folded and separate, and its elements' data for machines."""
    data = (value.folded for value in page.values if value.attribute in DATA)
    return frozenset(chain.from_iterable(page.profile.pieces)).union(data)


def _guess(page: LocatedPage, languages: Sequence[str], order: str | None, of_site: frozenset[str]) -> Moment | None:
    fact = find_date(page.tree, page.url, page.entry.title, languages, order, of_site)
    return Moment.parse_iso(fact.value) if fact is not None else None
