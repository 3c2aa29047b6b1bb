"""Parse the bytes of a page into the tree that a browser builds, as lxml elements.

lexbor, which follows the HTML Standard exactly, builds the tree; libxml2 parses its serialisation, so that lxml can be
used. Rules learned on a page that a browser has rendered therefore also match the fetched page.
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

#: First bytes of binary files that servers send as pages.
_BINARY = (
    b"\x89PNG\r\n", b"GIF87a", b"GIF89a", b"\xff\xd8\xff", b"%PDF-", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08",
    b"RIFF", b"OggS", b"ID3\x02", b"ID3\x03", b"ID3\x04", b"\x7fELF", b"wOFF", b"wOF2", b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07", b"BZh91AY&SY", b"\x28\xb5\x2f\xfd", b"\xd0\xcf\x11\xe0", b"\x00\x00\x01\x00", b"MZ\x90\x00",
    b"SQLite format 3\x00", b"\x1aE\xdf\xa3", b"fLaC", b"II*\x00", b"MM\x00*", b"\xfd7zXZ\x00",
)  # fmt: skip
#: A body is binary with more NULs than `_FEW_NULS` and more than one in this many characters.
_FEW_NULS = 16
_CHARACTERS_PER_NUL = 10
#: Maximum growth of a page in lexbor's serialisation (implied tags, escapes): a factor and a number of bytes.
_GROWTH = 8
_GROWTH_BYTES = 1024 * 1024

_BODY = "<!DOCTYPE html><body>"

#: lxml.html's own look-up is slower: it calls Python for each element, to give forms methods that are not used here
_CLASSES = etree.ElementDefaultClassLookup(element=HtmlElement, comment=HtmlComment, pi=HtmlProcessingInstruction)


@time_limit()
def parse(body: bytes | str, *, content_type: str | None = None) -> HtmlElement:
    """The `html` element of the page in `body`, which always has a `head` and a `body`.

    The tree is the one that a browser with scripts enabled builds before any script runs, with these differences: the
    content of `noscript` is parsed; a `noscript` with a listing, and a frame with its document in `srcdoc`, become a
    `div`; the authors' text is restored where software has replaced it (see `written`), so that formulas are TeX. Names
    are lower-case; the `tag` of a comment is no string. Pages that exceed the limits of HTML5 parsing (see `guards`)
    are parsed by libxml2 alone, which follows the standard less closely, and elements nested deeper than 2,048 are cut
    off. `content_type` is the value of the HTTP header.

    Raises `NotAWebPage` for an empty body or a binary file, `PageTooComplex` for a page that exceeds the limits of size
    or time. O(n) in the size of the body.
    """
    if len(body) > MAX_BYTES:
        raise PageTooComplex(f"The page has {len(body):,} bytes, more than the {MAX_BYTES:,} that are read.")
    if isinstance(body, bytes):
        if body.startswith(_BINARY):
            raise NotAWebPage("The response begins like an image, a document or an archive.")
        body = decode(body, content_type)
    text = body.removeprefix("\ufeff")
    if not text.strip("\0 \t\r\n\f"):
        raise NotAWebPage("The response is empty.")
    nuls = text.count("\0")
    if nuls > _FEW_NULS and nuls * _CHARACTERS_PER_NUL > len(text):
        raise NotAWebPage("The response is binary data.")
    return _open_frames(_tree(text.encode("utf-8", "replace")))


def parse_page(page: Page) -> HtmlElement:
    """The stored tree of a page, or a new one, which is not stored. Raises NotAWebPage."""
    return page.tree if page.tree is not None else parse(page.body, content_type=page.content_type)


@time_limit()
def fragment(html: str) -> HtmlElement:
    """A `div` with the parsed `html`, markup of the body of a page; it may be empty.

    Raises `PageTooComplex` for markup that exceeds the limits.
    """
    body = _open_frames(_tree((_BODY + html).encode("utf-8", "replace"))).find("body")
    body.getparent().remove(body)
    body.tag = "div"
    body.tail = None
    body.attrib.clear()
    # A copy, which is the root of a document: freeing an element of a tree without one makes lxml walk all siblings.
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
    """Replace frames with the documents in their `srcdoc`; frames in these documents stay."""
    with suppress(*UNREADABLE):
        for frame in list(root.iter("iframe")):
            is_empty = all(is_placeholder(url) for name, url in frame.items() if name.endswith("src"))
            if is_empty and (document := frame.get("srcdoc")):
                body = _tree((_BODY + document).encode("utf-8", "replace")).find("body")
                frame.clear(keep_tail=True)
                frame.tag, frame.text = "div", legal_text(body.text or "")
                frame.extend(list(body))
    return root


def _html5(page: bytes) -> HtmlElement | None:
    """The tree by the HTML Standard; None if unclosed elements have multiplied too much."""
    # With events, lexbor is quadratic in the options of a select.
    html = LexborHTMLParser(page, scripting=True, options=LexborDocumentOptions.WO_EVENTS).html or ""
    if len(html) > _GROWTH * len(page) + _GROWTH_BYTES:
        return None
    # References such as &#1; add characters that the page itself does not contain.
    page = close_voids(legal_bytes(balance_noscript(html).encode("utf-8", "replace")))
    root, is_faithful = _html(page)
    if not is_faithful:
        root, _ = _html(disguise(page))
        undisguise(root)
    return root


def _html(page: bytes) -> tuple[HtmlElement, bool]:
    """libxml2's tree, and True if each end tag matched the open element."""
    parser = HTMLParser(encoding="utf-8", huge_tree=True)
    parser.set_element_class_lookup(_CLASSES)
    root = etree.fromstring(page, parser)
    if root is None:
        raise NotAWebPage("The response has no HTML elements.")
    return root, all(entry.type != etree.ErrorTypes.ERR_TAG_NAME_MISMATCH for entry in parser.error_log)


def _show_listings(root: HtmlElement) -> None:
    for node in list(root.iter("noscript")):
        if next(node.iter("pre"), None) is not None:
            node.tag = "div"


def _complete(root: HtmlElement) -> None:
    """Add a missing head or body; a frameset page has no body."""
    if root.find("head") is None:
        root.insert(0, root.makeelement("head"))
    if root.find("body") is None:
        root.append(root.makeelement("body"))
