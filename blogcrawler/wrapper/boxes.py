"""Boxes in a feed's articles and the pages whose words change with the post: links to related ones, a film's length.

Software puts such a box into nearly all entries, once, in an element of a class or id of its own. What it says there is
the same but for numbers, and in more than a line for the texts of links to the blog's own pages. Authors number things
too, and give marks: so a box has a link or a button; or it is what an entry begins with, and its number stands in an
element of its own, as the time that it takes to read a post does. Texts that never change are no box: `boilerplate`
judges them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import starmap
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from blogcrawler.dom.tags import BLOCKS
from blogcrawler.similarity import fold
from blogcrawler.urls import same_site
from blogcrawler.wrapper.boilerplate import LEAST, NEARLY_ALL, element_names
from blogcrawler.wrapper.recurring import LETTERS, MEDIA, PARTS, template_form

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.profile import Outline

__all__ = ["drop_boxes", "learn_boxes"]

SAME = 0.8
"""Share of the boxes that say the very same from which none of them changes."""
WORDINGS = 2
"""Wordings of a box: of one thing, and of several."""
LARGEST = 200
"""Elements of a box, at most."""
LONGEST = 2000
"""Characters of a box, at most."""
LINE = 80
"""Characters of a box without a link, at most."""
NO_BOX = PARTS | MEDIA | {"a", "table", "h1", "h2", "h3", "h4", "h5", "h6"}
CONTROLS = frozenset(["a", "button", "form", "input"])
LINK = "\0"
"""What all texts of links to the blog's own pages are in a wording."""
NUMBERS = re.compile(r"0(?:[\W_]+0)*")
"""Numbers in a `template_form`: of hours, minutes and seconds, or of minutes and seconds alone."""


def learn_boxes(entries: Sequence[tuple[str, Outline]]) -> dict[str, frozenset[str]]:
    """The classes, and ids after "#", of boxes, of articles with the URLs of their posts; and what all of a box say.

    O(n) in the articles, since a box has a bounded size.
    """
    minimum = max(LEAST, NEARLY_ALL * len(entries))
    if len(entries) < minimum:
        return {}
    without = int(len(entries) - minimum)
    first = [_named(outline) for _, outline in entries[: without + 1]]  # one of which has any box
    hopeful = {
        name
        for (url, outline), places in zip(entries, first, strict=False)
        for name, at in places.items()
        if len(at) == 1 and _read(url, outline, at[0])
    }
    if not hopeful:
        return {}  # the quick answer for most feeds
    found = [*first, *(_named(outline) for _, outline in entries[without + 1 :])]
    counts = Counter(name for named in found for name in named)
    twice = {name for named in found for name, at in named.items() if len(at) > 1}
    learnt = {}
    for name in sorted(name for name in hopeful - twice if counts[name] >= minimum):
        places = [(*entry, named[name][0]) for entry, named in zip(entries, found, strict=True) if name in named]
        if said := _common(places, minimum):
            learnt[name] = said
    return learnt


def drop_boxes(url: str, entry: Outline, known: Mapping[str, frozenset[str]]) -> bool:
    """Drop known boxes from the article of a post, which is changed; is any dropped? What has nothing else is left."""
    places = _named(entry) if known else {}
    boxes = [
        (position, box)
        for name in known
        for position in places.get(name, ())
        if (box := _read(url, entry, position)) is not None and box.says & known[name]
    ]
    gone = {at for position, _ in boxes for at in _subtree(entry, position)}
    if not boxes or all(holder in gone for holder, _, _ in _runs(entry, range(len(entry.nodes)))):
        return False
    for position in sorted({position for position, _ in boxes}):
        if entry.parents[position] not in gone:
            entry.nodes[position].drop_tree()
    return True


@dataclass(frozen=True)
class _Box:
    """An element that may be a box."""

    #: its texts, folded, with all numbers and all links to the blog's own pages alike
    wording: frozenset[str]
    #: its texts, folded
    text: str

    @property
    def says(self) -> frozenset[str]:
        """What it says in words."""
        return frozenset(piece for piece in self.wording if LETTERS.search(piece))


