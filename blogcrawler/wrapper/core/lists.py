"""Recognise lists beside a post: comments, other posts and notes of a side bar, with their own days and names."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING

from blogcrawler.dates import find_dates
from blogcrawler.dom import inline_text
from blogcrawler.urls import identity, resolve, same_site
from blogcrawler.wrapper.core.bylines import is_of_readers

if TYPE_CHECKING:
    from collections.abc import Collection

    from lxml.html import HtmlElement

ITEMS = frozenset(["li", "div", "article", "section", "dl", "dt", "tr"])
"""Elements that lists of comments or posts consist of; the text of a `dt` is in the next element."""
DIGITS = re.compile(r"\d+")
LABELLED = 2
"""Maximum number of texts of an item that only labels its date."""
MAX_HEADINGS = 60
MAX_LINKS = 1000
FEWEST_LISTED = 3
"""Minimum number of pages that a list of posts links to."""


def form_of_item(element: HtmlElement) -> str:
    """The part of a name that items of one list share: an id without its number, or else the first class."""
    name = element.get("id") or ""
    known = f"#{name}" if DIGITS.search(name) else (element.get("class") or "").strip().partition(" ")[0]
    return DIGITS.sub("", known)


def outside_lists(nodes: Collection[HtmlElement], post: HtmlElement | None) -> list[HtmlElement]:
    """Those of the elements that are in no list beside a post, and in no part that is named as readers' comments. O(n
    d).

    A list has two items of one form, each with one of the elements at the same place and with other content. `post` is
    an element of the post; the elements around it are no items.
    """
    if post is None or not nodes:
        return list(nodes)
    above = set(post.iterancestors())
    items: dict[tuple[HtmlElement | None, str, str, tuple[str, ...]], set[HtmlElement]] = defaultdict(set)
    keys_of: dict[HtmlElement, list[tuple[HtmlElement | None, str, str, tuple[str, ...]]]] = {}
    for node in nodes:
        path: tuple[str, ...] = ()
        keys = keys_of[node] = []
        for element in (node, *node.iterancestors()):
            if element in above or element.tag in {"body", "html"}:
                break
            path = (element.tag, *path)
            if is_of_readers(element):
                del keys_of[node]
                break
            if element.tag in ITEMS and _has_more_content(element, node):
                keys.append((element.getparent(), element.tag, form_of_item(element), path))
                items[keys[-1]].add(element)
    return [node for node, keys in keys_of.items() if all(len(items[key]) < 2 for key in keys)]


def _has_more_content(item: HtmlElement, node: HtmlElement) -> bool:
    """True if an item holds more than an element and its label: further texts, or a link to something else."""
    if len(list(islice(filter(str.strip, item.itertext()), LABELLED + 1))) > LABELLED:
        return True
    links, own = islice(item.iter("a"), LABELLED), inline_text(node, most_nodes=50)
    return any(inline_text(link, most_nodes=50) != own for link in links)


def lists_posts(container: HtmlElement, url: str) -> bool:
    """True if half of a text's headings, or half of its words apart from dates, link to other pages of the site. O(n).

    An article may have headings at its end that link to the next chapter, or to related posts.
    """
    headings = list(islice(container.iter("h1", "h2", "h3"), MAX_HEADINGS))
    targets_of_headings = [_elsewhere(link, url) for heading in headings for link in islice(heading.iter("a"), 1)]
    if len(set(filter(None, targets_of_headings))) > 1 and 2 * sum(map(bool, targets_of_headings)) >= len(headings):
        return True
    targets = [(link, target) for link in islice(container.iter("a"), MAX_LINKS) if (target := _elsewhere(link, url))]
    if len({target for _, target in targets}) < FEWEST_LISTED:
        return False
    dated = sum(span.end - span.start for text in container.itertext() for span in find_dates(text))
    return 2 * sum(len(inline_text(link)) for link, _ in targets) >= len(inline_text(container)) - dated


def _elsewhere(link: HtmlElement, url: str) -> str | None:
    """The other page of the site that a link leads to, written as by `urls.identity`; None if it leads elsewhere."""
    target = resolve(url, link.get("href") or "")
    if target is None or not same_site(target, url) or identity(target) == identity(url):
        return None
    return identity(target)
