"""Names in lists: how they are compared, and how a text with commas is taken apart."""

from __future__ import annotations

import re

from blogcrawler.similarity import fold

__all__ = ["bare", "has_parts", "parts_of", "strip"]

COMMA = re.compile(r"[,;|•·、，；]")
LABEL = re.compile(r"^[^:：,;]{1,30}[:：]\s*")


def bare(text: str) -> str:
    """A name as it is compared."""
    return strip(fold(text))


def strip(folded: str) -> str:
    """A folded name without its sign."""
    return folded.lstrip("#").strip() if folded[:1] == "#" else folded


def has_parts(text: str) -> bool:
    """Does a text have commas, or what stands for them?"""
    return COMMA.search(text) is not None


def parts_of(text: str) -> list[str]:
    """What stands between the commas of a text, without the label before the first."""
    return [part.strip() for part in COMMA.split(LABEL.sub("", text))]
