"""The candidates of a `srcset` attribute (HTML Standard, section 4.8.4.2.1)."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from blogcrawler.dom.references import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Candidates of one image that are kept.
_MAX_CANDIDATES = 30
#: A URL may hold commas, but not end in one.
_CANDIDATE = re.compile(r"([^ \t\n\f\r,](?:[^ \t\n\f\r]*[^ \t\n\f\r,])?)([^,]*)")
_DESCRIPTOR = re.compile(r"\s*+(?:(\d{1,6}(?:\.\d{1,6})?[wx])(?:\s++\d{1,6}h)?)?\s*+", re.ASCII)


def candidates(value: str) -> Iterator[tuple[str, str]]:
    """The URLs of a `srcset` as they stand there, and their descriptors (`2x`, `300w`; empty for none).

    Those whose descriptor is none are passed over, as browsers do. O(n).
    """
    for match in islice(_CANDIDATE.finditer(value), _MAX_CANDIDATES):
        if told := _DESCRIPTOR.fullmatch(match[2]):
            yield match[1], told[1] or ""


def absolute_srcset(value: str, base: str) -> str:
    """The candidates of a `srcset` with absolute URLs; empty when none is left."""
    found = ((resolve(url, base), descriptor) for url, descriptor in candidates(value))
    return ", ".join(f"{url} {descriptor}".rstrip() for url, descriptor in found if url)


def widest(value: str) -> str:
    """The URL of the widest candidate; of the first one, where no widths are told; empty without any."""
    best, most = "", -1.0
    for url, descriptor in candidates(value):
        width = float(descriptor[:-1]) if descriptor.endswith("w") else 0.0
        if width > most:
            best, most = url, width
    return best


def largest(value: str) -> str:
    """The URL of the candidate with the greatest width, or density (1 where none is told); empty without any."""
    best, most = "", 0.0
    for url, descriptor in candidates(value):
        size = float(descriptor[:-1] or 1) if descriptor else 1.0
        if size > most:
            best, most = url, size
    return best
