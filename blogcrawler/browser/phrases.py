"""Texts of controls in many languages, from data/phrases.json."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from blogcrawler.serialise import load_file

LONGEST = 80
"""Longest text of a control, in characters."""
_SIGNS = re.compile(r"[\d\s()\[\]{}.,:+…«»‹›▼▾▶►◀◄↓←→⟵⟶-]+")
"""Characters in and around a control's words that are ignored, as in click.js."""


def says_more(text: str) -> bool:
    """True if the text of a control says that it shows more of something."""
    words = _words_of(text)
    return any(phrase in words for phrase in phrases()) and not _is_refused(words)


def says_rest(text: str) -> bool:
    """True if a control says that it shows the rest of an article, and not more comments."""
    words = _words_of(text)
    if not any(phrase in words for phrase in _of_kind("rest")) or _is_refused(words):
        return False
    return not any(phrase in words for phrase in _of_kind("comments"))


def says_all(text: str, *kinds: str) -> bool:
    """True if the whole text of an element is a phrase of some kinds (keys of data/phrases.json)."""
    words = _words_of(text)
    return bool(words) and any(words in _set(kind) for kind in kinds) and not _is_refused(words)


@cache
def phrases() -> tuple[str, ...]:
    """Words in controls that show more."""
    return tuple(dict.fromkeys(phrase for kind in ("more", "posts", "comments", "rest") for phrase in _of_kind(kind)))


@cache
def labels_of_lists() -> tuple[str, ...]:
    """Whole texts of controls that show more of a list."""
    return tuple(dict.fromkeys(phrase for kind in ("more", "posts", "pages") for phrase in _of_kind(kind)))


def never() -> tuple[str, ...]:
    """Words that exclude a control, because it does something else."""
    return _of_kind("never")


def _words_of(text: str) -> str:
    return _SIGNS.sub(" ", text.lower()).strip() if len(text) <= LONGEST else ""


def _is_refused(words: str) -> bool:
    return any(f" {word} " in f" {words} " for word in never())


@cache
def _set(kind: str) -> frozenset[str]:
    return frozenset(_of_kind(kind))


@cache
def _of_kind(kind: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_SIGNS.sub(" ", text).strip() for group in _data()[kind].values() for text in group))


@cache
def _data() -> dict[str, Any]:
    return load_file(dict[str, Any], __package__, "phrases.json")
