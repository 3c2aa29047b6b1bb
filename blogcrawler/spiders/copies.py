"""Which pages show what others have shown: the same post under another address, or in a list of one.

Pages are compared by title and date, and by their article: a list may show the beginning of a post, and two posts of
one day may have the same title. Where title or date is missing the article alone tells. A title, a date and a long
text that are all alike tell a post at whatever address.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

if TYPE_CHECKING:
    from blogcrawler.wrapper import Extraction

__all__ = ["Copies"]

LONG = 200
"""Characters that no two posts share."""
SKETCH = 48
"""Pairs of words that are kept of a text: those with the smallest hashes."""
LONGEST_WORDS = 12
"""Characters of a word, spaces included, that no language has on average."""
LEAST = 6
"""Pairs of words, below which a text says nothing."""
SHARED = 0.5
"""Share of the shorter text's pairs of words that two texts must have in common."""
MOST_ALIKE = 8
"""Pages of one title and date that are remembered."""


class _Shown(NamedTuple):
    """A page, and what of its text is kept."""

    name: str
    sketch: tuple[int, ...]


class Copies:
    """Remembers what pages have shown. Pages are named as `urls.identity` writes them."""

    def __init__(self) -> None:
        self._pages: defaultdict[bytes, list[_Shown]] = defaultdict(list)
        self._posts: defaultdict[bytes, list[_Shown]] = defaultdict(list)
        self._whole: dict[bytes, str] = {}
        #: of posts
        self._texts: dict[str, tuple[int, ...]] = {}

    def note_page(self, found: Extraction, name: str) -> None:
        """Take in what was found in a page, a post or not."""
        _note(self._pages, found, name)

    def note_post(self, found: Extraction, name: str) -> None:
        """Take in what was found in a post."""
        self.note_page(found, name)
        _note(self._posts, found, name)
        self._texts.setdefault(name, _sketch(_text(found)))
        if (digest := _whole_digest(found)) is not None:
            self._whole.setdefault(digest, name)

    def page_like(self, found: Extraction, name: str) -> str | None:
        """Another page, post or not, that has shown the same; None where none is known."""
        return _alike(self._pages, found, name)

    def post_like(self, found: Extraction, name: str) -> str | None:
        """Another post that has shown the same as a page; None where none is known."""
        return _alike(self._posts, found, name)

    def is_other_than(self, found: Extraction, post: str) -> bool:
        """Is a post known, and has it another text than a page?"""
        sketch = self._texts.get(post)
        return sketch is not None and not _share(sketch, _sketch(_text(found)))

    def same_post(self, found: Extraction, name: str) -> str | None:
        """Another post that has shown the same title, date and long text as a page; None where none is known."""
        digest = _whole_digest(found)
        other = None if digest is None else self._whole.get(digest)
        return None if other == name else other


def _note(known: defaultdict[bytes, list[_Shown]], found: Extraction, name: str) -> None:
    digest = _digest(found)
    if digest is not None and len(known[digest]) < MOST_ALIKE and all(one.name != name for one in known[digest]):
        known[digest].append(_Shown(name, _sketch(_text(found))))


def _alike(known: defaultdict[bytes, list[_Shown]], found: Extraction, name: str) -> str | None:
    digest = _digest(found)
    if digest is None or digest not in known:
        return None
    sketch = _sketch(_text(found))
    return next((one.name for one in known[digest] if one.name != name and _share(one.sketch, sketch)), None)


def _sketch(text: str) -> tuple[int, ...]:
    """The smallest hashes of a text's pairs of words, or of letters where words are not parted.

    After Broder, "On the resemblance and containment of documents", SEQUENCES 1997.
    """
    words = text.casefold().split()
    units = words if len(words) * LONGEST_WORDS > len(text) else list("".join(words))
    pairs = {crc32(f"{one} {other}".encode()) for one, other in pairwise(units)}
    return tuple(sorted(pairs)[:SKETCH])


def _share(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Is one text the other, or a part of it, as far as their sketches tell? So are texts that say nothing."""
    if min(len(one), len(other)) < LEAST:
        return True
    last = min((sketch[-1] for sketch in (one, other) if len(sketch) == SKETCH), default=2**32)
    parts = [{value for value in sketch if value <= last} for sketch in (one, other)]
    least = min(map(len, parts))
    return least == 0 or len(parts[0] & parts[1]) >= SHARED * least


def _digest(found: Extraction) -> bytes | None:
    """What pages must have in common to be compared; None for a page that shows no article.

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
