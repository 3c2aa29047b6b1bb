"""Links of headings to themselves: the signs ("¶", "#") from which a reader copies the address of a section.

They are known by where they lead and what they say, not by their names: software gives them dozens.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import unquote

from blogcrawler.dom.media import empty

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
#: What may bear such a link besides: entries of a glossary, captions, and what stands around a heading.
_BEARERS = _HEADINGS | {"dt", "caption", "figcaption"}
_PICTURES = ("img", "picture", "video")
_NO_WORD = re.compile(r"[\W_]+")
#: Characters of a heading or link that are compared, and elements around one that may bear the name.
_MAX_WORDS = 300
_LEVELS = 3


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
    return next((element for element in beside if element is not None and element.tag in _HEADINGS), None)


def _leads_to(bearer: HtmlElement, link: HtmlElement, targets: dict[str, HtmlElement]) -> bool:
    """Does a link lead to its heading, or to no place in the article at all?"""
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
