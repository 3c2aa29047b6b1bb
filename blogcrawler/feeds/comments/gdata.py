"""Blogger's feeds in JSON (`?alt=json`), turned back into the Atom that they are made from.

An element is an object: its attributes are texts, its own text is `$t`, its children are objects, or lists of them, and
`ns$name` is a name in the namespace that the feed declares as `xmlns$ns`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lxml import etree

from blogcrawler.dom import legal_text

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_ELEMENTS = 400_000
_ATOM = "http://www.w3.org/2005/Atom"
_NAME = re.compile(r"[A-Za-z_][\w.-]{0,60}")
_NAMESPACE = "xmlns$"
_PREFIX = re.compile(r"xmlns\$(?!ns\d|xml)[A-Za-z_][A-Za-z0-9_-]{0,30}", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[A-Za-z0-9./_-]{1,200}")


def as_atom(document: Mapping[str, Any]) -> str | None:
    """The feed as XML; None where the document is none. O(n)."""
    feed = document.get("feed")
    if not isinstance(feed, dict) or not str(feed.get("xmlns", _ATOM)).startswith(_ATOM):
        return None
    spaces = {
        name.removeprefix(_NAMESPACE): value
        for name, value in list(feed.items())[:50]
        if _PREFIX.fullmatch(name) and isinstance(value, str) and _ADDRESS.fullmatch(value)
    }
    names: dict[str | None, str] = {None: _ATOM}
    names.update(spaces)
    root = etree.Element(f"{{{_ATOM}}}feed", nsmap=names)  # type: ignore[arg-type]  # None is the default one's prefix
    waiting: list[tuple[etree._Element, Mapping[str, Any]]] = [(root, feed)]
    elements = 0
    while waiting:
        node, told = waiting.pop()
        for key, value in told.items():
            if isinstance(value, str):
                _write(node, key, value)
                continue
            name = _qualified(key, spaces)
            for one in value if isinstance(value, list) else [value]:
                if name is None or not isinstance(one, dict) or elements >= MOST_ELEMENTS:
                    continue
                elements += 1
                waiting.append((etree.SubElement(node, name), one))
    return etree.tostring(root, encoding="unicode")


def _write(node: etree._Element, key: str, value: str) -> None:
    if key == "$t":
        node.text = legal_text(value)
    elif _NAME.fullmatch(key) and not key.startswith("xmlns"):
        node.set(key, legal_text(value))


def _qualified(key: str, spaces: Mapping[str, str]) -> str | None:
    prefix, has_prefix, name = key.rpartition("$")
    if not _NAME.fullmatch(name) or (has_prefix and prefix not in spaces):
        return None
    return f"{{{spaces[prefix] if has_prefix else _ATOM}}}{name}"
