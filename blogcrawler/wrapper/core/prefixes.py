"""What the ids and classes of one thing begin with on several pages, before each post's own words: `post-` of
`post-a-walk`. AdaptivePost merges the attributes of paths into their longest common prefix (sections III-C and III-D3).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from blogcrawler.wrapper.core.rules import HTML_SPACE, Prefixes, beginnings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement


def learn_prefixes(trees: Iterable[HtmlElement]) -> Prefixes:
    """What names begin with that stand on one page each, on two pages or more. O(n) in the size of the pages.
    Of beginnings that the same names have it is the longest."""
    pages = [_names(tree) for tree in trees]
    counts = Counter(name for names in pages for name in names)
    members = Counter[tuple[str, str]]()
    last = dict[tuple[str, str], int]()
    common, extended = set[tuple[str, str]](), defaultdict[tuple[str, str], set[tuple[str, str]]](set)
    for number, names in enumerate(pages):
        for attribute, value in names:
            if counts[attribute, value] > 1:
                continue
            shorter = None
            for prefix in ((attribute, beginning) for beginning in beginnings(value)):
                members[prefix] += 1
                if last.setdefault(prefix, number) != number:
                    common.add(prefix)
                if shorter:
                    extended[shorter].add(prefix)
                shorter = prefix
    return frozenset(one for one in common if all(members[longer] < members[one] for longer in extended[one]))


def _names(tree: HtmlElement) -> set[tuple[str, str]]:
    classes = {token for value in set(tree.xpath("//@class")) for token in HTML_SPACE.split(value)}
    return {("id", value) for value in tree.xpath("//@id")} | {("class", token) for token in classes}
