"""The links of posts to lists of posts: of a tag, of a category, or of what the blog calls so.

Tags and categories are known by @rel="tag" (the microformat), and by addresses as blog software has them. Where no link
is, those stand for them that lead to a few pages of one folder, where no post is, again and again.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from blogcrawler.dates import could_be_date
from blogcrawler.similarity import fold
from blogcrawler.urls import same_site
from blogcrawler.wrapper.bylines import leads_to_author
from blogcrawler.wrapper.names import bare
from blogcrawler.wrapper.nearness import levels_above

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from blogcrawler.wrapper.training import TrainingPage
    from blogcrawler.wrapper.values import Value

    Named = tuple[TrainingPage, tuple[str, ...]]

__all__ = ["recurring_links", "tag_links"]

TAGS, CATEGORIES = LISTS_OF_POSTS = tuple(
    re.compile(rf"[/?&](?:{words})[/=][^#]*\w", re.IGNORECASE)
    for words in ("tags?|labels?|keywords?|taxonomy/term", "categor(?:y|ies|ias?|ie)|cat|topics?")
)
"""What stands in the address of all posts of a tag, and of a category."""
LONGEST = 60
"""Characters of a tag's name."""
PROSE = 60
"""Characters beside a link that make it a part of a sentence, and no tag."""
SURE = 0.8
"""Share of the pages with links of a second sort on which these must be the post's."""
HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
FAR = 8
"""Edges from the article beyond which a link of no known form is no tag."""
FEWEST = 5
"""Pages from which links of no known form are told by how often they recur."""
SHOWING = 0.5
"""Share of the pages that must have such links."""
MOST = 12
"""Such links of one page."""
OFTEN = 3
"""Pages that a tag's page is linked from, where the post before another is linked from two."""
RECURRING = 0.6
"""Share of the links to a folder that lead to a page linked so often."""


def tag_links(pages: Sequence[TrainingPage]) -> list[Named]:
    """The names of the links to tags, and to categories, that are nearest to the article; pages that have any.

    Both are taken where a post has both. A menu of all tags, which says the same on all pages, is none; one category
    of all posts is, if it stands as near as the tags. O(n) in the pages.
    """
    sorts = [[(page, links) for page in pages if (links := page.once(_nearest, address))] for address in LISTS_OF_POSTS]
    tags, categories = sorts if _differ(sorts[0]) else sorts[::-1]
    if not _differ(tags):
        return []
    nearest = dict(tags)
    beside = [(page, links) for page, links in categories if _are_of_post(page, links, nearest.get(page, ()))]
    if len(beside) < SURE * len(categories) or not (_differ(beside) or (sorts[1] is categories and _is_one(beside))):
        beside = []
    found = {page: _names(links) for page, links in tags}
    for page, links in beside:
        found[page] = (*_names(links), *found.get(page, ()))
    return [(page, found[page]) for page in pages if page in found]


def recurring_links(pages: Sequence[TrainingPage]) -> list[Named]:
    """The names of the links near the article to pages of one folder that several posts link to, but not all. O(n).

    The folder whose links are on most pages is taken. No post is in it, nor is it of a menu, of authors or of dates.
    """
    if len(pages) < FEWEST:
        return []
    of_posts = {_folder(page.url) for page in pages}
    folders: defaultdict[str, dict[TrainingPage, list[tuple[str, str]]]] = defaultdict(dict)
    for page in pages:
        for folder, links in page.once(_links_by_folder).items():
            if folder not in of_posts:
                folders[folder][page] = links
    tried = sorted(folders.items(), key=lambda item: (-len(item[1]), item[0]))
    return next((_named(found) for _, found in tried if _recur(found, len(pages))), [])


def _recur(found: Mapping[TrainingPage, Sequence[tuple[str, str]]], pages: int) -> bool:
    """Do links to a folder lead to pages that several posts, but not all, link to by the same name?"""
    if len(found) < SHOWING * pages or any(len(links) > MOST for links in found.values()):
        return False
    names = {link for links in found.values() for link in links}
    counts = Counter(target for links in found.values() for target, _ in links)
    if not len(names) == len(counts) == len({name for _, name in names}) or max(counts.values()) == pages:
        return False
    often = sum(count for count in counts.values() if count >= OFTEN)
    return len(counts) > 1 and often >= RECURRING * counts.total()


