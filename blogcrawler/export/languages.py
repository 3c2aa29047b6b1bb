"""Language codes of records for documents and catalogues."""

from __future__ import annotations

import re
from functools import cache

from babel import Locale, UnknownLocaleError

from blogcrawler.serialise import load_file

_SHORT, _LONG = 2, 3
_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", re.ASCII)


def language_tag(language: str | None) -> str | None:
    """Return a BCP 47 tag; None if the value is not one."""
    tag = (language or "").strip().replace("_", "-")
    return tag if _TAG.fullmatch(tag) else None


@cache
def is_right_to_left(language: str | None) -> bool:
    """True if the language is written from right to left, such as Arabic and Hebrew."""
    tag = language_tag(language)
    if tag is None:
        return False
    for known in (tag, tag.partition("-")[0]):
        try:
            return Locale.parse(known, sep="-").text_direction == "rtl"
        except (UnknownLocaleError, ValueError):
            continue
    return False


def iso_639_3(tag: str | None) -> str | None:
    """Return the ISO 639-3 code of a BCP 47 tag; None if there is none or the tag is invalid."""
    primary = (tag or "").replace("_", "-").partition("-")[0].lower()
    if len(primary) == _SHORT:
        return _iso_639_3().get(primary)
    is_one = len(primary) == _LONG and primary.isascii() and primary.isalpha()
    return primary if is_one and primary not in ("und", "mul", "zxx") else None


@cache
def _iso_639_3() -> dict[str, str]:
    """ISO 639-1 to ISO 639-3, including deprecated codes."""
    return load_file(dict[str, str], __package__, "languages.json")
