"""The language: what the text of the article shows, where that is clear; else what the page or the feed says.

Themes say that they are in English, and many blogs leave it at that. Some blogs are written in two languages.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml.etree import iterwalk

from blogcrawler.dom.tags import SILENT
from blogcrawler.items import FieldSource
from blogcrawler.wrapper.language import LONGEST, is_known, likely_languages, names_language, same_language

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.training import TrainingPage

NO_PROSE = SILENT | {"pre", "code", "kbd", "samp", "tt", "var", "blockquote", "q"}
TEXT_CONFIDENCE = 0.85
PAGE_CONFIDENCE = 0.8
BLOG_CONFIDENCE = 0.7
SAMPLE = 20
"""Training pages, of all ages, whose text is read: to tell a language takes long."""


@dataclass(frozen=True)
class Languages:
    """How to get the language of a post."""

    #: BCP 47, of the feed's entries or of most articles
    usual: str | None = None
    #: does the feed say so?
    of_feed: bool = False
    #: do the pages say of themselves what their text shows?
    trusts_pages: bool = True

    def extract(self, tree: HtmlElement) -> tuple[str, FieldSource] | None:
        """The language of a post as far as it is told, and where it came from."""
        return self._settle(_told(tree), ())

    def read(self, tree: HtmlElement, article: HtmlElement) -> tuple[str, FieldSource] | None:
        """The language that the text of a post shows, or else is told, and where it came from. O(n).

        This takes longer than all other fields together, so `Wrapper.extract` leaves it out.
        """
        return self._settle(_told(tree), likely_languages(_prose(article)))

    def _settle(self, told: str, likely: Sequence[str]) -> tuple[str, FieldSource] | None:
        if told and (not is_known(told) or (_is_among(told, likely) if likely else self.trusts_pages)):
            return told, FieldSource("metadata", "/html/@lang", PAGE_CONFIDENCE)
        if self.usual and (not likely or _is_among(self.usual, likely)):
            return self.usual, FieldSource("feed" if self.of_feed else "fallback", None, BLOG_CONFIDENCE)
        confidence = TEXT_CONFIDENCE if len(likely) == 1 else BLOG_CONFIDENCE
        return (likely[0], FieldSource("fallback", "text of the article", confidence)) if likely else None


def learn_languages(pages: Sequence[TrainingPage]) -> Languages:
    """The blog's usual language, and whether its pages tell theirs. O(n) in the size of the pages."""
    step = 1 + len(pages) // SAMPLE
    texts = [(page, _prose(page.article[0])) for page in pages[::step] if page.article]
    written = [(page, likely) for page, text in texts if (likely := likely_languages(text))]
    if not written:
        likely = likely_languages(" ".join(text for _, text in texts))
        written = [(page, likely) for page, _ in texts if likely]
    usual = _commonest(likely[0] for _, likely in written)
    told = _commonest(page.entry.language for page in pages if page.entry.language)
    of_feed = told is not None and (usual is None or not is_known(told) or same_language(told, usual))
    wrong = sum(is_known(said := _told(page.tree)) and not _is_among(said, likely) for page, likely in written)
    return Languages(told if of_feed else usual, of_feed, trusts_pages=2 * wrong <= len(written))


def _is_among(told: str, likely: Sequence[str]) -> bool:
    return any(same_language(told, language) for language in likely)


def _commonest(languages: Iterable[str]) -> str | None:
    return next((language for language, _ in Counter(languages).most_common(1)), None)


def _told(tree: HtmlElement) -> str:
    told = (tree.get("lang") or "").strip().replace("_", "-")
    return told if names_language(told) else ""


def _prose(node: HtmlElement) -> str:
    """The beginning of a node's text, without code and quotations."""
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
