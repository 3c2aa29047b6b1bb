"""Decode the bytes of a page, and replace characters that HTML allows but an XML tree does not.

The order is that of the Encoding Standard and the HTML Standard (https://encoding.spec.whatwg.org,
https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding): a byte order mark has
priority over everything, also over the HTTP header; then come the header's charset, the page's own declaration, and
detection.

There is one difference to browsers: a declaration that the bytes clearly contradict is ignored. An archive needs the
text that the author wrote, and many servers add "iso-8859-1" to all responses.
"""

from __future__ import annotations

import re
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING

from charset_normalizer import from_bytes
from w3lib.encoding import read_bom, to_unicode

from blogcrawler.serialise import load_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

#: Bytes from the start in which a page may declare its encoding. Browsers read 1,024, but comments may be longer.
_PRESCAN_BYTES = 65_536
#: Maximum number of bytes that the detection reads.
_DETECTION_BYTES = 8_192
#: A declaration is ignored if more than one in this many non-ASCII bytes cannot be decoded.
_BYTES_PER_ERROR = 20
#: Number of valid multi-byte sequences from which a text is UTF-8 and not by accident.
_UTF8_SEQUENCES = 3
#: Maximum number of parts of a page's text that are checked for UTF-8.
_MAX_PIECES = 10_000
_REPLACEMENT = "\ufffd"

