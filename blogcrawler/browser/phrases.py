"""What controls say, in any language: data/phrases.json, read."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from blogcrawler.serialise import load_file

LONGEST = 80
"""Characters that a control says."""
_SIGNS = re.compile(r"[\d\s()\[\]{}.,:+…«»‹›▼▾▶►◀◄↓←→⟵⟶-]+")
"""What stands in and around the words that a control says, and does not count; click.js has the same."""


def says_more(text: str) -> bool:
    """True if a control says that it shows more of anything."""
    words = _words_of(text)
    return any(phrase in words for phrase in phrases()) and not _is_refused(words)


def says_rest(text: str) -> bool:
    """True if a control says that it shows the rest of an article, and not of the comments on it."""
    words = _words_of(text)
    if not any(phrase in words for phrase in _told("rest")) or _is_refused(words):
        return False
    return not any(phrase in words for phrase in _told("comments"))


def says_all(text: str, *kinds: str) -> bool:
    """True if all that an element says is one of the phrases of some kinds (keys of data/phrases.json)."""
    words = _words_of(text)
    return bool(words) and any(words in _set(kind) for kind in kinds) and not _is_refused(words)


@cache
def phrases() -> tuple[str, ...]:
    """What controls hold that show more."""
    return tuple(dict.fromkeys(phrase for kind in ("more", "posts", "comments", "rest") for phrase in _told(kind)))


@cache
def labels_of_lists() -> tuple[str, ...]:
    """What controls say, and nothing else, that show more of a list."""
    return tuple(dict.fromkeys(phrase for kind in ("more", "posts", "pages") for phrase in _told(kind)))


def never() -> tuple[str, ...]:
    """Words of controls that do something else, whatever else they say."""
    return _told("never")


def _words_of(text: str) -> str:
    return _SIGNS.sub(" ", text.lower()).strip() if len(text) <= LONGEST else ""


def _is_refused(words: str) -> bool:
    return any(f" {word} " in f" {words} " for word in never())


@cache
def _set(kind: str) -> frozenset[str]:
    return frozenset(_told(kind))


@cache
def _told(kind: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_SIGNS.sub(" ", text).strip() for told in _data()[kind].values() for text in told))


@cache
def _data() -> dict[str, Any]:
    return load_file(dict[str, Any], __package__, "phrases.json")
