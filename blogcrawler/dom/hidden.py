"""Elements that a browser does not show until a script does: by their attributes, not by style sheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.dom.style_sheets import without_comments

if TYPE_CHECKING:
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


def is_hidden(element: HtmlElement) -> bool:
    """True if an element's own attributes hide it. What a search in the page shows (`until-found`) is not hidden."""
    if element.tag in WHOLE:
        return False
    if is_dialog(element):
        return True
    hidden = element.get("hidden")
    if hidden is not None and hidden.strip().lower() != "until-found":
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
