"""Converts the dates in feeds to ISO 8601 with the same precision; missing times, seconds and offsets are not invented.

Supported are the ISO 8601 profiles that Atom, Dublin Core and JSON Feed prescribe (RFC 3339, W3CDTF), RFC 822 for RSS,
and formats that programs print instead: C's asctime, Java's and JavaScript's notations, Unix time. Names of time zones
with a single meaning are in data/zones.json; other names are ignored. Other unambiguous dates are read as on pages
(`blogcrawler.dates`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from functools import cache
from html import unescape
from typing import TYPE_CHECKING

from blogcrawler.dates import find_dates, primary_languages
from blogcrawler.dates.fold import fold_text
from blogcrawler.dates.lexicon import MONTH, WEEKDAY, lexicon
from blogcrawler.serialise import load_file

if TYPE_CHECKING:
    from blogcrawler.dates import Moment

_MAX_LENGTH = 100
_MAX_MARKUP = 1000
#: dates that databases, spreadsheets and Go print for an unset value
_PLACEHOLDERS = frozenset([date(1, 1, 1), date(1899, 12, 30), date(1900, 1, 1), date(1970, 1, 1)])
_MIN_YEAR = 1000
#: length of a date without time
_DAY = 10
_MAX_OFFSET_MIN = 15 * 60

_WITH_SECONDS = re.compile(r"[\d-]{8,10}[T ](?:\d\d:\d\d:\d\d|\d{6})")
_TIME = re.compile(r"(?<![\d:])(\d{1,2}):(\d{1,2})(?::(\d{1,2}))?(?![\d:])")
_OFFSET = re.compile(r"([+-])(\d{1,2}):?(\d{2})?(?![\d:])")
_ZONE_NAME = re.compile(r"[A-Za-z]{1,5}(?![A-Za-z])")
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_STATED = re.compile(r"""\bdatetime\s*=\s*["']([^"']*)""", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_UNIX = re.compile(r"\d{9,10}(?:\d{3})?(?:\.\d{1,6})?")


@dataclass(frozen=True)
class _Time:
    """A time of the day; unknown parts are None."""

    hour: int
    minute: int
    second: int | None = None
    offset: timedelta | None = None


def _from_iso(text: str) -> str | None:
    """Parse date and time as in RFC 3339 and W3CDTF; None for other texts."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.year < _MIN_YEAR or _is_placeholder(moment):
        return None
    if len(text) <= _DAY:
        return moment.date().isoformat()
    if not _WITH_SECONDS.match(text):
        return moment.isoformat(timespec="minutes")
    return moment.isoformat(
        timespec="milliseconds" if moment.microsecond and moment.microsecond % 1000 == 0 else "auto"
    )


def _is_placeholder(moment: datetime) -> bool:
    is_start = moment.tzinfo is not None and moment == datetime(1970, 1, 1, tzinfo=UTC)
    return is_start or moment.date() in _PLACEHOLDERS


def _from_unix(text: str) -> str | None:
    """Parse Unix time in seconds or milliseconds (ten or thirteen digits, that is since 2001)."""
    if not _UNIX.fullmatch(text):
        return None
    seconds = float(text)
    moment = datetime.fromtimestamp(seconds / 1000 if seconds > 10**11 else seconds, UTC)
    return None if _is_placeholder(moment) else _with_fraction(moment)


def _with_fraction(moment: datetime) -> str:
    has_thousandths = moment.microsecond and moment.microsecond % 1000 == 0
    return moment.isoformat(timespec="milliseconds" if has_thousandths else "auto")


def _offset(text: str) -> timedelta | None:
    """The offset from UTC with which a text begins; None if it is missing or ambiguous."""
    text = text.strip()
    name = _ZONE_NAME.match(text)
    if name:
        signed = _OFFSET.match(text, name.end())
        if signed is None:
            minutes = _zones().get(name[0].upper())
            return None if minutes is None else timedelta(minutes=minutes)
    else:
        signed = _OFFSET.match(text)
    if signed is None:
        return None
    minutes = int(signed[2]) * 60 + int(signed[3] or 0)
    if minutes > _MAX_OFFSET_MIN or int(signed[3] or 0) > 59:
        return None
    return timedelta(minutes=-minutes if signed[1] == "-" else minutes)


@cache
def _zones() -> dict[str, int]:
    return load_file(dict[str, int], __package__, "zones.json")


def _write(day: date, time: _Time | None) -> str | None:
    if day in _PLACEHOLDERS or day.year < _MIN_YEAR:
        return None
    if time is None:
        return day.isoformat()
    hour = time.hour
    if hour == 24 and not time.minute and not time.second:
        day, hour = day + timedelta(days=1), 0
    second = min(time.second or 0, 59) if (time.second or 0) <= 60 else 99
    moment = datetime(day.year, day.month, day.day, hour, time.minute, second)  # noqa: DTZ001 the feed may give no offset
    if time.offset is not None:
        moment = moment.replace(tzinfo=timezone(time.offset))
    return (
        None if _is_placeholder(moment) else moment.isoformat(timespec="minutes" if time.second is None else "seconds")
    )


def iso_date(raw: str | None, language: str | None = None) -> str | None:
    """Convert a feed's date to ISO 8601; None for an invalid or ambiguous date, or a placeholder.

    The offset is preserved; Z, GMT and UTC become +00:00. In markup, the value of a time element is used. O(1): longer
    strings are rejected.
    """
    text = unescape(raw or "")[:_MAX_MARKUP]
    if "<" in text:
        stated = _STATED.search(text)
        text = stated[1] if stated else _TAG.sub(" ", text)
    text = " ".join(text.split())
    if not 6 <= len(text) <= _MAX_LENGTH:
        return None
    try:
        return _from_iso(text) or _from_unix(text) or _from_words(text, language)
    except (ValueError, OverflowError):
        return None


def _from_words(text: str, language: str | None) -> str | None:
    """The single day or month that a text in words can mean.

    If the month's name is neither in the feed's language nor in English, the weekday in the text must be correct, if
    any.
    """
    languages = tuple(primary_languages(filter(None, [language, "en"])))
    text = _TIME.sub(lambda found: ":".join(part.zfill(2) for part in found.groups() if part), text)
    spans = find_dates(text, languages, months=True)
    moments = {reading.moment for span in spans for reading in span.readings}
    if len(moments) != 1 or len(spans) > 1:
        return None
    moment, words = moments.pop(), [fold_text(word) for word in _TOKEN.findall(text)]
    if moment.day is None:
        return moment.isoformat()
    meant = [lexicon().common.get(word, ()) for word in words]
    months = [codes for names in meant if (codes := [name.languages for name in names if name.kind == MONTH])]
    weekdays = [days for names in meant if (days := {name.number for name in names if name.kind == WEEKDAY})]
    is_guessed = any(all(codes.isdisjoint(languages) for codes in spoken) for spoken in months)
    fits = all(moment.date.weekday() in days for days in weekdays)
    return _write(moment.date, _time(moment, text)) if fits or not is_guessed else None


def _time(moment: Moment, text: str) -> _Time | None:
    """The time in a text; it may have a zone name that only feeds use, and may be 24:00."""
    match = _TIME.search(text)
    offset = timedelta(minutes=moment.offset_minutes) if moment.offset_minutes is not None else None
    if match and offset is None:
        offset = _offset(text[match.end() :])
    if moment.hour is not None and moment.minute is not None:
        return _Time(moment.hour, moment.minute, moment.second, offset=offset)
    return _Time(int(match[1]), int(match[2]), int(match[3] or 0), offset=offset) if match else None
