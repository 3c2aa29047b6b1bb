"""Find the WARC records that belong to removed content or quote it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.backend.warc import OPEN, KeptBodies, Place, kept_records, warc_files
from blogcrawler.errors import BadArgument, DamagedCapture
from blogcrawler.urls import site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from blogcrawler.backend.warc import KeptRecord

_WITH_BODY = ("response", "resource")
_OTHERS = ("request", "revisit")


@dataclass(frozen=True)
class FoundCapture:
    """A WARC record to be removed."""

    file: Path
    place: Place
    kind: str
    url: str

    @property
    def has_body(self) -> bool:
        """True for a response or a rendered page."""
        return self.kind in _WITH_BODY

    @property
    def name(self) -> str:
        """Its position, in the form of `provenance.warc`."""
        return f"{self.file.name.removesuffix(OPEN)}#{self.place.offset}"


@dataclass(frozen=True)
class _Referring:
    """A request or revisit record, and the names of the records to which it refers."""

    capture: FoundCapture
    names: frozenset[str]


def find_captures(
    folder: Path,
    sites: Iterable[str],
    is_own: Callable[[str], bool],
    quotes: Callable[[bytes, str | None], bool],
    is_whole: Callable[[Path, list[str]], bool] = lambda _file, _urls: False,
    on_bytes: Callable[[int], object] = lambda _: None,
) -> list[FoundCapture]:
    """The records whose URLs `is_own` accepts, those whose body `quotes` accepts, and the records that refer to either.

    All records of a file are returned if `is_whole` accepts its name and those URLs in it that `is_own` accepts. Bodies
    are searched only in files with a URL on one of these `sites`, since each file is of one crawl. Linear in the files.
    """
    captures: list[FoundCapture] = []
    referring: list[_Referring] = []
    bodies, near = KeptBodies(folder), set(sites)
    try:
        for file in warc_files(folder):
            others: list[FoundCapture] = []
            own: list[FoundCapture] = []
            asking: list[_Referring] = []
            for record in kept_records(file, on_bytes):
                capture = _capture(file, record)
                if capture.kind in (*_WITH_BODY, *_OTHERS) and is_own(capture.url):
                    own.append(capture)
                elif capture.kind in _WITH_BODY:
                    others.append(capture)
                elif capture.kind in _OTHERS:
                    asking.append(_Referring(capture, _names(record)))
            if is_whole(file, [capture.url for capture in own]):
                captures += [*others, *(referring_record.capture for referring_record in asking)]
            elif any(_site(capture.url) in near for capture in (*others, *own)):
                captures += [capture for capture in others if _says(bodies, capture, quotes)]
            captures += own
            referring += asking
    finally:
        bodies.close()
    return [*captures, *_referring_to(captures, referring)]


def _referring_to(removed: list[FoundCapture], referring: list[_Referring]) -> Iterator[FoundCapture]:
    """The revisit records of removed records, and the request records of both."""
    names = {capture.place.name for capture in removed}
    known = set(names)
    for kind in ("revisit", "request"):
        for record in referring:
            is_new = record.capture.kind == kind and record.capture.place.name not in known
            if is_new and not names.isdisjoint(record.names):
                names.add(record.capture.place.name)
                yield record.capture


def _capture(file: Path, record: KeptRecord) -> FoundCapture:
    name = record.headers.get("warc-record-id", "")
    return FoundCapture(file, Place(record.offset, record.length, name), record.kind, record.url)


def _names(record: KeptRecord) -> frozenset[str]:
    return frozenset(filter(None, map(record.headers.get, ("warc-concurrent-to", "warc-refers-to"))))


def _says(bodies: KeptBodies, capture: FoundCapture, quotes: Callable[[bytes, str | None], bool]) -> bool:
    try:
        body = bodies.at(capture.name)
    except DamagedCapture:
        return False
    return quotes(body.body, body.content_type)


def _site(url: str) -> str:
    try:
        return site(url)
    except BadArgument:
        return ""
