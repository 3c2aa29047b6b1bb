"""Links of a page, its canonical URL, and its versions in other languages."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal, cast
from zlib import crc32

from lxml import etree

from blogcrawler.dom.references import resolve
from blogcrawler.dom.text import inline_text
from blogcrawler.routes import into_path, is_routed
from blogcrawler.time_limit import time_limit
from blogcrawler.urls import resolve as canonical_url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

LinkKind = Literal["a", "area", "link", "iframe"]

#: Maximum number of links of a page; later ones are ignored.
MAX_LINKS = 5_000
#: Maximum number of characters of a link's text, and of elements that are read for it.
_MAX_TEXT = 200
_MAX_TEXT_NODES = 200

#: A link with more characters of text beside it is in running text.
_MOST_BESIDE = 60
_NUMBER = re.compile(r"\d")

#: Element to the attribute with its URL and the kind of link.
_REFERENCES: dict[str, tuple[str, LinkKind]] = {
    "a": ("href", "a"),
    "area": ("href", "area"),
    "link": ("href", "link"),
    "iframe": ("src", "iframe"),
    "frame": ("src", "iframe"),
}
#: A statement that opens another page, whose URL is a literal.
_LEADS = re.compile(
    r"""(?:^|;)\s{0,9}(?:javascript:\s{0,9})?(?:return\s{1,9})?
    (?:(?:window|document|self|top|parent)\s{0,3}\.\s{0,3}){0,3}location\s{0,3}
    (?:(?:\.\s{0,3}href\s{0,3})?=\s{0,9}|\.\s{0,3}(?:assign|replace)\s{0,3}(\()\s{0,9})
    (?:'([^'"\\<>\n]{1,2083})'|"([^'"\\<>\n]{1,2083})")\s{0,9}(?(1)\)\s{0,9})(?:;|$)""",
    re.IGNORECASE | re.VERBOSE,
)
#: Code that reads a URL from an attribute, and code that opens a URL.
_READS = re.compile(r"""\bdataset\.href\b|\bdata\(\s{0,9}["']href["']|\(\s{0,9}["']data-href["']""")
_GOES = re.compile(r"\blocation(?:\.href)?\s{0,9}=(?!=)|\blocation\.(?:assign|replace)\(")
_REACTING = etree.XPath("descendant-or-self::*[@onclick or @data-href]")
_SCRIPTS = etree.XPath("ancestor-or-self::*[last()]/descendant::script[not(@src)]")
#: References of an `a` that lead to no other page.
_NOWHERE = ("#", "javascript:")
#: Maximum number of characters of a handler, and of a script, that are read.
_MAX_HANDLER = 5_000
_MAX_SCRIPT = 200_000


@dataclass(frozen=True)
class Link:
    """A reference to another page."""

    #: absolute http or https URL, percent-encoded, with its fragment, or its route as a path where the page has one
    url: str
    #: its visible text on one line, at most 200 characters; empty for an image
    text: str
    #: tokens of `rel`, in lower case
    rel: tuple[str, ...]
    #: the element; `frame` counts as `iframe`, and any element that opens a page when it is clicked as `a`
    kind: LinkKind
    #: its position: the same number for all links within the same chain of elements, on all pages; 0 in running text
    place: int = field(default=0, compare=False)


@time_limit()
def links(tree: HtmlElement, url: str) -> list[Link]:
    """The references of a page to http and https URLs, in document order, at most `MAX_LINKS`.

    Elements with a click handler in the markup are links of kind "a", see `clicked_references`.

    `url` is the page's URL; `<base href>` is respected. Invalid references are ignored. O(n).

    Raises `PageTooSlow`.
    """
    first = list(islice(_links(tree, base_url(tree, url)), MAX_LINKS))
    return [_with_route(link, url) for link in first] if is_routed(url) else first


def base_url(tree: HtmlElement, url: str) -> str:
    """Base of the page's references: the URL of its first `<base href>`, or `url`, the page's URL."""
    for element in tree.iter("base"):
        reference = element.get("href")
        if reference is not None:
            return resolve(reference, url) or url
    return url


def canonical(tree: HtmlElement, url: str) -> str | None:
    """The canonical URL in the head of the page; None without one, or with several different ones."""
    named = set()
    base = base_url(tree, url)
    for element in _in_head(tree, "link"):
        if "canonical" in _tokens(element.get("rel")) and element.get("href"):
            named.add(resolve(element.get("href"), base))
    return named.pop() if len(named) == 1 else None


def versions(tree: HtmlElement, url: str) -> list[str]:
    """The URLs of the page in other languages, from `<link rel=alternate hreflang>`. O(n)."""
    base = base_url(tree, url)
    named = [
        resolve(element.get("href") or "", base)
        for element in islice(tree.iter("link"), MAX_LINKS)
        if element.get("hreflang")
        and "alternate" in _tokens(element.get("rel"))
        and (element.get("type") or "text/html") == "text/html"
    ]
    return [target for target in named if target is not None]


def _links(tree: HtmlElement, base: str) -> Iterator[Link]:
    places: dict[HtmlElement, int] = {}
    for element, reference, kind in _references(tree):
        url = resolve(reference, base)
        if url is not None:
            text = inline_text(element, most_nodes=_MAX_TEXT_NODES) if kind == "a" else ""
            rel = _tokens(element.get("rel"))
            place = 0 if kind != "a" or _is_in_text(element) else _place(element, rel, places)
            yield Link(url, text[:_MAX_TEXT].rstrip(), rel, kind, place)


def _references(tree: HtmlElement) -> Iterator[tuple[HtmlElement, str, LinkKind]]:
    clicked = clicked_references(tree)
    for element in tree.iter(etree.Element) if clicked else tree.iter(*_REFERENCES):
        attribute, kind = _REFERENCES.get(element.tag, ("", "a"))
        reference = element.get(attribute) if attribute else None
        if reference is not None:
            yield element, reference, kind
        if element in clicked:
            yield element, clicked[element], "a"


def _with_route(link: Link, url: str) -> Link:
    """A link on a page at a route: other routes are pages, too."""
    if into_path(link.url) == link.url:
        return link
    return replace(link, url=canonical_url(url, link.url) or link.url)


def _is_in_text(element: HtmlElement) -> bool:
    """True if the text directly before and after an element is longer than a date or a name."""
    previous, parent = element.getprevious(), element.getparent()
    before = previous.tail if previous is not None else parent.text if parent is not None else None
    return len((before or "").strip()) + len((element.tail or "").strip()) > _MOST_BESIDE


def _place(element: HtmlElement, rel: tuple[str, ...], places: dict[HtmlElement, int]) -> int:
    """A number for a position in pages, from the tags and ids of an element's ancestors and its own relations. `places`
    caches the numbers of ancestors. O(1) for each element of a page."""
    chain = []
    above = element.getparent()
    while above is not None and above not in places:
        chain.append(above)
        above = above.getparent()
    place = places[above] if above is not None else 0
    for node in reversed(chain):
        name = node.get("id") or ""
        place = places[node] = _step(place, str(node.tag), "" if _NUMBER.search(name) else name)
    relations = {token for token in rel if not _NUMBER.search(token)}
    return _step(place, *sorted(relations)) or 1


def _step(place: int, *names: str) -> int:
    """A number for a step of such a position; the same in each process, since resumed crawls use stored numbers."""
    return crc32("\0".join(names).encode("utf-8", "replace"), place)


def _in_head(tree: HtmlElement, tag: str) -> Iterator[HtmlElement]:
    """The elements of the head that a browser with scripts reads."""
    for head in tree.iter("head"):
        for element in head.iter(tag):
            if next(element.iterancestors("noscript", "template"), None) is None:
                yield element
        return


def _tokens(value: str | None) -> tuple[str, ...]:
    return tuple((value or "").lower().split())


def clicked_references(tree: HtmlElement) -> dict[HtmlElement, str]:
    """The references that elements open when they are clicked, as in the markup: from `onclick`, or from `data-href` if
    a script in the page reads it. Links with a URL of their own are left out. O(n).
    """
    reacting = [element for element in cast("list[HtmlElement]", _REACTING(tree)) if not _is_link(element)]
    if not reacting:
        return {}
    opened = {element: target for element in reacting if (target := _leads_to(element.get("onclick")))}
    attributes = [element for element in reacting if element not in opened and element.get("data-href")]
    if attributes and any(map(_goes_to_attributes, cast("list[HtmlElement]", _SCRIPTS(tree)))):
        opened.update((element, element.get("data-href") or "") for element in attributes)
    return opened


def _leads_to(handler: str | None) -> str | None:
    match = _LEADS.search(handler[:_MAX_HANDLER]) if handler else None
    return match[2] or match[3] if match else None


def _goes_to_attributes(script: HtmlElement) -> bool:
    code = (script.text or "")[:_MAX_SCRIPT]
    return bool(_READS.search(code) and _GOES.search(code))


def _is_link(element: HtmlElement) -> bool:
    reference = (element.get("href") or "").strip().lower()
    return bool(reference) and not reference.startswith(_NOWHERE)
