"""Makes articles valid HTML 5: browsers tolerate violations of its content models, e-book readers may not."""

from __future__ import annotations

import re
from collections.abc import Mapping  # noqa: TC003  (serialise)
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from blogcrawler.errors import BadArgument
from blogcrawler.export.languages import language_tag
from blogcrawler.serialise import load_file
from blogcrawler.urls import canonicalise

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from lxml.html import HtmlElement

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_TRANSPARENT = ("a", "ins", "del")
"""Elements with a transparent content model."""
_PLAYERS = ("audio", "video")
_VOID = ("br", "hr", "img", "source", "wbr")
_WITHOUT_HEADINGS = ("th", "dt", "caption")
_FLAGS = ("controls", "loop", "reversed")
_COMMON = {"id": r"n[0-9a-f]{8}-\d+", "title": "(?s).*", "dir": "ltr|rtl|auto"}
_SCHEME = re.compile("[A-Za-z][A-Za-z0-9+.-]*:")
_STRAY_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")
_SAFE = "%/:?@!$&'()*+,;=~-._"


@dataclass(frozen=True)
class _Model:
    """Content models and attributes of elements, from `data/conforming.json`."""

    #: elements that are not phrasing content
    blocks: tuple[str, ...]
    #: elements that are replaced, with their replacements
    renamed: Mapping[str, str]
    #: required parents of parts of lists, tables and figures
    parents: Mapping[str, tuple[str, ...]]
    #: patterns of allowed attribute values, by element
    attributes: Mapping[str, Mapping[str, str]]


@cache
def _model() -> _Model:
    return load_file(_Model, __package__, "conforming.json")


def conform(root: HtmlElement) -> None:
    """Make a sanitised article valid in place, keeping all text and as much structure as possible. O(n) in the number
    of elements and their bounded depth."""
    for element in list(root.iter(*_model().renamed)):
        element.tag = _model().renamed[element.tag]
    _simplify(root)
    for element in list(root.iter("ul", "ol")):
        _fill_list(element)
    for element in list(root.iter("dl")):
        _check_description(element)
    for element in list(root.iter("table")):
        _order_table(element)
    _rename_strays(root)
    _separate_blocks(root)
    _check_ruby(root)
    places = {f"#{element.get('id')}" for element in root.iter("*")}
    for link in list(root.iter("a")):
        _check_link(link, places)
    for element in root.iter("*"):
        _check_attributes(element)
        if element.text is None and len(element) == 0 and element.tag not in _VOID:
            element.text = ""  # forces an end tag, for readers that parse the file as HTML


def web_address(url: str | None) -> str | None:
    """Return a valid http(s) URL (RFC 3986); None for other values."""
    if url is None:
        return None
    if url.startswith("mailto:"):
        return quote(_STRAY_PERCENT.sub("%25", url).encode("utf-8", "replace"), safe=_SAFE)
    try:
        host = urlsplit(canonicalise(url)).netloc
        parts = urlsplit(url.strip())
    except (BadArgument, ValueError):
        return None
    rest = [quote(_STRAY_PERCENT.sub("%25", part).encode("utf-8", "replace"), safe=_SAFE)
            for part in (parts.path, parts.query, parts.fragment)]  # fmt: skip
    path, query, fragment = rest
    return f"{parts.scheme}://{host}{path}{f'?{query}' if query else ''}{f'#{fragment}' if fragment else ''}"


def _simplify(root: HtmlElement) -> None:
    """Remove elements with special rules and little use in a book."""
    for element in list(root.iter("colgroup", "col", "rp", "track")):
        element.drop_tree()
    for element in list(root.iter("picture")):
        element.drop_tag()
    for source in list(root.iter("source")):
        if source.getparent().tag not in _PLAYERS:
            source.drop_tree()
    for player in root.iter(*_PLAYERS):
        player.text = None
        for child in list(player):
            child.tail = None
            if child.tag != "source" or player.get("src") is not None:
                player.remove(child)
    for element in root.iter("bdo"):
        if element.get("dir") not in ("ltr", "rtl"):
            element.tag = "span"


def _has_text(text: str | None) -> bool:
    """True if the text contains more than XML's white space."""
    return bool((text or "").strip(" \t\r\n"))


def _fill_list(element: HtmlElement) -> None:
    """Let a list contain only items: move other content to the item before."""
    if _has_text(element.text):
        first = element.makeelement("li")
        first.text, element.text = element.text, None
        element.insert(0, first)
    item = None
    for child in list(element):
        if child.tag != "li":
            if item is None:
                item = element.makeelement("li")
                child.addprevious(item)
            item.append(child)
        else:
            item = child
            if _has_text(child.tail):
                rest = child.makeelement("span")
                rest.text, child.tail = child.tail, None
                child.append(rest)


