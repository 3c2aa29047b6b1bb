"""Decode a feed, whatever its declaration claims.

Declarations are wrong so often that the bytes are asked first: text that is valid UTF-8 and not plain ASCII is UTF-8
(RFC 3629, section 3: other encodings' texts are valid UTF-8 with vanishing probability).
"""

from __future__ import annotations

from contextlib import suppress

from w3lib.encoding import read_bom

from blogcrawler.dom import encoding


def decode(body: bytes, content_type: str | None = None) -> str:
    """The text of a feed, without white space before it; what cannot be decoded becomes U+FFFD. O(n) in the body."""
    return _decode(body, content_type).lstrip("\ufeff \t\r\n")


def _decode(body: bytes, content_type: str | None) -> str:
    if read_bom(body)[0] is None:
        if (wide := _wide(body)) is not None:
            return body.decode(wide, "replace")
        if not body.isascii():
            with suppress(UnicodeDecodeError):
                return body.decode("utf-8")
    return encoding.decode(body, content_type)


def _wide(body: bytes) -> str | None:
    """UTF-16 without a byte order mark shows in the zeros beside the first characters, which are ASCII."""
    head = body[:64]
    if len(head) < 8 or head.count(0) < len(head) // 3:
        return None
    return "utf-16-be" if head[0::2].count(0) > head[1::2].count(0) else "utf-16-le"