def _common(places: Sequence[tuple[str, Outline, int]], minimum: float) -> frozenset[str]:
    """What elements of one name say, of one wording or nearly, but not always the same; empty where they are no box."""
    boxes = [box for box in starmap(_read, places) if box is not None]
    wordings = Counter(box.wording for box in boxes).most_common(WORDINGS)
    same = max(Counter(box.text for box in boxes).values(), default=0)
    is_box = len(boxes) == len(places) and sum(count for _, count in wordings) >= minimum
    if not is_box or same > SAME * len(boxes):
        return frozenset()
    return frozenset.intersection(*(box.says for box in boxes))


def _read(url: str, outline: Outline, position: int) -> _Box | None:
    """What an element says; None where it can be no box."""
    node, subtree = outline.nodes[position], _subtree(outline, position)
    if node.tag in NO_BOX or len(subtree) > LARGEST or not _stands_alone(node):
        return None
    nodes = [outline.nodes[at] for at in subtree]
    tags = {one.tag for one in nodes}
    if "table" in tags or _shows_media(nodes):
        return None
    runs = list(_runs(outline, subtree))
    if sum(len(run) for _, _, run in runs) > LONGEST:
        return None
    text = " ".join(fold(run) for _, _, run in runs)
    if tags.isdisjoint(CONTROLS) and not _is_counter(outline, position, runs, text):
        return None
    is_line = all(one.tag not in BLOCKS for one in nodes[1:])
    pieces = (
        LINK if not is_line and _in_own_link(url, outline, at, position) else _form(fold(run)) for at, _, run in runs
    )
    return _Box(frozenset(filter(None, pieces)), text)


def _is_counter(outline: Outline, position: int, runs: Sequence[tuple[int, int, str]], text: str) -> bool:
    """Is a text short, does an entry begin with it, and have its numbers elements with a name each?"""
    if len(text) > LINE or not runs or next(_runs(outline, range(position)), None) is not None:
        return False
    numbers = [at for at, _, run in runs if any(map(str.isdigit, run))]
    return bool(numbers) and all(at != position and element_names(outline.nodes[at]) for at in numbers)


def _form(piece: str) -> str:
    """A text with all numbers alike; empty where it says nothing."""
    return NUMBERS.sub("0", template_form(piece)) if any(map(str.isalnum, piece)) else ""


def _in_own_link(url: str, outline: Outline, position: int, top: int) -> bool:
    while position >= top:
        node = outline.nodes[position]
        if node.tag == "a":
            return _leads_to_own_page(node.get("href") or "", url)
        position = outline.parents[position]
    return False


@lru_cache(maxsize=1 << 10)
def _leads_to_own_page(href: str, url: str) -> bool:
    try:
        return bool(href) and "#" not in href and same_site(urljoin(url, href), url)
    except ValueError:
        return False


def _shows_media(nodes: Sequence[HtmlElement]) -> bool:
    """Is there a picture or the like, but for those that lead where words lead?"""
    worded = {one.get("href") for one in nodes if one.tag == "a" and "".join(one.itertext()).strip()}
    leading = {media for one in nodes if one.tag == "a" and one.get("href") in worded for media in one.iter(*MEDIA)}
    return any(one.tag in MEDIA and one not in leading for one in nodes)


def _stands_alone(node: HtmlElement) -> bool:
    """Is an element a block, or is no text beside it?"""
    if node.tag in BLOCKS:
        return True
    before, above = node.getprevious(), node.getparent()
    text = before.tail if before is not None else above.text if above is not None else None
    return not (text or "").strip() and not (node.tail or "").strip()


def _subtree(outline: Outline, position: int) -> range:
    """Positions of an element and all in it; of one more than a box may have, at most."""
    end = position + 1
    while end < len(outline.nodes) and outline.parents[end] >= position and end - position <= LARGEST:
        end += 1
    return range(position, end)


def _runs(outline: Outline, subtree: range) -> Iterator[tuple[int, int, str]]:
    """The texts in some nodes, each with the position of the one that it stands in, and its number."""
    for at in subtree:
        for number in (2 * at, 2 * at + 1):
            holder = outline.parents[at] if number % 2 else at
            run = outline.runs[number]
            if holder >= subtree.start and run and not run.isspace():
                yield holder, number, run


def _named(outline: Outline) -> dict[str, list[int]]:
    """Where the elements of each class and id are, but for the root's."""
    found: dict[str, list[int]] = defaultdict(list)
    for position, node in enumerate(outline.nodes[1:], start=1):
        if node.attrib:
            for name in element_names(node):
                found[name].append(position)
    return found
