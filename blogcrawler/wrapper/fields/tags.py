"""The tags: what rules for several values find is together the feed's categories of the post.

Where no entry of the feed has categories, the links nearest to the article that lead to all posts of a tag stand for
them: those with @rel="tag" (the microformat), and those whose address is that of a tag by the customs of blog software.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from blogcrawler.wrapper.names import bare
from blogcrawler.wrapper.several import SeveralRule, Wanted, learn_several

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.training import TrainingPage
    from blogcrawler.wrapper.values import Value

__all__ = ["extract_tags", "learn_tags"]

LISTS_OF_POSTS = tuple(
    re.compile(rf"[/?&](?:{words})[/=][^#]*\w", re.IGNORECASE)
    for words in ("tags?|labels?|keywords?", "categor(?:y|ies|ias?|ie)|cat|topics?")
)
"""What stands in the address of all posts of a tag, and of a category, which is asked for where there are no tags."""
LONGEST = 60
"""Characters of a tag's name."""
PROSE = 60
"""Characters beside a link that make it a part of a sentence, and no tag."""


def learn_tags(pages: Sequence[TrainingPage]) -> tuple[SeveralRule, ...]:
    """Rules for the tags. O(n) in the size of the pages."""
    if any(page.entry.tags for page in pages):
        return learn_several([Wanted(page, frozenset(map(bare, page.entry.tags)) - {""}) for page in pages])
    return learn_several([Wanted(page, frozenset(map(bare, names))) for page, names in _linked_tags(pages)])


def extract_tags(tree: HtmlElement, rules: Sequence[SeveralRule], article: HtmlElement | None) -> list[str]:
    """The tags of a page, without doubles."""
    found: dict[str, str] = {}
    for rule in rules:
        for text in rule.extract(tree, article):
            found.setdefault(bare(text), text.lstrip("#").strip())
    return list(filter(None, found.values()))


def _linked_tags(pages: Sequence[TrainingPage]) -> list[tuple[TrainingPage, tuple[str, ...]]]:
    """The names of the links to lists of posts that are nearest to the article, for each page that has any.

    A menu of all tags, which says the same on all pages, is none.
    """
    for address in LISTS_OF_POSTS:
        found = [(page, names) for page in pages if (names := _nearest(page, address))]
        if len({frozenset(names) for _, names in found}) > 1:
            return found
    return []


def _nearest(page: TrainingPage, address: re.Pattern[str]) -> tuple[str, ...]:
    links = [value for value in page.values if _leads_to_tag(value, address) and not _in_prose(page, value)]
    least = min((page.distances[link.position] for link in links), default=0)
    return tuple(link.text for link in links if page.distances[link.position] == least)


def _in_prose(page: TrainingPage, link: Value) -> bool:
    parent = page.profile.parents[link.position]
    return page.profile.sizes[parent] - page.profile.link_sizes[parent] > PROSE


def _leads_to_tag(value: Value, address: re.Pattern[str]) -> bool:
    if value.node.tag != "a" or value.attribute or len(value.text) > LONGEST:
        return False
    rel, href = value.node.get("rel") or "", value.node.get("href") or ""
    return "tag" in rel.split() or address.search(href) is not None
