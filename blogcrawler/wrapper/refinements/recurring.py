"""Drop texts that recur inside the article's container and are identified by no element's name or place.

"Filed under", "Last updated on", "Read also": plain blocks whose place depends on the length of the article. Their
wording is the same on all posts, apart from numbers, dates and addresses.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from blogcrawler.dates.fold import fold_text
from blogcrawler.dates.lexicon import MONTH, WEEKDAY, lexicon
from blogcrawler.dom.tags import BLOCKS
from blogcrawler.similarity import fold
from blogcrawler.wrapper.core.profile import Outline

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml.html import HtmlElement

NUMBER = re.compile(r"\d+(?:[^\W\d_]{1,2}\b)?")
"""Digits, and the letters of an ordinal or unit behind them: 2nd, 1er, 22h."""
WORD = re.compile(r"[^\W\d_]+")
SENTENCE = 300
"""Maximum length, in characters, of a text in which a theme states when a post was written."""
ADDRESS = re.compile(r"https?://\S+")
LONGEST = 400
"""Maximum length, in characters, of a phrase."""
RAW = 4 * LONGEST
"""Number of raw characters of a text, with white space, above which it is longer than any phrase."""
HEADING = 60
"""Maximum length, in characters, of a heading."""
LETTERS = re.compile(r"(?:[^\W\d_][\W\d_]*){3}")
"""Matches texts with at least three letters, as phrases must have."""
MOST_PHRASES = 200
PARTS = frozenset(["li", "td", "th", "tr", "dd", "dt", "figcaption", "caption", "tbody", "thead", "summary", "br"])
"""Elements that are dropped only together with what they are part of."""
MEDIA = frozenset(["img", "video", "audio", "iframe", "object", "embed", "pre", "math", "svg"])
"""Elements that belong to an article whatever text is beside them, unless they are links."""


@lru_cache(maxsize=1 << 12)
def template_form(piece: str) -> str:
    """A folded text with numbers and addresses, and months and weekdays beside numbers, replaced by 0 ("3
    comments")."""
    if "://" in piece:
        piece = ADDRESS.sub("0", piece)
    plain = NUMBER.sub("0", piece)
    return WORD.sub(_without_day, plain) if plain != piece and len(piece) <= SENTENCE else plain


def _without_day(word: re.Match[str]) -> str:
    kinds = lexicon().kinds(word[0] if word[0].isascii() else fold_text(word[0]))
    return word[0] if kinds.isdisjoint((MONTH, WEEKDAY)) else "0"


@lru_cache(maxsize=1 << 12)
def phrase_of(piece: str) -> str | None:
    """A folded text with all numbers, dates and addresses replaced by 0; None for a long text, and for one without
    words."""
    if len(piece) > LONGEST:
        return None
    phrase = template_form(piece) if NUMBER.search(piece) or "://" in piece else piece
    return phrase if LETTERS.search(phrase) else None


def recurring_phrases(pages: Sequence[Iterable[str]], minimum: float, own: Iterable[str] = ()) -> tuple[str, ...]:
    """The phrases that are on at least `minimum` pages; phrases of `own`, the texts of articles, are left out."""
    counts: Counter[str] = Counter()
    for pieces in pages:
        counts.update({phrase for piece in pieces if (phrase := phrase_of(piece))})
    phrases = {phrase for phrase, count in counts.items() if count >= minimum}
    if phrases:
        phrases -= {phrase_of(piece) for piece in own}
    return tuple(sorted(phrases, key=lambda phrase: (-counts[phrase], phrase))[:MOST_PHRASES])


def has_number(piece: str) -> bool:
    """True if a folded text has a number or a date."""
    return any(map(str.isdigit, piece))


def drop_phrases(container: HtmlElement, phrases: frozenset[str]) -> None:
    """Drop, in place, the outermost blocks of a container that hold such phrases and otherwise only links. O(n)."""
    outline = Outline(container)
    held = _Held(outline, phrases)
    position, gone = 1, []
    while position < len(outline.nodes):
        if not held.is_recurring(position):
            position += 1
            continue
        gone.append(position)
        position = outline.ends[position]
    for position in gone:
        outline.nodes[position].drop_tree()


class _Held:
    """Sizes of the texts in the subtree of each node."""

    def __init__(self, outline: Outline, phrases: frozenset[str]) -> None:
        self.outline = outline
        count = len(outline.nodes)
        #: characters of phrases, and of other text outside of links
        self.phrases, self.own = [0] * count, [0] * count
        inside = outline.in_links()
        for position, node in enumerate(outline.nodes):
            if node.tag in MEDIA and not inside[position]:
                self.own[position] += 1
        for number, run in enumerate(outline.runs):
            if not run or run.isspace():
                continue
            position = outline.holder(number)
            if len(run) > RAW and not inside[position]:
                self.own[position] += len(run)
            elif text := fold(run):
                self._count(position, text, phrases, in_link=inside[position])
        for position in range(count - 1, 0, -1):
            for column in (self.phrases, self.own):
                column[outline.parents[position]] += column[position]

    def _count(self, position: int, text: str, phrases: frozenset[str], *, in_link: bool) -> None:
        phrase = phrase_of(text)
        if phrase in phrases:
            self.phrases[position] += len(text)
        elif not in_link and (phrase is not None or len(text) > LONGEST):
            self.own[position] += len(text)

    def is_recurring(self, position: int) -> bool:
        """True for a block with phrases and otherwise only links."""
        node = self.outline.nodes[position]
        stands_alone = node.tag in BLOCKS or self.outline.parents[position] == 0
        return stands_alone and node.tag not in PARTS and self.phrases[position] > 0 and not self.own[position]
