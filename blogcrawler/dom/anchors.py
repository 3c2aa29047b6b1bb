"""Links within an article, as those to its notes and back: they stay fragments, and what they lead to has an `id`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote
from zlib import crc32

from blogcrawler.dom.characters import legal_text
from blogcrawler.dom.references import resolve
from blogcrawler.dom.tags import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Collection

    from lxml.html import HtmlElement

_LONGEST = 200
_SAFE = re.compile(r"(?=[^\W\d_]*[\d_:.-])(?!__)[\w:.-]+")
_UNSAFE_SIGNS = re.compile(r"[^\w:.-]+")
_VOID = frozenset({"input", "source", "track", "embed", "param", "area"})


def is_safe_name(name: str) -> bool:
    """True for a name that no property of a page's document or window has: it holds a digit or a sign."""
    return len(name) <= _LONGEST and _SAFE.fullmatch(name) is not None


def keep_anchors(root: HtmlElement, base: str, kept: Collection[str]) -> None:
    """Of an article with absolute links, in place: leave ids where its own links lead, and fragments to these.

    Ids that could stand for something of a page that shows the article, such as `location`, get a longer name. Elements
    with tags that are not among the `kept` ones are renamed if links lead to them. O(n).
    """
    targets: dict[str, HtmlElement] = {}
    for element in root.iter("*"):
        for name in (element.attrib.pop("id", None), element.attrib.pop("name", None)):
            if name and element.tag not in _VOID:
                targets.setdefault(name, element)
    page = (resolve("#", base) or base).partition("#")[0]
    names: dict[HtmlElement, str] = {}
    taken: set[str] = set()
    for link in root.iter("a"):
        address, sign, fragment = (link.get("href") or "").partition("#")
        target = targets.get(unquote(fragment), targets.get(fragment)) if sign and address in (page, "") else None
        if target is None:
            continue
        if target not in names:
            names[target] = name = _safe_name(unquote(fragment), taken)
            taken.add(name)
            target.set("id", name)
            if target.tag not in kept:
                target.tag = "div" if target.tag in BLOCKS or next(target.iter(*BLOCKS), None) is not None else "span"
        link.set("href", f"#{names[target]}")


def _safe_name(name: str, taken: Collection[str]) -> str:
    name = _UNSAFE_SIGNS.sub("-", legal_text(name))[: _LONGEST // 2]
    name = name if is_safe_name(name) else f"section-{name.strip('_')}"
    return name if name not in taken else f"{name}-{len(taken)}"


def number_anchors(root: HtmlElement, html: str) -> None:
    """Give the ids of an article whose markup is `html` names that no other one on the same page has, in place."""
    prefix = f"n{crc32(html.encode('utf-8', 'replace')):08x}"
    places = [element for element in root.iter("*") if element.get("id")]
    names = {place.get("id"): f"{prefix}-{number}" for number, place in enumerate(places, 1)}
    for place in places:
        place.set("id", names[place.get("id")])
    for link in root.iter("a"):
        if (href := link.get("href") or "").startswith("#") and (name := names.get(unquote(href[1:]))):
            link.set("href", f"#{name}")
