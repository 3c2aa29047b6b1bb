"""Languages of records, as documents tell them."""

from __future__ import annotations

import re
from functools import cache

from babel import Locale, UnknownLocaleError

_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", re.ASCII)


def language_tag(language: str | None) -> str | None:
    """A tag of BCP 47; None for what is none."""
    tag = (language or "").strip().replace("_", "-")
    return tag if _TAG.fullmatch(tag) else None


@cache
def is_right_to_left(language: str | None) -> bool:
    """Is it written from right to left, as Arabic and Hebrew are?"""
    tag = language_tag(language)
    if tag is None:
        return False
    for known in (tag, tag.partition("-")[0]):
        try:
            return Locale.parse(known, sep="-").text_direction == "rtl"
        except (UnknownLocaleError, ValueError):
            continue
    return False
