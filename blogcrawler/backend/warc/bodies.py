"""Reads the bodies of pages from WARC files, by their position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from blogcrawler.backend.warc.index import Places
from blogcrawler.backend.warc.segment import OPEN
from blogcrawler.errors import DamagedCapture

if TYPE_CHECKING:
    from pathlib import Path

_BODIES = ("response", "resource")
MAX_BYTES = 64 * 1024 * 1024
"""Maximum size of a body that is read, in bytes."""


@dataclass(frozen=True)
class KeptBody:
    """The body of a response, or of a browser's view of a page."""

    url: str
    body: bytes
    content_type: str | None
    #: 200 for a browser's view
    status: int
    #: True for a browser's view
    is_view: bool


class KeptBodies:
    """The bodies in a folder of WARC files. Must be closed with `close`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._places = Places(folder)

    def at(self, position: str) -> KeptBody:
        """The decoded body at a position in the form of `provenance.warc`.

        Raises DamagedCapture if it cannot be read.
        """
        located = located_in(self._folder, position)
        if located is None:
            raise DamagedCapture(f"{position} is not in {self._folder}; blogcrawler verify lists missing files.")
        try:
            with located[0].open("rb") as file:
                record = body_record(file, located[1], check_digests="raise")
                if record is not None:
                    return _body(record)
        except (OSError, ValueError, EOFError, ArchiveLoadFailed) as error:
            raise DamagedCapture(
                f"{position} cannot be read ({error}); blogcrawler verify lists the damage."
            ) from error
        raise DamagedCapture(f"{position} is not the record of a page; blogcrawler verify lists the damage.")

    def of(self, url: str) -> KeptBody | None:
        """The last body of a URL; None if there is none, or if it cannot be read."""
        place = self._places.find(url)
        try:
            return None if place is None else self.at(place)
        except DamagedCapture:
            return None

    def close(self) -> None:
        self._places.close()


def located_in(folder: Path, position: str) -> tuple[Path, int] | None:
    """The file of a position in the form of `provenance.warc`, and the record's offset; None if the file does not
    exist."""
    name, _, offset = position.partition("#")
    path = next((path for path in (folder / name, folder / (name + OPEN)) if path.is_file()), None)
    is_place = "/" not in name and offset.isascii() and offset.isdigit()
    return (path, int(offset)) if path is not None and is_place else None


def body_record(file: BinaryIO, offset: int, **options: str) -> Any:  # noqa: ANN401  warcio has no types
    """The record at an offset; None if it is not of a page. Damaged data raise errors of several types."""
    file.seek(offset)
    record = next(iter(ArchiveIterator(file, **options)), None)
    # damaged data may look like records of the older ARC format, which has no digests
    is_body = record is not None and record.format == "warc" and record.rec_type in _BODIES
    return record if is_body else None


def _body(record: Any) -> KeptBody:  # noqa: ANN401
    body = record.content_stream().read(MAX_BYTES)
    url = record.rec_headers.get_header("WARC-Target-URI") or ""
    if record.rec_type == "resource":
        return KeptBody(url, body, record.rec_headers.get_header("Content-Type"), 200, is_view=True)
    head = record.http_headers
    status = head.get_statuscode() if head is not None else ""
    content_type = head.get_header("Content-Type") if head is not None else None
    return KeptBody(url, body, content_type, int(status) if status.isdigit() else 0, is_view=False)
