"""An archived page for a frame, without scripts, links and requests to the web. The elements of the record's fields are
outlined in different colours, with the field's name and its rule. To select an element, each text and picture is a
link. Without the style sheets and scripts of its site, a page may look plainer than the original."""

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
"""Content security policy of such a page: no scripts, no requests except for pictures of the archive. The origin is
kept so that these can be loaded; without scripts, the page cannot misuse it."""

_NOT_IN_STYLES = re.compile(r"url\s*\(|@import|expression\s*\(|image-set\s*\(|\\", re.IGNORECASE)
_PLAIN = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)
_LONGEST_STYLE = 200_000
_GONE = "gone"
"""Tag given to elements that are removed."""
_UNTOLD = frozenset({"style", "head", "html", "title"})
FIELD, RULE, NODE = "data-archive-field", "data-archive-rule", "data-archive-number"


@dataclass(frozen=True)
class _Shown:
    """The elements and attributes that are shown, from `data/outlined.json`."""

    #: elements that are removed with their content
    gone: frozenset[str]
    #: links and form controls, which are replaced by their content
    spans: frozenset[str]
    #: elements in which browsers treat markup as text
    verbatim: frozenset[str]
    attributes: frozenset[str]
    #: the colour of each field; its contrast with white is at least 4.5 (WCAG 2.2, 1.4.3)
    colours: Mapping[str, str]


@cache
def _shown() -> _Shown:
    return load_file(_Shown, __package__, "outlined.json")


def colours() -> Mapping[str, str]:
    """Return the colour of each field."""
    return _shown().colours


def outlined(
    tree: HtmlElement,
    places: Iterable[Place] = (),
    *,
    picture: Callable[[str], str | None] = lambda _: None,
    choice: Callable[[int], str] | None = None,
    language: str | None = None,
) -> str:
    """Return the page as HTML; `tree` is not changed. O(n). `picture` returns the archive's URL of a picture, given the
    URL in the page. `choice` returns the link target of an element's text, given the element's number in document
    order."""
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
    """Return the element with a number in document order, as `choice` counts."""
    return next((node for at, node in enumerate(tree.iter("*")) if at == number), None)


def _clean(root: HtmlElement, picture: Callable[[str], str | None]) -> None:
    rules = _shown()
    for node in list(root.iter()):
        if not isinstance(node.tag, str):
            continue
        if node.tag in rules.gone or ":" in node.tag:
            node.tag = _GONE
        elif node.tag == "img":
            _show(node, picture)
        else:
            if node.tag in rules.spans or not _PLAIN.fullmatch(node.tag):
                node.tag = "span"
            elif node.tag == "noscript":
                node.tag = "div"
            elif node.tag in rules.verbatim:
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
    """Show an archived picture, or its alternative text."""
    source = next((value for name in ("src", "data-src", "data-lazy-src") if (value := node.get(name))), "")
    here = picture(source) if source else None
    _strip(node)
    if here is not None:
        node.set("src", here)
        return
    node.tag, said = "span", node.get("alt") or ""
    node.text = f"[{said or 'picture'}]"


def _link(root: HtmlElement, choice: Callable[[int], str]) -> None:
    """Make each text and picture a link that selects its element."""
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
    """Return an element's own texts, each with the child before it."""
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
    """Return the embedded style sheets, without parts that would cause requests."""
    head = root.find("head")
    for node in head.iter("style") if head is not None else ():
        text = (node.text or "")[:_LONGEST_STYLE]
        safe_rules = (rule for rule in text.split("}") if not _NOT_IN_STYLES.search(rule))
        yield "}".join(safe_rules).replace("<", "")
