"""Sanitise a node of an untrusted page to HTML that an archive can store and show.

Allowed elements and attributes are in `data/sanitiser.json`. Only classes that name a programming language are kept (on
`code` and `pre`, for syntax highlighting); all others belong to the blog's style sheet. Only ids to which links of the
article lead are kept (see `anchors`), since others may clash with ids of the page that shows the article.
"""

from __future__ import annotations

import re
from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING, Any

import nh3
from lxml import etree

from blogcrawler.dom.anchors import is_safe_name, keep_anchors
from blogcrawler.dom.encoding import legal_text
from blogcrawler.dom.lazy import load_late
from blogcrawler.dom.media import empty, is_pixel, link_embedded, show_noscript_media
from blogcrawler.dom.parse import fragment
from blogcrawler.dom.references import absolute_srcset, resolve, widest
from blogcrawler.dom.text import inline_text, shown_text
from blogcrawler.serialise import load_file

if TYPE_CHECKING:
    from lxml.html import HtmlElement

#: Deeper elements are replaced by their text: the sanitiser is quadratic in depth.
_MAX_DEPTH = 200

_SCHEMES = {"http", "https", "mailto"}
_MAIL = re.compile(r"mailto:[^\s<>\"']{1,500}", re.IGNORECASE)
_WEB = re.compile(r"https?://", re.IGNORECASE)
_LANGUAGE_CLASS = re.compile(r"lang(?:uage)?-[\w+#.-]{1,40}", re.ASCII)
_REFERENCES = frozenset({"href", "src", "poster", "cite"})
#: Elements that are kept with their content; of other nodes only the content is kept.
_KEPT_WHOLE = frozenset({"table", "ul", "ol", "dl", "pre", "figure", "picture", "img", "video", "audio", "blockquote"})
#: Dropped elements that do not end a list item or paragraph around them (HTML Standard, "special" and "scope").
_UNWRAPPED = ("object", "marquee", "button", "fieldset", "form", "dialog", "search")
_LONGEST = 16_384
_TABLE_PARTS = frozenset({"tbody", "thead", "tfoot", "tr"})
_RENAMED = {
    "listing": "pre", "xmp": "pre", "plaintext": "pre", "textarea": "pre", "menu": "ul", "dir": "ul",
    "amp-video": "video", "amp-audio": "audio", "amp-iframe": "iframe",
}  # fmt: skip


def sanitise(node: HtmlElement, base_url: str) -> str:
    """The content of `node` (its inner HTML) without scripts and other active content; `node` is not changed.

    A node that is a list, table, figure, quotation or preformatted text is kept with its own element. All URLs are
    absolute http, https or (in links) mailto URLs; links within the article are fragments. Images that a script would
    load, or that are in `noscript`, are shown. Frames, plug-ins and embedded pages become links; drawings and check
    boxes become text. `base_url` is the base of the page's references (`links.base_url`). Sanitising the result again
    changes nothing. O(n).
    """
    rules = _rules()
    root = _container(node)
    # lxml creates a Python object for an element unless one exists: keeping all of them makes the passes below faster.
    alive = list(root.iter())
    load_late(root, base_url)
    _make_absolute(root, base_url)
    show_noscript_media(root)
    link_embedded(root, base_url)
    for element in [node for node in root.iter("svg", "input") if next(node.iterancestors("svg"), None) is None]:
        if text := shown_text(element):
            element.clear(keep_tail=True)
            element.text = f"{text} "
            element.tag = "span"
    for element in list(root.iter(*rules["dropped"])):
        empty(element)
    for element in list(root.iter("img")):
        _give_source(element)
    if len(alive) > _MAX_DEPTH:
        _flatten(root)
    _unnest_links(root)
    keep_anchors(root, base_url, rules["tags"])
    for element in root.iter("pre"):
        # Parsers ignore a line end directly after the tag.
        element.text = legal_text(element.text or "").lstrip("\n")
    for element in root.iter("*"):
        if element.text is None and len(element) == 0:
            # libxml2 omits the end tag of an empty `p` or `li`, but not if its text is an empty string.
            element.text = ""
    del alive
    _divide_long(root)
    html = _clean(root)
    # Without these elements, a list item may directly contain a list item, which a parser would split.
    return _inner(_clean(fragment(html)[0]) if next(root.iter(*_UNWRAPPED), None) is not None else html)


def _clean(root: HtmlElement) -> str:
    return _cleaner().clean(etree.tostring(root, encoding="unicode", method="html"))


def sanitise_fragment(html: str, base_url: str) -> str:
    """`sanitise` for a piece of markup, such as a feed's content. Raises `PageTooComplex` past the parser's bounds."""
    return sanitise(fragment(html), base_url)


