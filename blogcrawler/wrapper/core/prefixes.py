"""The common beginnings of ids and classes of one thing on several pages, before each post's own words: `post-` of
`post-a-walk`. AdaptivePost merges the attributes of paths into their longest common prefix (sections III-C and III-D3).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from blogcrawler.wrapper.core.rules import HTML_SPACE, Prefixes, beginnings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement


def learn_prefixes(trees: Iterable[HtmlElement]) -> Prefixes:
    """The common beginnings of names that each occur on one page only, on two or more pages. O(n) in the size of the
    pages. Of beginnings that the same names share, only the longest is returned."""
    pages = [_names(tree) for tree in trees]
    counts = Counter(name for names in pages for name in names)
    members = Counter[tuple[str, str]]()
    last = dict[tuple[str, str], int]()
    common, extended = set[tuple[str, str]](), defaultdict[tuple[str, str], set[tuple[str, str]]](set)
    for number, names in enumerate(pages):
        for attribute, value in names:
            if counts[attribute, value] == 1:
                starts = [(attribute, beginning) for beginning in beginnings(value)]
                members.update(starts)
                common.update(start for start in starts if last.setdefault(start, number) != number)
                for shorter, longer in pairwise(starts):
                    extended[shorter].add(longer)
    return frozenset(start for start in common if all(members[longer] < members[start] for longer in extended[start]))


def _names(tree: HtmlElement) -> set[tuple[str, str]]:
    ids, classes = (set(tree.xpath(f"//@{name}", smart_strings=False)) for name in ("id", "class"))
    return {("id", id_) for id_ in ids} | {("class", token) for value in classes for token in HTML_SPACE.split(value)}
