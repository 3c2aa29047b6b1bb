"""Images and video that a page's script would load: until then, their URLs are in other attributes.

The names of such attributes that loaders use are in `data/media.json`. For an image that is a
placeholder, any other attribute with the URL of an image file is used, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blogcrawler.dom.encoding import legal_text
from blogcrawler.dom.references import MAX_URL_LENGTH, absolute_srcset, candidates, resolve
from blogcrawler.serialise import load_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from lxml.html import HtmlElement

_LOADED = frozenset({"img", "source", "iframe", "video", "audio", "embed"})
#: Elements whose background image may be part of the article.
_EMPTY_BOXES = frozenset({"div", "span", "a", "figure", "section", "p", "li", "i"})
_NO_PICTURE = ("img", "picture", "video", "audio", "iframe", "object", "embed", "svg", "canvas")
#: Maximum number of elements in a box that counts as empty.
_FEW = 10
_PATH_END = re.compile(r"[?#]")
_LETTERS = re.compile(r"[a-z]+")
_PIXEL = re.compile(r"(?<!\d)1x1(?!\d)")
_SIZE = re.compile(r"(?:[-_]\d{2,4}x\d{2,4}|@[23]x)(?=\.\w{3,5}\Z)", re.ASCII)
BACKGROUND = re.compile(r"background(?:-image)?\s*:[^;]{0,200}?url\(\s*[\"']?([^\"')]{1,2083})", re.IGNORECASE)
_IN_CSS = re.compile(r"\s*url\(\s*[\"']?([^\"')]{1,2083})", re.IGNORECASE)
_ABSOLUTE = re.compile(r"(?:https?:)?//\w", re.IGNORECASE)
#: Attributes other than `id` that contain an identifier, and the form of identifiers.
_CODED = re.compile(r".id$|(?:code|video|embed|hash|youtube|vimeo)$")
_DIGIT = re.compile(r"\d")
_CODE = re.compile(r"[\w/-]{4,80}", re.ASCII)
#: The form of identifiers in the names of scripts; names of libraries have at most a version number.
_IDENTIFIER = re.compile(r"[0-9]{1,20}|(?=[^0-9]{0,40}[0-9][^0-9]{0,40}[0-9])[0-9A-Za-z_-]{8,80}")
#: Maximum number of characters of a `style` that are read.
_MAX_STYLE = 5_000


def load_late(root: HtmlElement, base: str) -> None:
    """Show the media that scripts would load, and the background images of empty boxes. O(n)."""
    names = _names()
    for element in list(root.iter("*")):
        attributes = element.keys()
        if not attributes:
            continue
        if "-" in element.tag:
            if (image := _as_image(element)) is not None:
                _load(image, attributes, base)
        elif element.tag in _LOADED:
            _load(element, attributes, base)
        elif element.tag in _EMPTY_BOXES and ("style" in attributes or not names.backgrounds.isdisjoint(attributes)):
            _show_background(element, base)


def backgrounds(root: HtmlElement, base: str) -> Iterator[str]:
    """The absolute URLs of the background images in the elements' own `style`. O(n)."""
    for element in root.iter("*"):
        if (style := element.get("style")) and (url := background(_styled(style), base)):
            yield url


def background(reference: str | None, base: str) -> str | None:
    """The absolute URL of the image in a CSS declaration."""
    return _address(reference, base) if reference is not None else None


def is_placeholder(src: str | None) -> bool:
    """True if a source is empty or a placeholder for an image that is loaded later."""
    src = (src or "").strip().lower()
    if src.startswith(("data:", "about:", "javascript:", "blob:")) or not src.strip("#/:?"):
        return True
    stem = file_of(src).rpartition(".")[0]
    words = _LETTERS.findall(stem)
    return bool(_PIXEL.search(stem)) or (bool(words) and _names().placeholder_words.issuperset(words))


def file_of(url: str) -> str:
    """The name of the image file in a URL, without a size; empty for other URLs."""
    path = _PATH_END.split(url, maxsplit=1)[0]
    name = path.rpartition("/")[2].lower()
    return _SIZE.sub("", name) if name.rpartition(".")[2] in _names().image_types else ""


def embedded(element: HtmlElement, base: str) -> tuple[str | None, str]:
    """The absolute URL and the label of the page that a script embeds; empty if there is none. The page is given by a
    URL, or by a service and an identifier, also in an element without content."""
    if element.tag == "script":
        return _scripted(element, base), ""
    names, is_own = _names(), "-" in element.tag
    label = next((value for name in names.label if (value := " ".join((element.get(name) or "").split()))), "")
    for name, value in element.items():
        may_refer = is_own or name == "cite" or name.startswith("data-")
        if may_refer and (_ABSOLUTE.match(value) or name in ("src", "href")):
            url = _address(value, base)
            if url is not None and url.partition("#")[0] != base.partition("#")[0]:
                return url, label
    return _of_service(element), label if is_own else ""


def _of_service(element: HtmlElement) -> str | None:
    """The URL of a service's page for an identifier in an attribute. The service is named by the value
    (`spotify:track:…`), the attribute, the tag or the class."""
    services = _names().services
    usual = _service_in(f"{element.tag} {element.get('class') or ''}")
    for name, value in element.items():
        prefix, _, path = value.partition(":")
        code = path.replace(":", "/") or value
        own = services.get(prefix if path else name.removeprefix("data-").removesuffix("-id"))
        page = (own if _DIGIT.search(code) else None) or (usual if _CODED.search(name) else None)
        if page is not None and _CODE.fullmatch(code):
            return page.format(code, user=element.get("data-user") or "anon")
    return None


