"""Reads dates that count from the moment of reading: "3 days ago", "gestern". dateparser knows the words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from blogcrawler.dates.fold import fold_text
from blogcrawler.dates.lexicon import primary_languages
from blogcrawler.dates.moment import Moment

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

__all__ = ["read_relative"]

_MAX_LENGTH = 60
_MAX_LENGTH_WITHOUT_NUMBER = 25
_NUMBER = re.compile(r"\d+")
_MAX_DIGITS = 3
# "Posted 3 days ago": dateparser wants the phrase alone. Each try without a language takes about 10 ms.
_MAX_WORDS_BEFORE = 2
_MAX_PARSERS = 64
# "5 minutes" is how long a text takes to read: taken as to come, it is none of ours.
_NO_DIRECTION = "future"


def read_relative(text: str, languages: Sequence[str], now: dt.datetime) -> Moment | None:
    """The day of a relative date, counted in the zone of `now`.

    None for texts without one, for weeks, months and years, which name no day, and for days to come.
    """
    text = " ".join(text[: _MAX_LENGTH + 1].split())
    if not _is_short_phrase(text):
        return None
    spoken = tuple(sorted(primary_languages(languages)))
    words = text.split(" ")
    for skipped in range(min(_MAX_WORDS_BEFORE, len(words) - 1) + 1 if spoken else 1):
        day = _parse(" ".join(words[skipped:]), spoken, now)
        if day is not None:
            return Moment(day.year, day.month, day.day)
    return None


def _is_short_phrase(text: str) -> bool:
    numbers = _NUMBER.findall(fold_text(text))
    if not text or len(numbers) > 1 or len(text) > _MAX_LENGTH:
        return False
    return len(numbers[0]) <= _MAX_DIGITS if numbers else len(text) <= _MAX_LENGTH_WITHOUT_NUMBER


def _parse(phrase: str, languages: tuple[str, ...], now: dt.datetime) -> dt.datetime | None:
    local = now.replace(tzinfo=None)
    try:
        found = _parser(languages, local).get_date_data(phrase)
    except (ValueError, OverflowError):
        return None
    day: dt.datetime | None = found.date_obj if found.period in ("day", "time") else None
    return day if day is not None and day <= local else None


@lru_cache(maxsize=_MAX_PARSERS)
def _parser(languages: tuple[str, ...], local: dt.datetime) -> Any:  # noqa: ANN401
    """A parser of relative dates only. dateparser takes its time to load, so that it is imported when used."""
    from dateparser.date import DateDataParser
    from dateparser.languages.loader import default_loader

    known = [
        language for language in languages if language in default_loader.get_locale_map(languages=None, locales=None)
    ]
    settings = {"PARSERS": ["relative-time"], "RELATIVE_BASE": local, "PREFER_DATES_FROM": _NO_DIRECTION}
    return DateDataParser(languages=known or None, settings=settings)
