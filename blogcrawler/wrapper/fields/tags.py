"""The tags: what rules for several values find is together the feed's categories of the post.

Where no entry of the feed has categories, or all have the same, the links nearest to the article that lead to all
posts of a tag stand for them: those with @rel="tag" (the microformat), and those whose address is that of a tag by the
customs of blog software; where there are none, what the page tells in a standard vocabulary. What all pages tell alike
is the blog's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from blogcrawler.wrapper.metadata import claims
from blogcrawler.wrapper.names import bare, parts_of
from blogcrawler.wrapper.several import SeveralRule, Wanted, learn_several

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.training import TrainingPage
    from blogcrawler.wrapper.values import Value

__all__ = ["extract_tags", "learn_tags", "tells_more_tags"]

LISTS_OF_POSTS = tuple(
    re.compile(rf"[/?&](?:{words})[/=][^#]*\w", re.IGNORECASE)
    for words in ("tags?|labels?|keywords?", "categor(?:y|ies|ias?|ie)|cat|topics?", "taxonomy/term")
)
"""What stands in the address of all posts of a tag, of a category, which is asked for where there are no tags, and of a
term of either."""
LINKS = "@rel"
"""What stands in the places of vocabularies that are links; those are told by where they stand, too."""
SEVERAL = 4
"""Pages that have something in common by other than chance."""
LONGEST = 60
"""Characters of a tag's name."""
PROSE = 60
"""Characters beside a link that make it a part of a sentence, and no tag."""


def learn_tags(pages: Sequence[TrainingPage]) -> tuple[SeveralRule, ...]:
    """Rules for the tags. O(n) in the size of the pages."""
    if any(page.entry.tags for page in pages):
        return learn_several([Wanted(page, _bare(page.entry.tags)) for page in pages])
    linked = _linked_tags(pages)
    own = linked or _claimed_tags(pages) or [(page, ()) for page in pages]
    common = frozenset() if linked else _common(own)
    return learn_several(
        [
            Wanted(page, _bare(names) - common | (page.common_tags & page.short_values), common - page.common_tags)
            for page, names in own
        ]
    )


def tells_more_tags(pages: Sequence[TrainingPage], rules: Sequence[SeveralRule]) -> bool:
    """Do rules find other tags than those that the feed gives all posts?"""
    return any(
        not _bare(extract_tags(page.tree, rules, page.article[0] if page.article else None)) <= page.common_tags
        for page in pages
    )


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
        if _differ(found):
            return found
    return []


def _claimed_tags(pages: Sequence[TrainingPage]) -> list[tuple[TrainingPage, tuple[str, ...]]]:
    """What pages tell in the first vocabulary in which they tell different things, for each page that tells any."""
    told: dict[str, dict[TrainingPage, tuple[str, ...]]] = defaultdict(dict)
    for page in pages:
        for claim in claims(page.tree, "tags"):
            if LINKS not in claim.where:
                told[claim.where][page] = (*told[claim.where].get(page, ()), *parts_of(claim.value))
    return next((list(found.items()) for found in told.values() if _differ(list(found.items()))), [])


def _common(found: Sequence[tuple[TrainingPage, tuple[str, ...]]]) -> frozenset[str]:
    """What all pages tell."""
    return frozenset.intersection(*(_bare(names) for _, names in found)) if len(found) >= SEVERAL else frozenset()


def _differ(found: Sequence[tuple[TrainingPage, tuple[str, ...]]]) -> bool:
    return len({_bare(names) for _, names in found}) > 1


def _bare(names: Iterable[str]) -> frozenset[str]:
    return frozenset(map(bare, names)) - {""}


def _nearest(page: TrainingPage, address: re.Pattern[str]) -> tuple[str, ...]:
    links = [value for value in page.values if _leads_to_tag(value, address) and not _in_prose(page, value)]
    least = min((page.distances[link.position] for link in links), default=0)
    return tuple(link.text for link in links if page.distances[link.position] == least)


def _in_prose(page: TrainingPage, link: Value) -> bool:
    """Is a link a part of a sentence? What holds the article besides has more text than that of a sentence."""
    parent = page.profile.parents[link.position]
    if page.article and page.profile.nodes[parent] in page.article[0].iterancestors():
        return False
    return page.profile.sizes[parent] - page.profile.link_sizes[parent] > PROSE


def _leads_to_tag(value: Value, address: re.Pattern[str]) -> bool:
    if value.node.tag != "a" or value.attribute or len(value.text) > LONGEST:
        return False
    rel, href = value.node.get("rel") or "", value.node.get("href") or ""
    return "tag" in rel.split() or address.search(href) is not None