def _service_in(words: str) -> str | None:
    """The URL template of the first service that is named in `words`."""
    services = _names().services
    return next((services[word] for word in _LETTERS.findall(words.lower()) if word in services), None)


def _scripted(script: HtmlElement, base: str) -> str | None:
    """The page that a script of another site embeds. The page's name is a number or hash, which shows that the site has
    many such pages."""
    url = resolve(script.get("src") or "", base)
    if url is None or urlsplit(url).hostname == urlsplit(base).hostname:
        return None
    folder, _, name = urlsplit(url).path.strip("/").rpartition("/")
    page = name.removesuffix(".js")
    is_one = page != name and _IDENTIFIER.fullmatch(page) and (folder or _service_in(urlsplit(url).netloc))
    return url.replace(f"/{name}", f"/{page}") if is_one else _of_service(script)


def _load(element: HtmlElement, attributes: Collection[str], base: str) -> None:
    names = _names()
    has_source = False
    if not names.lazy.isdisjoint(attributes):
        has_source = _load_source(element, base)
        for name in names.srcset:
            if value := absolute_srcset(element.get(name) or "", base):
                element.set("srcset", legal_text(value))
                break
    if element.tag == "img" and not has_source:
        _replace_placeholder(element, base)
    srcset = element.get("srcset")
    if srcset is not None and all(is_placeholder(url) for url, _ in candidates(srcset)):
        del element.attrib["srcset"]


def _load_source(element: HtmlElement, base: str) -> bool:
    for name in _names().src:
        if (value := element.get(name)) and (url := _address(value, base)):
            element.set("src", legal_text(url))
            return True
    return False


def _replace_placeholder(image: HtmlElement, base: str) -> None:
    """Give a placeholder image the source from another attribute or from the link around it."""
    if not is_placeholder(image.get("src")):
        return
    if url := _other_source(image, base):
        image.set("src", legal_text(url))
    elif image.get("src") is not None and absolute_srcset(image.get("srcset") or "", base):
        del image.attrib["src"]


def _other_source(image: HtmlElement, base: str) -> str | None:
    """The image file in another attribute, or to which the image is a link."""
    for name, value in image.items():
        may_refer = ("-" in name or "src" in name) and not name.startswith("aria-") and name not in ("src", "srcset")
        if may_refer and _names().preview_words.isdisjoint(_LETTERS.findall(name)) and (url := _image(value, base)):
            return url
    parent = image.getparent()
    return _image(parent.get("href") or "", base) if parent is not None and parent.tag == "a" else None


def _address(value: str, base: str) -> str | None:
    """The URL in an attribute; None for settings, JSON or a URL template."""
    value = value.strip()
    if len(value) > MAX_URL_LENGTH or value.startswith("[") or not ("." in value or "/" in value):
        return None
    if any(character in "{}<>" for character in value) or (len(value.split()) > 1 and not file_of(value)):
        return None
    return None if is_placeholder(value) else resolve(value, base)


def _image(value: str, base: str) -> str | None:
    return _address(value, base) if "/" in _PATH_END.split(value, maxsplit=1)[0] and file_of(value) else None


def _as_image(element: HtmlElement) -> HtmlElement | None:
    """The image of a custom element (`amp-img`); the element becomes a `span` around it."""
    kind = element.tag.rpartition("-")[2]
    sources = (element.get("src"), element.get("data-src"))
    if kind not in ("img", "image", "anim") and not any(value and file_of(value) for value in sources):
        return None
    image: HtmlElement = element.makeelement("img", dict(element.attrib))
    image.tail, element.text = element.text, None
    element.tag = "span"
    element.attrib.clear()
    element.insert(0, image)
    return image


def _show_background(element: HtmlElement, base: str) -> None:
    """Add the background image of an empty box to it as an `img`."""
    names = _names()
    declared = [] if names.backgrounds.isdisjoint(element.keys()) else map(element.get, sorted(names.backgrounds))
    values = [_in_css(value) for value in declared if value]
    if styled := _styled(element.get("style")):
        values.append(styled)
    url = next((url for value in values if (url := _address(value, base))), None)
    if url is not None and is_hollow(element):
        image = element.makeelement("img", {"src": legal_text(url)})
        if label := element.get("aria-label") or element.get("title"):
            image.set("alt", label)
        element.append(image)


def _styled(style: str | None) -> str | None:
    """The reference to the background image in a `style`."""
    if not style or "url(" not in style:
        return None
    match = BACKGROUND.search(style[:_MAX_STYLE])
    return match[1] if match else None


def _in_css(value: str) -> str:
    match = _IN_CSS.match(value[:MAX_URL_LENGTH])
    return match[1] if match else value


def is_hollow(element: HtmlElement) -> bool:
    """True for an element with few elements in it, and without text and media."""
    inside = list(islice(element.iter(), _FEW + 1))
    if len(inside) > _FEW or any(node.tag in _NO_PICTURE for node in inside):
        return False
    return not any(text.strip() for text in element.itertext())


@dataclass(frozen=True)
class _Names:
    src: tuple[str, ...]
    srcset: tuple[str, ...]
    backgrounds: frozenset[str]
    placeholder_words: frozenset[str]
    preview_words: frozenset[str]
    image_types: frozenset[str]
    label: tuple[str, ...]
    services: dict[str, str]

    @cached_property
    def lazy(self) -> frozenset[str]:
        """Attributes with one URL or several."""
        return frozenset(self.src + self.srcset)


@cache
def _names() -> _Names:
    return load_file(_Names, __package__, "media.json")
