"""Estimate how likely texts of comments are their authors' names: a logistic regression over named features.

tests/wrapper/comments/build_author_model.py fits the weights. All features are between 0 and 1, so that weights are
comparable.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from itertools import islice
from math import log1p, sqrt
from statistics import median_low
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments.features import markup_words
from blogcrawler.wrapper.comments.group_model import shipped_model
from blogcrawler.wrapper.comments.region import ANYWHERE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

    from blogcrawler.wrapper.comments.region import Region

LONGEST = 80
"""Maximum length, in characters, of a name."""
MOST_WORDS = 8
FARTHEST = 6
"""Number of texts between a name and the date above which more make no difference."""
TITLED = 8
"""Minimum number of characters of a beginning that is more than a greeting."""
LEVELS = 2
"""Number of levels of elements around a name whose class and id names are read."""
NAMING = ("class", "id", "rel", "itemprop")
NUMBER = re.compile(r"\b\d{1,5}\b")
TIME = re.compile(
    r"\D{0,8}\d{1,2}(?:[:.]|\s?[hH]\s?)\d{2}(?:[:.]\d{2})?(?:\s?[ap]\.?m\.?|\s?[a-z]{1,4})?\W*", re.IGNORECASE
)
"""A time of day, which many themes show separately from the date."""


class Place(NamedTuple):
    """A place in comments that may hold the author's name."""

    path: str
    #: "" for the whole text, "before" or "behind" for the part before or behind the date in it
    part: str = ""
    #: the attribute that holds the name; empty if the text holds it
    attribute: str = ""


class Layout(NamedTuple):
    """The layout of one comment, from which features are computed."""

    region: Region
    #: positions where texts begin, in document order; a text behind an element is at the element's end
    starts: Sequence[float]
    #: number of the text with the date; None if there is none
    day: int | None
    #: size of the longest text besides the date, and the node that holds it
    size: int
    holder: int
    folded: Sequence[str]
    alts: Set[str]

    def text_at(self, position: int) -> int:
        """Number of the first text in or behind a node."""
        return bisect_left(self.starts, position)


def layout_of(region: Region) -> Layout:
    """The layout of a comment. O(n)."""
    view, anchor = region.view, region.unit.anchor
    starts = [run // 2 if run % 2 == 0 else view.ends[run // 2] - 0.5 for run, _ in region.numbered]
    sizes = [len(text) * (text != region.day) for *_, text in region.runs]
    longest = max(range(len(sizes)), key=sizes.__getitem__, default=0)
    alts = (view.nodes[at].get("alt") for at in region.own)
    return Layout(
        region,
        starts,
        bisect_left(starts, anchor) if anchor is not None else None,
        sizes[longest] if sizes else 0,
        region.runs[longest][0] if sizes else -1,
        [fold(text) for *_, text in region.runs],
        frozenset(fold(alt) for alt in alts if alt),
    )


def features(layouts: Sequence[Layout], place: Place, names: Mapping[int, str], people: Set[str]) -> dict[str, float]:
    """The features of a place in comments; `names` are its texts, at least one, by number of the comment. O(n)."""
    names_found = [(layouts[number], name, fold(name)) for number, name in names.items()]
    spots = [(layout, layout.region.own[layout.region.first_at[place.path]], name) for layout, name, _ in names_found]
    markup, words = [_markup(layout.region, at) for layout, at, _ in spots], markup_words()
    folded = Counter(name for *_, name in names_found)
    said = _without_numbers(folded)
    size = median_low(map(len, names.values()))
    length = median_low(len(name.split()) for name in names.values())
    return {
        "again": sqrt(1 - len(folded) / max(1, len(names_found))),
        "constant": (max(said.values(), default=1) - 1) / max(1, len(names_found) - 1),
        "known": _share(name in people for *_, name in names_found),
        "wordless": _share(not any(map(str.isalpha, name)) for *_, name in names_found),
        "words": min(1.0, length / MOST_WORDS),
        "size": min(1.0, log1p(size) / log1p(LONGEST)),
        "sentence": _share(name[-1:] in ".!?…" for _, name, _ in names_found),
        "dated": _share(
            layout.region.view.states_day(name) or bool(TIME.fullmatch(name)) for layout, name, _ in names_found
        ),
        "subject": _share(layout.region.view.is_subject(name) for layout, name, _ in names_found),
        "beginning": _share(_is_beginning(layout, name) for layout, _, name in names_found),
        "longest": _share(layout.size <= len(name) for layout, name, _ in names_found) ** 2,
        "capital": _share(name[:1].isupper() for _, name, _ in names_found),
        "anywhere": float(place.path.startswith(ANYWHERE)),
        "link": _share(layout.region.view.nodes[at].tag == "a" for layout, at, _ in spots),
        "away": _share(at in layout.region.away or at + 1 in layout.region.away for layout, at, _ in spots),
        "named": _share(any(word in names for word in words["authors"]) for names in markup),
        "misnamed": _share(any(word in names for word in words["parts"]) for names in markup),
        "first": _share(layout.text_at(at) == 0 for layout, at, _ in spots),
        "distance": _mean(_distance(layout, at, place) for layout, at, _ in spots),
        "in_text": _share(layout.holder <= at < layout.region.view.ends[layout.holder] for layout, at, _ in spots),
        "alt": _share(name in layout.alts for layout, _, name in names_found),
    }


def probability(values_of: Mapping[str, float]) -> float:
    """The probability that texts with these features are authors' names."""
    return shipped_model("comment_authors.json").probability(values_of)


def _share(values: Iterable[bool]) -> float:
    return _mean(map(float, values))


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else 0.0


def _distance(layout: Layout, position: int, place: Place) -> float:
    """Number of texts between a name and the date, scaled to 1 for many; 0 without a date."""
    if layout.day is None or place.part:
        return 0.0
    return min(1.0, abs(layout.text_at(position) - layout.day) / FARTHEST)


def _is_beginning(layout: Layout, name: str) -> bool:
    """True if another text begins with this name, since software derives titles from texts."""
    sought = name.rstrip(".… ")
    return len(sought) >= TITLED and any(text != name and text.startswith(sought) for text in layout.folded)


def _markup(region: Region, position: int) -> str:
    """The tags and naming attributes of a node and of the closest nodes around it in the comment."""
    own = (at for at in region.view.around(position) if at in region.path_at)
    nodes = (region.view.nodes[at] for at in islice(own, LEVELS))
    return " ".join(name for node in nodes for name in (node.tag, *map(node.get, NAMING)) if name).lower()


def _without_numbers(folded: Mapping[str, int]) -> Counter[str]:
    """Count texts with their numbers removed, so that "3. Ann" and "4. Ann" are one name."""
    counts: Counter[str] = Counter()
    for text, count in folded.items():
        counts[NUMBER.sub("", text) if any(map(str.isalpha, text)) else text] += count
    return counts
