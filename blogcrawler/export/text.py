"""Text for files and file names."""

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
"""Longest excerpt that describes a text, in characters."""
_LONGEST_SLUG = 60
"""Longest slug, in characters: paths stay below the limit of Windows."""
_LONGEST_READ = 500
"""Characters of a text that are read for a slug."""
_NO_SLUG = re.compile("[^a-z0-9]+")


def encoded(text: str) -> bytes:
    """Encode as UTF-8; lone surrogates, which are invalid in UTF-8, become question marks."""
    return text.encode("utf-8", "replace")


def json_line(value: Any) -> bytes:  # noqa: ANN401
    """Serialise a JSON value in one line, as crawls do."""
    return encoded(json.dumps(value, ensure_ascii=False)) + b"\n"


def plain(text: str) -> str:
    """Return text without NUL, and with question marks for lone surrogates."""
    return encoded(text.replace("\0", "")).decode()


def xml_text(text: str) -> str:
    """Return text without the characters that XML 1.0 forbids: most control characters, U+FFFE and U+FFFF."""
    return _NO_XML.sub("", plain(text))


def beginning(text: str | None) -> str | None:
    """Return the first words of a text, with an ellipsis if it is longer."""
    if text is None or len(text) <= _LONGEST:
        return text
    whole_words, _, _ = text[: _LONGEST + 1].rpartition(" ")
    return f"{whole_words or text[:_LONGEST]} …"


def blog_name(blog: BlogRow) -> str:
    """Return the name of a blog's file or folder: its ID, and its URL as a slug."""
    address = re.sub(r"[^a-z0-9.]+", "-", blog.home.partition("://")[2].lower()).strip("-.")
    return f"{blog.id}-{address[:80]}"


def count(number: int, name: str) -> str:
    """Return a number with its noun in singular or plural."""
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def size(number: int) -> str:
    """Format a size in bytes: `1.2 MB`."""
    if number < 1000:
        return f"{number} bytes"
    for unit in ("kB", "MB", "GB"):
        number_of = number / 1000 ** (("kB", "MB", "GB").index(unit) + 1)
        if number_of < 1000:
            break
    return f"{number_of:.1f} {unit}"


def data_text(name: str) -> str:
    """Return the text of a data file of exports."""
    return files(__package__).joinpath("data", name).read_text("utf-8")


def slug(text: str) -> str:
    """Return the ASCII letters and digits of a text in lower case, joined by hyphens; empty if there are none."""
    letters = unicodedata.normalize("NFKD", text[:_LONGEST_READ]).encode("ascii", "ignore").decode().lower()
    return _NO_SLUG.sub("-", letters).strip("-")[:_LONGEST_SLUG].rstrip("-")


def numbered(number: int, text: str) -> str:
    """Return a descriptive name that is unique for a number, also on file systems that ignore case."""
    return f"{number}-{words}" if (words := slug(text)) else str(number)
