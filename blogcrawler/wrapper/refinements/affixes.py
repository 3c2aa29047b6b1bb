"""Find the text that a feed adds to all its titles: in "[Log] A walk" and "A walk - Log" it names the blog.

Such words begin or end nearly all of a feed's titles, while the pages show their titles without them. The name of a
series ("Weekly links: ...") begins only some titles, or is on the pages, too.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.similarity import fold
from blogcrawler.wrapper.core.rules import OWN_TEXT
from blogcrawler.wrapper.core.thresholds import NEARLY_ALL, SEVERAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from blogcrawler.wrapper.core.training import ProfiledPage

CONFIRMING, DENYING = 0.5, 0.1
"""Minimum share of the pages that show the title without the text; maximum share of the pages that show it with the
text."""
LONGEST = 80
"""Maximum number of characters before or behind a title."""


@dataclass(frozen=True)
class Affixes:
    """The text before and behind a feed's titles, with separators and spaces."""

    prefix: str = ""
    suffix: str = ""

    def __bool__(self) -> bool:
        return bool(self.prefix or self.suffix)

    def strip(self, title: str | None) -> str | None:
        """A title of the feed without these texts; unchanged if nothing would be left."""
        return ((title or "").removeprefix(self.prefix).removesuffix(self.suffix).strip() or title) if self else title


def learn_affixes(pages: Sequence[ProfiledPage]) -> Affixes:
    """The text around the entries' titles that the pages' titles lack. O(n) in the pages, mostly less."""
    both = _common([page.entry.title for page in pages if page.entry.title])
    for affixes in (both, Affixes(both.prefix), Affixes("", both.suffix)):
        if affixes and _is_confirmed(affixes, pages):
            return affixes
    return Affixes()


def _common(titles: Sequence[str]) -> Affixes:
    """The longest texts that begin, and that end, nearly all titles."""
    if len(set(titles)) < SEVERAL:
        return Affixes()
    prefix = _beginning(titles)
    return Affixes(prefix, _beginning([title.removeprefix(prefix)[::-1] for title in titles])[::-1])


def _beginning(titles: Sequence[str]) -> str:
    """The longest text that begins nearly all titles, and ends with punctuation or a space."""
    votes = Counter(part for title in titles for part in set(_beginnings(title)))
    return max((part for part, count in votes.items() if count >= NEARLY_ALL * len(titles)), key=len, default="")


def _beginnings(title: str) -> Iterator[str]:
    for place, character in enumerate(title[:LONGEST], 1):
        rest = title[place:].lstrip()
        if rest and not character.isalnum():
            yield title[: len(title) - len(rest)]


def _is_confirmed(affixes: Affixes, pages: Sequence[ProfiledPage]) -> bool:
    confirming = denying = changed = 0
    for page in pages:
        title = affixes.strip(page.entry.title)
        if title is None or title == page.entry.title:
            continue
        said = {value.folded for value in page.values}
        page_titles = {
            value.folded for value in page.values if value.attribute in {"", OWN_TEXT} and value.node.tag != "title"
        }
        changed += 1
        denying += page.title in page_titles
        confirming += page.title not in page_titles and fold(title) in said
    return changed > 0 and confirming >= CONFIRMING * changed and denying <= DENYING * changed
