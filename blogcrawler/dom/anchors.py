"""Links to fragments of their own page.

Links within an article, such as those to its footnotes and back, stay fragments, and their targets get an `id`. Links
of headings to themselves ("¶", "#"), from which readers copy the URL of a section, are dropped. They are recognised by
target and text, not by class names, since software uses dozens of these.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import unquote
from zlib import crc32

from blogcrawler.dom.encoding import legal_text
from blogcrawler.dom.media import empty
from blogcrawler.dom.references import resolve
from blogcrawler.dom.tags import BLOCKS, HEADINGS

if TYPE_CHECKING:
    from collections.abc import Collection

    from lxml.html import HtmlElement

_LONGEST = 200
_SAFE = re.compile(r"(?=[^\W\d_]*[\d_:.-])(?!__)[\w:.-]+")
_UNSAFE_SIGNS = re.compile(r"[^\w:.-]+")
_VOID = frozenset({"input", "source", "track", "embed", "param", "area"})
#: Other elements that may have such a link: glossary terms and captions.
_BEARERS = HEADINGS | {"dt", "caption", "figcaption"}
_PICTURES = ("img", "picture", "video")
_NO_WORD = re.compile(r"[\W_]+")
#: Characters of a heading or link that are compared, and levels between a heading and the element with its id.
_MAX_WORDS = 300
_LEVELS = 3


def is_safe_name(name: str) -> bool:
    """True for a name that cannot clash with a property of `document` or `window`: it contains a digit or a sign."""
    return len(name) <= _LONGEST and _SAFE.fullmatch(name) is not None


def keep_anchors(root: HtmlElement, base: str, kept_tags: Collection[str]) -> None:
    """Keep only the ids to which an article's own links lead, and make these links fragments; in place.

    Links must be absolute. Ids that may clash with names of a page that shows the article, such as `location`, get a
    longer name. Targets whose tag is not in `kept_tags` become a `div` or `span`. O(n).
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
            if target.tag not in kept_tags:
                target.tag = "div" if target.tag in BLOCKS or next(target.iter(*BLOCKS), None) is not None else "span"
        link.set("href", f"#{names[target]}")


def _safe_name(name: str, taken: Collection[str]) -> str:
    name = _UNSAFE_SIGNS.sub("-", legal_text(name))[: _LONGEST // 2]
    name = name if is_safe_name(name) else f"section-{name.strip('_')}"
    return name if name not in taken else f"{name}-{len(taken)}"


def number_anchors(root: HtmlElement, html: str) -> None:
    """Rename the ids of an article with the markup `html`, in place: unique also on a page with several articles."""
    prefix = f"n{crc32(html.encode('utf-8', 'replace')):08x}"
    places = [element for element in root.iter("*") if element.get("id")]
    names = {place.get("id"): f"{prefix}-{number}" for number, place in enumerate(places, 1)}
    for place in places:
        place.set("id", names[place.get("id")])
    for link in root.iter("a"):
        if (href := link.get("href") or "").startswith("#") and (name := names.get(unquote(href[1:]))):
            link.set("href", f"#{name}")


def drop_permalinks(root: HtmlElement) -> None:
    """Drop the links of headings to themselves, in place.

    Such a link leads to a fragment, and its text has no letter or digit. A link with words is dropped, too, if another
    heading has a link with the same words, or if they repeat the heading's. Signs that lead to another part of the
    article, such as its footnotes, stay; so does a link that is the heading's whole text. O(n).
    """
    links = [(link, bearer) for link in root.iter("a") if (bearer := _bearer(link)) is not None]
    if not links:
        return
    targets = {name: element for element in root.iter("*") for name in (element.get("id"), element.get("name")) if name}
    words = {element: _words(element) for element in {element for pair in links for element in pair}}
    often = Counter(words[link] for link, _ in links)
    for link, bearer in links:
        text = words[link]
        if next(link.iter(*_PICTURES), None) is not None or not _leads_to(bearer, link, targets):
            continue
        rest = words[bearer].replace(text, "", 1) if text else ""
        if not text or (rest and (often[text] > 1 or rest in text)):
            empty(link)


def _bearer(link: HtmlElement) -> HtmlElement | None:
    """The heading to which a link to a fragment belongs: around it, or directly before or after it."""
    if "#" not in (link.get("href") or ""):
        return None
    for above in link.iterancestors():
        if above.tag in _BEARERS:
            return above
        if above.tag not in ("span", "small", "sup", "strong", "em", "b", "i"):
            break
    beside = (link.getprevious(), link.getnext())
    return next((element for element in beside if element is not None and element.tag in HEADINGS), None)


def _leads_to(bearer: HtmlElement, link: HtmlElement, targets: dict[str, HtmlElement]) -> bool:
    """True if a link leads to its heading, or to a fragment that does not exist in the article."""
    page, _, name = (link.get("href") or "").partition("#")
    target = targets.get(name, targets.get(unquote(name)))
    if target is None:
        return not page
    if target is link or target in (bearer.getprevious(), bearer.getnext()):
        return True
    inside = target
    for _ in range(_LEVELS):
        if inside is bearer:
            return True
        if (inside := inside.getparent()) is None:
            break
    return any(above is target for above, _ in zip(bearer.iterancestors(), range(_LEVELS), strict=False))


def _words(element: HtmlElement) -> str:
    """The letters and digits of an element, in lower case."""
    return _NO_WORD.sub("", "".join(element.itertext())).lower()[:_MAX_WORDS]
