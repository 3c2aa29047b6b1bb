"""Convert images, video and embedded documents of a copied tree to a form that can be archived.

Pages that load images by script (see `lazy`) have alternatives in `noscript`. Frames and plug-ins, which cannot be
archived, become links. All functions here change the tree that they are given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.dom.encoding import legal_text
from blogcrawler.dom.lazy import embedded, file_of, is_hollow, is_placeholder
from blogcrawler.dom.references import resolve

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_EMBEDDED = frozenset({"iframe", "frame", "embed", "object"})
#: Elements that scripts fill, besides custom elements.
_BOXES = frozenset({"div", "span", "p", "figure", "section", "code", "blockquote"})


def is_pixel(element: HtmlElement) -> bool:
    """True if an element is at most one pixel wide and high, such as images that count readers."""
    return all((element.get(name) or "").strip().removesuffix("px") in ("0", "1") for name in ("width", "height"))


def show_noscript_media(root: HtmlElement) -> None:
    """Replace each `noscript` with its images and frames that the page does not show elsewhere.

    An adjacent image that is a placeholder, or the same image in another size, gets the attributes of the image in the
    `noscript`. All `src` must be absolute. O(n).
    """
    fallbacks = list(root.iter("noscript"))
    if not fallbacks:
        return
    hidden = {media for fallback in fallbacks for media in fallback.iter("img", "iframe")}
    images = [image for image in root.iter("img", "iframe") if image not in hidden]
    sources = {image.get("src") for image in images} | {None}
    by_file = {(_holder(image), file_of(image.get("src") or "")): image for image in images if image.tag == "img"}
    for fallback in fallbacks:
        inside = [media for media in fallback.iter("img", "iframe") if not is_pixel(media)]
        beside = _beside(fallback)
        parent = fallback.getparent()
        empty(fallback)
        unseen = []
        for media in inside:
            file = file_of(media.get("src") or "")
            twin = _twin(file, beside) if media.tag == "img" else None
            if twin is None and media.tag == "img" and file:
                twin = by_file.get((parent, file))
            if twin is not None:
                twin.attrib.update(media.attrib)
            elif media.get("src") not in sources:
                unseen.append(media)
            sources.add(media.get("src"))
        _put(fallback, unseen)


def _holder(image: HtmlElement) -> HtmlElement | None:
    parent = image.getparent()
    return parent.getparent() if parent is not None and parent.tag == "picture" else parent


def _beside(fallback: HtmlElement) -> list[HtmlElement]:
    """The images directly before and after a `noscript`."""
    images = []
    for element in (fallback.getprevious(), fallback.getnext()):
        image = element.find("img") if element is not None and element.tag in ("picture", "span") else element
        if image is not None and image.tag == "img":
            images.append(image)
    return images


def _twin(file: str, beside: list[HtmlElement]) -> HtmlElement | None:
    """The image next to a `noscript` that is a placeholder or shows the same file."""
    sources = ((image, image.get("src")) for image in beside)
    return next((image for image, src in sources if is_placeholder(src) or (file and file_of(src or "") == file)), None)


def _put(fallback: HtmlElement, unseen: list[HtmlElement]) -> None:
    if unseen:
        fallback.tag = "span"
        for media in unseen:
            media.tail = None
            fallback.append(media)


def link_embedded(root: HtmlElement, base: str) -> None:
    """Replace frames, plug-ins and elements that scripts would fill by a link to the embedded page, or by its label."""
    framed = {frame.get("src") for frame in root.iter("iframe", "frame", "embed")}
    for element in list(root.iter("*")):
        if element.tag in _EMBEDDED:
            url = None if is_pixel(element) else _shown(element, base)
            if url is not None or element.tag != "object":
                _replace_by_link(element, url, "")
            continue
        may_be_filled = "-" in element.tag or (element.tag in _BOXES and element.attrib)
        if element.tag == "script" or (may_be_filled and is_hollow(element)):
            url, label = embedded(element, base)
            if (url or label) and url not in framed:
                _replace_by_link(element, url, label)


def _replace_by_link(element: HtmlElement, url: str | None, label: str) -> None:
    """Replace an element by a link or a label; by an empty element if there is neither."""
    empty(element)
    if url or label:
        element.tag, element.text = "a" if url else "span", legal_text(label or url or "")
    if url:
        element.set("href", legal_text(url))


def empty(element: HtmlElement) -> None:
    """Replace an element with an empty `script`, which `sanitise` drops; the text after it stays.

    Removing it would join the texts around it, which is quadratic for many in a row.
    """
    element.clear(keep_tail=True)
    element.tag = "script"


def _shown(element: HtmlElement, base: str) -> str | None:
    values = [element.get("src"), element.get("data")]
    if element.tag == "object":
        films = (param for param in element.iter("param") if (param.get("name") or "").lower() in ("movie", "src"))
        values.extend(param.get("value") for param in films)
        values.extend(embed.get("src") for embed in element.iter("embed"))
    values.extend(value for name, value in element.items() if name.startswith("data-") and "//" in value)
    return next(
        (url for value in values if value and not is_placeholder(value) and (url := resolve(value, base))), None
    )
