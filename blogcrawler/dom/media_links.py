"""Files that an article shows or links to: images, video, audio, downloads, and background images.

Background images come from the `style` attributes of elements, and from the page's `style` elements by classes and ids.
Only the last part of a selector is read: ".hero .photo" selects all elements with the class `photo`. Pseudo-classes and
pseudo-elements, such as `:hover` and `::before`, are left out, since they show icons, not images of articles.
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
"""End of a selector: the tag, and the classes and ids, of the elements that it selects."""
_MOST_RULES = 200
"""Maximum number of a page's rules with an image, and of their selectors."""
_NAMED = re.compile(r"[.#][\w-]+")
_PLAYERS: dict[str, MediaRole] = {"audio": "audio", "video": "video", "picture": "image"}


class MediaLink(NamedTuple):
    """A file, by its absolute URL without a fragment."""

    url: str
    role: MediaRole


def media_links(root: HtmlElement) -> list[MediaLink]:
    """The files of an article sanitised by `sanitise`, without duplicates, in document order. O(n).

    Each `srcset` gives its largest candidate, in addition to the `src`.
    """
    files = (MediaLink(url.partition("#")[0], role) for element in root.iter("*") for url, role in _files_of(element))
    return list({link.url: link for link in reversed(list(files)) if link.url}.values())[::-1]


def background_links(root: HtmlElement, base: str, page: HtmlElement | None = None) -> list[MediaLink]:
    """Background images of an article's elements, from their own `style` or from the page's style sheets. O(n)."""
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
    """Absolute URLs of the background images that a page's style sheets give to elements of an article. O(n)."""
    rules: defaultdict[str, list[tuple[set[str], str, str]]] = defaultdict(list)
    declared = sheet_rules(page, BACKGROUND, _MOST_RULES)
    pairs = ((selector.strip(), reference) for selectors, reference in declared for selector in selectors.split(","))
    for selector, reference in islice(pairs, _MOST_RULES):
        subject, url = _SUBJECT.search(selector), background(reference, base)
        if subject and url:
            names = set(_NAMED.findall(subject[2]))
            rules[min(names)].append((names, subject[1].lower(), url))
    for element in article.iterdescendants("*") if rules else ():
        names = {f".{name}" for name in (element.get("class") or "").split()} | {f"#{element.get('id')}"}
        wanted = (rule for name in sorted(names & rules.keys()) for rule in rules[name])
        yield from (url for needed, tag, url in wanted if needed <= names and tag in ("", element.tag))
