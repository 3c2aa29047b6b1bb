"""Languages as catalogues name them."""

from __future__ import annotations

from functools import cache

from blogcrawler.serialise import load_file

_SHORT, _LONG = 2, 3


def iso_639_3(tag: str | None) -> str | None:
    """The three letters of ISO 639-3 for a BCP 47 tag; None where there are none, or where it is none."""
    primary = (tag or "").replace("_", "-").partition("-")[0].lower()
    if len(primary) == _SHORT:
        return _table().get(primary)
    is_one = len(primary) == _LONG and primary.isascii() and primary.isalpha()
    return primary if is_one and primary not in ("und", "mul", "zxx") else None


@cache
def _table() -> dict[str, str]:
    """ISO 639-1 to ISO 639-3, codes that are in use no more among it."""
    return load_file(dict[str, str], __package__, "languages.json")
