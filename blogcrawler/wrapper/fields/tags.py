"""The tags: the nodes found by rules for several values together hold the feed's categories of the post.

If no entry of the feed has categories that pages show, or all have the same ones, they are replaced by the links
nearest to the article that lead to all posts of a tag or category: links with rel="tag", or with an address in the form
of blog software. Without such links, tags that the page states in a standard vocabulary are used. Tags that all pages
state belong to the blog.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING
from urllib.parse import unquote

from blogcrawler.dom.tags import HEADINGS
from blogcrawler.similarity import fold
from blogcrawler.urls import resolve, same_site
from blogcrawler.wrapper.core.metadata import claims
from blogcrawler.wrapper.core.multi_value_rules import SeveralRule, Wanted, learn_several
from blogcrawler.wrapper.core.names import bare, parts_of, strip
from blogcrawler.wrapper.core.nearness import levels_above
from blogcrawler.wrapper.core.profile import leading_text
from blogcrawler.wrapper.core.thresholds import MOST, SEVERAL
from blogcrawler.wrapper.core.values import LISTS_OF_POSTS, NAME, behind_number, value_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.training import LocatedPage
    from blogcrawler.wrapper.core.values import Value

    Named = tuple[LocatedPage, tuple[str, ...]]

LINKS = "@rel"
"""Part of the vocabularies' places that are links; links are identified by their place, too."""
TAGS, CATEGORIES = LISTS_OF_POSTS
LONGEST = 60
"""Maximum length, in characters, of a tag's name."""
PROSE = 60
"""Number of characters beside a link at or above which it is part of a sentence, and no tag."""
LETTER = re.compile(r"[^\W\d_]")


def learn_tags(pages: Sequence[LocatedPage]) -> tuple[SeveralRule, ...]:
    """Rules for the tags. O(n) in the size of the pages."""
    if rules := learn_several([Wanted(page, _bare(page.entry.tags)) for page in pages]):
        return rules
    linked = tag_links(pages)
    claimed = _claimed_tags(pages)
    if linked and not _states_more_tags(dict(claimed), linked):
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


def _states_more_tags(
    claimed: Mapping[LocatedPage, Sequence[str]], linked: Sequence[tuple[LocatedPage, Sequence[str]]]
) -> bool:
    """True if a vocabulary has all tags of all links, and further ones."""
    pairs = [(_bare(names), _bare(claimed.get(page, ()))) for page, names in linked]
    return all(shown <= stated for shown, stated in pairs) and any(shown < stated for shown, stated in pairs)


def finds_more_tags(pages: Sequence[LocatedPage], rules: Sequence[SeveralRule]) -> bool:
    """True if rules find other tags than those that the feed gives to all posts."""
    return any(not _bare(extract_tags(page.tree, rules, page.article)) <= page.common_tags for page in pages)


def extract_tags(tree: HtmlElement, rules: Sequence[SeveralRule], article: HtmlElement | None) -> list[str]:
    """The tags of a page, without duplicates."""
    tags: dict[str, str] = {}
    for rule in rules:
        for text in rule.extract(tree, article):
            tags.setdefault(bare(text), strip(text))
    return list(filter(None, tags.values()))


def _claimed_tags(pages: Sequence[LocatedPage], field: str = "tags") -> list[tuple[LocatedPage, tuple[str, ...]]]:
    """The tags that pages state in the first vocabulary whose tags differ between pages, for each page with any."""
    by_place: dict[str, dict[LocatedPage, tuple[str, ...]]] = defaultdict(dict)
    for page in pages:
        for claim in claims(page.tree, field):
            if LINKS not in claim.where:
                by_place[claim.where][page] = (*by_place[claim.where].get(page, ()), *parts_of(claim.value))
    return next(
        (list(by_page.items()) for by_page in by_place.values() if len(set(map(_bare, by_page.values()))) > 1), []
    )


def _bare(names: Iterable[str]) -> frozenset[str]:
    return frozenset(map(bare, names)) - {""}


