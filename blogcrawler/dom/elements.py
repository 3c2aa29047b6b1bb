"""Elements of a page: whether their attributes hide them, and what several have in common."""

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
"""Elements that hold what a page is about: scripts show these once the page is ready."""


def is_dialog(element: HtmlElement) -> bool:
    """True if an element is a dialog that readers have to open, by its element, its role, or a framework's class."""
    is_one = (
        element.tag == "dialog" or element.get("role") in DIALOGS or "modal" in (element.get("class") or "").split()
    )
    return is_one and element.get("open") is None


STREAMED = re.compile(r"\w*-?S:[0-9a-f]+\Z")
"""The id of what React's server sends behind a page, as it is ready (react-dom, `ReactFizzServer`)."""


def is_hidden(element: HtmlElement) -> bool:
    """True if an element's own attributes hide it. What a search in the page shows (`until-found`) is not hidden, nor
    what React streams behind the page and moves to its place (`<div hidden id="S:0">`)."""
    if element.tag in WHOLE:
        return False
    if is_dialog(element):
        return True
    hidden = element.get("hidden")
    if hidden is not None and hidden.strip().lower() != "until-found" and not STREAMED.match(element.get("id") or ""):
        return True
    return not HIDDEN.isdisjoint(_declared(element.get("style") or "").items())


def _declared(style: str) -> dict[str, str]:
    """Properties of a `style` attribute with the values that count: the last, or the last that is important."""
    found: dict[bool, dict[str, str]] = {False: {}, True: {}}
    for declaration in without_comments(style.lower()).split(";"):
        name, _, value = declaration.partition(":")
        text, mark, _ = value.partition("!")
        found[mark != ""][name.strip()] = text.strip()
    return found[False] | found[True]


def asks_for_password(root: HtmlElement) -> bool:
    """True if a field for a password stands in an element. O(n) in what it holds."""
    return any((field.get("type") or "").strip().lower() == "password" for field in root.iter("input"))


def lowest_common_ancestor(nodes: Iterable[HtmlElement]) -> HtmlElement:
    """The deepest node that is each of `nodes` or an ancestor of it. O(d) in the sum of their depths.

    `ValueError` when there are no nodes, or when they are not in one tree.
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
