"""Names of files that any system takes, whatever the web calls what is in them."""

from __future__ import annotations

import re
import unicodedata

_LONGEST = 60
"""Characters of a slug: with its folders it stays below what Windows takes."""
_READ = 500
"""Characters of a text that are looked at."""
_OTHERS = re.compile("[^a-z0-9]+")


def slug(text: str) -> str:
    """The ASCII letters and digits of a text, in lower case, with hyphens between; empty where it has none."""
    letters = unicodedata.normalize("NFKD", text[:_READ]).encode("ascii", "ignore").decode().lower()
    return _OTHERS.sub("-", letters).strip("-")[:_LONGEST].rstrip("-")


def numbered(number: int, text: str) -> str:
    """A name that no other number has, also where case does not count, and that tells what is in the file."""
    return f"{number}-{found}" if (found := slug(text)) else str(number)
