"""Tells whether the date that would be guessed of a blog's posts is theirs: by what the feed says of training pages.

Where posts show no date, a page shows others: of the site's last change, of comments, of other posts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from blogcrawler.dates import Moment
from blogcrawler.wrapper.fallback import find_date
from blogcrawler.wrapper.fields.lateness import is_later

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.wrapper.fields import Dates
    from blogcrawler.wrapper.training import TrainingPage

__all__ = ["try_guesses"]

MOST = 8
"""Pages that are asked."""


def try_guesses(pages: Sequence[TrainingPage], dates: Dates) -> Dates:
    """The dates, with how often a guess would have been right: asked only where no rule makes it needless. O(n)."""
    if dates.rules or dates.in_url:
        return dates
    told = [(page, moment) for page in pages if (moment := _day(page.entry.published)) is not None]
    found = [
        (guess, moment)
        for page, moment in told[:MOST]
        if (guess := page.once(_guess, dates.languages, dates.order)) is not None
    ]
    right = 0 if is_later(found) else sum(guess.may_be_same_day(moment) for guess, moment in found)
    return replace(dates, guessed=len(found), guess_right=right)


def _guess(page: TrainingPage, languages: Sequence[str], order: str | None) -> Moment | None:
    fact = find_date(page.tree, page.url, page.entry.title, languages, order)
    return _day(fact.value) if fact is not None else None


def _day(text: str | None) -> Moment | None:
    return Moment.parse_iso(text) if text else None
