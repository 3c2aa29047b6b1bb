"""The tags: what rules for several values find is together the feed's categories of the post.

Where no entry of the feed has categories that pages show, or all have the same, the links nearest to the article that
lead to all posts of a tag or category stand for them (see `tag_links`); where there are none, what the page tells in a
standard vocabulary; then sections in a vocabulary. What all pages tell alike is the blog's.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from blogcrawler.wrapper.fields.tag_links import tag_links
from blogcrawler.wrapper.metadata import claims
from blogcrawler.wrapper.names import bare, parts_of, strip
from blogcrawler.wrapper.several import SeveralRule, Wanted, learn_several

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.training import TrainingPage

LINKS = "@rel"
"""What stands in the places of vocabularies that are links; those are told by where they stand, too."""
SEVERAL = 4
"""Pages that have something in common by other than chance."""


def learn_tags(pages: Sequence[TrainingPage]) -> tuple[SeveralRule, ...]:
    """Rules for the tags. O(n) in the size of the pages."""
    if rules := learn_several([Wanted(page, _bare(page.entry.tags)) for page in pages]):
        return rules
    linked = tag_links(pages)
    claimed = _claimed_tags(pages)
    if linked and not _tell_more(dict(claimed), linked):
        claimed = []
    own = claimed or linked or _claimed_tags(pages, "sections") or [(page, ()) for page in pages]
    common = _bare(claimed[0][1] if len(claimed) >= SEVERAL else ()).intersection(
        *(_bare(names) for _, names in claimed)
    )
    return learn_several(
        [
            Wanted(page, _bare(names) - common | (page.common_tags & page.counts.keys()), common - page.common_tags)
            for page, names in own
        ]
    )


def _tell_more(
    claimed: Mapping[TrainingPage, Sequence[str]], linked: Sequence[tuple[TrainingPage, Sequence[str]]]
) -> bool:
    """True if a vocabulary has all tags of all links, and others."""
    pairs = [(_bare(names), _bare(claimed.get(page, ()))) for page, names in linked]
    return all(shown <= told for shown, told in pairs) and any(shown < told for shown, told in pairs)


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
            found.setdefault(bare(text), strip(text))
    return list(filter(None, found.values()))


def _claimed_tags(pages: Sequence[TrainingPage], field: str = "tags") -> list[tuple[TrainingPage, tuple[str, ...]]]:
    """What pages tell in the first vocabulary in which they tell different things, for each page that tells any."""
    told: dict[str, dict[TrainingPage, tuple[str, ...]]] = defaultdict(dict)
    for page in pages:
        for claim in claims(page.tree, field):
            if LINKS not in claim.where:
                told[claim.where][page] = (*told[claim.where].get(page, ()), *parts_of(claim.value))
    return next((list(found.items()) for found in told.values() if len(set(map(_bare, found.values()))) > 1), [])


def _bare(names: Iterable[str]) -> frozenset[str]:
    return frozenset(map(bare, names)) - {""}
