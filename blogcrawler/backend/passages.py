"""Recognises a text and quotations of it by digests of its parts, without storing the text.

Each part has ten words. The parts do not overlap, so no part can be guessed from the previous one. A document is
compared at each of its words: a quotation of 19 consecutive words contains a whole part.

The method follows Manber, "Finding Similar Files in a Large File System" (USENIX Winter 1994), with fixed positions
instead of random ones.
"""

from __future__ import annotations

import html
import re
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WORDS = 10
"""Number of words in a part. Shorter texts are not recognised."""
SIZE = 8
"""Length of a digest in bytes."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([nrtbf])|(.))", re.DOTALL)
_INLINE = re.compile(
    r"</?(?:a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub"
    r"|sup|tt|u|var|wbr)\b[^<>]*>",
    re.IGNORECASE,
)
_TAG = re.compile(r"<!\[CDATA\[|\]\]>|<[^<>]*>")
_ATTRIBUTE = re.compile(r"""=\s*(?:"([^"<>]{40,})"|'([^'<>]{40,})')""")
_WORD = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]|[^\\W_]+"
)
"""A word, or a letter of a script that writes no spaces between words."""


def parts_of(texts: Iterable[str]) -> frozenset[bytes]:
    """The digests by which texts (HTML or plain) are recognised. O(n)."""
    digests: set[bytes] = set()
    for text in texts:
        words = _words(text)
        starts = [*range(0, len(words) - WORDS + 1, WORDS), len(words) - WORDS]
        digests.update(_digest(words, start) for start in starts if start >= 0)
    return frozenset(digests)


def all_parts(text: str, count: int = WORDS) -> Iterator[bytes]:
    """The digests of all runs of ten words in a document: HTML, a feed, JSON or plain text. O(n)."""
    words = _words(text)
    return (_digest(words, start, count) for start in range(len(words) - count + 1))


def person_of(name: str) -> str:
    """The stored form of a name: its number of words and a digest, equal for all spellings.

    Empty if there is no name.
    """
    words = _words(name)
    return f"{len(words)}:{_digest(words, 0, len(words)).hex()}" if words else ""


def _digest(words: list[str], start: int, count: int = WORDS) -> bytes:
    return blake2b(" ".join(words[start : start + count]).encode(), digest_size=SIZE).digest()


def _words(text: str) -> list[str]:
    """The words of a document, followed by those of long attributes. Markup may be escaped, as in feeds and JSON."""
    if "\\" in text:
        text = _ESCAPE.sub(_unescaped, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = html.unescape(html.unescape(text))
    attributes = " ".join(" ".join(found) for found in _ATTRIBUTE.findall(text))
    text = html.unescape(_TAG.sub(" ", _INLINE.sub("", text)))
    return _WORD.findall(f"{text} {attributes}".casefold())


def _unescaped(escape: re.Match[str]) -> str:
    number, blank, other = escape.groups()
    return chr(int(number, 16)) if number else " " if blank else str(other)
