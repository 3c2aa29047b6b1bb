"""From the entries that a feed lists to those that can be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.items import Entry


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Names without empty ones, each once whatever its case, as first written."""
    found: dict[str, str] = {}
    for name in names:
        if name:
            found.setdefault(name.casefold(), name)
    return tuple(found.values())


def collect(found: Iterable[Entry | None]) -> tuple[tuple[Entry, ...], int]:
    """The entries with a permalink, each once, and how many were left out. The first of two alike stays.

    Alike is the URL; a guid alone is not, since broken templates write one guid for all: the title must be the same.
    """
    kept: list[Entry] = []
    urls: set[str] = set()
    named: set[tuple[str, str]] = set()
    dropped = 0
    for entry in found:
        if entry is None or entry.url in urls:
            dropped += 1
            continue
        urls.add(entry.url)
        if entry.guid and entry.title:
            if (entry.guid, entry.title) in named:
                dropped += 1
                continue
            named.add((entry.guid, entry.title))
        kept.append(entry)
    return tuple(kept), dropped
