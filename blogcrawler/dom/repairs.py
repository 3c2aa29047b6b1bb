"""Makes of libxml2's HTML tree the tree that a browser would have.

libxml2 reads HTML5's tokens but builds the tree by the rules of HTML 4. Fed with markup that was serialised from an
HTML5 tree it comes out nearly right; `balance_noscript`, `close_voids` and `disguise` make it wholly so.
`repair` is for pages that libxml2 has to read alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from blogcrawler.dom.tags import UNKNOWN_VOIDS

if TYPE_CHECKING:
    from lxml.html import HtmlElement

#: Fallbacks without scripts that are read as markup; what more there are is dropped.
_MAX_NOSCRIPT = 1_000

#: Where markup ends: comments and raw text may hold half of a `noscript`.
_OPAQUE = re.compile(r"<(?:!--|(script|style|xmp|iframe|noembed|noframes|noscript)(?:\s[^<>]*)?>)")
#: (Most tags are passed over for their first letter.)
_VOID = re.compile(
    r"<(?=[{}])({})(?=[\s/>])([^<>]*)(?<!--)(?<!--!)>".format(
        "".join(name[0] for name in UNKNOWN_VOIDS), "|".join(UNKNOWN_VOIDS)
    ).encode(),
    re.IGNORECASE,
)

_PREFIX = "elementnamed-"
#: Names that must stay: their content is not markup, or they have none, or they are the frame of the page.
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
    """`page` with `<wbr>` and its like written as `<wbr/>`, which libxml2 honours on any element."""
    return _VOID.sub(lambda match: b"<" + match[1] + match[2].rstrip(b"/") + b"/>", page)


def disguise(page: bytes) -> bytes:
    """`page`, well-formed, with element names that libxml2 does not know, so that it closes none of its own accord.

    HTML 4 closes `b` before `p` and `pre` before `ul`; HTML5 nests them, and so do browsers.
    """
    return _NAME.sub(rb"<\1" + _PREFIX.encode(), page)


def undisguise(root: HtmlElement) -> None:
    """Give the elements of a disguised page their names again; in place."""
    for element in root.iter():
        if isinstance(element.tag, str) and element.tag.startswith(_PREFIX):
            element.tag = element.tag[len(_PREFIX) :]
        elif element.text and _PREFIX in element.text:
            element.text = element.text.replace("<" + _PREFIX, "<").replace("</" + _PREFIX, "</")


def repair(root: HtmlElement) -> None:
    """Bring a tree that libxml2 built alone nearer to a browser's: in place, linear."""
    _join_roots(root)
    _wrap_rows(root)


def _join_roots(root: HtmlElement) -> None:
    """What stands after `</html>` becomes a second root; browsers put it into the body."""
    body = root.find("body")
    if body is None:
        return
    for other in list(root.itersiblings("html")):
        for child in list(other.find("body") if other.find("body") is not None else other):
            body.append(child)


def _wrap_rows(root: HtmlElement) -> None:
    """Put rows that stand in a table directly into a `tbody`, as every HTML5 parser does."""
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
