"""Articles and comments for offline pages: they show archived files and load nothing from the web."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote

from blogcrawler.dom import fragment, sanitise_fragment
from blogcrawler.dom.anchors import number_anchors
from blogcrawler.dom.references import drop_sizes, sizes_of
from blogcrawler.errors import UNREADABLE
from blogcrawler.export.text import xml_text
from blogcrawler.urls import is_http

if TYPE_CHECKING:
    from lxml.html import HtmlElement

ABSENT = "absent"
"""CSS class of the placeholder of a picture, sound or film that is not archived."""
_KINDS = {"img": "Picture", "audio": "Sound", "video": "Film"}
_HEADINGS = ("h1", "h2", "h3", "h4", "h5")
_PARAGRAPHS = re.compile(r"\n\s*\n")
_LONGEST_NAME = 100


class Surroundings(Protocol):
    """Resolves the URLs of an article on the page that shows it, to relative URLs; None for targets that are not
    archived."""

    def shown(self, url: str) -> str | None:
        """Return the archived file that the page shows instead of the original."""

    def opened(self, url: str) -> str | None:
        """Return the target of a link to an archived page or file."""


def article(html: str | None, text: str | None, base: str, surroundings: Surroundings) -> HtmlElement:
    """Return a `div` with an article: sanitised again, with links to archived files and pages. `text` is used if there
    is no markup or it exceeds the parser's limits; `base` is the page's URL."""
    root = _parsed(html, text, base)
    for player in list(root.iter("audio", "video")):
        _localise_player(player, surroundings)
    for image in list(root.iter("img")):
        _localise_image(image, surroundings)
    for stray in list(root.iter("source", "track")):
        if stray.getparent().tag not in ("audio", "video", "picture"):
            stray.drop_tree()
    for link in root.iter("a"):
        _localise_link(link, surroundings)
    _lower_headings(root)
    return root


def _parsed(html: str | None, text: str | None, base: str) -> HtmlElement:
    try:
        if html:
            root = fragment(sanitise_fragment(html, base))
            number_anchors(root, html)
            return root
    except UNREADABLE:
        pass
    root = fragment("")
    for paragraph in _PARAGRAPHS.split(text or ""):
        if paragraph.strip():
            element = root.makeelement("p")
            element.text = xml_text(paragraph.strip())
            root.append(element)
    return root


def _localise_image(image: HtmlElement, surroundings: Surroundings) -> None:
    """Show the archived file of an image, the largest if there are several sizes."""
    local_url = next((kept for url in sizes_of(image) if (kept := surroundings.shown(url))), None)
    drop_sizes(image)
    if local_url is None:
        _stand_in(image, image.get("src") or "", image.get("alt") or "")
    else:
        image.set("src", local_url)
        image.set("alt", image.get("alt") or "")
        image.set("loading", "lazy")


def _localise_player(player: HtmlElement, surroundings: Surroundings) -> None:
    """Let a player use archived files only; remove its other sources."""
    addresses = [element.get("src") or "" for element in (player, *player.iter("source"))]
    for element in [player, *player.iter("source", "track")]:
        local_url = surroundings.shown(element.get("src") or "")
        if local_url is not None:
            element.set("src", local_url)
        elif element is player:
            player.attrib.pop("src", None)
        else:
            element.drop_tree()
    poster = surroundings.shown(player.attrib.pop("poster", ""))
    if player.get("src") is None and next(player.iter("source"), None) is None:
        _stand_in(player, next(filter(None, addresses), ""), "")
        return
    if poster is not None:
        player.set("poster", poster)
    player.set("controls", "")
    player.set("preload", "none")


def _stand_in(element: HtmlElement, url: str, description: str) -> None:
    """Replace a file that is not archived by a descriptive link to the original."""
    kind = _KINDS[element.tag]
    name = " ".join(description.split()) or unquote(url.partition("?")[0].rpartition("/")[2]) or url
    tail = element.tail
    is_linked = next(element.iterancestors("a"), None) is not None
    for child in list(element):
        element.remove(child)
    element.attrib.clear()
    element.tail = tail
    element.tag = "span" if is_linked or not is_http(url) else "a"
    if element.tag == "a":
        element.set("href", url)
    element.set("class", ABSENT)
    element.text = xml_text(f"[{kind} not archived: {name[:_LONGEST_NAME]}]" if name else f"[{kind} not archived]")


def _localise_link(link: HtmlElement, surroundings: Surroundings) -> None:
    url = link.get("href")
    link.attrib.pop("rel", None)
    if url is None or url.startswith("#"):
        return
    opened = surroundings.opened(url)
    if opened is not None:
        link.set("href", opened)
    elif is_http(url):
        link.set("rel", "noreferrer external")


def _lower_headings(root: HtmlElement) -> None:
    """Lower the level of headings, since the page's title is its only h1."""
    if next(root.iter("h1"), None) is not None:
        for heading in root.iter(*_HEADINGS):
            heading.tag = f"h{int(heading.tag[1]) + 1}"