def tag_links(pages: Sequence[LocatedPage]) -> list[Named]:
    """For each page with links to tags or categories: the names of those that are nearest to the article. O(n). A menu,
    which is the same on all pages, is ignored. A tag of all posts counts if its link is as near as the others."""
    sorts = [[(page, links) for page in pages if (links := page.once(_nearest, address))] for address in LISTS_OF_POSTS]
    tags, categories = sorts if _differ(sorts[0]) else sorts[::-1]
    if not _differ(tags):
        return []
    nearest = dict(tags)
    beside = [(page, links) for page, links in categories if _are_of_post(page, links, nearest.get(page, ()))]
    is_one = len({_names(links) for _, links in beside}) == 1 == len(beside[0][1])
    if len(beside) < MOST * len(categories) or not (_differ(beside) or is_one):
        beside = []
    names_by_page = {page: _names(links) for page, links in tags}
    for page, links in beside:
        names_by_page[page] = (*_names(links), *names_by_page.get(page, ()))
    return [(page, names_by_page[page]) for page in pages if page in names_by_page]


def _nearest(page: LocatedPage, address: re.Pattern[str]) -> tuple[Value, ...]:
    links = [value for value in page.values if _leads_to(value, address, page.url) and not _in_prose(page, value)]
    least = min((page.distances[link.position] for link in links), default=0)
    return tuple(link for link in links if page.distances[link.position] == least)


def _leads_to(value: Value, address: re.Pattern[str], url: str) -> bool:
    """True for a link to a list of one sort: by its address in the site, or by its relation if the address has no known
    form."""
    if value.node.tag != "a" or value.attribute not in ("", NAME) or len(value.text) > LONGEST:
        return False
    rel, href = (value.node.get("rel") or "").split(), unquote(value.node.get("href") or "")
    if "tag" not in rel:
        return address.search(href) is not None and same_site(resolve(url, href) or "", url)
    sort = next((form for form in LISTS_OF_POSTS if form.search(href)), CATEGORIES if "category" in rel else TAGS)
    return sort is address


def _in_prose(page: LocatedPage, link: Value) -> bool:
    """True if a link is part of a sentence; an element around the article has other text, too, and is no sentence."""
    parent = page.profile.parents[link.position]
    if page.article is not None and page.profile.nodes[parent] in page.article.iterancestors():
        return False
    return page.profile.sizes[parent] - page.profile.link_sizes[parent] > PROSE


def _are_of_post(page: LocatedPage, links: Sequence[Value], others: Sequence[Value]) -> bool:
    """True if links are as near to the article as the post's tags or title, and below no other heading."""
    if page.article is None:
        return False
    article = page.article
    titles = [value for value in page.values if value.folded == page.title and value.node.tag in HEADINGS]
    out = max((levels_above(article, value.node) for value in (*titles[:1], *others[:1])), default=0)
    return all(levels_above(article, link.node) <= out and not _below_heading(page, link) for link in links)


def _below_heading(page: LocatedPage, link: Value) -> bool:
    """True if a link is in a box with a heading but without the article, such as the teaser of another post."""
    assert page.article is not None
    above = set(page.article.iterancestors())
    for position in page.profile.around(link.position):
        if page.profile.nodes[position] in above:
            return False
        inside = (page.profile.nodes[at] for at in page.profile.subtree(position))
        if any(node.tag in HEADINGS and page.title not in (fold(page.text(node)), "") for node in inside):
            return True
    return False


def _differ(links_by_page: Sequence[tuple[LocatedPage, Sequence[Value]]]) -> bool:
    return len({frozenset(map(bare, _names(links))) for _, links in links_by_page}) > 1


def _names(links: Sequence[Value]) -> tuple[str, ...]:
    return tuple(map(_name, links))


def _name(link: Value) -> str:
    """The name of a link, without a part in an element before or behind it that has no letters, such as the number of
    posts."""
    own = "" if link.attribute else " ".join(leading_text(link.node).split())
    if not link.attribute and (part := behind_number(link.node)):
        return value_at(link.node, part)
    return own if own and not LETTER.search(link.text, len(own)) else link.text
