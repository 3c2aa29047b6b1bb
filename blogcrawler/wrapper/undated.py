"""Readers' comments without dates, where the form of the pages tells them safely from an article's own parts.

Comments are siblings of one form, each with a name and a text, or several blocks. They come when the article is over: after
something that the template shows behind it on nearly all pages (a heading, tags, links to the next post). Some posts have
more, some less, some none, and nothing that only this post says follows them. Paragraphs, items of plain lists, figures
and sections with headings are what articles are made of, and no comments.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dom.tags import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from blogcrawler.wrapper.profile import Profile
    from blogcrawler.wrapper.training import TrainingPage

    Form = tuple[str, str, str, str]

__all__ = ["form_of", "undated"]

HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
SPEAKERS = frozenset(["div", "section", "article"])
"""Elements that may be a comment when nothing but a name sets off its text."""
COMPOUND = SPEAKERS | {"li", "tr", "dd"}
"""Elements that may be a comment when they hold blocks."""
INLINE = frozenset(["a", "b", "strong", "i", "em", "cite", "span", "font"])
NAMED = re.compile(r"[^.!?:]{1,40}:\s")
"""How a text begins that is headed by a name."""
NAME = 40
"""Characters of a name."""
TEXT = 80
"""Characters of text beside comments from which it is hardly the template's."""
MOST = 0.8
"""Share of the pages that are nearly all."""


def form_of(profile: Profile, position: int) -> Form:
    """What siblings of one form have in common: tag and class of the parent, tag and first class of their own."""
    parent, child = profile.nodes[profile.parents[position]], profile.nodes[position]
    return parent.tag, parent.get("class") or "", child.tag, (child.get("class") or "").partition(" ")[0]


class _Held(NamedTuple):
    """What the subtree of each node holds besides the node itself, one value a node."""

    #: is there a block with text?
    blocks: list[bool]
    #: is there a heading?
    headings: list[bool]
    #: characters that are the post's own: in no link, and not the template's
    own: list[int]
    #: children with text, and text of its own as one more; those of the child that holds all where there is one
    parts: list[int]


@dataclass(frozen=True)
class _Page:
    """A page whose feed entry's summary has been found on it."""

    number: int
    profile: Profile
    #: where the summary stands
    beginning: int
    held: _Held
    #: for each node, its path from the root, by tags and classes
    paths: Sequence[int]


def undated(
    pages: Sequence[TrainingPage],
    beginnings: Sequence[int],
    is_own: Callable[[TrainingPage, str], bool],
) -> list[list[tuple[int, int]]]:
    """For each page, where such comments begin and end; a page's beginning is -1 where the summary is not found.

    `is_own` tells whether a piece of text is the post's, not the template's. O(n) in the size of the pages.
    """
    spans: list[list[tuple[int, int]]] = [[] for _ in pages]
    read = []
    for number, (page, beginning) in enumerate(zip(pages, beginnings, strict=True)):
        if beginning >= 0:
            held = _held(page, is_own)
            read.append(_Page(number, page.profile, beginning, held, _paths(page.profile)))
    behind = [{page.paths[position] for position in _template_blocks(page)} for page in read]
    common = Counter(path for found in behind for path in found)
    usual = {path for path, count in common.items() if count >= MOST * len(read)}
    over = [
        (page, next(position for position in _template_blocks(page) if page.paths[position] in usual))
        for page, found in zip(read, behind, strict=True)
        if not usual.isdisjoint(found)
    ]
    if len(over) < 3:
        return spans
    comments = [_comments(page, page.profile.ends[end]) for page, end in over]
    forms = _forms([(page, found) for (page, _), found in zip(over, comments, strict=True)], over)
    for (page, _), found in zip(over, comments, strict=True):
        starts: dict[int, int] = {}
        for form in forms:
            for position in found.get(form, []):
                parent = page.profile.parents[position]
                starts[parent] = min(position, starts.get(parent, position))
        spans[page.number] = [(start, page.profile.ends[parent]) for parent, start in starts.items()]
    return spans


