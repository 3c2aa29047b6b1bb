"""Types of files that all readers of books know (EPUB 3.3, core media types), told by their first bytes."""

from __future__ import annotations

import re
from typing import IO

_HEAD = 64
_SIGNATURES = (
    ("image/png", re.compile(rb"\x89PNG\r\n\x1a\n")),
    ("image/jpeg", re.compile(rb"\xff\xd8\xff")),
    ("image/gif", re.compile(rb"GIF8[79]a")),
    ("image/webp", re.compile(rb"RIFF....WEBP", re.DOTALL)),
    ("audio/mpeg", re.compile(rb"ID3|\xff[\xf2-\xf3\xfa-\xfb]")),
    ("audio/mp4", re.compile(rb"....ftypM4[AB]", re.DOTALL)),
    ("video/mp4", re.compile(rb"....ftyp", re.DOTALL)),
    ("video/webm", re.compile(rb"\x1a\x45\xdf\xa3")),
)


def shown_type(file: IO[bytes], media_type: str | None) -> str | None:
    """The type of a picture, a sound or a film; None for what is none of them, or not what it is said to be.

    The file stays where it is read.
    """
    end = file.tell()
    file.seek(0)
    head = file.read(_HEAD)
    file.seek(end)
    found = next((name for name, signature in _SIGNATURES if signature.match(head)), None)
    said = (media_type or "").partition("/")[0]
    if found == "video/mp4" and said == "audio":
        return "audio/mp4"
    return found if found is not None and found.partition("/")[0] == said else None
