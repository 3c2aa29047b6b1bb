"""Elements of a page: hidden ones, dialogs, password fields, and common ancestors."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

HIDDEN = {("display", "none"), ("visibility", "hidden"), ("visibility", "collapse")}
DIALOGS = frozenset({"dialog", "alertdialog"})
WHOLE = frozenset({"html", "body", "main", "article"})
"""Elements with the main content of a page: scripts show these once the page is ready."""


def is_dialog(element: HtmlElement) -> bool:
    """True if an element is a closed dialog, by its tag, its role, or a framework's class."""
    is_one = (
        element.tag == "dialog" or element.get("role") in DIALOGS or "modal" in (element.get("class") or "").split()
    )
    return is_one and element.get("open") is None


STREAMED = re.compile(r"\w*-?S:[0-9a-f]+\Z")
"""The id of content that React's server sends after the page (react-dom, `ReactFizzServer`)."""


def is_hidden(element: HtmlElement) -> bool:
    """True if an element's own attributes hide it. Two kinds do not count as hidden: elements that a search in the page
    reveals (`until-found`), and content that React sends after the page (`<div hidden id="S:0">`)."""
    if element.tag in WHOLE:
        return False
    if is_dialog(element):
        return True
    hidden = element.get("hidden")
    if hidden is not None and hidden.strip().lower() != "until-found" and not STREAMED.match(element.get("id") or ""):
        return True
    return not HIDDEN.isdisjoint(_declared(element.get("style") or "").items())


def _declared(style: str) -> dict[str, str]:
    """Properties of a `style` attribute with the values in effect: the last one, or the last `!important` one."""
    declared: dict[bool, dict[str, str]] = {False: {}, True: {}}
    for declaration in without_comments(style.lower()).split(";"):
        name, _, value = declaration.partition(":")
        text, mark, _ = value.partition("!")
        declared[mark != ""][name.strip()] = text.strip()
    return declared[False] | declared[True]


def asks_for_password(root: HtmlElement) -> bool:
    """True if an element contains a password field. O(n) in its descendants."""
    return any((field.get("type") or "").strip().lower() == "password" for field in root.iter("input"))


def lowest_common_ancestor(nodes: Iterable[HtmlElement]) -> HtmlElement:
    """The deepest node that is each of `nodes` or an ancestor of it. O(d) in the sum of their depths.

    Raises `ValueError` without nodes, or if they are in different trees.
    """
    paths = [[*reversed(list(node.iterancestors())), node] for node in nodes]
    common = list(takewhile(lambda level: len(set(level)) == 1, zip(*paths, strict=False)))
    if not common:
        raise ValueError("There are no nodes, or they are not in one tree.")
    return common[-1][0]


def without_comments(text: str) -> str:
    """A style sheet, or the value of a `style` attribute, without its comments. O(n)."""
    first, *others = text.split("/*")
    return first + "".join(other.partition("*/")[2] for other in others)
