"""Tells whether the date that would be guessed of a blog's posts is theirs: by what the feed says of training pages.

Where posts show no date, a page shows others: of the site's last change, of comments, of other posts. What stands alike
on all training pages is the date of none of them.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from blogcrawler.dates import Moment, could_be_date
from blogcrawler.wrapper.fallback import find_date

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.wrapper.fields import Dates
    from blogcrawler.wrapper.training import TrainingPage

MOST = 8
"""Pages that are asked."""
DAY = len("2014-05-02")
FEWEST = 3
"""Pages that must say the same, of posts of several days."""
DATA = frozenset({"content", "datetime"})


def try_guesses(pages: Sequence[TrainingPage], dates: Dates) -> Dates:
    """The dates, with those that no guess may take, and how often one would have been right.

    The latter is asked only where no rule makes it needless. O(n) in the pages.
    """
    dates = replace(dates, of_site=_texts_of_site(pages))
    if dates.rules or dates.in_url:
        return dates
    told = [(page, moment) for page in pages if (moment := Moment.parse_iso(page.entry.published)) is not None]
    found = [
        (guess, moment)
        for page, moment in told[:MOST]
        if (guess := page.once(_guess, dates.languages, dates.order, dates.of_site)) is not None
    ]
    right = sum(guess.may_be_same_day(moment) for guess, moment in found)
    return replace(dates, guessed=len(found), guess_right=right)


def _texts_of_site(pages: Sequence[TrainingPage]) -> frozenset[str]:
    """The texts with a date that all pages have, folded."""
    days = {page.entry.published[:DAY] for page in pages if page.entry.published}
    if len(pages) < FEWEST or len(days) == 1:
        return frozenset()
    common = frozenset(text for text in pages[0].once(_texts) if could_be_date(text, months=True))
    for page in pages[1:]:
        common &= page.once(_texts) if common else common
    return common


def _texts(page: TrainingPage) -> frozenset[str]:
    """All texts of a page, folded, a piece each, and what its elements say for machines."""
    data = (value.folded for value in page.values if value.attribute in DATA)
    return frozenset(chain.from_iterable(page.profile.pieces)).union(data)


def _guess(page: TrainingPage, languages: Sequence[str], order: str | None, of_site: frozenset[str]) -> Moment | None:
    fact = find_date(page.tree, page.url, page.entry.title, languages, order, of_site)
    return Moment.parse_iso(fact.value) if fact is not None else None
