"""Reads lines of CDX and CDXJ files, the indexes of WARC files that other programs write.

A CDX line has fields between spaces, one letter each, which the header ` CDX N b a m s k r M S V g` lists. Without a
header, the number of fields tells the form. A CDXJ line is a key, a time, and a JSON object.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

#: the media type by which indexes mark a revisit record
REVISIT = "warc/revisit"
_FORMS = {len(form): form for form in ("NbamskrMSVg", "NbamskrMVg", "NbamskrVg", "NbamskS")}
_LETTERS = {
    "a": "url", "b": "time", "s": "status", "m": "mime", "k": "digest", "g": "filename", "V": "offset"
}  # fmt: skip
_NO_TYPES = {"-", "unk", "no-type"}
_HEADER = re.compile(r"[^a-z]CDX((?: \w)+)\s*")
_NUMBER = re.compile(r"[0-9]{1,18}")
_NO_DIGIT = re.compile(r"[^0-9]")
_SHA1 = re.compile(r"[A-Z2-7]{32}", re.IGNORECASE)
_FIRST_MOMENT = "00000101000000"


class IndexEntry(NamedTuple):
    """What an index holds about one capture."""

    url: str
    #: UTC, as the number YYYYMMDDhhmmss
    time: int
    status: int
    #: as in `Capture`, or REVISIT where the index does not state what was visited again
    mime: str
    digest: str
    #: as the index writes it; empty if unknown
    filename: str
    #: of the record, in bytes; -1 if unknown
    offset: int


class CdxReader:
    """Reads the lines of one CDX or CDXJ file, or of a server's answer, in their order."""

    def __init__(self, form: str = "") -> None:
        self._form = form

    def entry(self, line: str) -> IndexEntry | None:
        """The capture in a line; None for headers, metadata and damaged lines. O(n)."""
        if header := _HEADER.fullmatch(line):
            self._form = header[1].replace(" ", "")
            return None
        fields = line.rstrip("\r\n").split(" ")
        if len(fields) > 2 and fields[2].startswith("{"):
            return _entry_of_json(fields[1], " ".join(fields[2:]))
        form = self._form if len(self._form) == len(fields) else _FORMS.get(len(fields), "")
        names = map(_LETTERS.get, form)
        values = {name: value for name, value in zip(names, fields, strict=False) if name is not None}
        return entry_of(**values)


def entry_of(
    url: str = "",
    time: str = "",
    *,
    status: str = "",
    mime: str = "",
    digest: str = "",
    filename: str = "",
    offset: str = "",
) -> IndexEntry | None:
    """The entry of these texts, in which "-" means unknown; None if the URL or the time is unusable."""
    moment = time_number(time)
    if moment is None or not url[:8].lower().startswith(("http://", "https://")):
        return None
    mime = mime.partition(";")[0].strip().lower()
    return IndexEntry(
        url,
        moment,
        _number(status, 0),
        "" if mime in _NO_TYPES else mime,
        _digest(digest),
        "" if filename == "-" else filename,
        _number(offset, -1),
    )


def time_number(text: str) -> int | None:
    """The time of a CDX line or of a WARC header (20240305100000, 2024-03-05T10:00:00.5Z) as a number; None if there
    is no such time. A time with fewer digits is the first moment of its year, month or day."""
    digits = text if text.isdecimal() and text.isascii() else _NO_DIGIT.sub("", text)
    digits = digits[:14] + _FIRST_MOMENT[len(digits[:14]) :]
    try:
        moment_of(int(digits))
    except ValueError:
        return None
    return int(digits)


def moment_of(number: int) -> datetime:
    """The moment of a time number. Raises ValueError if there is no such moment."""
    day, second = divmod(number, 1_000_000)
    return datetime(
        day // 10_000, day // 100 % 100, day % 100, second // 10_000, second // 100 % 100, second % 100, tzinfo=UTC
    )


def _entry_of_json(time: str, text: str) -> IndexEntry | None:
    try:
        values: Mapping[str, object] = json.loads(text)
    except (ValueError, RecursionError):
        return None
    known = {name: str(value) for name in _LETTERS.values() if (value := values.get(name)) is not None}
    return entry_of(**{**known, "time": time})


def _number(text: str, unknown: int) -> int:
    return int(text) if _NUMBER.fullmatch(text) else unknown


def _digest(text: str) -> str:
    if _SHA1.fullmatch(text):
        return f"sha1:{text}"
    return text if ":" in text else ""
