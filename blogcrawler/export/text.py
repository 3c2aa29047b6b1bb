"""Text as files take it."""

from __future__ import annotations

import json
import re
import unicodedata
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blogcrawler.backend import BlogRow

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONGEST = 500
"""Characters of the beginning of a text that describes it."""
_LONGEST_SLUG = 60
"""Characters of a slug: with its folders it stays below what Windows takes."""
_LONGEST_READ = 500
"""Characters of a text that are looked at for a slug."""
_NO_SLUG = re.compile("[^a-z0-9]+")


def encoded(text: str) -> bytes:
    """UTF-8; halves of surrogate pairs, which no UTF-8 can have, become question marks."""
    return text.encode("utf-8", "replace")


def json_line(value: Any) -> bytes:  # noqa: ANN401
    """A value of JSON types in one line, the same that a crawl writes."""
    return encoded(json.dumps(value, ensure_ascii=False)) + b"\n"


def plain(text: str) -> str:
    """Text that any program reads: without NUL, and with question marks for halves of surrogate pairs."""
    return encoded(text.replace("\0", "")).decode()


def xml_text(text: str) -> str:
    """Text without the characters that XML 1.0 does not have: most control characters, and two that are none."""
    return _NO_XML.sub("", plain(text))


def beginning(text: str | None) -> str | None:
    """The first words of a text, and a sign where there are more."""
    if text is None or len(text) <= _LONGEST:
        return text
    whole_words, _, _ = text[: _LONGEST + 1].rpartition(" ")
    return f"{whole_words or text[:_LONGEST]} …"


def blog_name(blog: BlogRow) -> str:
    """What names a blog's file or folder: its number in the archive, and its address as far as names can have it."""
    address = re.sub(r"[^a-z0-9.]+", "-", blog.home.partition("://")[2].lower()).strip("-.")
    return f"{blog.id}-{address[:80]}"


def count(number: int, name: str) -> str:
    """A number of things in words."""
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def size(number: int) -> str:
    """Bytes in words: `1.2 MB`."""
    if number < 1000:
        return f"{number} bytes"
    for unit in ("kB", "MB", "GB"):
        number_of = number / 1000 ** (("kB", "MB", "GB").index(unit) + 1)
        if number_of < 1000:
            break
    return f"{number_of:.1f} {unit}"


def data_text(name: str) -> str:
    """The text of a data file of exports."""
    return files(__package__).joinpath("data", name).read_text("utf-8")


def slug(text: str) -> str:
    """The ASCII letters and digits of a text, in lower case, with hyphens between; empty where it has none."""
    letters = unicodedata.normalize("NFKD", text[:_LONGEST_READ]).encode("ascii", "ignore").decode().lower()
    return _NO_SLUG.sub("-", letters).strip("-")[:_LONGEST_SLUG].rstrip("-")


def numbered(number: int, text: str) -> str:
    """A name that no other number has, also where case does not count, and that tells what is in the file."""
    return f"{number}-{found}" if (found := slug(text)) else str(number)
