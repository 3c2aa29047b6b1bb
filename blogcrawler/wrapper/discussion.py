"""Where readers discuss a post, as far as the form of the page tells.

Comments come after the post: so where two siblings of one form each hold a date that is not before the post's, comments
begin (the idea of date nodes and their lowest common ancestors, applied to comments). The form that comments have on
one page is recognised on others that have a single one.

This tells a post's own text from its readers' where the feed has summaries only and cannot.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.dates import Moment, could_be_date
from blogcrawler.wrapper.training import DateReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.training import TrainingPage

    Form = tuple[str, str, str, str]

__all__ = ["discussions"]

LONGEST = 80
"""Characters of a text that holds the date of a comment, and perhaps its author's name."""
LEAST = 20
"""Characters that a comment has besides its date, on average."""
TOLD = 0.6
"""Share of a summary, or of a text, from which one tells the other."""
DAY = 1
"""Days that two time zones may be apart."""


@dataclass(frozen=True)
class _Region:
    """Siblings, from the first that is dated to the last of them all."""

    form: Form
    count: int
    start: int
    end: int


def discussions(pages: Sequence[TrainingPage], languages: Sequence[str]) -> list[list[bool]]:
    """For each page, for each of its nodes: does it stand in a discussion? O(n) in the size of the pages."""
    reader = DateReader(languages)
    regions = [list(_regions(page, reader)) for page in pages]
    forms = {region.form for found in regions for region in found if region.count > 1}
    return [
        _marked(len(page.profile), [region for region in found if region.form in forms])
        for page, found in zip(pages, regions, strict=True)
    ]


def _marked(size: int, regions: Sequence[_Region]) -> list[bool]:
    marks = [False] * size
    for region in regions:
        marks[region.start : region.end] = [True] * (region.end - region.start)
    return marks


def _regions(page: TrainingPage, reader: DateReader) -> Iterator[_Region]:
    """Lists of dated siblings, the innermost first: the dates of a list within a sibling are not the sibling's."""
    profile = page.profile
    dates = _dates(page, reader)
    if not dates:
        return
    beginning = _beginning(page)
    dated: dict[int, list[int]] = {}
    held = [position in dates for position in range(len(profile))]
    for position in range(len(profile) - 1, -1, -1):
        region = _region(page, position, dated.pop(position, []), beginning)
        if region is not None:
            yield region
        parent = profile.parents[position]
        inside = region is not None and region.count > 1
        if parent >= 0 and (position in dates or (held[position] and not inside)):
            held[parent] = True
            dated.setdefault(parent, []).append(position)


def _region(page: TrainingPage, parent: int, dated: Sequence[int], beginning: int) -> _Region | None:
    """What stands below `parent` from the first of its dated children of the most frequent form; None without text."""
    profile = page.profile
    if not dated:
        return None
    nodes = profile.nodes
    form, count = Counter(_form(nodes[parent], nodes[position]) for position in dated).most_common(1)[0]
    start = min(position for position in dated if _form(nodes[parent], nodes[position]) == form)
    end = profile.ends[parent]
    size = sum(len(piece) for position in range(start, end) for piece in profile.pieces[position])
    if size < (LEAST + LONGEST // 4) * count or start <= beginning < end:
        return None
    return _Region(form, count, start, end)


def _beginning(page: TrainingPage) -> int:
    """The first node with what the feed says of the post, or else with its title; -1 where there is none.

    No discussion holds it. Later ones may: readers quote.
    """
    headings = [-1]
    for position, pieces in enumerate(page.profile.pieces):
        for piece in pieces:
            if len(piece) >= LEAST and page.shingles.share(piece) * len(piece) >= TOLD * min(len(piece), page.size):
                return position
            if piece == page.title:
                headings.append(position)
    return headings[-1]


def _form(parent: HtmlElement, child: HtmlElement) -> Form:
    return parent.tag, parent.get("class") or "", child.tag, (child.get("class") or "").partition(" ")[0]


def _dates(page: TrainingPage, reader: DateReader) -> set[int]:
    """Nodes with a short text that reads as a day not before the post's; without the post's day, as any day."""
    published = Moment.parse_iso(page.entry.published) if page.entry.published else None
    found: set[int] = set()
    for value in page.values:
        if value.position in found or len(value.text) > LONGEST or not could_be_date(value.text):
            continue
        moments = reader.moments(value.text)
        if any(published is None or (moment.date - published.date).days >= -DAY for moment in moments):
            found.add(value.position)
    return found
