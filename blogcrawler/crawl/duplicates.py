"""Recognise pages with the same content: a post at another address, or a list with a single post.

Pages are compared by title and date, and by their article: a list may show the beginning of a post, and two posts of
one day may have the same title. Without a title or date only the article is compared. If title, date and a long text
are equal, the post is the same at whatever address.
"""

from __future__ import annotations

import hashlib
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blogcrawler.wrapper import Extraction

LONG = 200
"""Minimum length, in characters, of a text that only one post has."""
SKETCH = 48
"""Number of word pairs that are kept of a text: those with the smallest hashes."""
LONGEST_WORDS = 12
"""Average number of characters per word, including the space, above which the words of a text are taken to be
unseparated."""
LEAST = 6
"""Minimum number of word pairs of a text that can be compared."""
SHARED = 0.5
"""Share of the shorter text's word pairs that two texts must have in common."""
MOST_ALIKE = 8
"""Maximum number of pages with the same title and date that are remembered."""


@dataclass(frozen=True)
class ComparableContent:
    """The content of a page in a form that can be compared."""

    #: sketch of the text, see `_sketch`
    sketch: array[int]
    #: hash of title and date, or else of the article: equal for pages that must be compared; None without an article
    digest: bytes | None
    #: hash of title, date and text; None if one is missing or the text is short
    whole_digest: bytes | None

    @classmethod
    def of(cls, extraction: Extraction) -> Self:
        """The content of the page from which this was extracted. O(n).

        Pages with the same long text are equal whatever their titles: such a title belongs to the template.
        """
        if extraction.article is None:
            return cls(_sketch(""), None, None)
        text = " ".join("".join(extraction.article.itertext()).split())
        digest = _hash(str(extraction.title), str(extraction.published), text)
        if extraction.title and extraction.published:
            return cls(
                _sketch(text), _hash(extraction.title, extraction.published, ""), digest if len(text) >= LONG else None
            )
        return cls(_sketch(text), _hash(text) if len(text) >= LONG else digest, None)

    def to_dict(self) -> dict[str, Any]:
        """This value as JSON types."""
        digests = {
            name: digest and digest.hex() for name, digest in (("digest", self.digest), ("whole", self.whole_digest))
        }
        return {"sketch": list(self.sketch), **digests}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Restore a value from `to_dict`."""
        digest, whole = (data[name] and bytes.fromhex(data[name]) for name in ("digest", "whole"))
        return cls(array("I", data["sketch"]), digest, whole)


class _Kept(NamedTuple):
    """A page and the sketch of its text."""

    name: str
    sketch: array[int]


class Copies:
    """Remembers the content of pages. Pages are identified by `urls.identity`."""

    def __init__(self) -> None:
        self._pages: dict[bytes, tuple[_Kept, ...]] = {}
        self._posts: dict[bytes, tuple[_Kept, ...]] = {}
        self._whole: dict[bytes, str] = {}
        #: sketches of posts' texts
        self._texts: dict[str, array[int]] = {}

    def note_page(self, content: ComparableContent, name: str) -> None:
        """Record the content of a page, post or not."""
        _note(self._pages, content, name)

    def note_post(self, content: ComparableContent, name: str) -> None:
        """Record the content of a post."""
        self.note_page(content, name)
        _note(self._posts, content, name)
        self._texts.setdefault(name, content.sketch)
        if content.whole_digest is not None:
            self._whole.setdefault(content.whole_digest, name)

    def page_like(self, content: ComparableContent, name: str) -> str | None:
        """Another page, post or not, with the same content; None if there is none."""
        return _find_equal(self._pages, content, name)

    def post_like(self, content: ComparableContent, name: str) -> str | None:
        """Another post with the same content as this page; None if there is none."""
        return _find_equal(self._posts, content, name)

    def differs_from(self, content: ComparableContent, post: str) -> bool:
        """True if the post is known and its text differs from the page's."""
        sketch = self._texts.get(post)
        return sketch is not None and not _share(sketch, content.sketch)

    def is_post(self, title: str, published: str | None, name: str) -> bool:
        """True if a page is known as a post with this title and date."""
        known = self._posts.get(_hash(title, published, ""), ()) if title and published else ()
        return any(page.name == name for page in known)

    def same_post(self, content: ComparableContent, name: str) -> str | None:
        """Another post with the same title, date and long text as this page; None if there is none."""
        post = None if content.whole_digest is None else self._whole.get(content.whole_digest)
        return None if post == name else post


def is_same_text(text: str, other_text: str) -> bool:
    """True if two texts are equal or one is most of the other; False for texts that prove nothing. O(n)."""
    sketches = _sketch(text), _sketch(other_text)
    return min(map(len, sketches)) >= LEAST and _share(*sketches)


def _note(known: dict[bytes, tuple[_Kept, ...]], content: ComparableContent, name: str) -> None:
    if content.digest is None:
        return
    alike = known.get(content.digest, ())
    if len(alike) < MOST_ALIKE and all(page.name != name for page in alike):
        known[content.digest] = (*alike, _Kept(name, content.sketch))


def _find_equal(known: Mapping[bytes, tuple[_Kept, ...]], content: ComparableContent, name: str) -> str | None:
    if content.digest is None or content.digest not in known:
        return None
    others = (page for page in known[content.digest] if page.name != name)
    return next((page.name for page in others if _share(page.sketch, content.sketch)), None)


def _sketch(text: str) -> array[int]:
    """The smallest hashes of a text's pairs of words, or pairs of letters if its words are not separated.

    After Broder, "On the resemblance and containment of documents", SEQUENCES 1997.
    """
    words = text.casefold().split()
    units = words if len(words) * LONGEST_WORDS > len(text) else list("".join(words))
    raw = [unit.encode("utf-8") for unit in units]
    pairs = set(map(crc32, [b" " + unit for unit in raw[1:]], map(crc32, raw)))
    return array("I", sorted(pairs)[:SKETCH])  # a tenth of the memory of a tuple


def _share(first: array[int], second: array[int]) -> bool:
    """True if the sketches show that one text contains the other, or if a text is too short to be compared."""
    if min(len(first), len(second)) < LEAST:
        return True
    last = min((sketch[-1] for sketch in (first, second) if len(sketch) == SKETCH), default=2**32)
    parts = [{value for value in sketch if value <= last} for sketch in (first, second)]
    least = min(map(len, parts))
    return least == 0 or len(parts[0] & parts[1]) >= SHARED * least


def _hash(*texts: str) -> bytes:
    return hashlib.sha256("\0".join(texts).encode()).digest()
