"""What on a post's page is not the post's own, as far as the form of the page tells: for feeds of summaries only.

Comments begin where two siblings of one form each hold a date that is not before the post's (date nodes and their
lowest common ancestors). That form is recognised on pages with a single one. Comments without dates are known by what
themes call them, see `bylines.is_of_readers`. Teasers of other posts are siblings of one form, each headed by a link to
a page of the blog, behind a text of the template's; an author's own list comes after own words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blogcrawler.dates import Moment, could_be_date
from blogcrawler.dom.tags import BLOCKS, HEADINGS
from blogcrawler.wrapper.bylines import is_of_readers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from blogcrawler.wrapper.profile import Form
    from blogcrawler.wrapper.training import DateReader, TrainingPage

    _IsOwn = Callable[[TrainingPage, str], bool]

LONGEST = 80
"""Characters of a text that holds the date of a comment, and perhaps its author's name."""
LEAST = 20
"""Characters that a comment has besides its date, on average."""
PARAGRAPH = 80
"""Characters of a text that is no name, date or title."""
TOLD = 0.6
"""Share of a summary, or of a text, from which one tells the other."""
PARAGRAPHS = frozenset(["p", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6"])
"""Elements of articles: a date within their text is the author's to tell."""
DAY = 1
"""Days that two time zones may be apart."""
LONGEST_TEASER = 600
"""Characters of a teaser, at most."""
SHARE = 0.2
"""Share of the pages that have such a list of teasers; two at least."""


@dataclass(frozen=True)
class _Region:
    """Siblings, from the first that is dated to the last of them all."""

    #: tag and class of the parent, and their own tag, and class where one has the same
    form: tuple[str, ...]
    count: int
    start: int
    end: int


def discussions(pages: Sequence[TrainingPage], reader: DateReader, is_own: _IsOwn) -> list[list[bool]]:
    """For each page, and each of its nodes, True if it is in a discussion; `is_own` tests pieces of text. O(n)."""
    beginnings = [_beginning(page) if page.size else _first_paragraph(page, is_own) for page in pages]
    regions = [
        list(_regions(page, reader, at, _own_before(page, is_own))) for page, at in zip(pages, beginnings, strict=True)
    ]
    forms = {region.form for found in regions for region in found if region.count > 1}
    return [
        _marked(
            len(page.profile),
            [*((it.start, it.end) for it in found if {it.form, it.form[:3]} & forms), *_called_readers(page, at)],
        )
        for page, found, at in zip(pages, regions, beginnings, strict=True)
    ]


def _marked(size: int, spans: Sequence[tuple[int, int]]) -> list[bool]:
    """Which positions are in a span; spans may lie in one another. O(n)."""
    changes = [0] * (size + 1)
    for start, end in spans:
        changes[start] += 1
        changes[end] -= 1
    return [depth > 0 for depth in accumulate(changes[:-1])]


def _called_readers(page: TrainingPage, beginning: int) -> Iterator[tuple[int, int]]:
    """Where blocks behind a post's beginning begin and end that are called its readers', but for paragraphs."""
    profile = page.profile
    for position in range(beginning + 1, len(profile) if beginning >= 0 else 0):
        node = profile.nodes[position]
        if node.tag in BLOCKS - PARAGRAPHS and is_of_readers(node):
            yield position, profile.ends[position]


def _own_before(page: TrainingPage, is_own: _IsOwn) -> list[int]:
    """Characters before each node, and before the end, that are not the template's and not in links alone."""
    sizes = [0] * len(page.profile)
    for at, pieces in enumerate(page.profile.pieces):
        if page.profile.link_sizes[at] < page.profile.sizes[at]:
            sizes[at] = sum(len(piece) for piece in pieces if is_own(page, piece))
    return list(accumulate(sizes, initial=0))


def _regions(page: TrainingPage, reader: DateReader, beginning: int, before: Sequence[int]) -> Iterator[_Region]:
    """Lists of dated siblings, the innermost first: the dates of a list within a sibling are not the sibling's."""
    profile = page.profile
    dates = _dates(page, reader)
    if not dates:
        return
    dated: dict[int, list[int]] = {}
    held = [position in dates for position in range(len(profile))]
    for position in range(len(profile) - 1, -1, -1):
        region = _region(page, position, dated.pop(position, []), beginning, before)
        if region is not None:
            yield region
        parent = profile.parents[position]
        inside = region is not None and region.count > 1
        if parent >= 0 and (position in dates or (held[position] and not inside)):
            held[parent] = True
            dated.setdefault(parent, []).append(position)


def _region(
    page: TrainingPage, parent: int, dated: Sequence[int], beginning: int, before: Sequence[int]
) -> _Region | None:
    """What is below `parent` from the first of its dated children of the most frequent form; None without text.
    Those that little text follows before the next one are no comments, but other dates of the post."""
    profile = page.profile
    if not dated:
        return None
    forms: dict[int, tuple[str, ...]] = {position: profile.form_of(position) for position in dated}
    if 1 < len(forms) == len(set(forms.values())) and min(forms) > beginning:  # the class of two comments may alternate
        forms = {position: form[:3] for position, form in forms.items()}
    form, _ = Counter(forms.values()).most_common(1)[0]
    alike = sorted(position for position in dated if forms[position] == form)
    start, end = alike[0], profile.ends[parent]
    count = sum(before[after] - before[at] >= LEAST + LONGEST // 4 for at, after in pairwise([*alike, end]))
    if not count or start <= beginning < end:
        return None
    tag = profile.nodes[start].tag  # of siblings whose class alternates
    start = min(at for at in dated if profile.nodes[at].tag == tag and (at > beginning or beginning > start))
    return _Region(form, count, start, end)


def _tells(page: TrainingPage, piece: str) -> bool:
    held = page.shingles.share(piece) * len(piece)
    return page.size > 0 and len(piece) >= LEAST and held >= TOLD * min(len(piece), page.size)


def _beginning(page: TrainingPage) -> int:
    """The first node with what the feed says of the post, or else with its title; -1 where there is none."""
    headings = [-1]
    for position, pieces in enumerate(page.profile.pieces):
        for piece in pieces:
            if _tells(page, piece):
                return position
            if piece == page.title:
                headings.append(position)
    return headings[-1]


def _first_paragraph(page: TrainingPage, is_own: _IsOwn) -> int:
    """The first node behind the title's heading with text that is the post's; as `_beginning` where that is short."""
    profile, in_link, in_heading = page.profile, [False], [False]
    is_behind = False
    for position in range(1, len(profile)):
        tag, parent, pieces = profile.nodes[position].tag, profile.parents[position], profile.pieces[position]
        in_link.append(in_link[parent] or tag == "a")
        in_heading.append(in_heading[parent] or tag in HEADINGS)
        is_behind = is_behind or (in_heading[position] and page.title in pieces)
        sizes = [len(piece) for piece in pieces if len(piece) >= LEAST and is_own(page, piece)] if is_behind else []
        if sizes and not in_link[position]:
            return position if max(sizes) >= PARAGRAPH else _beginning(page)
    return _beginning(page)


def _dates(page: TrainingPage, reader: DateReader) -> set[int]:
    """Nodes with a short text that reads as a day not before the post's; without the post's day, as any day."""
    published = Moment.parse_iso(page.entry.published)
    found: set[int] = set()
    for position, text in _short_texts(page):
        if position in found or len(text) > LONGEST or not could_be_date(text):
            continue
        if any(published is None or (moment.date - published.date).days >= -DAY for moment in reader.moments(text)):
            found.add(position)
    return found


def _short_texts(page: TrainingPage) -> Iterator[tuple[int, str]]:
    """Values, the text between elements, and how a longer text begins; none within a paragraph, nor a plain item's."""
    for value in page.values:
        yield value.position, value.text
    for position, (node, pieces) in enumerate(zip(page.profile.nodes, page.profile.pieces, strict=True)):
        if node.tag in BLOCKS and node.tag not in PARAGRAPHS:
            for piece in pieces:
                if len(piece) <= LONGEST or node.tag != "li":
                    yield position, piece[:LONGEST]


def teasers(pages: Sequence[TrainingPage], is_own: _IsOwn) -> list[list[tuple[int, int]]]:
    """For each page, where the teasers of its lists begin and end; `is_own` tests texts for being the post's. O(n)."""
    found = [list(_lists(page, is_own)) for page in pages]
    counts = Counter(form for lists in found for form in {form for form, _ in lists})
    least = max(2, SHARE * len(pages))
    return [
        [(at, page.profile.ends[at]) for form, positions in lists if counts[form] >= least for at in positions]
        for page, lists in zip(pages, found, strict=True)
    ]


def _lists(page: TrainingPage, is_own: _IsOwn) -> Iterator[tuple[Form, list[int]]]:
    profile, host = page.profile, _host(page.url)
    groups: dict[tuple[int, Form], list[int]] = defaultdict(list)
    #: the last text before each teaser
    before: dict[int, str] = {}
    last, waiting = "", []
    first_texts: dict[int, tuple[int, str]] = {}
    inside: list[int] = []
    for position, (node, parent) in enumerate(zip(profile.nodes, profile.parents, strict=True)):
        link = position if node.tag == "a" else inside[parent] if parent >= 0 else -1
        inside.append(link)
        waiting.append(position)
        for piece in profile.pieces[position]:
            for opened in waiting:
                first_texts[opened] = link, last
            waiting.clear()
            last = piece
    for position, (link, text) in first_texts.items():
        node, size = profile.nodes[position], profile.sizes[position]
        is_headed = link > position and profile.link_sizes[position] < size <= LONGEST_TEASER
        if is_headed and profile.parents[position] >= 0 and _leads_within(profile.nodes[link].get("href") or "", host):
            groups[profile.parents[position], profile.form_of(position)].append(position)
            before[position] = text
    for (_, form), positions in groups.items():
        heading = before[positions[0]]
        if len(positions) > 1 and heading and not is_own(page, heading):
            yield form, positions


def _host(url: str) -> str:
    return urlsplit(url).netloc.removeprefix("www.")


def _leads_within(reference: str, host: str) -> bool:
    """True for a link to a page of the blog, and not just to a place in this one."""
    try:
        parts = urlsplit(reference.strip())
    except ValueError:
        return False
    is_here = not parts.netloc or parts.netloc.removeprefix("www.") == host
    return is_here and parts.scheme in ("", "http", "https") and bool(parts.path or parts.query)
