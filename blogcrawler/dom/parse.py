"""From the bytes of a page to the tree that a browser would build of it, as lxml elements.

lexbor, a parser by the letter of the HTML Standard, builds the tree; its serialisation is read by libxml2, which gives
lxml's interface to it. Rules learned on a page as a browser rendered it therefore fit the same page as it was fetched.
"""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from typing import TYPE_CHECKING

from lxml import etree
from lxml.html import HtmlComment, HtmlElement, HTMLParser, HtmlProcessingInstruction
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from blogcrawler.dom.encoding import decode, legal_bytes, legal_text
from blogcrawler.dom.guards import MAX_BYTES, check, is_safe_for_html5
from blogcrawler.dom.lazy import is_placeholder
from blogcrawler.dom.repairs import balance_noscript, close_voids, disguise, repair, undisguise
from blogcrawler.dom.written import restore
from blogcrawler.errors import UNREADABLE, NotAWebPage, PageTooComplex
from blogcrawler.time_limit import time_limit

if TYPE_CHECKING:
    from blogcrawler.items import Page

#: Beginnings of files that servers send under the name of a page.
_BINARY = (
    b"\x89PNG\r\n", b"GIF87a", b"GIF89a", b"\xff\xd8\xff", b"%PDF-", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08",
    b"RIFF", b"OggS", b"ID3\x02", b"ID3\x03", b"ID3\x04", b"\x7fELF", b"wOFF", b"wOF2", b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07", b"BZh91AY&SY", b"\x28\xb5\x2f\xfd", b"\xd0\xcf\x11\xe0", b"\x00\x00\x01\x00", b"MZ\x90\x00",
    b"SQLite format 3\x00", b"\x1aE\xdf\xa3", b"fLaC", b"II*\x00", b"MM\x00*", b"\xfd7zXZ\x00",
)  # fmt: skip
#: More than a few NULs, and more than one in so many characters, make a body binary.
_FEW_NULS = 16
_CHARACTERS_PER_NUL = 10
#: lexbor's serialisation is longer than the page (implied tags, escapes), but not by more than this.
_GROWTH = 8
_GROWTH_BYTES = 1024 * 1024

_BODY = "<!DOCTYPE html><body>"

#: lxml.html's own look-up asks Python for the class of each element, so that forms get methods that nobody here calls
_CLASSES = etree.ElementDefaultClassLookup(element=HtmlElement, comment=HtmlComment, pi=HtmlProcessingInstruction)


@time_limit()
def parse(body: bytes | str, *, content_type: str | None = None) -> HtmlElement:
    """The `html` element of the page in `body`, which always has a `head` and a `body`.

    The tree is the one that a browser with scripts switched on builds before any script runs, but for the content of
    `noscript`, which stands in it as elements, too; one with a listing, which a script would draw, is a `div`, and so
    is a frame with its document in `srcdoc`. What software has replaced is as it was written (see `written`): formulas
    are TeX. Names are lower-case; `tag` of comments is no string. Pages past the bounds of HTML5 parsing (see `guards`)
    are read by libxml2 alone, which follows the standard less closely, and elements nested deeper than 2,048 are cut
    off. `content_type` is the value of the HTTP header.

    Raises `NotAWebPage` for a body without text or markup and for files that are no text, `PageTooComplex` for one past
    the bounds, also of time. O(n) in the size of the body.
    """
    if len(body) > MAX_BYTES:
        raise PageTooComplex(f"The page has {len(body):,} bytes, more than the {MAX_BYTES:,} that are read.")
    if isinstance(body, bytes):
        if body.startswith(_BINARY):
            raise NotAWebPage("The body is no web page: it begins like an image, a document or an archive.")
        body = decode(body, content_type)
    text = body.removeprefix("\ufeff")
    if not text.strip("\0 \t\r\n\f"):
        raise NotAWebPage("The body is no web page: it is empty.")
    nuls = text.count("\0")
    if nuls > _FEW_NULS and nuls * _CHARACTERS_PER_NUL > len(text):
        raise NotAWebPage("The body is no web page: it is binary data.")
    return _open_frames(_tree(text.encode("utf-8", "replace")))


def parse_page(page: Page) -> HtmlElement:
    """The tree that a page has at hand, or a new one, which is not kept. Raises NotAWebPage."""
    return page.tree if page.tree is not None else parse(page.body, content_type=page.content_type)


@time_limit()
def fragment(html: str) -> HtmlElement:
    """A `div` that holds `html`, a piece of markup as it stands in the body of a page; it may be empty.

    Raises `PageTooComplex` for markup past the bounds.
    """
    body = _open_frames(_tree((_BODY + html).encode("utf-8", "replace"))).find("body")
    body.getparent().remove(body)
    body.tag = "div"
    body.tail = None
    body.attrib.clear()
    # As the root of a document: lxml looks through all siblings when it forgets an element of a tree without one.
    return deepcopy(body)


def _tree(page: bytes) -> HtmlElement:
    check(page)
    root = _html5(page) if is_safe_for_html5(page) else None
    if root is None:
        root, _ = _html(close_voids(legal_bytes(page)))
        repair(root)
    _complete(root)
    _show_listings(root)
    restore(root, page)
    return root


def _open_frames(root: HtmlElement) -> HtmlElement:
    """Show what frames hold that the page itself has (`srcdoc`), but for the frames in these."""
    with suppress(*UNREADABLE):
        for frame in list(root.iter("iframe")):
            is_empty = all(is_placeholder(url) for name, url in frame.items() if name.endswith("src"))
            if is_empty and (held := frame.get("srcdoc")):
                body = _tree((_BODY + held).encode("utf-8", "replace")).find("body")
                frame.clear(keep_tail=True)
                frame.tag, frame.text = "div", legal_text(body.text or "")
                frame.extend(list(body))
    return root


def _html5(page: bytes) -> HtmlElement | None:
    """The tree by the HTML Standard; None when unclosed elements have multiplied beyond measure."""
    # Without events, or lexbor is quadratic in the options of a select.
    html = LexborHTMLParser(page, scripting=True, options=LexborDocumentOptions.WO_EVENTS).html or ""
    if len(html) > _GROWTH * len(page) + _GROWTH_BYTES:
        return None
    # References such as &#1; bring in characters that the page itself does not hold.
    page = close_voids(legal_bytes(balance_noscript(html).encode("utf-8", "replace")))
    root, is_faithful = _html(page)
    if not is_faithful:
        root, _ = _html(disguise(page))
        undisguise(root)
    return root


def _html(page: bytes) -> tuple[HtmlElement, bool]:
    """libxml2's tree, and whether every end tag met the element that it should end."""
    parser = HTMLParser(encoding="utf-8", huge_tree=True)
    parser.set_element_class_lookup(_CLASSES)
    root = etree.fromstring(page, parser)
    if root is None:
        raise NotAWebPage("The body is no web page: it holds no element.")
    return root, all(entry.type != etree.ErrorTypes.ERR_TAG_NAME_MISMATCH for entry in parser.error_log)


def _show_listings(root: HtmlElement) -> None:
    for node in list(root.iter("noscript")):
        if next(node.iter("pre"), None) is not None:
            node.tag = "div"


def _complete(root: HtmlElement) -> None:
    """Give the tree the head or body that it lacks; a page of frames has none."""
    if root.find("head") is None:
        root.insert(0, root.makeelement("head"))
    if root.find("body") is None:
        root.append(root.makeelement("body"))
