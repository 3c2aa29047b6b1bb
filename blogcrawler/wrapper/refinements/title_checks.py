"""Check whether a feed's titles are those of its posts: a feed may have none, or other data in their place.

If nearly all pages show different texts, preferably headings, that their <title> repeats, while hardly any page shows
the feed's title as a heading or in its <title>, these texts may be the titles. This is AdaptivePost's defence against
misleading feeds (section III-D3). If a title and an article share one field, the rest without the title is the
article's.
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
from blogcrawler.wrapper.core.thresholds import NEARLY_ALL, PARAGRAPH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from blogcrawler.wrapper.core.training import ProfiledPage

LIKE = 0.5
"""Minimum similarity of two spellings of a title."""
PARTING = " -:|.,[("
"""Separators between a title and the text behind it, or at the end of a cut title."""


def better_titles(pages: Sequence[ProfiledPage]) -> list[str | None] | None:
    """The titles that pages show, if the feed's titles differ or are missing; otherwise None. O(n)."""
    doubtful = sum(not page.title or page.title not in page.once(_stated) for page in pages)
    if len(pages) < 2 or doubtful < NEARLY_ALL * len(pages):
        return None
    for is_heading in (True, False):
        page_titles = [page.once(_repeated, is_heading=is_heading) for page in pages]
        counts = Counter(text for texts in page_titles for text in texts)
        own = [{text: said for text, said in texts.items() if counts[text] == 1} for texts in page_titles]
        titles = [max(texts.values(), key=len, default=None) for texts in (own if is_heading else _framed(pages, own))]
        better = [title and not _is_shown(page, title) for page, title in zip(pages, titles, strict=True)]
        if sum(map(bool, better)) >= NEARLY_ALL * len(pages):
            return titles
    return None


def are_misplaced(pages: Sequence[ProfiledPage], titles: Sequence[str | None]) -> bool:
    """True if most titles of a feed hold the content of another field, with or without the titles that pages show
    before it. O(n)."""
    misplaced = [title and _is_misplaced(page, fold(title)) for page, title in zip(pages, titles, strict=True)]
    return 2 * sum(map(bool, misplaced)) > len(pages)


def _repeated(page: ProfiledPage, *, is_heading: bool) -> dict[str, str]:
    """The texts of a page that its <title> repeats, by their folded form: headings, or texts that are neither part nor
    beginning of the article. Dates are left out, since they may replace titles."""
    stated = page.once(_stated)
    return {
        value.folded: value.text
        for value in page.values
        if value.attribute in {"", OWN_TEXT}  # there may be a link with a sign behind the text
        and value.folded in stated
        and (value.node.tag in HEADINGS) == is_heading
        and value.node.tag != "title"
        and (is_heading or not (value.folded in page.shingles or page.shingles.begin_with(value.folded)))
        and not _is_date(value.folded)
    }


def _is_date(text: str) -> bool:
    """True if a text is a date with hardly more than a weekday; "Git 1.7.12 released" has a date, too, and
    more words."""
    span = next(iter(find_dates(text)), None) if could_be_date(text) else None
    beside = (text[: span.start] + text[span.end :]).strip() if span else text
    return span is not None and (2 * len(beside) <= len(text) or len(beside.split()) == 1)


def _framed(pages: Sequence[ProfiledPage], texts: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The text of each page that is surrounded by the same words in its <title> as on most other pages."""
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


def _is_shown(page: ProfiledPage, page_title: str) -> bool:
    """True if a page shows the feed's title in its <title>, or `page_title` is like the feed's title without words of
    the article."""
    if not page.title or page.title in page.once(_stated):
        return bool(page.title)
    return similarity(page.entry.title or "", page_title) >= LIKE and not _has_article(page, fold(page_title))


def _is_misplaced(page: ProfiledPage, page_title: str) -> bool:
    """True if the feed's title is no heading, but a date, or the article with or without `page_title` before it."""
    if any(value.folded == page.title and value.node.tag in HEADINGS for value in page.values):
        return False
    return bool(find_dates(page.title)) or _has_article(page, page_title)


def _has_article(page: ProfiledPage, page_title: str) -> bool:
    """True if the feed's title has words of the article behind the title that a page shows, or in its place. O(n)."""
    text = page.title.removeprefix(page_title).strip(PARTING)
    if not text or text in page.shingles:
        return bool(text)
    if len(text) < PARAGRAPH and any(value.folded == text for value in page.values):
        return False  # the page has an element for it, such as a deck
    plain = text.replace(" ", "")  # the feed may have other spaces around a link
    ends = (plain[:BEGINNING], plain[-BEGINNING:]) if len(plain) >= BEGINNING else ()
    return bool(page.shingles.hold(text)) or any(end in page.once(_page_text) for end in ends)


def _page_text(page: ProfiledPage) -> str:
    return squeezed(inline_text(page.tree))
