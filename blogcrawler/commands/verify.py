"""`scrapy verify`: check that the archive is still what it was when it was written.

Reads every file and every record of the WARC files again, and the database; compares them with their digests; looks for
what records name; and holds the records against their schema. Exit codes: 0 all is well; 1 there are faults, each told
in a line; 2 wrong usage.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.backend import Archive, Fault, damaged_files, missing_files, size_of_files
from blogcrawler.backend.warc import WARC_FOLDER, damaged_warcs, missing_captures, size_of_warcs
from blogcrawler.command import ArchiveCommand
from blogcrawler.errors import BackendUnavailable
from blogcrawler.export import bad_records
from blogcrawler.file_store import file_store
from blogcrawler.reporting import FAILED, advancing, end, interruptible, told

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

    from blogcrawler.backend import Files
    from blogcrawler.items import Record


class _Check(NamedTuple):
    """A class of faults."""

    #: of one and of several
    names: tuple[str, str]
    faults: Iterable[Fault]
    #: True if all files of the archive are read when this one is done
    is_last_of_files: bool = False


class Command(ArchiveCommand):
    """Verifies the archive."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Verify, and end with 1 where there are faults."""
        warcs = Path(self.settings["ARCHIVE"]) / WARC_FOLDER
        with (
            told(),
            Archive.open(self.settings["DATABASE_URL"], make=False) as archive,
            interruptible("Interrupted."),
        ):
            found = _verify(archive, file_store(self.settings), warcs, is_whole=opts.all)
        if found:
            end(f"The archive has {', '.join(found)}.", FAILED)


class _Reading:
    """Reads the records of an archive, and remembers of which blog some could not be read."""

    def __init__(self, archive: Archive, advance: Callable[..., None]) -> None:
        self.archive, self._advance = archive, advance
        self.faults: dict[str, Fault] = {}

    def records(self) -> Iterator[Record]:
        """All records, in the order in which they came in."""
        for blog in self.archive.blogs():
            try:
                for record in self.archive.records(blog.home):
                    yield record
                    self._advance()
            except (TypeError, ValueError, KeyError, AttributeError) as error:
                told = f"a row of a post is no record ({type(error).__name__}: {error})"
                self.faults[blog.home] = Fault(blog.home, told)


def _verify(archive: Archive, files: Files, warcs: Path, *, is_whole: bool) -> list[str]:
    """Print each fault, and without any what was looked at; how many of which class were found."""
    size = size_of_warcs(warcs) + size_of_files(files)
    records = sum(archive.count(blog.home) for blog in archive.blogs())
    found: list[str] = []
    with advancing("bytes and posts read", size + 3 * records) as advance:
        reading, begun = _Reading(archive, advance), datetime.now(UTC)
        for check in _checks(reading, files, warcs, advance):
            count = _print(check)
            if count:
                found.append(f"{count} {check.names[count > 1]}")
            if found and not is_whole:
                return found
            if not found and check.is_last_of_files:
                _note(archive, begun)
    if not found:
        print(f"{size / 1e6:.1f} MB of files and {records} records are as they were written.")
    return found


def _note(archive: Archive, moment: datetime) -> None:
    """Keep when all files were as they were written, which exports tell; where the archive can be written."""
    with suppress(BackendUnavailable):
        archive.note_verified(moment)


def _checks(reading: _Reading, files: Files, warcs: Path, advance: Callable[[int], None]) -> Iterator[_Check]:
    yield _Check(("unfinished purge", "unfinished purges"), _unfinished(reading.archive))
    yield _Check(("damaged database", "damages of the database"), _damages(reading.archive))
    yield _Check(("damaged file", "damaged files"), damaged_files(files, advance))
    missing = missing_files(files, reading.records())
    yield _Check(("missing file", "missing files"), missing, is_last_of_files=True)
    yield _Check(("damaged WARC record", "damaged WARC records"), damaged_warcs(warcs, advance))
    yield _Check(("missing WARC record", "missing WARC records"), missing_captures(warcs, reading.records()))
    yield _Check(("bad record", "bad records"), bad_records(reading.records()))
    yield _Check(("unreadable blog", "unreadable blogs"), _told(reading))
    yield _Check(("altered record", "altered records"), reading.archive.altered_posts())


def _damages(archive: Archive) -> Iterator[Fault]:
    where = archive.file.name if archive.file is not None else "the database"
    return (Fault(where, told) for told in archive.damages())


def _unfinished(archive: Archive) -> Iterator[Fault]:
    """What was to be removed on request, and may not be gone altogether."""
    for row in archive.purges.all():
        if row.finished is None:
            yield Fault(row.url, f"begun {row.asked:%Y-%m-%d %H:%M} UTC; finish it by: {row.command}")


def _told(reading: _Reading) -> Iterator[Fault]:
    yield from reading.faults.values()


def _print(check: _Check) -> int:
    count = 0
    for fault in check.faults:
        print(f"{check.names[0]}: {fault.where}: {fault.told}")
        count += 1
    return count
