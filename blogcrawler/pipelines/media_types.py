"""Detects media types from content, since the types that servers send are often wrong and may be deceptive."""

from __future__ import annotations

import re
import zlib
from io import BytesIO
from zipfile import BadZipFile, ZipFile

import puremagic

UNKNOWN = "application/octet-stream"
_HEAD = 4096
"""Number of bytes that are examined."""
_HTML = re.compile(
    rb"\s*+(?:<!--(?>.*?-->)\s*+)*+<(?:!doctype\s+html|html|head|body|script)\b", re.IGNORECASE | re.DOTALL
)
_SVG = re.compile(
    rb"(?:\s++|<\?xml[^>]*+(?<=\?)>|<!--(?>.*?-->)|<!doctype\s++svg[^>]*+>)*+<svg\b", re.IGNORECASE | re.DOTALL
)
_XML = re.compile(rb"\s*<\?xml\b")
_SHORT = 2
_ZIP = "application/zip"
_OFFICE = {
    "word": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xl": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "ppt": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
"""Folders in Office Open XML documents (ECMA-376)."""
_LONGEST_TYPE = 100
_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]+")
_MARK = b"\xef\xbb\xbf"
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def sniff(content: bytes, declared: str = "") -> str:
    """The media type of a content. `declared`, the value of the header, only distinguishes kinds of text. O(n)."""
    head = content[:_HEAD].removeprefix(_MARK)
    if _SVG.match(head):
        return "image/svg+xml"
    if _HTML.match(head):
        return "text/html"
    is_binary = _BINARY.search(head) is not None
    if media_type := _by_magic(content, is_binary=is_binary):
        return media_type
    if is_binary:
        return UNKNOWN
    declared_type = declared.partition(";")[0].strip().lower()
    if declared_type.startswith("text/") and declared_type != "text/html":
        return declared_type
    return "application/xml" if _XML.match(head) else "text/plain"


def _by_magic(content: bytes, *, is_binary: bool) -> str | None:
    """The type with the longest matching signature; a text may begin with a signature of two bytes.

    ZIP files are examined further.
    """
    if content.startswith(b"PK\x03\x04"):
        return _of_archive(content)
    try:
        matches = puremagic.magic_string(content)
    except (puremagic.PureError, ValueError):
        return None
    candidates = [match for match in matches if match.mime_type and (is_binary or len(match.byte_match) > _SHORT)]
    best = max(
        candidates, key=lambda match: (len(match.byte_match), match.mime_type.startswith("image/")), default=None
    )
    return str(best.mime_type) if best is not None else None


def _of_archive(content: bytes) -> str:
    """The type of a ZIP file: documents state their type, or have a characteristic folder."""
    try:
        with ZipFile(BytesIO(content)) as archive:
            names = archive.namelist()
            if names[:1] == ["mimetype"] and archive.getinfo("mimetype").file_size < _LONGEST_TYPE:
                stated = archive.read("mimetype").decode("ascii").strip()
                return stated if _TYPE.fullmatch(stated) else _ZIP
    except (BadZipFile, OSError, RuntimeError, NotImplementedError, UnicodeError, zlib.error):
        return _ZIP
    folders = {name.partition("/")[0] for name in names}
    kinds = (kind for folder, kind in _OFFICE.items() if folder in folders and "[Content_Types].xml" in names)
    return next(kinds, _ZIP)
