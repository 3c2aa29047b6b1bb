"""Readers' comments without dates, where the form of the pages tells them safely from an article's own parts.

Comments are siblings of one form, each with a name and a text, or several blocks. They come when the article is over:
after something that the template shows behind it on nearly all pages (a heading, tags, links to the next post). Some
posts have more, some less, some none, and nothing that only this post says follows them. Where all posts have some,
links must show that the article is over. Paragraphs, items of plain lists, figures and sections with headings are what
articles are made of, and no comments.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from blogcrawler.dom.tags import BLOCKS
from blogcrawler.wrapper.bylines import is_of_readers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from blogcrawler.wrapper.profile import Profile
    from blogcrawler.wrapper.training import TrainingPage

    Form = tuple[str, str, str, str]

__all__ = ["HEADINGS", "form_of", "undated"]

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
LONGER = 3
"""So many times as long as its summary an article is at least, on most of the pages that tell of comments."""
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
    #: characters that are the post's own before the node
    before: list[int]
    #: the first node behind the summary that a link leads to, as those of footnotes do; past the last where none does
    cited: list[int]


@dataclass(frozen=True)
class _Page:
    """A page whose feed entry's summary has been found on it."""

    number: int
    profile: Profile
    #: where the summary stands
    beginning: int
    held: _Held
    #: characters of the summary; of the first paragraph where there is none
    told: int
    #: for each node, its path from the root, by tags and classes
    paths: Sequence[int]


class _Over(NamedTuple):
    """A page, and where the article is over."""

    page: _Page
    #: position behind the first thing that the template shows behind the summary
    end: int
    #: position of the first such thing behind a text much longer than the summary, and of the first that is links
    likely: int
    sure: int


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
    for number, (example, beginning) in enumerate(zip(pages, beginnings, strict=True)):
        if beginning >= 0:
            held, paths = _held(example, beginning, is_own), _paths(example.profile)
            told = example.size or sum(map(len, example.profile.pieces[beginning]))
            read.append(_Page(number, example.profile, beginning, held, told, paths))
    pages_over = _over(read)
    if len(pages_over) < 3:
        return spans
    found = [_comments(it.page, it.end) for it in pages_over]
    forms = _forms(pages_over, found)
    for (page, *_), by_form in zip(pages_over, found, strict=True):
        starts: dict[int, int] = {}
        for form in forms:
            for position in by_form.get(form, []):
                parent = page.profile.parents[position]
                starts[parent] = min(position, starts.get(parent, position))
        spans[page.number] = [(start, page.profile.ends[parent]) for parent, start in starts.items()]
    return spans


def _over(pages: Sequence[_Page]) -> list[_Over]:
    """Where articles are over, on the pages that show it."""
    behind = [_template_blocks(page) for page in pages]
    common = Counter(
        path for page, blocks in zip(pages, behind, strict=True) for path in {page.paths[at] for at in blocks}
    )
    found = []
    for page, blocks in zip(pages, behind, strict=True):
        profile, before = page.profile, page.held.before
        usual = [at for at in blocks if common[page.paths[at]] >= MOST * len(pages)]
        enough = before[page.beginning] + LONGER * page.told
        late = [at for at in usual if before[at] >= enough]
        links = (at for at in late if 2 * profile.link_sizes[at] >= profile.sizes[at])
        if usual:
            nowhere = len(profile)
            found.append(_Over(page, profile.ends[usual[0]], next(iter(late), nowhere), next(links, nowhere)))
    return found


def _forms(pages: Sequence[_Over], found: Sequence[dict[Form, list[int]]]) -> set[Form]:
    """The forms that are comments', by what all pages tell."""
    counts: dict[Form, list[int]] = defaultdict(list)
    followed: Counter[Form] = Counter()
    late: Counter[Form] = Counter()
    surely: Counter[Form] = Counter()
    called: set[Form] = set()
    for (page, _, likely, sure), by_form in zip(pages, found, strict=True):
        parents = page.profile.parents
        last = _last_texts(page, (parents[positions[0]] for positions in by_form.values()))
        for form, positions in by_form.items():
            counts[form].append(len(positions))
            node = page.profile.nodes[positions[0]]
            called |= {form} if is_of_readers(node) or is_of_readers(node.getparent()) else set()
            followed[form] += last[parents[positions[0]]] > positions[0]
            late[form] += positions[0] > likely
            surely[form] += positions[0] > sure
    early = {form for page, end, *_ in pages for form in _early(page, end)}
    for form in called:
        late[form] = surely[form] = len(counts[form])
    return {
        form
        for form, sizes in counts.items()
        if form not in early
        and len(sizes) > 1
        and max(sizes) > 1
        and 2 * late[form] > len(sizes)
        and followed[form] <= (1 - MOST) * len(sizes)
        and (len(sizes) < len(pages) or (len(set(sizes)) > 2 and surely[form] >= MOST * len(sizes)))
    }


def _early(page: _Page, end: int) -> Iterator[Form]:
    """The forms of what might be comments, but stands where the article is not over."""
    ends = page.profile.ends
    for position in range(1, end):
        around = position <= page.beginning < ends[position]
        if ends[position] <= end and not around and _is_comment(page, position):
            yield form_of(page.profile, position)


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
    if 2 * profile.link_sizes[position] > size or held.cited[position] < profile.parents[position]:
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


def _template_blocks(page: _Page) -> list[int]:
    """Blocks behind the summary with text, but none that is the post's own."""
    profile, own = page.profile, page.held.own
    return [
        position
        for position in range(page.beginning + 1, len(profile))
        if profile.sizes[position] and not own[position] and profile.nodes[position].tag in BLOCKS
    ]


def _held(page: TrainingPage, beginning: int, is_own: Callable[[TrainingPage, str], bool]) -> _Held:
    profile = page.profile
    count = len(profile)
    parts = [min(1, len(pieces)) for pieces in profile.pieces]
    held = _Held([False] * count, [False] * count, [0] * count, parts, [], [count] * count)
    named = {f"#{node.get('id')}": at for at, node in enumerate(profile.nodes) if at > beginning}
    inside: list[bool] = []
    for position, (node, parent) in enumerate(zip(profile.nodes, profile.parents, strict=True)):
        inside.append(node.tag == "a" or (parent >= 0 and inside[parent]))
        held.cited[position] = named.get(unquote(node.get("href") or ""), count)
        if not inside[position]:
            held.own[position] = sum(len(piece) for piece in profile.pieces[position] if is_own(page, piece))
    held.before.extend(accumulate(held.own[:-1], initial=0))
    for position in range(count - 1, 0, -1):
        parent, tag = profile.parents[position], profile.nodes[position].tag
        if profile.sizes[position]:
            whole = profile.sizes[parent] == profile.sizes[position] and tag != "pre"
            held.parts[parent] += held.parts[position] if whole else 1
        held.own[parent] += held.own[position]
        held.cited[parent] = min(held.cited[parent], held.cited[position])
        held.headings[parent] |= held.headings[position] or tag in HEADINGS
        held.blocks[parent] |= held.blocks[position] or (tag in BLOCKS and profile.sizes[position] > 0)
    return held


def _paths(profile: Profile) -> list[int]:
    paths: list[int] = []
    for node, parent in zip(profile.nodes, profile.parents, strict=True):
        paths.append(hash((paths[parent] if parent >= 0 else 0, node.tag, node.get("class"))))
    return paths
