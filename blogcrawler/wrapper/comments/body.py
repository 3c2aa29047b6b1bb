"""Learn where the text of a comment is: the smallest element with nearly all text that the template does not repeat.

A line may be the comment's subject: many blogs give comments the title of their post ("Re: A title").
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments.region import ANYWHERE
from blogcrawler.wrapper.comments.view import MOSTLY, day_line
from blogcrawler.wrapper.core.thresholds import NEARLY_ALL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set

    from blogcrawler.wrapper.comments.authors import AuthorRule
    from blogcrawler.wrapper.comments.region import Region

LONGEST = 80
"""Maximum length, in characters, of a text that the template repeats."""
MAIN = 0.85
"""Share of the comments' text that the element must hold."""
SAID = 3
"""Minimum average number of characters of the texts of comments."""
PARAGRAPHS = frozenset(
    ["p", "blockquote", "ul", "ol", "pre", "li", "br", "a", "b", "i", "em", "strong", "span", "font"]
)
"""Elements that a text consists of, unless they have a class or id."""
LEAST = 2
NUMBER = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
SHORT = 40
"""Maximum length, in characters, of a line with a day."""


def template_texts(regions: Sequence[Region]) -> frozenset[tuple[str, str]]:
    """Texts, with their paths, that most comments with such a path have. O(n)."""
    counts: Counter[tuple[str, str]] = Counter()
    paths: Counter[str] = Counter()
    for region in regions:
        pairs = {(path, fold(text)) for _, path, text in region.runs}
        counts.update(pairs)
        paths.update({path for path, _ in pairs})
    least = max(2, MOSTLY * len(regions))
    return frozenset(
        pair
        for pair, count in counts.items()
        if len(pair[1]) <= LONGEST and (count >= least or max(3, least / 5, MOSTLY * paths[pair[0]]) <= count)
    )


@dataclass(frozen=True)
class ContentRule:
    """Where the text of a comment is, and which parts of this element are not part of it."""

    #: empty for the comment's own element
    path: str
    #: paths of elements that are removed with their content
    cuts: frozenset[str] = frozenset()
    #: texts of the template, with the paths of their elements
    texts: frozenset[tuple[str, str]] = frozenset()
    #: whether the text is in the element of the day
    is_by_day: bool = False
    #: separators before and behind the text that are not part of it
    signs: tuple[str, str] = ("", "")


def learn_content(
    regions: Sequence[Region], authors: Sequence[AuthorRule], template: frozenset[tuple[str, str]]
) -> ContentRule:
    """Learn the rule for the text of comments. O(n)."""
    named = {path for rule in authors if not rule.part for path in _spelled_out(rule.path, regions)}
    template = frozenset((at, text) for at, text in template if at not in named)
    template -= _placeholders(regions, authors, template)
    paths = {path for region in regions for path in region.paths}
    subjects = subject_paths(regions) | counting_paths(regions)
    body = _body(regions, authors, template, subjects, is_by_day=False)
    is_by_day = sum(body.values()) < SAID * len(regions)
    if is_by_day:
        body = _body(regions, authors, template, subjects, is_by_day=True)
    path = _main(regions, body)
    carrying = {above for held, size in body.items() if size for above in _paths_above(held)}
    holding = {above for held in (*(held for held, _ in template), *subjects) for above in _paths_above(held)}
    cuts = {
        other
        for other in paths
        if other != path and other in holding and other not in carrying and path in _paths_above(other)
    }
    return ContentRule(path, frozenset(cuts - set(_paths_above(path))), template, is_by_day)


def _body(
    regions: Sequence[Region],
    authors: Sequence[AuthorRule],
    template: frozenset[tuple[str, str]],
    subjects: Set[str],
    *,
    is_by_day: bool,
) -> Counter[str]:
    """Number of characters by path, without those of the template, days, authors and subjects."""
    body: Counter[str] = Counter()
    for region in regions:
        for path, text in _texts_of_body(region, authors, is_by_day=is_by_day):
            if path not in subjects and (path, fold(text)) not in template:
                body[path] += len(text)
    return body


def _texts_of_body(region: Region, authors: Sequence[AuthorRule], *, is_by_day: bool) -> Iterator[tuple[str, str]]:
    """The texts of a comment, with their paths, except those of its day and author."""
    lines = lines_of(region, authors, is_by_day=is_by_day)
    nodes = region.inside(lines.nodes)
    for number, (position, path, text) in region.numbered:
        if position not in nodes and number not in lines.runs:
            yield path, text


