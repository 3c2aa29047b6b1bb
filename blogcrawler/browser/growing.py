"""Detects from the source of a page that it loads more content, by a control or by a script that watches scrolling."""

from __future__ import annotations

import re
from functools import partial
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from blogcrawler.browser.page_scripts import adds_on_scrolling, elements_named, inline_code, runs_own_code
from blogcrawler.browser.phrases import says_all, says_more
from blogcrawler.dom import inline_text, parse_page
from blogcrawler.dom.tags import HEADINGS, SILENT
from blogcrawler.errors import NotAWebPage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from blogcrawler.items import Page

GROWING = "growing"
"""Reason to render a page that may load more content."""
LIST = "list"
"""Reason to render a page that is probably a list of posts."""
LARGEST = 2 * 1024 * 1024
"""Most bytes of a script that are read."""
MOST_INSIDE = 20
"""Most descendants of a control that are read."""
MOST_NESTED = 12
"""Number of ancestors of a phrase that may be the control."""
NOWHERE = frozenset({"", "#", "#!", "#0"})
"""Values of href that lead to no other page and to no other place in this one."""
_ENDLESS = re.compile(rb"\binfinite[-_ ]?scroll|\bIntersectionObserver\b", re.IGNORECASE)
_SKIPPED = SILENT | {"textarea", "a", "button", "label", "legend", "caption", "summary", "figcaption", "pre", "code"}
"""Elements in which such a phrase is a link, a title or an example; `a` elements without a target are excluded."""


def grows(page: Page) -> bool:
    """True if a page has a control whose text says "show more" and that is not a link to another page. O(n).

    Controls and phrases are the same as those that are clicked in the browser, see `clicking`. An element that is not a
    button counts if its whole text is such a phrase and the page runs a script of its own site; if it names further
    pages of a list, a script in the page must name the element, too. A list that grows on scrolling is recognised by
    its scripts.
    """
    if _ENDLESS.search(page.body):
        return True
    try:
        tree = parse_page(page)
    except NotAWebPage:
        return False
    if any(map(_says_more, tree.iter(etree.Element))):
        return True
    said = list(labels(tree))
    if any(says_all(label.text, "more") for label in said) and runs_own_code(tree, page.url):
        return True
    return _is_known(said, inline_code(tree)) if said else False


def grows_by_script(script: bytes, tree: HtmlElement) -> bool:
    """True if a script may load more content on scrolling, or through an element that it names. O(n)."""
    code = script[:LARGEST].decode("utf-8", "replace")
    return adds_on_scrolling(code) or _is_known(list(labels(tree)), code)


def leads_on(element: HtmlElement) -> bool:
    """True for a link to another page, or to another place in its own page."""
    reference = (element.get("href") or "").strip().lower() if element.tag == "a" else ""
    return reference not in NOWHERE and not reference.startswith("javascript:")


def is_control(element: HtmlElement) -> bool:
    """True if an element reacts to clicks, judging by its markup."""
    return element.tag in ("button", "a") or element.get("role") == "button" or element.get("onclick") is not None


def _says_more(element: HtmlElement) -> bool:
    """True if an element is a control with the text "show more" that is not a link to another page."""
    if element.tag == "input":
        is_button = (element.get("type") or "").lower() in ("button", "submit")
        text = (element.get("value") or "") if is_button else ""
    elif is_control(element) and (element.get("role") == "button" or not leads_on(element)):
        is_seen = next(element.iterancestors(*SILENT), None) is None
        text = inline_text(element, most_nodes=MOST_INSIDE) if is_seen else ""
    else:
        return False
    return says_more(text) or says_all(text, "pages")


def _is_known(said: list[Label], code: str) -> bool:
    named = elements_named(code) if said else frozenset()
    return any(not label.names.isdisjoint(named) for label in said)


class Label(NamedTuple):
    """An element whose text is a phrase such as "Load more"."""

    text: str
    #: ids, classes and `data-…` attributes of the elements that contain it and nothing else
    names: frozenset[str]


def labels(tree: HtmlElement) -> Iterator[Label]:
    """Return the elements whose whole text is a phrase of lists, outside of links and titles. O(n)."""
    for element in tree.iter(etree.Element):
        text = " ".join((element.text or "").split())
        if text and says_all(text, "more", "posts", "pages") and not any(map(_is_other, _upwards(element))):
            around = islice(_upwards(element), MOST_NESTED)
            alone = list(takewhile(partial(_says_only, text=text), around))
            if alone:
                yield Label(text, frozenset(name for one in alone for name in _names(one)))


def _says_only(element: HtmlElement, text: str) -> bool:
    return inline_text(element, most_nodes=MOST_INSIDE) == text


def _upwards(element: HtmlElement) -> Iterator[HtmlElement]:
    return chain([element], element.iterancestors())


def _is_other(element: HtmlElement) -> bool:
    return (element.tag in _SKIPPED or element.tag in HEADINGS) and (element.tag != "a" or leads_on(element))


def _names(element: HtmlElement) -> Iterator[str]:
    yield from (element.get("class") or "").split()
    yield from (element.get("id") or "").split()
    yield from (name for name in element.keys() if name.startswith("data-"))  # noqa: SIM118  an element is no dict
