"""An archived page for a frame: as it looked, but that nothing in it runs, leads or asks the web for anything.

The elements of a record's fields are outlined, each field in a colour of its own, with its name and its rule. Where an
element is to be chosen, each text and picture is a link to its choice. Without the style sheets and scripts of its site
a page may look plainer than it did.
"""

from __future__ import annotations

import re
from collections.abc import Mapping  # noqa: TC003  (serialise)
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import TYPE_CHECKING

import lxml.html
from lxml import etree
from markupsafe import Markup

from blogcrawler.dom import legal_text
from blogcrawler.serialise import load_file
from blogcrawler.templates import templates_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from jinja2 import Template
    from lxml.html import HtmlElement

    from blogcrawler.wrapper import Place

FRAME_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'; sandbox allow-same-origin allow-top-navigation-by-user-activation"
)
"""For the answer that holds such a page: no script, no request but for pictures of the archive. The origin is kept so
that these may be had; without scripts it is of no use to the page."""

_NOT_IN_STYLES = re.compile(r"url\s*\(|@import|expression\s*\(|image-set\s*\(|\\", re.IGNORECASE)
_PLAIN = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)
_LONGEST_STYLE = 200_000
_GONE = "gone"
"""What elements are called that are taken out."""
_UNTOLD = frozenset({"style", "head", "html", "title"})
FIELD, RULE, NODE = "data-archive-field", "data-archive-rule", "data-archive-number"


@dataclass(frozen=True)
class _Shown:
    """What of a page is shown, from `data/outlined.json`."""

    #: elements that are left out with all that is in them
    gone: frozenset[str]
    #: elements that lead somewhere or wait for somebody; what they say stays
    spans: frozenset[str]
    #: elements in which browsers take markup for text
    verbatim: frozenset[str]
    attributes: frozenset[str]
    #: of each field; on white, and with white letters, each has a contrast of 4.5 and more (WCAG 2.2, 1.4.3)
    colours: Mapping[str, str]


@cache
def _shown() -> _Shown:
    return load_file(_Shown, __package__, "outlined.json")


def colours() -> Mapping[str, str]:
    """The colour of each field."""
    return _shown().colours


def outlined(
    tree: HtmlElement,
    places: Iterable[Place] = (),
    *,
    picture: Callable[[str], str | None] = lambda _: None,
    choice: Callable[[int], str] | None = None,
    language: str | None = None,
) -> str:
    """The page as HTML. `tree` is left as it is; O(n).

    `picture` tells where the archive has one, by its address as the page writes it. `choice` makes the address to which
    the text of an element leads, by the element's number in document order.
    """
    numbers = {node: number for number, node in enumerate(tree.iter("*"))}
    marks = {
        numbers[node]: (place.field, place.rule if node is place.nodes[0] else None)
        for place in places
        for node in place.nodes
        if node in numbers
    }
    copy = deepcopy(tree)
    for number, node in enumerate(copy.iter("*")):
        node.set(NODE, str(number))
        for name in (FIELD, RULE):
            node.attrib.pop(name, None)
        if number in marks:
            field, rule = marks[number]
            node.set(FIELD, field)
            if rule is not None:
                node.set(RULE, legal_text(rule))
    _clean(copy, picture)
    if choice is not None:
        _link(copy, choice)
    for node in copy.iter("*"):
        node.attrib.pop(NODE, None)
    body = copy.find("body")
    inner = _inside(body) if body is not None else ""
    attributes = [(name, body.get(name) or "") for name in ("class", "id")] if body is not None else []
    return _template().render(
        language=language,
        styles=Markup("\n".join(_styles(copy))),  # noqa: S704 - without "<"
        attributes=attributes,
        inner=Markup(inner),  # noqa: S704 - cleaned
        is_choice=choice is not None,
        colours=colours(),
        field=FIELD,
        rule=RULE,
    )


@cache
def _template() -> Template:
    return templates_of("blogcrawler.browse").get_template("frame.html")


def choosable(tree: HtmlElement, number: int) -> HtmlElement | None:
    """The element of a number in document order, as `choice` has it."""
    return next((node for at, node in enumerate(tree.iter("*")) if at == number), None)


def _clean(root: HtmlElement, picture: Callable[[str], str | None]) -> None:
    shown = _shown()
    for node in list(root.iter()):
        if not isinstance(node.tag, str):
            continue
        if node.tag in shown.gone or ":" in node.tag:
            node.tag = _GONE
        elif node.tag == "img":
            _show(node, picture)
        else:
            if node.tag in shown.spans or not _PLAIN.fullmatch(node.tag):
                node.tag = "span"
            elif node.tag == "noscript":
                node.tag = "div"
            elif node.tag in shown.verbatim:
                node.tag = "pre"
            _strip(node)
    etree.strip_elements(root, _GONE, etree.Comment, etree.ProcessingInstruction, with_tail=False)


def _strip(node: HtmlElement) -> None:
    for name, value in list(node.attrib.items()):
        if name in (FIELD, RULE, NODE):
            continue
        if name not in _shown().attributes or (name == "style" and _NOT_IN_STYLES.search(value)):
            del node.attrib[name]


def _show(node: HtmlElement, picture: Callable[[str], str | None]) -> None:
    """A picture of the archive, or what it says in its place."""
    source = next((value for name in ("src", "data-src", "data-lazy-src") if (value := node.get(name))), "")
    here = picture(source) if source else None
    _strip(node)
    if here is not None:
        node.set("src", here)
        return
    node.tag, said = "span", node.get("alt") or ""
    node.text = f"[{said or 'picture'}]"


def _link(root: HtmlElement, choice: Callable[[int], str]) -> None:
    """Make each text and each picture a link to the choice of the element that it stands in."""
    for node in list(root.iter("*")):
        number = node.get(NODE)
        if node.tag in _UNTOLD or number is None:
            continue
        address = choice(int(number))
        if node.tag == "img":
            _wrap(node, address)
            continue
        for before, text in _texts(node):
            if text.strip():
                _put(node, before, text, address)


def _texts(node: HtmlElement) -> Iterator[tuple[HtmlElement | None, str]]:
    """The texts that stand in an element itself, each with the child before it."""
    children = list(node)
    yield None, node.text or ""
    for child in children:
        yield child, child.tail or ""


def _put(node: HtmlElement, before: HtmlElement | None, text: str, address: str) -> None:
    link = node.makeelement("a", {"href": address, "target": "_top"})
    link.text = text
    if before is None:
        node.text = None
        node.insert(0, link)
    else:
        before.tail = None
        before.addnext(link)


def _wrap(node: HtmlElement, address: str) -> None:
    link = node.makeelement("a", {"href": address, "target": "_top"})
    link.tail, node.tail = node.tail, None
    node.addprevious(link)
    link.append(node)


def _inside(body: HtmlElement) -> str:
    etree.strip_elements(body, "style", with_tail=False)
    parts: Sequence[str] = [
        escape(body.text or "", quote=False),
        *(lxml.html.tostring(child, encoding="unicode") for child in body),
    ]
    return "".join(parts)


def _styles(root: HtmlElement) -> Iterator[str]:
    """The style sheets that the page has in itself, without what would ask for something."""
    head = root.find("head")
    for node in head.iter("style") if head is not None else ():
        text = (node.text or "")[:_LONGEST_STYLE]
        kept = (rule for rule in text.split("}") if not _NOT_IN_STYLES.search(rule))
        yield "}".join(kept).replace("<", "")
