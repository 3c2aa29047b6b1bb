"""Whether a feed's titles are those of its posts: a feed may have none, or say something else in their place.

Where nearly all pages have a heading of their own that their <title> repeats, and hardly any shows what the feed calls
a title as a heading or in its <title>, the headings may be the titles (the defence of AdaptivePost).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from blogcrawler.dates import could_be_date
from blogcrawler.dom.tags import HEADINGS
from blogcrawler.similarity import similarity
from blogcrawler.wrapper.core.shares import NEARLY_ALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.wrapper.core.training import ProfiledPage

LIKE = 0.5
"""Similarity of two ways to write a title, at least."""


def better_titles(pages: Sequence[ProfiledPage]) -> list[str | None] | None:
    """The titles that pages show, where those of the feed are others or missing; else None. O(n)."""
    shown = [page.once(_headings) for page in pages]
    counts = Counter(text for headings in shown for text in headings)
    own = [{text: said for text, said in headings.items() if counts[text] == 1} for headings in shown]
    titles = [max(headings.values(), key=len, default=None) for headings in own]
    better = [title and not _is_shown(page, title) for page, title in zip(pages, titles, strict=True)]
    return titles if len(pages) > 1 and sum(map(bool, better)) >= NEARLY_ALL * len(pages) else None


def _headings(page: ProfiledPage) -> dict[str, str]:
    """The headings of a page that its <title> repeats, folded and as they are; no dates, which stand for titles."""
    stated = _stated(page)
    headings = [value for value in page.values if not value.attribute and value.node.tag in HEADINGS]
    return {
        value.folded: value.text for value in headings if value.folded in stated and not could_be_date(value.folded)
    }


def _stated(page: ProfiledPage) -> str:
    return " ".join(value.folded for value in page.values if value.node.tag == "title")


def _is_shown(page: ProfiledPage, heading: str) -> bool:
    """True if a page shows the feed's title where a title is, or a heading that is like it."""
    if not page.title:
        return False
    return page.title in _stated(page) or similarity(page.entry.title or "", heading) >= LIKE
