"""Signs that short texts of comments are the names of their authors."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dates import find_dates
from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments.region import ANYWHERE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from blogcrawler.wrapper.comments.region import Region

CONSTANT = 0.5
"""Share of comments from which a text is the template's."""
PRESENT = 0.8
"""Share of comments that name their author, at least."""
LONGEST = 80
"""Characters of a name."""
TITLE = 3.5
"""Words, on average, of texts that are titles if none comes again."""
TITLED = 8
"""Characters of a beginning that is no mere greeting."""
MORE = 3
"""Characters of the text that follow, at least."""
SEVERAL = 5
FREQUENT = 0.35
"""Share of comments that the most eager author wrote, at most: the template says "Reply" more often."""
NUMBER = re.compile(r"\b\d{1,5}\b")
TIME = re.compile(
    r"\D{0,8}\d{1,2}(?:[:.]|\s?[hH]\s?)\d{2}(?:[:.]\d{2})?(?:\s?[ap]\.?m\.?|\s?[a-z]{1,4})?\W*", re.IGNORECASE
)
"""A time of day, which many themes show apart from the date."""


class Name(NamedTuple):
    """A text that might name the author: at a path, all of it or what stands before or behind the date."""

    path: str
    part: str


def likelihood(regions: Sequence[Region], name: Name, names: Mapping[int, str], people: set[str]) -> float:
    """How likely texts are the names of authors; 0 where they are not."""
    folded = Counter(fold(value) for value in names.values() if value)
    total = sum(folded.values())
    if total < PRESENT * len(regions) or not folded:
        return 0.0
    most = folded.most_common(1)[0][1]
    said = _without_numbers(folded)
    if total > 2 and max(said.values()) > CONSTANT * total and len(said) < 3 and not people & set(folded):
        return 0.0
    beginnings = _beginning(regions, name, names) / total
    if beginnings > CONSTANT:
        return 0.0
    names_only = {text: count for text, count in folded.items() if len(text) <= LONGEST} or folded
    short = sum(names_only.values())
    words = sum(len(text.split()) * count for text, count in names_only.items()) / short
    sentences = sum(count for text, count in names_only.items() if text[-1:] in ".!?…") / short
    lettered = sum(count for text, count in folded.items() if any(map(str.isalpha, text))) / total
    dated = sum(count for text, count in folded.items() if TIME.fullmatch(text) or find_dates(text)) / total
    answers = sum(regions[index].view.is_subject(text) for index, text in names.items()) / total
    answers += beginnings
    again = 1 - len(folded) / total
    known = sum(count for text, count in folded.items() if text in people) / total
    if words > TITLE and not again and not known and total >= SEVERAL:
        return 0.0
    constant = 0.0 if total <= 2 else max(0.0, most / total - FREQUENT)
    score = 3 * total / len(regions) + min(0.5, again) + min(0.5, 4 * known) + lettered
    score -= (
        4 * max(0.0, _longest(regions, names) - 0.5)
        + 1.5 * max(0.0, min(1.0, (words - 3) / 5))
        + sentences
        + 2 * dated
        + 2 * answers
        + 4 * constant
        + 0.3 * bool(name.part)
    )
    return max(0.0, score - 0.01 * name.path.startswith(ANYWHERE))


def _longest(regions: Sequence[Region], names: Mapping[int, str]) -> float:
    """Share of names than which a comment says nothing longer: these would be the texts."""
    longest = 0
    for index, name in names.items():
        region = regions[index]
        sizes = (len(text) for *_, text in region.runs if text != region.day and text not in name)
        longest += max(sizes, default=0) < len(name)
    return longest / len(names)


def _without_numbers(folded: Mapping[str, int]) -> Counter[str]:
    """How often texts come, but for their numbers: a comment's own makes no other name of "3. Ann"."""
    found: Counter[str] = Counter()
    for text, count in folded.items():
        found[NUMBER.sub("", text) if any(map(str.isalpha, text)) else text] += count
    return found


def _beginning(regions: Sequence[Region], name: Name, names: Mapping[int, str]) -> int:
    """How many texts are the beginnings of what their comments say: software makes titles of them."""
    return sum(
        any(
            path != name.path and len(text) > len(sought) + MORE and fold(text).startswith(sought)
            for _, path, text in regions[index].runs
        )
        for index, one in names.items()
        if len(sought := fold(one.rstrip(".… "))) >= TITLED
    )
