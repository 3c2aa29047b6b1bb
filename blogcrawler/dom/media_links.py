"""Files that an article shows or links to: pictures, films, sounds, downloads, and pictures in the background.

Backgrounds come from the `style` of elements, and from the page's `style` elements by classes and ids. Of a selector
the last part is read: ".hero .photo" stands for all that has the class `photo`. Pseudo-classes and pseudo-elements,
such as `:hover` and `::before`, show marks and icons, no pictures of articles; they are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from blogcrawler.dom.lazy import BACKGROUND, background, backgrounds
from blogcrawler.dom.references import largest
from blogcrawler.dom.sheets import selected, sheet_rules
from blogcrawler.urls import is_page_like

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

MediaRole = Literal["image", "background", "audio", "video", "track", "attachment"]
"""Role of a file in the article; a link to a picture leads to an attachment."""

_PLAYERS: dict[str, MediaRole] = {"audio": "audio", "video": "video", "picture": "image"}


class MediaLink(NamedTuple):
    """A file, by its absolute URL without a fragment."""

    url: str
    role: MediaRole


def media_links(root: HtmlElement) -> list[MediaLink]:
    """The files of an article as `sanitise` has left it, each once, in the order of the document. O(n).

    Of each `srcset` the largest candidate counts, besides the source that is shown without it.
    """
    found = (MediaLink(url.partition("#")[0], role) for element in root.iter("*") for url, role in _files_of(element))
    return list({link.url: link for link in reversed(list(found)) if link.url}.values())[::-1]


def background_links(root: HtmlElement, base: str, page: HtmlElement | None = None) -> list[MediaLink]:
    """The pictures that elements of an article have in their background by their own `style`, or by a page's. O(n)."""
    urls = list(backgrounds(root, base))
    if page is not None:
        urls += sheet_backgrounds(page, root, base)
    return [MediaLink(url.partition("#")[0], "background") for url in dict.fromkeys(urls)]


def _files_of(element: HtmlElement) -> Iterator[tuple[str, MediaRole]]:
    match element.tag:
        case "img":
            yield from _sources(element, "image")
        case "audio":
            yield from _sources(element, "audio")
        case "video":
            yield element.get("poster") or "", "image"
            yield from _sources(element, "video")
        case "source":
            parent = element.getparent()
            yield from _sources(element, _PLAYERS.get(parent.tag if parent is not None else "", "image"))
        case "track":
            yield element.get("src") or "", "track"
        case "a":
            url = element.get("href") or ""
            if url.startswith(("http:", "https:")) and not is_page_like(url):
                yield url, "attachment"


def _sources(element: HtmlElement, role: MediaRole) -> Iterator[tuple[str, MediaRole]]:
    yield element.get("src") or "", role
    yield largest(element.get("srcset") or ""), role


def sheet_backgrounds(page: HtmlElement, article: HtmlElement, base: str) -> Iterator[str]:
    """The absolute URLs of the pictures that elements inside an article have by a page's style sheets. O(n)."""
    for selector, told in sheet_rules(page, BACKGROUND):
        subject = selector.split()[-1] if selector else ""
        if ("." in subject or "#" in subject) and (url := background(told, base)) and selected(article, subject):
            yield url