def _named(found: Mapping[TrainingPage, Sequence[tuple[str, str]]]) -> list[Named]:
    return [(page, tuple(name for _, name in links)) for page, links in found.items()]


def _links_by_folder(page: TrainingPage) -> dict[str, list[tuple[str, str]]]:
    """The links near a page's article, but not in it, by folder: (address, name)."""
    found: defaultdict[str, dict[tuple[str, str], None]] = defaultdict(dict)
    within = page.profile.subtree(page.profile.positions[page.article[0]]) if page.article else ()
    for value in page.values:
        if value.node.tag != "a" or value.attribute or len(value.text) > LONGEST or value.position in within:
            continue
        if page.distances[value.position] > FAR or _in_prose(page, value) or could_be_date(value.text):
            continue
        address = value.node.get("href") or ""
        target = _address(page.url, address)
        if target and not leads_to_author(address) and value.folded not in {page.title, *map(fold, page.entry.authors)}:
            found[_folder(target)][target, bare(value.text)] = None
    return {folder: list(links) for folder, links in found.items() if folder}


def _address(url: str, href: str) -> str:
    """The address of another page of the site without its query; empty for one of another site."""
    try:
        target = urlsplit(urljoin(url, href))
    except ValueError:
        return ""
    plain = target._replace(query="", fragment="").geturl()
    return plain if not target.query and same_site(plain, url) else ""


def _folder(url: str) -> str:
    """The path of a folder below the root, without the last step; empty for a page that is in none, or in a date's."""
    steps = [step for step in urlsplit(url).path.split("/") if step]
    return "/".join(steps[:-1]) if not any(step.isdigit() for step in steps[:-1]) else ""


def _nearest(page: TrainingPage, address: re.Pattern[str]) -> tuple[Value, ...]:
    links = [value for value in page.values if _leads_to(value, address) and not _in_prose(page, value)]
    least = min((page.distances[link.position] for link in links), default=0)
    return tuple(link for link in links if page.distances[link.position] == least)


def _leads_to(value: Value, address: re.Pattern[str]) -> bool:
    """Is a value a link to a list of a sort? By its address, or by its relation where that has no form."""
    if value.node.tag != "a" or value.attribute or len(value.text) > LONGEST:
        return False
    rel, href = (value.node.get("rel") or "").split(), value.node.get("href") or ""
    if "tag" not in rel:
        return address.search(href) is not None
    sort = next((form for form in LISTS_OF_POSTS if form.search(href)), CATEGORIES if "category" in rel else TAGS)
    return sort is address


def _in_prose(page: TrainingPage, link: Value) -> bool:
    """Is a link a part of a sentence? What holds the article besides has more text than that of a sentence."""
    parent = page.profile.parents[link.position]
    if page.article and page.profile.nodes[parent] in page.article[0].iterancestors():
        return False
    return page.profile.sizes[parent] - page.profile.link_sizes[parent] > PROSE


def _are_of_post(page: TrainingPage, links: Sequence[Value], others: Sequence[Value]) -> bool:
    """Do links stand no farther out than the tags of the post or its title, and below no other heading?"""
    if page.article is None:
        return False
    article = page.article[0]
    titles = [value for value in page.values if value.folded == page.title and value.node.tag in HEADINGS]
    out = max((levels_above(article, value.node) for value in (*titles[:1], *others[:1])), default=0)
    return all(levels_above(article, link.node) <= out and not _below_heading(page, link) for link in links)


def _below_heading(page: TrainingPage, link: Value) -> bool:
    """Is a link in a box that has a heading, but not the article, such as the teaser of another post?"""
    assert page.article is not None
    above = set(page.article[0].iterancestors())
    for position in page.profile.around(link.position):
        if page.profile.nodes[position] in above:
            return False
        inside = (page.profile.nodes[at] for at in page.profile.subtree(position))
        if any(node.tag in HEADINGS and page.title not in (fold(page.text(node)), "") for node in inside):
            return True
    return False


def _differ(found: Sequence[tuple[TrainingPage, Sequence[Value]]]) -> bool:
    return len({frozenset(map(bare, _names(links))) for _, links in found}) > 1


def _is_one(found: Sequence[tuple[TrainingPage, Sequence[Value]]]) -> bool:
    """Has each page one link, the same on all?"""
    return len({_names(links) for _, links in found}) == 1 == len(found[0][1])


def _names(links: Sequence[Value]) -> tuple[str, ...]:
    return tuple(link.text for link in links)
