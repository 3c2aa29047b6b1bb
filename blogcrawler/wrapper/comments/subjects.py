"""Is a line of a comment its subject? Many blogs give comments the title of their post ("Re: A title")."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from blogcrawler.similarity import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.wrapper.comments.region import Region
    from blogcrawler.wrapper.comments.view import View

ANSWER = re.compile(r"(?:[^\W\d_]{1,10}(?:\s?[\[(]\d+[\])])?\s?[:：]\s*)+")
"""What a subject begins with ("Re:", "AW:", "Re[2]:"), in whatever language."""
MOSTLY = 0.5
"""Share of comments with a text in a place from which those that stand there are subjects."""
LEAST = 2
NUMBER = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
SHORT = 40
"""Characters of a line with a day."""
NEARLY_ALL = 0.9


def is_subject(view: View, text: str) -> bool:
    """True if a text is the title of the post, or that of an answer to it."""
    folded = fold(text)
    return folded in view.titles or ANSWER.sub("", folded, count=1) in view.titles


def subject_paths(regions: Sequence[Region]) -> set[str]:
    """The places of comments where subjects stand. O(n)."""
    shown: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for region in regions:
        texts = Counter(path for _, path, _ in region.runs)
        shown.update(texts.keys())
        if len(region.runs) > 1:
            told.update({path for _, path, text in region.runs if texts[path] == 1 and is_subject(region.view, text)})
    return {path for path, count in told.items() if count >= max(LEAST, MOSTLY * shown[path])}


def counting_paths(regions: Sequence[Region]) -> set[str]:
    """Where comments without a date have a short line with a number each, as days without a year are. O(n)."""
    shown: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for region in regions:
        texts = Counter(path for _, path, _ in region.runs)
        shown.update(texts)
        if region.unit.anchor is None:
            told.update(path for _, path, text in region.runs if len(text) <= SHORT and NUMBER.search(text))
    return {path for path, count in told.items() if count == shown[path] >= max(LEAST, NEARLY_ALL * len(regions))}
