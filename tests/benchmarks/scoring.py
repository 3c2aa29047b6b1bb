"""How fields are scored against the truth.

An article is right when the F1 of its words is at least 0.9 (words: NFKC, casefolded; a character of a script without
spaces is a word). A title is right when it is the same but for case, spaces, quotes and dashes; a date when it is the
same day by the truth's clock, or within 24 hours where a side knows no time or offset; authors when they are the same set;
tags when the F1 of the sets is at least 0.9; a language when its primary subtag is the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

FIELDS = ("content", "title", "published", "authors", "tags", "language")
RIGHT = 0.9
"""F1 from which an article, or a post's tags, are right."""

_SINGLE = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_SINGLE}]|(?:(?![{_SINGLE}])\w)+")
_ALIKE = [
    (re.compile("[\u2018\u2019\u201a\u201b\u2032\u0060\u00b4\u02bc]"), "'"),
    (re.compile("[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb]|''"), '"'),
    (re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]"), ""),
    (re.compile("[-\u2010-\u2015\u2212\u2043\ufe58]+"), "-"),
]
_SAME_LANGUAGE = {"iw": "he", "in": "id", "ji": "yi", "nb": "no", "nn": "no", "cmn": "zh", "fil": "tl"}


def scores(truth: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, float]:
    """Each field's score, 0 to 1, as far as the truth knows the field: F1 of article and tags; of the others 0 or 1.

    Both have the keys of an exported record; the article's key here is "content".
    """
    found: dict[str, float] = {}
    if words := bag(truth.get("content_text") or ""):
        found["content"] = f1(words, bag(record.get("content_text") or ""))
    if truth.get("title") is not None:
        found["title"] = float(clean(truth["title"]) == clean(record.get("title") or ""))
    if (day := moment(truth.get("published"))) is not None:
        found["published"] = float(same_day(day, moment(record.get("published"))))
    if truth.get("authors") is not None:
        found["authors"] = float(names(truth["authors"]) == names(record.get("authors")))
    if truth.get("tags") is not None:
        want, got = (Counter(name.lstrip("#") for name in names(side.get("tags"))) for side in (truth, record))
        found["tags"] = f1(want, got) if want or got else 1.0
    if truth.get("language"):
        found["language"] = float(_primary(truth["language"]) == _primary(record.get("language") or ""))
    return found


def bag(text: str) -> Counter[str]:
    """The words of a text."""
    return Counter(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def f1(want: Counter[str], got: Counter[str]) -> float:
    """Harmonic mean of precision and recall of two bags, one of them not empty."""
    return 2 * (want & got).total() / (want.total() + got.total())


def clean(text: str) -> str:
    """A name or a title, ready for comparison."""
    out = unicodedata.normalize("NFKC", text).casefold()
    for expression, sign in _ALIKE:
        out = expression.sub(sign, out)
    return " ".join(unicodedata.normalize("NFKC", out).split())


def names(values: Iterable[str] | None) -> set[str]:
    """A set of names, ready for comparison."""
    return {name for value in values or () if (name := clean(value))}


def moment(text: str | None) -> tuple[datetime, bool] | None:
    """A date of ISO 8601, and does it say time and offset? (Midnight is what an unknown time is filled with.)"""
    try:
        day = datetime.fromisoformat((text or "").strip())
    except ValueError:
        return None
    return day, day.tzinfo is not None and len((text or "").strip()) > len("2000-01-01") and bool(
        day.hour or day.minute or day.second
    )


def same_day(want: tuple[datetime, bool], got: tuple[datetime, bool] | None) -> bool:
    """Do two of `moment` name the same day?"""
    if got is None:
        return False
    (expected, is_whole), (given, also_whole) = want, got
    if is_whole and also_whole:
        return given.astimezone(expected.tzinfo).date() == expected.date()
    apart = abs(given.replace(tzinfo=None) - expected.replace(tzinfo=None))
    if expected.tzinfo and given.tzinfo:
        apart = min(apart, abs(given - expected))
    return apart <= timedelta(hours=24)


def _primary(tag: str) -> str:
    code = re.split(r"[-_]", tag.strip().casefold())[0]
    return _SAME_LANGUAGE.get(code, code)
