"""Names in lists: how they are compared, and how a text with commas is taken apart."""

from __future__ import annotations

import re

from blogcrawler.similarity import fold

COMMA = re.compile(r"[,;|•·、，；]")
COUNT = re.compile(r"(?:[(\[（]\d++[)\]）]|(?<!\s)\s*+(?:×|(?<=\s)[·•|])\s*+\d++)\Z")
LABEL = re.compile(r"^[^:：,;]{1,30}[:：]\s*")


def bare(text: str) -> str:
    """A name as it is compared."""
    return strip(fold(text))


def strip(name: str) -> str:
    """A name without its sign, and without the number of its posts in brackets or behind another sign."""
    text = name.lstrip("#").strip() if name[:1] == "#" else name
    return COUNT.sub("", text).rstrip() or text


def has_parts(text: str) -> bool:
    """True if a text has commas, or what stands for them."""
    return COMMA.search(text) is not None


def parts_of(text: str) -> list[str]:
    """What stands between the commas of a text, without the label before the first."""
    return [part.strip() for part in COMMA.split(LABEL.sub("", text))]
