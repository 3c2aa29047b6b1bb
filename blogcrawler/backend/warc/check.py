"""Finds damage in the WARC files of an archive, and records that refer to missing captures."""

from __future__ import annotations

import os
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from warcio.exceptions import ArchiveLoadFailed

from blogcrawler.backend.fixity import Fault, each_in_threads
from blogcrawler.backend.warc.bodies import body_record, located_in
from blogcrawler.backend.warc.reader import kept_records
from blogcrawler.backend.warc.segment import OPEN, SUFFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from blogcrawler.items import Record

_MOST = 100
"""Maximum number of reported faults per file."""


def warc_files(folder: Path) -> list[Path]:
    """The WARC files, including those that are being written, sorted by name."""
    return sorted(path for path in folder.glob("*") if path.name.endswith((SUFFIX, SUFFIX + OPEN)))


def size_of_warcs(folder: Path) -> int:
    """Total size of all files in bytes."""
    return sum(_now(path).stat().st_size for path in warc_files(folder))


def damaged_warcs(folder: Path, on_bytes: Callable[[int], object] = lambda _: None) -> Iterator[Fault]:
    """Records that do not match their headers: digests, lengths, or gzip itself. Each byte is read once.

    An incomplete record at the end of a file that is being written, or whose writer was killed, is not a fault: the
    next crawl truncates it. `on_bytes` is called with the size of each part that was read, from several threads.
    """
    threads = os.cpu_count() or 1
    work = partial(_faults, on_bytes=on_bytes)
    yield from chain.from_iterable(each_in_threads(work, warc_files(folder), threads=threads, ahead=threads))


def _faults(path: Path, on_bytes: Callable[[int], object]) -> list[Fault]:
    faults: list[Fault] = []
    is_open, is_empty = path.name.endswith(OPEN), True
    try:
        for record in kept_records(_now(path), on_bytes):
            is_empty = False
            if record.fault is not None and not (is_open and record.is_last):
                faults.append(Fault(f"{path.name}#{record.offset}", record.fault))
            if len(faults) >= _MOST:
                break
    except OSError as error:
        return [Fault(path.name, f"cannot be read ({error.strerror})")]
    if is_empty and not is_open:
        faults.append(Fault(path.name, "holds no record"))
    return faults


def _now(path: Path) -> Path:
    """The current name of the file, which may have been closed meanwhile."""
    return path if path.exists() else path.with_name(path.name.removesuffix(OPEN))


def missing_captures(folder: Path, records: Iterable[Record]) -> Iterator[Fault]:
    """Posts whose `provenance.warc` does not point to a body. O(1) for each."""
    for record in records:
        position = record.provenance.warc
        if position is not None and (fault := _lack(folder, position)) is not None:
            yield Fault(record.url, f"{position} {fault}")


def _lack(folder: Path, place: str) -> str | None:
    located = located_in(folder, place)
    if located is None:
        return "is missing"
    path, offset = located
    try:
        with path.open("rb") as file:
            return None if body_record(file, offset) is not None else "is not the record of a page"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    except (ValueError, EOFError, ArchiveLoadFailed):
        return "is not the record of a page"