def _placeholders(
    regions: Sequence[Region], authors: Sequence[AuthorRule], template: frozenset[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Texts of the template, such as "[deleted]", that mostly appear in comments without any other text."""
    counts: Counter[tuple[str, str]] = Counter()
    alone: Counter[tuple[str, str]] = Counter()
    for region in regions:
        said = {(path, fold(text)) for path, text in _texts_of_body(region, authors, is_by_day=False)}
        counts.update(said & template)
        if said <= template:
            alone.update(said)
    return {pair for pair, count in alone.items() if counts[pair] < 2 * count < len(regions)}


class Lines(NamedTuple):
    """The parts of a comment that hold its day and its author."""

    nodes: Set[int] = frozenset()
    #: numbers of texts, in nodes that hold other texts, too
    runs: Set[int] = frozenset()


def lines_of(region: Region, authors: Sequence[AuthorRule], *, is_by_day: bool) -> Lines:
    """The parts with a comment's day and author: nodes, or the line of the day if its node also holds the text."""
    view, anchor = region.view, region.unit.anchor
    rules_with_names = (
        (rule, at) for rule in authors if rule.extract(region) and (at := rule.place(region)) is not None
    )
    rule, place = next(rules_with_names, (None, None))
    nodes = {region.own[place]} if place is not None else set()
    if anchor is None:
        return Lines(nodes)
    if is_by_day:
        return Lines({at for at in nodes if not at <= anchor < view.ends[at]}, day_line(view, anchor))
    is_one_line = rule is not None and bool(rule.part) and nodes == {anchor}
    return Lines(nodes | {anchor}, day_line(view, anchor) if is_one_line else frozenset())


def _spelled_out(path: str, regions: Sequence[Region]) -> set[str]:
    """All full paths that a path with the prefix `ANYWHERE` matches."""
    if not path.startswith(ANYWHERE):
        return {path}
    end = ">" + path.removeprefix(ANYWHERE)
    return {full_path for region in regions for full_path in region.paths if full_path.endswith(end)}


def _paths_above(path: str) -> Iterator[str]:
    while path:
        yield path
        path = path.rpartition(">")[0]
    yield ""


def _main(regions: Sequence[Region], body: Counter[str]) -> str:
    """The path of the smallest element that has nearly all of the text, and occurs once in nearly every comment."""
    sizes: Counter[str] = Counter()
    for path, size in body.items():
        sizes.update(dict.fromkeys(_paths_above(path), size))
    total = sum(body.values())
    best = ""
    for path, size in sizes.items():
        if size < MAIN * total or path.count(">") <= best.count(">"):
            continue
        tag, _, name = path.rpartition(">")[2].partition(".")
        if not path or (tag in PARAGRAPHS and not name):
            continue
        counts = [region.paths.count(path) for region in regions]
        if sum(count == 1 for count in counts) >= NEARLY_ALL * len(counts):
            best = path
    return best


def subject_paths(regions: Sequence[Region]) -> set[str]:
    """The paths of subjects in comments. O(n)."""
    counts: Counter[str] = Counter()
    subjects: Counter[str] = Counter()
    for region in regions:
        texts = Counter(path for _, path, _ in region.runs)
        counts.update(texts.keys())
        if len(region.runs) > 1:
            subjects.update(
                {path for _, path, text in region.runs if texts[path] == 1 and region.view.is_subject(text)}
            )
    return {path for path, count in subjects.items() if count >= max(LEAST, MOSTLY * counts[path])}


def counting_paths(regions: Sequence[Region]) -> set[str]:
    """Paths where comments without a date have a short line with a number, such as a day without a year. O(n)."""
    counts: Counter[str] = Counter()
    numbered: Counter[str] = Counter()
    for region in regions:
        texts = Counter(path for _, path, _ in region.runs)
        counts.update(texts)
        if region.unit.anchor is None:
            numbered.update(path for _, path, text in region.runs if len(text) <= SHORT and NUMBER.search(text))
    return {path for path, count in numbered.items() if count == counts[path] >= max(LEAST, NEARLY_ALL * len(regions))}
