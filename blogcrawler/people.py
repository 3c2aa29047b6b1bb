"""Splits a text into the names of several people: "Ann Lee and Bo Okafor".

A text is split if each part is a known name, or at a conjunction between parts that each look like a name of two words.
So "Sturm und Drang" and "Lee, Ann" are not split. data/conjunctions.json has the conjunctions of the major languages of
blogs.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from blogcrawler.serialise import load_file
from blogcrawler.similarity import fold

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

LONGEST = 200
"""Maximum length of a text with names."""
MOST_NAMES = 10
MOST_KNOWN = 300
FEWEST_WORDS, MOST_WORDS = 2, 4
"""Number of words in an unknown name."""


def separate(text: str, known: Collection[str] = ()) -> list[str]:
    """The names in a text, in order; the text itself if it is one name. `known` are folded names. O(n)."""
    if len(text) > LONGEST:
        return [text]
    pieces = [piece.strip() for piece in _joints().split(text)]
    parts = [piece for piece in pieces if piece]
    if not 1 < len(parts) <= MOST_NAMES or fold(text) in known:
        return [text]
    has_word = _and().search(text) is not None
    if all(fold(part) in known or (has_word and _looks_full(part)) for part in parts):
        return list(dict.fromkeys(parts))
    return [text]


def known_names(names_read: Iterable[str]) -> frozenset[str]:
    """The folded names of people who are named alone somewhere. O(n)."""
    names = dict.fromkeys(names_read)
    alone = frozenset(fold(name) for name in names if not _joints().search(name))
    parts = {fold(part) for name in names if len(parts_of_name := separate(name, alone)) > 1 for part in parts_of_name}
    return frozenset(sorted(alone | parts)[:MOST_KNOWN])


def joint_name(text: str, name: str, others: Collection[str] = ()) -> str:
    """A name as in the text, together with names from `others` that are joined to it there. O(n)."""
    if len(text) > LONGEST:
        return name
    if _joints().search(text) is None:
        return _as_written(text, name)
    folded = fold(text)
    named = {name, *(other_name for other_name in others if fold(other_name) in folded)}
    either = "|".join(map(re.escape, sorted(named, key=lambda other_name: (-len(other_name), other_name))[:MOST_NAMES]))
    matches = re.finditer(rf"(?<!\w)(?:{either})(?:(?:{_joints().pattern})(?:{either}))*(?!\w)", text, re.IGNORECASE)
    return next((match[0] for match in matches if name.casefold() in match[0].casefold()), name)


def _as_written(text: str, name: str) -> str:
    """A name with the capitals of the text; unchanged if the text does not contain it."""
    lower = text.casefold()
    start = lower.find(name.casefold()) if len(lower) == len(text) else -1
    return name if start < 0 else text[start : start + len(name)]


def is_joint(text: str) -> bool:
    """True if a text may join the names of two people. O(n)."""
    return not text.strip() or _joints().fullmatch(f" {text.strip()} ") is not None


def _looks_full(part: str) -> bool:
    """True if a text has as many words as a name, and its first and last word begin with capitals."""
    words = part.split()
    return (
        FEWEST_WORDS <= len(words) <= MOST_WORDS
        and all(word[0].isalpha() and not any(sign.isdigit() for sign in word) for word in words)
        and not words[0][0].islower()
        and not words[-1][0].islower()
    )


@cache
def _words() -> dict[str, list[str]]:
    return load_file(dict[str, list[str]], __package__, "conjunctions.json")


@cache
def _and() -> re.Pattern[str]:
    """A conjunction between two words; & and + are equal."""
    either = "|".join(map(re.escape, sorted(set(_words()["words"]), key=len, reverse=True)))
    return re.compile(rf"(?<=\s)(?:{either})(?=\s)|&|\+")


@cache
def _joints() -> re.Pattern[str]:
    either = "|".join(map(re.escape, sorted(set(_words()["words"]), key=len, reverse=True)))
    signs = "".join(map(re.escape, _words()["signs"]))
    return re.compile(rf"(?:(?<!\s)\s++)?+[{signs}]\s*(?:(?:{either})\s+)?|(?<!\s)\s++(?:{either})\s+")