def _check_description(element: HtmlElement) -> None:
    """Keep a definition list only if it has nothing but terms and definitions, with a term first and a definition
    last."""
    kinds = [child.tag for child in element]
    text = "".join([element.text or "", *(child.tail or "" for child in element)])
    if set(kinds) != {"dt", "dd"} or kinds[0] != "dt" or kinds[-1] != "dd" or _has_text(text):
        element.tag = "div"


def _order_table(element: HtmlElement) -> None:
    """Order a table: the caption first, one head before the rows, one foot after them."""
    parts = [child for child in element if child.tag in ("thead", "tbody", "tfoot", "tr")]
    for number, part in enumerate(parts):
        is_in_order = {"thead": number == 0, "tfoot": number == len(parts) - 1}.get(part.tag, True)
        if not is_in_order:
            part.tag = "tbody"
    captions = list(element.iterchildren("caption"))
    for caption in captions[1:]:
        caption.tag = "div"
        element.addprevious(caption)
    if captions:
        element.insert(0, captions[0])


def _rename_strays(root: HtmlElement) -> None:
    """Replace stray parts of lists, tables and figures by blocks."""
    for element in list(root.iter(*_model().parents)):
        if element is not root and element.getparent().tag not in _model().parents[element.tag]:
            element.tag = "div"
    for figure in root.iter("figure"):
        kept = _caption(figure)
        for caption in figure.iterchildren("figcaption"):
            if caption is not kept:
                caption.tag = "div"
    for heading in list(root.iter(*_HEADINGS)):
        if next(heading.iterancestors(*_WITHOUT_HEADINGS), None) is not None:
            heading.tag = "p"
    for caption in list(root.iter("caption")):
        _unwrap(caption.iterdescendants("table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption"))


def _caption(figure: HtmlElement) -> HtmlElement | None:
    """Keep a figure's caption only if it is the first or last child."""
    if len(figure) and figure[0].tag == "figcaption" and not _has_text(figure.text):
        return figure[0]
    if len(figure) and figure[-1].tag == "figcaption" and not _has_text(figure[-1].tail):
        return figure[-1]
    return None


def _separate_blocks(root: HtmlElement) -> None:
    """Resolve block elements inside elements that allow only phrasing content: replace one of the two."""
    for element in list(root.iter("pre", *_HEADINGS)):
        _unwrap(element.iterdescendants(*_model().blocks))
    around = set()
    elements = list(root.iter(*_model().blocks))
    for element in elements:
        for ancestor in element.iterancestors():
            if ancestor in around:
                break
            around.add(ancestor)
    for element in around:
        if element is root or element.getparent() is None:
            continue
        if element.tag == "p":
            element.tag = "div"
        elif element.tag not in _model().blocks and element.tag not in _TRANSPARENT:
            element.drop_tag()


def _check_ruby(root: HtmlElement) -> None:
    """Let a ruby element contain only base text followed by annotations."""
    for ruby in list(root.iter("ruby")):
        parts = list(ruby.iterdescendants("rt", "ruby"))
        begins = _has_text(ruby.text) or (len(ruby) > 0 and ruby[0].tag != "rt")
        ends = len(ruby) > 0 and ruby[-1].tag == "rt" and not _has_text(ruby[-1].tail)
        if not (begins and ends and all(part.getparent() is ruby for part in parts)):
            ruby.tag = "span"
    for text in root.iter("rt"):
        if text.getparent().tag != "ruby":
            text.tag = "span"


def _unwrap(elements: Iterable[HtmlElement]) -> None:
    """Remove the elements, each replaced by a line break."""
    for element in list(elements):
        element.text = f"\n{element.text or ''}"
        element.drop_tag()


def _check_link(link: HtmlElement, places: Collection[str]) -> None:
    if next(link.iterdescendants("a", *_PLAYERS), None) is not None:
        link.drop_tag()
    elif (link.get("href") or "").startswith("#n") and link.get("href") not in places:
        del link.attrib["href"]
    elif _SCHEME.match(href := link.get("href") or ""):
        if (address := web_address(href)) is None:
            del link.attrib["href"]
        else:
            link.set("href", address)


def _check_attributes(element: HtmlElement) -> None:
    allowed = {**_COMMON, **_model().attributes.get(element.tag, {})}
    language = language_tag(element.get("lang"))
    for name, value in element.items():
        if name not in allowed or not re.fullmatch(allowed[name], value):
            del element.attrib[name]
        elif name in _FLAGS:
            element.set(name, name)
    if element.tag == "li" and element.getparent().tag != "ol":
        element.attrib.pop("value", None)
    if language is not None:
        element.set("lang", language)
        element.set("{http://www.w3.org/XML/1998/namespace}lang", language)
