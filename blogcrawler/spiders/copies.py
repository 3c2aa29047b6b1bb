"""Which pages show what others have shown: the same post under another address, or in a list of one.

Pages are compared by title and date, or by their article where one of these is missing. A title, a date and a long text
that are all alike tell a post at whatever address.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blogcrawler.wrapper import Extraction

__all__ = ["Copies"]

LONG = 200
"""Characters that no two posts share."""


class Copies:
    """Remembers digests of what pages have shown. Pages are named as `urls.identity` writes them."""

    def __init__(self) -> None:
        self._pages: dict[bytes, str] = {}
        self._posts: dict[bytes, str] = {}
        self._whole: dict[bytes, str] = {}

    def note_page(self, found: Extraction, name: str) -> bool:
        """Take in what was found in a page, a post or not. True when another page has shown the same."""
        digest = _digest(found)
        return digest is not None and self._pages.setdefault(digest, name) != name

    def note_post(self, found: Extraction, name: str) -> None:
        """Take in what was found in a post."""
        self.note_page(found, name)
        for known, digest in ((self._posts, _digest(found)), (self._whole, _whole_digest(found))):
            if digest is not None:
                known.setdefault(digest, name)

    def post_like(self, found: Extraction, name: str) -> str | None:
        """Another post that has shown the same as a page; None where none is known."""
        return _other(self._posts, _digest(found), name)

    def same_post(self, found: Extraction, name: str) -> str | None:
        """Another post that has shown the same title, date and long text as a page; None where none is known."""
        return _other(self._whole, _whole_digest(found), name)


def _other(known: dict[bytes, str], digest: bytes | None, name: str) -> str | None:
    other = None if digest is None else known.get(digest)
    return None if other == name else other


def _digest(found: Extraction) -> bytes | None:
    """What tells a page's content; None for a page that shows no article.

    Pages with the same long text are the same whatever title they have: it is the template's.
    """
    if found.article is None:
        return None
    if found.title and found.published:
        return _hash(found.title, found.published, "")
    text = _text(found)
    return _hash(text) if len(text) >= LONG else _hash(str(found.title), str(found.published), text)


def _whole_digest(found: Extraction) -> bytes | None:
    text = _text(found)
    return _hash(found.title, found.published, text) if found.title and found.published and len(text) >= LONG else None


def _text(found: Extraction) -> str:
    return "" if found.article is None else " ".join("".join(found.article.itertext()).split())


def _hash(*texts: str) -> bytes:
    return hashlib.sha256("\0".join(texts).encode()).digest()
