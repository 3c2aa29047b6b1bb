"""Learn where the ids and permalinks of comments are: the names of places in the page that links lead to."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.wrapper.core.thresholds import NEARLY_ALL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from blogcrawler.wrapper.comments.region import Region

LONGEST = 120
"""Maximum length, in characters, of an identifier."""
MOST_NODES = 400
"""Maximum number of nodes of a comment that are searched for its name."""
DIGITS = re.compile(r"\d{1,18}$")
NAMING = ("id", "name")


class PlacedAttribute(NamedTuple):
    """An attribute at a path."""

    path: str
    name: str


def attributes_of(region: Region) -> Iterator[tuple[PlacedAttribute, str]]:
    """The attributes of a comment's elements, the first of each name at each path."""
    attributes: set[PlacedAttribute] = set()
    for position, path in zip(region.own[:MOST_NODES], region.paths, strict=False):
        for name, value in region.view.nodes[position].attrib.items():
            place = PlacedAttribute(path, name)
            if value and place not in attributes and len(value) <= 2000:
                attributes.add(place)
                yield place, value.strip()


def fragment_of(value: str) -> str:
    """The fragment of a link; a slash behind it is dropped."""
    return value.partition("#")[2].rstrip("/")


def values_at(region: Region, path: str, attribute: str) -> Iterator[str]:
    """The values of an attribute in the elements of a comment at a path."""
    for position, own in zip(region.own[:MOST_NODES], region.paths, strict=False):
        if own == path and (value := region.view.nodes[position].get(attribute)):
            yield value.strip()


@dataclass(frozen=True)
class IdRule:
    """Where a comment's identifier is."""

    path: str
    #: `href` to take the fragment of a link; otherwise an attribute that is the name itself
    attribute: str
    #: the prefix that all identifiers share, if there is one
    prefix: str = ""

    def extract(self, region: Region) -> str | None:
        """The identifier of a comment; None if it has none."""
        for value in values_at(region, self.path, self.attribute):
            name = fragment_of(value) if self.attribute == "href" else value
            if _is_name(name):
                return name
        return self._by_prefix(region) if self.prefix else None

    def _by_prefix(self, region: Region) -> str | None:
        """A name of the same form as the names of other comments."""
        for position in region.own[:MOST_NODES]:
            for attribute in NAMING:
                name = region.view.nodes[position].get(attribute) or ""
                if name.startswith(self.prefix) and name[len(self.prefix) :].isdecimal() and len(name) <= LONGEST:
                    return name
        return None


def _is_name(value: str) -> bool:
    return 0 < len(value) <= LONGEST and not any(map(str.isspace, value))


def learn_id(pages: Sequence[Sequence[Region]], within: str) -> IdRule | None:
    """The rule for identifiers: permalinks first, then names; links in texts, whose path is `within`, are ignored.
    O(n)."""
    total = sum(map(len, pages))
    named_comments: Counter[PlacedAttribute] = Counter()
    shown: Counter[PlacedAttribute] = Counter()
    values: dict[PlacedAttribute, Counter[str]] = defaultdict(Counter)
    for regions in pages:
        named = [one for region in regions for one in _names(region, within)]
        names = {name for place, name in named if place.name != "href"}
        names_at: dict[PlacedAttribute, list[str]] = defaultdict(list)
        for place, name in named:
            values[place][name] += 1
            names_at[place] += [name] * _is_name(name)
        for place, fit in names_at.items():
            if len(set(fit)) == len(fit):
                named_comments[place] += len(fit)
                shown[place] += sum(name in names for name in fit)
    varied = {place for place, counts in values.items() if len(counts) >= NEARLY_ALL * counts.total()}
    fitting = [place for place, count in named_comments.items() if count >= NEARLY_ALL * total and place in varied]
    if not fitting:
        return None
    best = min(
        fitting, key=lambda it: (-(it.name == "href"), -(2 * shown[it] > total), it.path.count(">"), it.path, it.name)
    )
    rule = IdRule(best.path, best.name)
    own = (rule.extract(region) for regions in pages for region in regions)
    prefixes = {DIGITS.sub("", name) for name in own if name}
    return replace(rule, prefix=prefixes.pop()) if len(prefixes) == 1 else rule


def _names(region: Region, within: str) -> Iterator[tuple[PlacedAttribute, str]]:
    """Possible names of a comment, and the fragments of its links outside of its text."""
    for place, value in attributes_of(region):
        if place.name in NAMING:
            yield place, value
        elif place.name == "href" and "#" in value and not (within and place.path.startswith(f"{within}>")):
            yield place, fragment_of(value)
