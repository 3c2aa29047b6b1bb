"""The language: that of the article's text if it is clear (langid: Lui and Baldwin, ACL 2012).

Otherwise it is what the page or the feed declares. Themes declare English, and many blogs never change this.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING
from unicodedata import normalize

from lxml.etree import iterwalk

from blogcrawler.dom.tags import SILENT
from blogcrawler.items import FieldSource
from blogcrawler.wrapper.core.thresholds import ASSUMED, BELOW_PROOF, STATED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml.html import HtmlElement
    from py3langid.langid import LanguageIdentifier

    from blogcrawler.wrapper.core.training import LocatedPage

NO_PROSE = SILENT | {"pre", "code", "kbd", "samp", "tt", "var", "blockquote", "q"}
SAMPLE = 20
"""Maximum number of training pages, of all ages, whose text is read, since identifying a language is slow."""
SURE = 0.95
"""Probability at or above which a language is accepted."""
SHORTEST = 30
"""Minimum number of letters of a text; Chinese and similar characters count three."""
FEW = 3
"""Maximum number of similar languages that are accepted as a result, such as Croatian and Serbian."""
LONGEST = 300
"""Maximum number of characters of a text that are read."""
LETTER = re.compile(r"[^\W\d_]")
SYLLABLE = re.compile(r"[\u3041-\u9fff\uac00-\ud7af]")
LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")
KANA = re.compile(r"[\u3041-\u30fa]")
NAMES = {
    "nb": "no", "nn": "no", "iw": "he", "in": "id", "ms": "id", "bs": "hr", "cmn": "zh", "yue": "zh", "wuu": "zh",
    "arz": "ar",
}  # fmt: skip
"""Other codes of languages, and languages that are too similar to be distinguished."""
NO_LANGUAGE = frozenset({"zxx", "und", "mul", "mis"})
"""Codes of ISO 639-2 for texts without language, of unknown, several or other languages; "zxx" is the result for
listings."""


@dataclass(frozen=True)
class Languages:
    """How to determine the language of a post."""

    #: BCP 47 tag that the feed's entries declare, or the language of most articles
    usual: str | None = None
    #: whether the feed declares it
    of_feed: bool = False
    #: whether the pages declare the language of their text
    trusts_pages: bool = True

    def extract(self, tree: HtmlElement) -> tuple[str, FieldSource] | None:
        """The declared language of a post, and its source."""
        return self._settle(_declared(tree), ())

    def read(self, tree: HtmlElement, article: HtmlElement) -> tuple[str, FieldSource] | None:
        """The language of a post's text, or else the declared one, and its source. O(n), but slower than all other
        fields together, so `Wrapper.extract` omits it."""
        return self._settle(_declared(tree), likely_languages(_prose(article)))

    def _settle(self, declared: str, likely: Sequence[str]) -> tuple[str, FieldSource] | None:
        if declared and (not is_known(declared) or (_is_among(declared, likely) if likely else self.trusts_pages)):
            return declared, FieldSource("metadata", "/html/@lang", STATED)
        if self.usual and (not likely or _is_among(self.usual, likely)):
            return self.usual, FieldSource("feed" if self.of_feed else "fallback", None, ASSUMED)
        confidence = BELOW_PROOF if len(likely) == 1 else ASSUMED
        return (likely[0], FieldSource("fallback", "text of the article", confidence)) if likely else None


def learn_languages(pages: Sequence[LocatedPage]) -> Languages:
    """The blog's usual language, and whether its pages declare theirs. O(n) in the size of the pages."""
    step = 1 + len(pages) // SAMPLE
    texts = [(page, _prose(page.article)) for page in pages[::step] if page.article is not None]
    written = [(page, likely) for page, text in texts if (likely := likely_languages(text))]
    if not written:
        likely = likely_languages(" ".join(text for _, text in texts))
        written = [(page, likely) for page, _ in texts if likely]
    usual = _commonest(likely[0] for _, likely in written)
    declared = _commonest(page.entry.language for page in pages if page.entry.language)
    of_feed = declared is not None and (usual is None or not is_known(declared) or same_language(declared, usual))
    wrong = sum(is_known(said := _declared(page.tree)) and not _is_among(said, likely) for page, likely in written)
    return Languages(declared if of_feed else usual, of_feed, trusts_pages=2 * wrong <= len(written))


def _is_among(tag: str, likely: Sequence[str]) -> bool:
    return any(same_language(tag, language) for language in likely)


def _commonest(languages: Iterable[str]) -> str | None:
    return next((language for language, _ in Counter(languages).most_common(1)), None)


def _declared(tree: HtmlElement) -> str:
    tag = (tree.get("lang") or "").strip().replace("_", "-")
    return tag if names_language(tag) else ""


def _prose(node: HtmlElement) -> str:
    parts: list[str] = []
    size = 0
    walk = iterwalk(node, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        text = None
        if event == "start":
            if element.tag in NO_PROSE:
                walk.skip_subtree()
            else:
                text = element.text
        elif element is not node:
            text = element.tail
        if text:
            parts.append(text)
            size += len(text)
            if size > LONGEST:
                break
    return " ".join(parts)


def likely_languages(text: str) -> tuple[str, ...]:
    """The few most likely languages of a text, most likely first; empty if uncertain. O(n). Latin terms in
    Chinese, Japanese or Korean text are ignored; Chinese text with kana may be Japanese."""
    text = normalize("NFKC", text[:LONGEST])  # letters of Arabic may be written as presentation forms
    signs = len(SYLLABLE.findall(text))
    letters = len(LETTER.findall(text)) + 2 * signs
    if letters < SHORTEST:
        return ()
    script_text = LATIN.sub(" ", text) if 6 * signs >= letters else text
    name, probability = _identifier().classify(script_text)
    likely = [_primary(name)] if probability >= SURE else _likely_of(_identifier().rank(script_text))
    if likely == ["zh"] and KANA.search(text):
        likely.append("ja")
    return tuple(likely) if len(likely) <= FEW and all(map(names_language, likely)) else ()


def _likely_of(ranked: Iterable[tuple[str, float]]) -> list[str]:
    """The smallest set of languages that certainly includes that of a text, given the probability of each language."""
    votes: defaultdict[str, float] = defaultdict(float)
    for name, probability in ranked:
        votes[_primary(name)] += probability
    likeliest = sorted(votes, key=votes.__getitem__, reverse=True)
    sums = accumulate(votes[name] for name in likeliest)
    return likeliest[: 1 + sum(1 for _ in takewhile(lambda so_far: so_far < SURE, sums))]


def names_language(tag: str) -> bool:
    """True for a BCP 47 tag of a single language."""
    return _primary(tag) not in NO_LANGUAGE


def is_known(tag: str) -> bool:
    """True if the language of a BCP 47 tag is one that the identifier knows."""
    return _primary(tag) in _known()


def same_language(first: str, second: str) -> bool:
    """True if two BCP 47 tags denote one language, whatever the region and script."""
    return _primary(first) == _primary(second)


@lru_cache(maxsize=1000)
def _primary(tag: str) -> str:
    code = re.split("[-_]", tag.casefold())[0]
    return NAMES.get(code, code)


@cache
def _known() -> frozenset[str]:
    return frozenset(map(_primary, _identifier().labels))


@cache
def _identifier() -> LanguageIdentifier:
    from blogcrawler.language_model import load_identifier  # not every command needs numpy

    return load_identifier()
