"""Correct libxml2's HTML tree to the tree that a browser builds.

libxml2 reads HTML5's tokens but builds the tree by the rules of HTML 4. From markup that was serialised from an HTML5
tree it builds a nearly correct tree; `balance_noscript`, `close_voids` and `disguise` prevent the remaining errors.
`repair` is for pages that only libxml2 parses.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from blogcrawler.dom.tags import UNKNOWN_VOIDS

if TYPE_CHECKING:
    from lxml.html import HtmlElement

#: Maximum number of `noscript` elements that are read as markup; further ones are dropped.
_MAX_NOSCRIPT = 1_000

#: Starts of content that is not markup: comments and raw text may contain half of a `noscript`.
_OPAQUE = re.compile(r"<(?:!--|(script|style|xmp|iframe|noembed|noframes|noscript)(?:\s[^<>]*)?>)")
#: The look-ahead skips most tags by their first letter.
_VOID = re.compile(
    r"<(?=[{}])({})(?=[\s/>])([^<>]*)(?<!--)(?<!--!)>".format(
        "".join(name[0] for name in UNKNOWN_VOIDS), "|".join(UNKNOWN_VOIDS)
    ).encode(),
    re.IGNORECASE,
)

_PREFIX = "elementnamed-"
#: Names that must not change: elements without markup in them, void elements, and `html`, `head` and `body`.
_UNDISGUISED = (
    "area|base|basefont|body|br|col|frame|head|hr|html|iframe|img|input|link|meta|noembed|noframes|param|plaintext|"
    "script|style|textarea|title|xmp|" + "|".join(UNKNOWN_VOIDS)
)
_NAME = re.compile(rb"<(/?)(?!(?:%s)[\s/>])(?=[a-z][a-z0-9]*[\s/>])" % _UNDISGUISED.encode())


def balance_noscript(html: str) -> str:
    """`html` with the content of each `noscript`, which a browser keeps as text, as well-formed markup.

    A browser with scripts reads it as text, so it may open or close elements of the page when it is parsed as markup.
    """
    if "<noscript" not in html:
        return html
    parts = []
    copied = position = number = 0
    while opening := _OPAQUE.search(html, position):
        closing = f"</{opening[1]}>" if opening[1] else "-->"
        end = html.find(closing, opening.end())
        if end < 0:
            break
        position = end + len(closing)
        content = html[opening.end() : end]
        if opening[1] == "noscript" and ("<" in content or "&" in content):
            number += 1
            parts += [html[copied : opening.end()], _balanced(content) if number <= _MAX_NOSCRIPT else ""]
            copied = end
    return "".join([*parts, html[copied:]])


def _balanced(markup: str) -> str:
    return LexborHTMLParser(markup, is_fragment=True).html or ""


def close_voids(page: bytes) -> bytes:
    """`page` with `<wbr>` and other void elements closed like `<wbr/>`, which libxml2 accepts for any element."""
    return _VOID.sub(lambda match: b"<" + match[1] + match[2].rstrip(b"/") + b"/>", page)


def disguise(page: bytes) -> bytes:
    """`page`, well-formed, with element names that libxml2 does not know, so that it closes no element by itself.

    HTML 4 closes `b` before `p` and `pre` before `ul`; HTML5 nests them, and so do browsers.
    """
    return _NAME.sub(rb"<\1" + _PREFIX.encode(), page)


def undisguise(root: HtmlElement) -> None:
    """Restore the element names of a disguised page, in place."""
    for element in root.iter():
        if isinstance(element.tag, str) and element.tag.startswith(_PREFIX):
            element.tag = element.tag[len(_PREFIX) :]
        elif element.text and _PREFIX in element.text:
            element.text = element.text.replace("<" + _PREFIX, "<").replace("</" + _PREFIX, "</")


def repair(root: HtmlElement) -> None:
    """Make a tree that libxml2 alone built more like a browser's, in place. O(n)."""
    _join_roots(root)
    _wrap_rows(root)


def _join_roots(root: HtmlElement) -> None:
    """Move content after `</html>`, which libxml2 makes a second root, into the body, as browsers do."""
    body = root.find("body")
    if body is None:
        return
    for second in list(root.itersiblings("html")):
        for child in list(second.find("body") if second.find("body") is not None else second):
            body.append(child)


def _wrap_rows(root: HtmlElement) -> None:
    """Wrap rows that are children of a table in a `tbody`, as every HTML5 parser does."""
    for table in list(root.iter("table")):
        section = None
        for child in list(table):
            if child.tag != "tr":
                section = None if isinstance(child.tag, str) else section
                continue
            if section is None:
                section = etree.SubElement(table, "tbody")
                child.addprevious(section)
            section.append(child)
