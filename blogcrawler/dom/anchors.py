"""Links that lead to a place in their own page.

Links within an article, such as those to its notes and back, stay fragments, and what they lead to has an `id`. Links
of headings to themselves are dropped: the signs ("¶", "#") from which readers copy the address of a section. These are
known by where they lead and what they say, not by their names: software gives them dozens.
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
#: What may bear such a link besides: entries of a glossary, captions, and what stands around a heading.
_BEARERS = HEADINGS | {"dt", "caption", "figcaption"}
_PICTURES = ("img", "picture", "video")
_NO_WORD = re.compile(r"[\W_]+")
#: Characters of a heading or link that are compared, and elements around one that may bear the name.
_MAX_WORDS = 300
_LEVELS = 3


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


def drop_permalinks(root: HtmlElement) -> None:
    """Drop from a tree, which is changed, the links of its headings to themselves.

    Such a link leads to a place in the page, and says nothing: no letter or digit. One with words goes, too, where they
    are the same at another heading or repeat the heading's. Signs that lead to another place of the article, such as
    its notes, stay, and so does a link that is all that the heading says. O(n).
    """
    links = [(link, bearer) for link in root.iter("a") if (bearer := _bearer(link)) is not None]
    if not links:
        return
    targets = {name: element for element in root.iter("*") for name in (element.get("id"), element.get("name")) if name}
    words = {element: _words(element) for element in {element for pair in links for element in pair}}
    often = Counter(words[link] for link, _ in links)
    for link, bearer in links:
        said = words[link]
        if next(link.iter(*_PICTURES), None) is not None or not _leads_to(bearer, link, targets):
            continue
        rest = words[bearer].replace(said, "", 1) if said else ""
        if not said or (rest and (often[said] > 1 or rest in said)):
            empty(link)


def _bearer(link: HtmlElement) -> HtmlElement | None:
    """The heading that a link to a place in a page is in, or that it stands right behind or before."""
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
    """True if a link leads to its heading, or to no place in the article at all."""
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