def _container(node: HtmlElement) -> HtmlElement:
    """A `div` with a copy of the content of `node`, or of `node` itself."""
    copy = deepcopy(node)
    copy.tail = None
    for element in copy.iter(*_RENAMED):
        element.tag = _RENAMED[element.tag]
    if copy.tag in _KEPT_WHOLE or copy.tag in _TABLE_PARTS:
        container = copy.makeelement("div")
        parent = etree.SubElement(container, "table") if copy.tag in _TABLE_PARTS else container
        parent.append(copy)
        return container
    copy.tag = "div"
    copy.attrib.clear()
    return copy


def _make_absolute(root: HtmlElement, base: str) -> None:
    for element in root.iter("*"):
        for attribute, value in element.items():
            if attribute in _REFERENCES:
                url = resolve(value, base)
                if url is None and attribute == "href" and _MAIL.fullmatch(value.strip()):
                    url = value.strip()
                _set(element, attribute, url, value)
            elif attribute == "srcset":
                _set(element, attribute, absolute_srcset(value, base), value)


def _set(element: HtmlElement, attribute: str, value: str | None, old: str) -> None:
    if not value:
        del element.attrib[attribute]
    elif value != old:
        element.set(attribute, legal_text(value))


def _give_source(image: HtmlElement) -> None:
    """Give an image a `src` from its `srcset`; drop images without a source, and pixels."""
    if is_pixel(image):
        empty(image)
    if image.get("src"):
        return
    parent = image.getparent()
    sets = [image.get("srcset")]
    if parent is not None and parent.tag == "picture":
        sets.extend(source.get("srcset") for source in parent.iterchildren("source"))
    src = next((url for value in sets if value and (url := widest(value))), None)
    if src:
        image.set("src", src)
    else:
        empty(image)


def _unnest_links(root: HtmlElement) -> None:
    """Unwrap links within links, which parsers would separate."""
    for link in list(root.iter("a")):
        for inner in list(link.iterdescendants("a")):
            inner.drop_tag()


def _flatten(root: HtmlElement) -> None:
    deep = []
    walk = etree.iterwalk(root, events=("start", "end"))
    depth = 0
    for event, element in walk:
        depth += 1 if event == "start" else -1
        if event == "start" and depth > _MAX_DEPTH and len(element):
            deep.append(element)
            walk.skip_subtree()
    for element in deep:
        text, tag = inline_text(element), element.tag
        element.clear(keep_tail=True)
        element.tag, element.text = tag, legal_text(text)


def _divide_long(root: HtmlElement) -> None:
    """Divide long texts by comments, which the sanitiser drops, and drop long attributes: in both it is quadratic."""
    for node in list(root.iter()):
        for name in [name for name, value in node.items() if len(value) > _LONGEST]:
            del node.attrib[name]
        if node.text and len(node.text) > _LONGEST and isinstance(node.tag, str):
            node.text = _divide(node.text, node, 0)
        if node.tail and len(node.tail) > _LONGEST and node is not root:
            node.tail = _divide(node.tail, node.getparent(), node.getparent().index(node) + 1)


def _divide(text: str, parent: HtmlElement, place: int) -> str:
    """The beginning of a text; inserts the rest into `parent` at `place`, divided by comments."""
    for begin in reversed(range(_LONGEST, len(text), _LONGEST)):
        comment = etree.Comment()
        comment.tail = text[begin : begin + _LONGEST]
        parent.insert(place, comment)
    return text[:_LONGEST]


def _inner(html: str) -> str:
    return html.removeprefix("<div>").removesuffix("</div>")


def _keep_attribute(_tag: str, attribute: str, value: str) -> str | None:
    """The value of an attribute, or None: checks of the parsed markup that the sanitiser does not make."""
    if attribute == "id":
        return value if is_safe_name(value) else None
    if attribute == "class":
        return " ".join(filter(_LANGUAGE_CLASS.fullmatch, value.split())) or None
    if attribute == "cite" and not _WEB.match(value):
        return None
    if attribute == "srcset" and not all(_WEB.match(part) for part in value.split(", ")):
        return None
    return value


@cache
def _rules() -> dict[str, Any]:
    return load_file(dict[str, Any], __package__, "sanitiser.json")


@cache
def _cleaner() -> nh3.Cleaner:
    rules = _rules()
    return nh3.Cleaner(
        tags=set(rules["tags"]),
        clean_content_tags=set(rules["dropped"]) - set(rules["tags"]),
        attributes={tag: set(names) for tag, names in rules["attributes"].items()},
        attribute_filter=_keep_attribute,
        url_schemes=_SCHEMES,
        link_rel=None,
    )
