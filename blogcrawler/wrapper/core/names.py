"""Names in lists: their form for comparison, and how a text with commas is split."""

from __future__ import annotations

import re

from blogcrawler.similarity import fold

COMMA = re.compile(r"[,;|•·、，；]")
COUNT = re.compile(r"(?:[(\[（]\d++[)\]）]|(?<!\s)\s*+(?:×|(?<=\s)[·•|])\s*+\d++)\Z")
LABEL = re.compile(r"^[^:：,;]{1,30}[:：]\s*")


def bare(text: str) -> str:
    """A name in its form for comparison."""
    return strip(fold(text))


def strip(name: str) -> str:
    """A name without its leading #, and without the number of its posts in brackets or behind a sign."""
    text = name.lstrip("#").strip() if name[:1] == "#" else name
    return COUNT.sub("", text).rstrip() or text


def has_parts(text: str) -> bool:
    """True if a text has commas or similar separators."""
    return COMMA.search(text) is not None


def parts_of(text: str) -> list[str]:
    """The parts of a text between its commas, without the label before the first."""
    return [part.strip() for part in COMMA.split(LABEL.sub("", text))]
