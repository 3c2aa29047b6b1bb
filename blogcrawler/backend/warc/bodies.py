"""What a page said, read from the WARC files by its place in them."""

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
"""Bytes of a body that is read."""


@dataclass(frozen=True)
class KeptBody:
    """A response, or what a browser made of one."""

    url: str
    body: bytes
    content_type: str | None
    #: 200 of what a browser made
    status: int
    #: True of what a browser showed
    is_view: bool


class KeptBodies:
    """The bodies in a folder of WARC files. It is let go of by `close`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._places = Places(folder)

    def at(self, place: str) -> KeptBody:
        """What is at a place as `provenance.warc` has it, decoded. Raises DamagedCapture where nothing can be read."""
        located = located_in(self._folder, place)
        if located is None:
            raise DamagedCapture(f"{place} is not in {self._folder}; blogcrawler verify tells what the archive lacks.")
        try:
            with located[0].open("rb") as file:
                record = body_record(file, located[1], check_digests="raise")
                if record is not None:
                    return _body(record)
        except (OSError, ValueError, EOFError, ArchiveLoadFailed) as error:
            raise DamagedCapture(
                f"{place} cannot be read ({error}); blogcrawler verify tells what of the archive is damaged."
            ) from error
        raise DamagedCapture(
            f"{place} is no record of a page; blogcrawler verify tells what of the archive is damaged."
        )

    def of(self, url: str) -> KeptBody | None:
        """The last body of an address; None where there is none, or none that can be read."""
        place = self._places.find(url)
        try:
            return None if place is None else self.at(place)
        except DamagedCapture:
            return None

    def close(self) -> None:
        """Read no more."""
        self._places.close()


def located_in(folder: Path, place: str) -> tuple[Path, int] | None:
    """The file of a place as `provenance.warc` has it, and where its record begins; None where it is not there."""
    name, _, offset = place.partition("#")
    path = next((path for path in (folder / name, folder / (name + OPEN)) if path.is_file()), None)
    is_place = "/" not in name and offset.isascii() and offset.isdigit()
    return (path, int(offset)) if path is not None and is_place else None


def body_record(file: BinaryIO, offset: int, **options: str) -> Any:  # noqa: ANN401  warcio has no types
    """The record that begins there, if it is of a page; what goes wrong is of several types."""
    file.seek(offset)
    record = next(iter(ArchiveIterator(file, **options)), None)
    # what is damaged may pass for a record of the older ARC format, which has no digests
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
