"""Brings the pictures, films and embedded documents of a copied tree into a form that can be archived.

Pages load images late, by script, and keep their addresses in other attributes until then; what cannot be archived as
it stands (frames, plug-ins) is kept as a link. All functions here change the tree that they are given.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from blogcrawler.dom.references import resolve

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

__all__ = ["absolute_srcset", "empty", "link_embedded", "load_lazy", "show_noscript_images"]

#: Candidates of one image that are kept.
_MAX_CANDIDATES = 30
_CANDIDATE = re.compile(r"[\s,]*(\S*[^\s,])(?:\s+([\w.]{1,12}))?", re.ASCII)
_ADDRESS = re.compile(r"[^\s{\[<]\S*[./]\S*")
_EMBEDDED = ("iframe", "frame", "embed", "object")


def load_lazy(element: HtmlElement, base: str, lazy: Iterable[str], lazy_srcset: Iterable[str]) -> None:
    """Put the address that a script would load into `src` and `srcset`; the first of `lazy` that is one counts."""
    for attribute in lazy:
        value = (element.get(attribute) or "").strip()
        if _ADDRESS.fullmatch(value) and (url := resolve(value, base)):
            element.set("src", url)
            break
    for attribute in lazy_srcset:
        if value := absolute_srcset(element.get(attribute) or "", base):
            element.set("srcset", value)
            break


def absolute_srcset(value: str, base: str) -> str:
    """The candidates of a `srcset` with absolute URLs; empty when none is left."""
    found = []
    for number, match in enumerate(_CANDIDATE.finditer(value)):
        if number == _MAX_CANDIDATES:
            break
        if url := resolve(match[1], base):
            found.append(f"{url} {match[2]}" if match[2] else url)
    return ", ".join(found)


def show_noscript_images(root: HtmlElement) -> None:
    """Replace every `noscript` by the images in it that the page does not show otherwise; their `src` is absolute."""
    fallbacks = list(root.iter("noscript"))
    if not fallbacks:
        return
    hidden = {image for fallback in fallbacks for image in fallback.iter("img")}
    shown = {image.get("src") for image in root.iter("img") if image not in hidden} | {None}
    for fallback in fallbacks:
        images = [image for image in fallback.iter("img") if image.get("src") not in shown]
        shown.update(image.get("src") for image in images)
        before = fallback.getprevious()
        empty(fallback)
        if images and before is not None and before.tag == "img" and not before.get("src"):
            before.attrib.update(images.pop(0).attrib)
        if images:
            fallback.tag = "span"
            for image in images:
                image.tail = None
                fallback.append(image)


def link_embedded(root: HtmlElement, base: str) -> None:
    """Turn frames and plug-ins into links to what they show."""
    for element in list(root.iter(*_EMBEDDED)):
        url = _shown(element, base)
        if url is not None:
            element.clear(keep_tail=True)
            element.tag = "a"
            element.set("href", url)
            element.text = url
        elif element.tag != "object":
            empty(element)


def empty(element: HtmlElement) -> None:
    """Take everything from an element but what follows it; an empty `script` stays, which sanitising drops.

    Cheaper than removing it, which joins the texts around it: with many in a row that would be quadratic.
    """
    element.clear(keep_tail=True)
    element.tag = "script"


def _shown(element: HtmlElement, base: str) -> str | None:
    """The URL of what a frame or plug-in shows."""
    values = [element.get("src"), element.get("data")]
    if element.tag == "object":
        films = (param for param in element.iter("param") if (param.get("name") or "").lower() in ("movie", "src"))
        values.extend(param.get("value") for param in films)
        values.extend(embed.get("src") for embed in element.iter("embed"))
    return next((url for value in values if value and (url := resolve(value, base))), None)
