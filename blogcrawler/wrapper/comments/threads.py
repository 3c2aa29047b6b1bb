"""Find the comment that a comment answers: by an attribute or link with its name, by indentation, or by a box behind
it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING

from blogcrawler.dom import iter_text_nodes, resolve
from blogcrawler.wrapper.comments.ids import DIGITS, LONGEST, PlacedAttribute, attributes_of, fragment_of, values_at
from blogcrawler.wrapper.comments.region import has_word
from blogcrawler.wrapper.core.thresholds import NEARLY_ALL

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.comments.region import Region
    from blogcrawler.wrapper.comments.view import View

DEEPER = 2
"""Minimum number of answers that are indented."""
MOST_DEPTHS = 40
NUMBER = re.compile(r"\d+(?:\.\d+)?")
ADDRESSING = " \t\r\n\xa0@>"
"""Characters before the name of the person who is answered."""
PLACING = ("style", "class", "width", "data-level", "data-depth", "aria-level")
"""Attributes that may hold the indentation of a comment."""
NEAR = 20
"""Maximum number of nodes of a box before its first comment."""
LEVELS = 8
"""Maximum number of elements between a list of answers and the list that holds its box."""


@dataclass(frozen=True)
class ParentRule:
    """An attribute with the name of the answered comment."""

    path: str
    attribute: str

    def extract(self, region: Region, ids: Mapping[str, str], prefix: str = "") -> str | None:
        """The identifier, among `ids`, of the answered comment; with a `prefix`, also one of another page."""
        identifiers = (
            _resolved(value, ids) or _elsewhere(value, prefix) for value in values_at(region, self.path, self.attribute)
        )
        return next(filter(None, identifiers), None)


def names_of(ids: Sequence[str | None]) -> dict[str, str]:
    """Identifiers, by themselves and by the numbers that they end with."""
    by_number: dict[str, str] = {}
    for identifier in ids:
        if identifier is not None and (match := DIGITS.search(identifier)):
            by_number.setdefault(match[0], identifier)
    return by_number | {identifier: identifier for identifier in ids if identifier is not None}


def _resolved(value: str, ids: Mapping[str, str]) -> str | None:
    if "#" in value:
        return ids.get(fragment_of(value))
    return ids.get(value) if len(value) <= LONGEST else None


def _elsewhere(value: str, prefix: str) -> str | None:
    """The identifier that a value denotes by its form, or by the number at its end, though no comment of this page has
    it."""
    name = fragment_of(value) if "#" in value else value
    if not prefix or len(name) > LONGEST:
        return None
    number = DIGITS.search(name)
    return f"{prefix}{number[0]}" if number and int(number[0]) and name in (number[0], f"{prefix}{number[0]}") else None


def addressed(content: HtmlElement, url: str, ids: Mapping[str, str], own: str | None) -> str | None:
    """The comment of the page at `url` that the start of a text links to ("@Ann"), for themes without threads."""
    texts = (node for node in iter_text_nodes(content) if node.text.strip(ADDRESSING))
    first = next(texts, None)
    link = first and next((one for one in (first.parent, *first.parent.iterancestors()) if one.tag == "a"), None)
    if link is None or next(texts, None) is None:
        return None
    target = resolve(link.get("href") or "", url) or ""
    page, _, place = target.partition("#")
    answered = ids.get(place) if place and page == url.partition("#")[0] else None
    return answered if answered != own else None


def learn_parent(
    pages: Sequence[Sequence[Region]], ids: Sequence[Sequence[str | None]], within: str
) -> ParentRule | None:
    """The rule for an attribute with the answered comment, if there is one. O(n)."""
    named: Counter[PlacedAttribute] = Counter()
    other: Counter[PlacedAttribute] = Counter()
    next_to: Counter[PlacedAttribute] = Counter()
    for regions, own in zip(pages, ids, strict=True):
        known = names_of(own)
        order = {identifier: number for number, identifier in enumerate(own) if identifier is not None}
        for number, region in enumerate(regions):
            for place, value in attributes_of(region):
                if within and place.path.startswith(f"{within}>"):
                    continue
                if place.name == "href" and "#" not in value:
                    continue
                if (answered := _resolved(value, known)) is None:
                    named[place] += place.name != "href" and value not in ("0", "-1")
                    continue
                named[place] += 1
                other[place] += answered != own[number]
                next_to[place] += order[answered] == number - 1
    total = sum(map(len, pages))
    fitting = [
        place
        for place, count in other.items()
        if count > 1 and count >= NEARLY_ALL * named[place] and not (next_to[place] == count and 4 * count > 3 * total)
    ]
    best = max(fitting, key=lambda place: (other[place], -place.path.count(">"), place.path), default=None)
    return ParentRule(best.path, best.name) if best is not None else None


@dataclass(frozen=True)
class Indent:
    """A number in an attribute that shows how deep a comment is in its thread."""

    path: str
    attribute: str
    #: which number of the attribute it is
    place: int
    #: the text before the number
    prefix: str

    def extract(self, region: Region) -> float | None:
        """The number; None if there is none."""
        number = region.first_at.get(self.path)
        value = region.view.nodes[region.own[number]].get(self.attribute) if number is not None else None
        return dict(_numbers(value or "")).get((self.place, self.prefix))


def _numbers(value: str) -> Iterator[tuple[tuple[int, str], float]]:
    """The numbers of an attribute, by the word before each and how often this word came before."""
    occurrences: Counter[str] = Counter()
    for match in NUMBER.finditer(value[:LONGEST]):
        prefix = re.split(r"[\s;\d]", value[max(0, match.start() - 40) : match.start()])[-1].strip(" :")
        prefix = prefix or value[max(0, match.start() - 40) : match.start()].strip(" :").rpartition(";")[2].strip()
        yield (occurrences[prefix], prefix), float(match[0])
        occurrences[prefix] += 1


def learn_indent(pages: Sequence[Sequence[Region]]) -> Indent | None:
    """The rule for threads shown by indentation, which begins at its least value and grows by one step at a
    time. O(n)."""
    rows: dict[Indent, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for page, regions in enumerate(pages):
        for attribute, value in chain.from_iterable(map(attributes_of, regions)):
            for (place, prefix), size in _numbers(value) if attribute.name in PLACING else ():
                rows[Indent(attribute.path, attribute.name, place, prefix)][page].append(size)
    total = sum(map(len, pages))
    fitting = [indent for indent, row in rows.items() if _is_depth([*row.values()], total, is_css=_is_css(indent))]
    return min(fitting, key=lambda it: (it.path.count(">"), it.path, it.attribute, it.place), default=None)


def _is_css(indent: Indent) -> bool:
    """True if a style sets a distance from the edge."""
    return indent.attribute == "style" and any(name in indent.prefix for name in ("margin", "padding"))


def _is_depth(rows: Sequence[Sequence[float]], total: int, *, is_css: bool) -> bool:
    """True if numbers may be depths of comments; a distance of 0 written for each comment is one, too."""
    sizes = sorted({size for row in rows for size in row})
    level = {size: number for number, size in enumerate(sizes)}
    depths = [[level[size] for size in row] for row in rows]
    is_written = is_css and sizes == [0]
    is_varied = 1 < len(sizes) <= MOST_DEPTHS and sum(map(bool, chain(*depths))) >= (1 if is_css else DEEPER)
    grows = all(depth <= before + 1 for row in depths for before, depth in pairwise([-1, *row]))
    is_told = sum(map(len, depths)) >= NEARLY_ALL * total and any(row[0] == 0 for row in depths)
    return (is_written or is_varied) and grows and is_told


def answered_by_box(regions: Sequence[Region]) -> list[int | None]:
    """For each comment of a page, the number of the comment behind which its box is; None for comments in no
    box. O(n)."""
    return [answered for answered, _ in _boxed(regions)]


def are_boxed(pages: Sequence[Sequence[Region]]) -> bool:
    """True if boxes hold answers: another comment follows such a box. A box at the end may hold the rest of a list."""
    for regions in pages:
        last = {_parent(region): region.unit.roots[0] for region in regions}
        for region, (answered, box) in zip(regions, _boxed(regions), strict=True):
            if answered is not None and last[_parent(regions[answered])] > box and region.unit.inside is None:
                return True
    return False


def is_box(view: View, position: int, comments: Sequence[int]) -> bool:
    """True if an element holds some of the comments (positions in order) without a word before them."""
    at = bisect_right(comments, position)
    first = comments[at] if at < len(comments) else len(view)
    if first >= view.ends[position] or first - position > NEAR:
        return False
    runs = (
        *(2 * it for it in range(position, first)),
        *(2 * it + 1 for it in range(position + 1, first) if view.ends[it] <= first),
    )
    return not any(has_word(view.runs[run]) for run in runs if view.runs[run])


def _parent(region: Region) -> int:
    return region.view.parents[region.unit.roots[0]]


def _boxed(regions: Sequence[Region]) -> list[tuple[int | None, int]]:
    """For each comment, the comment that precedes its box (None without a box), and the position of the box (-1 without
    one)."""
    lists = dict.fromkeys(map(_parent, regions))
    boxes = {parent: _box(regions[0], parent, lists) for parent in lists}
    newest: dict[int, int] = {}
    boxed: list[tuple[int | None, int]] = []
    for number, region in enumerate(regions):
        box = boxes[_parent(region)] if region.unit.inside is None else -1
        boxed.append((newest.get(region.view.parents[box]) if box >= 0 else None, box))
        newest[_parent(region)] = number
    return boxed


def _box(region: Region, parent: int, lists: Container[int]) -> int:
    """The element around a list of comments that is in another such list; -1 if there is none."""
    view = region.view
    around = islice(view.around(parent), LEVELS)
    return next((box for box in around if view.parents[box] in lists), -1)