_HEADER_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([^\s"';,]+)""", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META_CHARSET = re.compile(rb"""<meta[\s/][^>]{0,500}?charset\s*=\s*["']?\s*([^\s"'/>;]{1,40})""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"']{1,40})["']""", re.IGNORECASE)
_MARKUP = re.compile(rb"[<>\r\n]+")
#: A truncated UTF-8 sequence of at least two bytes.
_CUT_SEQUENCE = re.compile(
    rb"(?:\xe0[\xa0-\xbf]|\xed[\x80-\x9f]|[\xe1-\xec\xee\xef][\x80-\xbf]"
    rb"|(?:\xf0[\x90-\xbf]|\xf4[\x80-\x8f]|[\xf1-\xf3][\x80-\xbf])[\x80-\xbf]?+)(?![\x80-\xbf])"
)
#: Escape sequences to JIS X 0208, which occur in no other encoding; the bytes are ASCII, and thus valid UTF-8.
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]")
_LANGUAGE = re.compile(rb"""<html\b[^>]{0,500}?\blang\s*=\s*["']?([a-z]{2})\b""", re.IGNORECASE)
#: Encodings that are easily confused with windows-1252, which is by far the most frequent.
_LATIN = frozenset({"iso8859_2", "cp1250", "cp1254", "mac_roman"})
_CHAOS_MARGIN = 0.02
_FALLBACK = "cp1252"
_NON_ASCII = bytes(range(0x80))
_CONTROLS = bytes(code for code in range(0x20) if code not in b"\t\n\r")
_SPACES = bytes.maketrans(_CONTROLS, b" " * len(_CONTROLS))
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def decode(body: bytes, content_type: str | None = None) -> str:
    """The text of `body`; never raises: invalid bytes become U+FFFD.

    `content_type` is the value of the HTTP header. Precedence: byte order mark, header, declaration in the page
    (`<meta>`, XML declaration), UTF-8 where the bytes are valid as such, detection from a sample, windows-1252.
    O(n) in the bytes, the statistical detection is bounded.
    """
    encoding, mark = read_bom(body)
    if encoding is not None and mark is not None:
        return to_unicode(body[len(mark) :], encoding)
    return decode_as(body, _declared(body, content_type))


def decode_as(body: bytes, codecs: Iterable[str]) -> str:
    """The text of `body`, given its declared `codecs`; never raises. See `decode`."""
    as_utf8 = cache(partial(_as_utf8, body))
    for codec in codecs:
        text = _as_declared(body, codec, as_utf8)
        if text is not None:
            return text
    if (utf8 := as_utf8()) is None:
        return _detected(body)
    return to_unicode(body, "iso2022_jp") if _ISO_2022_JP.search(body) else utf8


def codec_of(label: str) -> str | None:
    """The Python codec for an encoding label as the Encoding Standard reads it ("latin1" is windows-1252), or None."""
    return _labels().get(label.strip().lower())


@cache
def _labels() -> dict[str, str]:
    table = load_file(dict[str, list[str]], __package__, "encodings.json")
    return {label: codec for codec, labels in table.items() for label in labels}


def _declared(body: bytes, content_type: str | None) -> Iterator[str]:
    header = _HEADER_CHARSET.search((content_type or "")[:1000])
    if header and (codec := codec_of(header[1])):
        yield codec
    head = body[:_PRESCAN_BYTES]
    declaration = _META_CHARSET.search(head)
    if declaration is None or b"<!--" in head[: declaration.start()]:
        head = _COMMENT.sub(b" ", head)
        declaration = _META_CHARSET.search(head) or _XML_ENCODING.match(head)
    if declaration and (codec := codec_of(declaration[1].decode("latin-1"))):
        # A declaration in ASCII cannot be in UTF-16: the standard reads it as UTF-8.
        yield "utf-8" if codec.startswith("utf-16") else codec


def _as_utf8(body: bytes) -> str | None:
    """The text if `body` is UTF-8, possibly with some invalid characters; otherwise None."""
    return body.decode("utf-8", "replace") if _is_utf8(body) or _is_mostly_utf8(body) else None


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _is_mostly_utf8(body: bytes) -> bool:
    """True if the bytes, or the parts of the text, show more evidence for UTF-8 than against it. Parts are counted,
    too, since a single text in another encoding, such as a comment, may have many invalid bytes."""
    if _utf8_evidence(body) > 0:
        return True
    pieces = islice((piece for piece in _MARKUP.split(body) if not piece.isascii()), _MAX_PIECES)
    evidence = [_utf8_evidence(piece) for piece in pieces]
    return sum(score > 0 for score in evidence) >= max(1, sum(score < 0 for score in evidence))


def _utf8_evidence(body: bytes) -> int:
    """Number of continuation bytes of valid sequences minus the number of errors. O(n).

    In other encodings, valid sequences are rare. A sequence truncated after two or three bytes is no error: it comes
    from programs that shorten texts by bytes, and hardly occurs in other encodings.
    """
    valid = body.decode("utf-8", "ignore")
    errors = body.decode("utf-8", "replace").count(_REPLACEMENT) - valid.count(_REPLACEMENT)
    return len(valid.encode()) - len(valid) - errors + len(_CUT_SEQUENCE.findall(body))


def _fits(body: bytes, text: str) -> bool:
    """True if few of the bytes outside ASCII cannot be decoded."""
    errors = text.count(_REPLACEMENT)
    return errors <= 1 or errors * _BYTES_PER_ERROR <= _non_ascii(body)


def _non_ascii(body: bytes) -> int:
    return len(body.translate(None, _NON_ASCII))


def _as_declared(body: bytes, codec: str, as_utf8: Callable[[], str | None]) -> str | None:
    """The text in the declared encoding; None if the bytes contradict it."""
    if codec == "utf-8":
        utf8 = as_utf8()
        text = utf8 or body.decode("utf-8", "replace")
        return text if utf8 or text.count(_REPLACEMENT) <= 1 else None
    if codec.startswith("utf-16"):
        return to_unicode(body, codec) if b"\0" in body[:_PRESCAN_BYTES] else None
    text, utf8 = to_unicode(body, codec), None
    is_single_byte = len(text) == len(body)
    if is_single_byte or _REPLACEMENT in text or _is_utf8(body):  # otherwise decoding as UTF-8 gives more errors
        utf8 = as_utf8()
    if utf8 is not None and _is_plainly_utf8(utf8, text, is_single_byte=is_single_byte):
        return utf8
    return text if _fits(body, text) else None


def _is_plainly_utf8(text: str, declared: str, *, is_single_byte: bool) -> bool:
    """True if `text`, decoded as UTF-8, has enough non-ASCII characters, and UTF-8 fits better than the declaration.

    Single-byte encodings decode nearly all bytes, so the number of errors is no evidence there; otherwise the encoding
    with fewer errors is right.
    """
    if len(text) - len(text.encode("ascii", "ignore")) < _UTF8_SEQUENCES:
        return False
    errors = text.count(_REPLACEMENT)
    return not errors or is_single_byte or errors < declared.count(_REPLACEMENT)


def _detected(body: bytes) -> str:
    """The text in the most likely legacy encoding, given its letters and the declared language."""
    head = body[:_PRESCAN_BYTES]
    language = _LANGUAGE.search(head)
    candidates = _legacy().get(language[1].decode().lower() if language else "", _legacy()[""])
    return to_unicode(body, _most_likely(_sample(body), candidates))


def _most_likely(sample: bytes, candidates: list[str]) -> str:
    matches = from_bytes(sample, cp_isolation=candidates, preemptive_behaviour=False)
    best = matches.best()
    if best is None:
        return _FALLBACK if _FALLBACK in candidates else candidates[0]
    western = next((match for match in matches if match.encoding == _FALLBACK), None)
    if western and best.encoding in _LATIN and western.chaos <= best.chaos + _CHAOS_MARGIN:
        return _FALLBACK
    return best.encoding


@cache
def _legacy() -> dict[str, list[str]]:
    """Language to its usual encodings, the most usual first; "" for pages without a language in the table."""
    return load_file(dict[str, list[str]], __package__, "legacy_encodings.json")


def _sample(body: bytes) -> bytes:
    """The non-ASCII parts of the body's text. Markup is left out, since it has no information about the language."""
    pieces: list[bytes] = []
    size = 0
    for piece in _MARKUP.split(body):
        if not piece.isascii():
            pieces.append(piece[:_DETECTION_BYTES])
            size += len(piece)
            if size >= _DETECTION_BYTES:
                break
    return b"\n".join(pieces)[:_DETECTION_BYTES]


def legal_bytes(utf8: bytes) -> bytes:
    """UTF-8 text with spaces for control characters and U+FFFD for noncharacters."""
    text = utf8.translate(_SPACES)
    if b"\xef" not in text:
        return text
    return text.replace(b"\xef\xbf\xbe", b"\xef\xbf\xbd").replace(b"\xef\xbf\xbf", b"\xef\xbf\xbd")


def legal_text(text: str) -> str:
    """Text with spaces for characters that lxml refuses; if these were removed, `<!--\\x01>` would be a comment."""
    return _ILLEGAL.sub(" ", text)
