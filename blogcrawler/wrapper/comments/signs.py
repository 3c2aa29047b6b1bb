"""Signs that part a comment's text from its author and day, where it has no element of its own ("Ann: text")."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from blogcrawler.dom import readable_text
from blogcrawler.wrapper.comments.body import lines_of
from blogcrawler.wrapper.comments.content import content_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from blogcrawler.wrapper.comments.authors import AuthorRule
    from blogcrawler.wrapper.comments.body import ContentRule
    from blogcrawler.wrapper.comments.region import Region

SIGNS = ":|-–—·•»«"
COMMON = 0.9
"""Share of texts with a sign from which it is none of theirs."""
LEAST = 3
"""Comments."""


def learn_signs(regions: Sequence[Region], rule: ContentRule, authors: Sequence[AuthorRule]) -> tuple[str, str]:
    """The sign that nearly all texts begin with, and the one that they end with; empty where there is none. O(n)."""
    texts = []
    for region in regions:
        lines = lines_of(region, authors, is_by_day=rule.is_by_day)
        texts.append(readable_text(content_of(region, rule, lines)))
    said = [text for text in texts if text]
    return _common(text[0] for text in said), _common(text[-1] for text in said)


def _common(signs: Iterable[str]) -> str:
    counts = Counter(signs)
    sign, count = counts.most_common(1)[0] if counts else ("", 0)
    return sign if sign in SIGNS and count >= max(LEAST, COMMON * counts.total()) else ""
