"""From a feed's bytes to its text, whatever its declaration claims.

Declarations are wrong so often that the bytes are asked first: text that is valid UTF-8 and not plain ASCII is UTF-8
(RFC 3629, section 3: other encodings' texts are valid UTF-8 with vanishing probability). Only then come byte order
mark, HTTP header and XML declaration, in the order of RFC 7303, and last a guess.
"""

from __future__ import annotations

import codecs
import re

from blogcrawler.dom.encoding import codec_of, decode_as

_HEAD = 1024
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_STATEFUL = ("iso2022", "hz")
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
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return decode_as(body, declared)


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
    names = (codec_of(label) for label in found)
    return [name for name in names if name and not name.startswith("utf-16")]
