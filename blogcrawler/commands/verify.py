"""`blogcrawler verify`: check the archive against its checksums and its schema. Reads the database, all files and all
WARC records, compares them with their checksums, checks that the files named in records exist, and validates the
records. Exit codes: 0 no faults; 1 faults, one in a line; 2 wrong usage."""

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
from blogcrawler.reporting import FAILED, advancing, end, exit_on_error, interruptible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

    from blogcrawler.backend import Files
    from blogcrawler.items import Record


class _Check(NamedTuple):
    """A kind of fault."""

    #: singular and plural
    names: tuple[str, str]
    faults: Iterable[Fault]
    #: True if this check is the last that reads files
    is_last_of_files: bool = False


class Command(ArchiveCommand):
    """Checks the archive."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Check the archive, and exit with 1 if there are faults."""
        warcs = Path(self.settings["ARCHIVE"]) / WARC_FOLDER
        with (
            exit_on_error(),
            Archive.open(self.settings["DATABASE_URL"], make=False) as archive,
            interruptible("Interrupted."),
        ):
            faults = _verify(archive, file_store(self.settings), warcs, is_whole=opts.all)
        if faults:
            end(f"The archive has {', '.join(faults)}.", FAILED)


class _Reading:
    """Reads the records of an archive, and notes the blogs with unreadable rows."""

    def __init__(self, archive: Archive, advance: Callable[..., None]) -> None:
        self.archive, self._advance = archive, advance
        self.faults: dict[str, Fault] = {}

    def records(self) -> Iterator[Record]:
        """Yield all records in the order in which they were stored."""
        for blog in self.archive.blogs():
            try:
                for record in self.archive.records(blog.home):
                    yield record
                    self._advance()
            except (TypeError, ValueError, KeyError, AttributeError) as error:
                description = f"a post's row is not a valid record ({type(error).__name__}: {error})"
                self.faults[blog.home] = Fault(blog.home, description)


def _verify(archive: Archive, files: Files, warcs: Path, *, is_whole: bool) -> list[str]:
    """Print each fault, or what was checked if there is none; return the number of faults of each kind in words."""
    size = size_of_warcs(warcs) + size_of_files(files)
    records = sum(archive.count(blog.home) for blog in archive.blogs())
    faults: list[str] = []
    with advancing("bytes and posts read", size + 3 * records) as advance:
        reading, begun = _Reading(archive, advance), datetime.now(UTC)
        for check in _checks(reading, files, warcs, advance):
            count = _print(check)
            if count:
                faults.append(f"{count} {check.names[count > 1]}")
            if faults and not is_whole:
                return faults
            if not faults and check.is_last_of_files:
                _note(archive, begun)
    if not faults:
        print(f"{size / 1e6:.1f} MB of files and {records} records checked: no faults.")
    return faults


def _note(archive: Archive, moment: datetime) -> None:
    """Store the time of a check without faults, for exports, if the archive is writable."""
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
    yield _Check(("unreadable blog", "unreadable blogs"), _unreadable_blogs(reading))
    yield _Check(("altered record", "altered records"), reading.archive.altered_posts())


def _damages(archive: Archive) -> Iterator[Fault]:
    where = archive.file.name if archive.file is not None else "the database"
    return (Fault(where, description) for description in archive.damages())


def _unfinished(archive: Archive) -> Iterator[Fault]:
    for row in archive.purges.all():
        if row.finished is None:
            yield Fault(row.url, f"begun {row.asked:%Y-%m-%d %H:%M} UTC; finish it by: {row.command}")


def _unreadable_blogs(reading: _Reading) -> Iterator[Fault]:
    yield from reading.faults.values()


def _print(check: _Check) -> int:
    count = 0
    for fault in check.faults:
        print(f"{check.names[0]}: {fault.where}: {fault.description}")
        count += 1
    return count
