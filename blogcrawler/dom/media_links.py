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

from blogcrawler.dom.elements import without_comments
from blogcrawler.dom.lazy import backgrounds, styled_background
from blogcrawler.dom.references import largest
from blogcrawler.urls import is_page_like

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

MediaRole = Literal["image", "background", "audio", "video", "track", "attachment"]
"""Role of a file in the article; a link to a picture leads to an attachment."""

_PLAYERS: dict[str, MediaRole] = {"audio": "audio", "video": "video", "picture": "image"}
_MOST_TEXT = 500_000
"""Characters of style sheets that are read of a page."""
_MOST_RULES = 200
"""Rules of a page that name a picture."""
_LONGEST_SELECTOR = 1000
_COMBINATOR = re.compile(r"[\s>+~]+")
_SUBJECT = re.compile(r"([a-zA-Z][\w-]*)?((?:[.#]-?[a-zA-Z_][\w-]*)+)")
_NAMED = re.compile(r"[.#][\w-]+")


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


class _Rule(NamedTuple):
    """A picture, and which elements have it in their background."""

    url: str
    tag: str | None
    #: classes and ids, as selectors write them
    names: frozenset[str]


def sheet_backgrounds(page: HtmlElement, article: HtmlElement, base: str) -> Iterator[str]:
    """The absolute URLs of the pictures that elements inside an article have by a page's style sheets. O(n)."""
    rules: defaultdict[str, list[_Rule]] = defaultdict(list)
    for rule in islice(_rules(page, base), _MOST_RULES):
        rules[min(rule.names)].append(rule)
    if not rules:
        return
    for element in article.iter("*"):
        if element is not article:
            names = _names(element)
            wanted = (rule for name in sorted(names) for rule in rules.get(name, ()))
            yield from (rule.url for rule in wanted if rule.names <= names and rule.tag in (None, element.tag))


def _names(element: HtmlElement) -> set[str]:
    names = {f".{name}" for name in (element.get("class") or "").split()}
    return names | {f"#{name}" for name in (element.get("id"),) if name}


def _rules(page: HtmlElement, base: str) -> Iterator[_Rule]:
    left = _MOST_TEXT
    for sheet in page.iter("style"):
        text = (sheet.text or "")[:left]
        left -= len(text)
        if "url(" not in text:
            continue
        for told in without_comments(text).split("}"):
            head, _, body = told.rpartition("{")
            if "url(" in body and (url := styled_background(body, base)):
                selectors = head.rpartition("{")[2][-_LONGEST_SELECTOR:]  # what is before it is "@media …"
                yield from (_Rule(url, *subject) for one in selectors.split(",") if (subject := _subject(one)))


def _subject(selector: str) -> tuple[str | None, frozenset[str]] | None:
    """The element that a selector speaks of: its tag, and its classes and ids; None where it has none of these."""
    found = _SUBJECT.fullmatch(_COMBINATOR.split(selector.strip())[-1])
    return None if found is None else (found[1] and found[1].lower(), frozenset(_NAMED.findall(found[2])))
