"""Files that an article shows or links to: pictures, films, sounds, downloads, and pictures in the background.

Backgrounds come from the `style` of elements, and from the page's `style` elements by classes and ids. Of a selector
the last part is read: ".hero .photo" stands for all that has the class `photo`. Pseudo-classes and pseudo-elements,
such as `:hover` and `::before`, show marks and icons, no pictures of articles; they are left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from blogcrawler.dom.lazy import BACKGROUND, background, backgrounds
from blogcrawler.dom.references import largest
from blogcrawler.dom.sheets import sheet_rules
from blogcrawler.urls import is_page_like

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

MediaRole = Literal["image", "background", "audio", "video", "track", "attachment"]
"""Role of a file in the article; a link to a picture leads to an attachment."""

_SUBJECT = re.compile(r"(?:^|[\s>+~])([a-zA-Z][\w-]*|)((?:[.#]-?[a-zA-Z_][\w-]*)+)$")
"""At the end of a selector: the tag, and the classes and ids, of the elements that it speaks of."""
_MOST_RULES = 200
"""Rules of a page that name a picture, and their selectors."""
_NAMED = re.compile(r"[.#][\w-]+")
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
    rules: defaultdict[str, list[tuple[set[str], str, str]]] = defaultdict(list)
    told = sheet_rules(page, BACKGROUND, _MOST_RULES)
    pairs = ((selector.strip(), reference) for selectors, reference in told for selector in selectors.split(","))
    for selector, reference in islice(pairs, _MOST_RULES):
        subject, url = _SUBJECT.search(selector), background(reference, base)
        if subject and url:
            names = set(_NAMED.findall(subject[2]))
            rules[min(names)].append((names, subject[1].lower(), url))
    for element in article.iterdescendants("*") if rules else ():
        names = {f".{name}" for name in (element.get("class") or "").split()} | {f"#{element.get('id')}"}
        wanted = (rule for name in sorted(names & rules.keys()) for rule in rules[name])
        yield from (url for needed, tag, url in wanted if needed <= names and tag in ("", element.tag))
