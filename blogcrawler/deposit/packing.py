"""Packs a post of the archive as a deposit: its description, and its files under fixed names."""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import tempfile
import uuid
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from urllib.parse import urlsplit
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from blogcrawler.deposit.page import page
from blogcrawler.deposit.repository import Deposit, DepositFile, Description
from blogcrawler.errors import DepositRefused
from blogcrawler.export.media import kept_media, media_name
from blogcrawler.export.text import beginning, json_line, xml_text
from blogcrawler.urls import identity, is_http, routed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.backend import BlogRow, Files, KeptPost
    from blogcrawler.items import Media, Record

RECORD, PAGE, ALL_MEDIA = "record.json", "post.html", "media.zip"
_NO_TITLE = "[no title]"
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?(?=T|$)")
_OLDEST = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a ZIP file can store. All files get this time, so that equal files give equal ZIP files."""
_PORTION = 1 << 20


def marker_of(record: Record) -> str:
    """Return a URN for a post, the same for all spellings of its address."""
    spelled = identity(routed(record.url)) if is_http(record.url) else record.url
    return uuid.uuid5(uuid.NAMESPACE_URL, xml_text(f"{record.blog} {spelled}")).urn


def content_sha256(record: Record, *, with_media: bool) -> str:
    """Digest of everything that a deposit contains. The time and the source of the fetch are ignored."""
    fields = record.to_dict()
    for name in ("provenance", "updated"):
        del fields[name]
    fields["media"] = [media_name(media) for media in kept_media(record)] if with_media else None
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


@contextmanager
def packed(
    post: KeptPost, blog: BlogRow, files: Files | None, *, marker: str, most_files: int, is_draft: bool = False
) -> Iterator[Deposit]:
    """Pack a post as a deposit; without media if `files` is None.

    Raises DepositRefused if a file of the post cannot be read.
    """
    record = post.record
    media = list(kept_media(record)) if files is not None else []
    names = {medium.sha256: media_name(medium) for medium in media}
    described = _description(post, blog, marker)
    by_url = {medium.url: names[medium.sha256] for medium in record.media if medium.sha256 in names}
    members = [
        _in_memory(RECORD, "application/json", json_line(record.to_dict())),
        _in_memory(PAGE, "text/html", page(record, blog.title, by_url)),
    ]
    stored = [_stored(medium, cast("Files", files)) for medium in media]
    sha256 = content_sha256(record, with_media=files is not None)
    if len(members) + len(stored) <= most_files:
        yield Deposit(described, [*members, *stored], sha256, is_draft)
        return
    with tempfile.NamedTemporaryFile(suffix=".zip") as archive:
        _zip(stored, cast("BinaryIO", archive))
        size = archive.tell()
        zipped = DepositFile(ALL_MEDIA, "application/zip", size, lambda: open(archive.name, "rb"))  # noqa: PTH123, SIM115
        yield Deposit(described, [*members, zipped], sha256, is_draft)


def _in_memory(name: str, kind: str, content: bytes) -> DepositFile:
    return DepositFile(name, kind, len(content), lambda: io.BytesIO(content))


def _stored(media: Media, files: Files) -> DepositFile:
    path = str(media.path)
    try:
        with files.open(path) as stream:
            size = stream.seek(0, io.SEEK_END)
    except OSError as error:
        raise DepositRefused(
            f"{path}, a file of the post, cannot be read ({error.strerror}). blogcrawler verify lists damaged files; "
            "--no-media deposits without media files.",
            url=media.url,
        ) from error
    return DepositFile(media_name(media), media.type or "application/octet-stream", size, lambda: files.open(path))


def _zip(files: list[DepositFile], target: BinaryIO) -> None:
    """Write files into a ZIP file without compression."""
    with ZipFile(target, "w", ZIP_STORED) as archive:
        for file in files:
            with file.open() as source, archive.open(ZipInfo(file.name, _OLDEST), "w", force_zip64=True) as member:
                shutil.copyfileobj(source, member, _PORTION)
    target.flush()


def _description(post: KeptPost, blog: BlogRow, marker: str) -> Description:
    record = post.record
    title = _line(blog.title) or urlsplit(record.blog).netloc or record.blog
    first_words = beginning(record.content_text)
    return Description(
        marker=marker,
        url=record.url,
        title=_line(record.title) or (_line((first_words or "")[:80]) or _NO_TITLE),
        creators=tuple(dict.fromkeys(filter(None, map(_line, record.authors)))),
        blog=record.blog,
        blog_title=title,
        published=_day(record.published),
        updated=_day(record.updated),
        captured=_captured(record) or post.last_changed.astimezone(UTC).date().isoformat(),
        language=record.language,
        tags=tuple(dict.fromkeys(filter(None, map(_line, record.tags)))),
        beginning=xml_text(first_words).strip() if first_words else None,
        guid=_line(record.guid) or None,
    )


def _captured(record: Record) -> str | None:
    """Day on which the post was fetched."""
    try:
        return datetime.fromisoformat(record.provenance.fetched or "").date().isoformat()
    except ValueError:
        return None


def _day(time: str | None) -> str | None:
    """Year, month or day of an ISO 8601 time; None if it is not a valid date."""
    match = _DATE.match(time or "")
    if match is None:
        return None
    try:
        date.fromisoformat(f"{match[0]}-01-01"[:10])
    except ValueError:
        return None
    return match[0]


def _line(text: Any) -> str:  # noqa: ANN401
    """Text in one line, without characters that XML forbids."""
    return " ".join(xml_text(text).split()) if isinstance(text, str) else ""
