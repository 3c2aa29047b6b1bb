"""Whether a feed's titles are those of its posts: a feed may have none, or say something else in their place.

Where nearly all pages show a text of their own that their <title> repeats, a heading above all, and hardly any shows
what the feed calls a title as a heading or in its <title>, these texts may be the titles. That is the defence of
AdaptivePost against misleading feeds (section III-D3): of a title and an article in one field, what is left without the
title is the article's.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from blogcrawler.dates import could_be_date, find_dates
from blogcrawler.dom import inline_text
from blogcrawler.dom.tags import HEADINGS
from blogcrawler.similarity import fold, similarity, squeezed
from blogcrawler.wrapper.core.containment import BEGINNING
from blogcrawler.wrapper.core.rules import OWN_TEXT
from blogcrawler.wrapper.core.shares import NEARLY_ALL, PARAGRAPH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from blogcrawler.wrapper.core.training import ProfiledPage

LIKE = 0.5
"""Similarity of two ways to write a title, at least."""
PARTING = " -:|.,[("
"""What stands between a title and the text behind it, or ends one that was cut."""


def better_titles(pages: Sequence[ProfiledPage]) -> list[str | None] | None:
    """The titles that pages show, where those of the feed are others or missing; else None. O(n)."""
    doubtful = sum(not page.title or page.title not in page.once(_stated) for page in pages)
    if len(pages) < 2 or doubtful < NEARLY_ALL * len(pages):
        return None
    for is_heading in (True, False):
        shown = [page.once(_repeated, is_heading=is_heading) for page in pages]
        counts = Counter(text for texts in shown for text in texts)
        own = [{text: said for text, said in texts.items() if counts[text] == 1} for texts in shown]
        titles = [max(texts.values(), key=len, default=None) for texts in (own if is_heading else _framed(pages, own))]
        better = [title and not _is_shown(page, title) for page, title in zip(pages, titles, strict=True)]
        if sum(map(bool, better)) >= NEARLY_ALL * len(pages):
            return titles
    return None


def are_misplaced(pages: Sequence[ProfiledPage], titles: Sequence[str | None]) -> bool:
    """True if most titles of a feed say what another field is to say, with or without the titles that pages show before
    it. O(n)."""
    found = [title and _is_misplaced(page, fold(title)) for page, title in zip(pages, titles, strict=True)]
    return 2 * sum(map(bool, found)) > len(pages)


def _repeated(page: ProfiledPage, *, is_heading: bool) -> dict[str, str]:
    """The texts of a page that its <title> repeats, folded and as they are: headings, or others that are no part of
    the article and do not begin it; no dates, which stand for titles."""
    stated = page.once(_stated)
    return {
        value.folded: value.text
        for value in page.values
        if value.attribute in {"", OWN_TEXT}  # behind which there may be a link's sign
        and value.folded in stated
        and (value.node.tag in HEADINGS) == is_heading
        and value.node.tag != "title"
        and (is_heading or not (value.folded in page.shingles or page.shingles.begin_with(value.folded)))
        and not _is_date(value.folded)
    }


def _is_date(text: str) -> bool:
    """True if a text is a date with hardly more than a weekday: "Git 1.7.12 released" has one, too."""
    span = next(iter(find_dates(text)), None) if could_be_date(text) else None
    beside = (text[: span.start] + text[span.end :]).strip() if span else text
    return span is not None and (2 * len(beside) <= len(text) or len(beside.split()) == 1)


def _framed(pages: Sequence[ProfiledPage], texts: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Of the texts of each page that around which its <title> says the same as around those of most other pages."""
    frames = [
        {page.once(_stated).replace(text, "\0", 1): text for text in own}
        for page, own in zip(pages, texts, strict=True)
    ]
    usual = Counter(frame for own in frames for frame in own).most_common(1)
    return [
        {own[frame]: known[own[frame]] for frame, _ in usual if frame in own}
        for own, known in zip(frames, texts, strict=True)
    ]


def _stated(page: ProfiledPage) -> str:
    return " ".join(value.folded for value in page.values if value.node.tag == "title")


def _is_shown(page: ProfiledPage, shown: str) -> bool:
    """True if a page shows the feed's title in its <title>, or a text that is like it without words of the article."""
    if not page.title or page.title in page.once(_stated):
        return bool(page.title)
    return similarity(page.entry.title or "", shown) >= LIKE and not _has_article(page, fold(shown))


def _is_misplaced(page: ProfiledPage, shown: str) -> bool:
    """True if the feed's title is no heading, but a date, or the article with or without the title that is shown."""
    if any(value.folded == page.title and value.node.tag in HEADINGS for value in page.values):
        return False
    return bool(find_dates(page.title)) or _has_article(page, shown)


def _has_article(page: ProfiledPage, shown: str) -> bool:
    """True if the feed's title has words of the article behind the title that a page shows, or in its place. O(n)."""
    text = page.title.removeprefix(shown).strip(PARTING)
    if not text or text in page.shingles:
        return bool(text)
    if len(text) < PARAGRAPH and any(value.folded == text for value in page.values):
        return False  # the page has an element for it, as a deck
    plain = text.replace(" ", "")  # the feed may have other spaces around a link
    ends = (plain[:BEGINNING], plain[-BEGINNING:]) if len(plain) >= BEGINNING else ()
    return bool(page.shingles.hold(text)) or any(end in page.once(_said) for end in ends)


def _said(page: ProfiledPage) -> str:
    return squeezed(inline_text(page.tree))