def _forms(found: Sequence[tuple[_Page, dict[Form, list[int]]]], over: Sequence[tuple[_Page, int]]) -> set[Form]:
    """The forms that are comments', by what all pages tell."""
    counts: dict[Form, list[int]] = defaultdict(list)
    followed: Counter[Form] = Counter()
    for page, by_form in found:
        parents = page.profile.parents
        last = _last_texts(page, (parents[positions[0]] for positions in by_form.values()))
        for form, positions in by_form.items():
            counts[form].append(len(positions))
            followed[form] += last[parents[positions[0]]] > positions[0]
    early = {
        form_of(page.profile, position)
        for page, end in over
        for position in range(1, end)
        if page.profile.ends[position] <= end
        and not position <= page.beginning < page.profile.ends[position]
        and _is_comment(page, position)
    }
    return {
        form
        for form, sizes in counts.items()
        if form not in early
        and 2 <= len(sizes) < len(over)
        and max(sizes) > 1
        and followed[form] <= (1 - MOST) * len(sizes)
    }


def _comments(page: _Page, start: int) -> dict[Form, list[int]]:
    found: dict[Form, list[int]] = defaultdict(list)
    for position in range(start, len(page.profile)):
        if _is_comment(page, position):
            found[form_of(page.profile, position)].append(position)
    return found


def _is_comment(page: _Page, position: int) -> bool:
    """Might a node be a comment, as far as itself tells?"""
    profile, held = page.profile, page.held
    node, size = profile.nodes[position], profile.sizes[position]
    if node.tag not in COMPOUND or held.headings[position] or not held.own[position]:
        return False
    if 2 * profile.link_sizes[position] > size:
        return False
    if held.blocks[position]:
        return held.parts[position] > 1
    pieces, lead = profile.pieces[position], profile.leads[position]
    if node.tag not in SPEAKERS or not pieces:
        return False
    if lead is None or lead.strip():
        return NAMED.match(pieces[0]) is not None
    first = profile.nodes[position + 1]
    return first.tag in INLINE and 0 < profile.sizes[position + 1] <= NAME


def _last_texts(page: _Page, parents: Iterable[int]) -> dict[int, int]:
    """Of each node, the last child with text of the post's own that can be no comment; -1 where there is none."""
    profile, found = page.profile, dict.fromkeys(parents, -1)
    for parent in found:
        position = parent + 1
        while position < profile.ends[parent]:
            if page.held.own[position] > TEXT and not _is_comment(page, position):
                found[parent] = position
            position = profile.ends[position]
    return found


def _template_blocks(page: _Page) -> Iterator[int]:
    """Blocks behind the summary with text, but none that is the post's own."""
    profile = page.profile
    for position in range(page.beginning + 1, len(profile)):
        if profile.sizes[position] and not page.held.own[position] and profile.nodes[position].tag in BLOCKS:
            yield position


def _held(page: TrainingPage, is_own: Callable[[TrainingPage, str], bool]) -> _Held:
    profile = page.profile
    count = len(profile)
    held = _Held([False] * count, [False] * count, [0] * count, [min(1, len(pieces)) for pieces in profile.pieces])
    inside: list[bool] = []
    for position, (node, parent) in enumerate(zip(profile.nodes, profile.parents, strict=True)):
        inside.append(node.tag == "a" or (parent >= 0 and inside[parent]))
        if not inside[position]:
            held.own[position] = sum(len(piece) for piece in profile.pieces[position] if is_own(page, piece))
    for position in range(count - 1, 0, -1):
        parent, tag = profile.parents[position], profile.nodes[position].tag
        if profile.sizes[position]:
            whole = profile.sizes[parent] == profile.sizes[position]
            held.parts[parent] += held.parts[position] if whole else 1
        held.own[parent] += held.own[position]
        held.headings[parent] |= held.headings[position] or tag in HEADINGS
        held.blocks[parent] |= held.blocks[position] or (tag in BLOCKS and profile.sizes[position] > 0)
    return held


def _paths(profile: Profile) -> list[int]:
    paths: list[int] = []
    for node, parent in zip(profile.nodes, profile.parents, strict=True):
        paths.append(hash((paths[parent] if parent >= 0 else 0, node.tag, node.get("class"))))
    return paths
