"""From a feed's bytes to its text, whatever its declaration claims.

Declarations are wrong so often that the bytes are asked first: text that is valid UTF-8 and not plain ASCII is UTF-8
(RFC 3629, section 3: other encodings' texts are valid UTF-8 with vanishing probability). Only then come byte order
mark, HTTP header and XML declaration, in the order of RFC 7303, and last a guess.
"""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

__all__ = ["decode"]

_HEAD = 1024
_GUESS_BYTES = 64 * 1024
#: of the characters that are not ASCII, the share that may be broken before a declared encoding is disbelieved
_MAX_BROKEN = 0.05

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: encodings that are labelled as their subset (WHATWG Encoding Standard, section 4.2)
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
    "tis-620": "cp874",
}
_STATEFUL = ("iso2022", "hz", "utf-7")
#: codecs of Python that are no character encodings of the web
_REFUSED = ("punycode", "idna", "raw-unicode-escape", "unicode-escape", "unicode_escape", "raw_unicode_escape", "utf-7")
_XML_ENCODING = re.compile(rb"""encoding\s{0,9}=\s{0,9}["']([A-Za-z0-9._:-]{1,40})["']""")
_HTTP_CHARSET = re.compile(r"""charset\s{0,9}=\s{0,9}["']?([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)


def decode(body: bytes, content_type: str | None = None) -> str:
    """The text of a feed. Never fails: what cannot be decoded becomes U+FFFD. O(n) in the body."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    if (wide := _wide(body)) is not None:
        return body.decode(wide, "replace")
    declared = _declared(body, content_type)
    if declared and declared[0].startswith(_STATEFUL):
        return body.decode(declared[0], "replace")
    for name in ("utf-8", *declared):
        try:
            return body.decode(name)
        except UnicodeDecodeError:
            continue
    return _damaged(body, declared)


def _wide(body: bytes) -> str | None:
    """UTF-16 without a byte order mark shows in the zeros beside the first characters, which are ASCII."""
    head = body[:64]
    if len(head) < 8 or head.count(0) < len(head) // 3:
        return None
    return "utf-16-be" if head[0::2].count(0) > head[1::2].count(0) else "utf-16-le"


def _declared(body: bytes, content_type: str | None) -> list[str]:
    found = []
    if content_type and (match := _HTTP_CHARSET.search(content_type[:200])):
        found.append(match[1])
    if xml := _XML_ENCODING.search(body[:_HEAD]):
        found.append(xml[1].decode("ascii"))
    names = (_known(name) for name in found)
    return list(dict.fromkeys(name for name in names if name))


def _known(label: str) -> str | None:
    """Python's name for a label, or for the superset that the label stands for in practice."""
    try:
        info = codecs.lookup(label)
    except (LookupError, ValueError):
        return None
    is_text = getattr(info, "_is_text_encoding", True)
    if not is_text or info.name in _REFUSED or info.name.startswith(("utf-16", "utf-32")):
        return None
    return _SUPERSETS.get(info.name, info.name)


def _damaged(body: bytes, declared: list[str]) -> str:
    """Text with single broken bytes, as when a summary was cut within a character; else the best guess."""
    for name in (*declared, "utf-8"):
        text = body.decode(name, "replace")
        broken = text.count("\ufffd")
        if broken <= _MAX_BROKEN * sum(map(len, _NOT_ASCII.findall(text))):
            return text
    guess = from_bytes(_without_ascii_markup(body)).best()
    return body.decode(guess.encoding if guess else "cp1252", "replace")


_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


def _without_ascii_markup(body: bytes) -> bytes:
    """A bounded sample that begins near the first byte that is not ASCII."""
    first = re.search(rb"[\x80-\xff]", body)
    start = max(first.start() - 256, 0) if first else 0
    return body[start : start + _GUESS_BYTES]
