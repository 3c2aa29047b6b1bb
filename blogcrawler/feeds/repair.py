"""Converts a feed's bytes to a well-formed XML tree.

Declared encodings are often wrong, so the bytes decide first: a text that is valid UTF-8 and not plain ASCII is UTF-8
(RFC 3629, section 3: texts in other encodings are almost never valid UTF-8).

A third of the feeds on the web are not well-formed at some time: white space or a PHP warning before the declaration,
HTML entities, bare ampersands, control characters, undeclared prefixes, unescaped HTML, a missing end. Each of these is
repaired here in linear time. Document type declarations are removed unread, and with them all custom entities, so
entity bombs and external entities have no effect.
"""

from __future__ import annotations

import html
import html.entities
import re
import sys
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from lxml import etree
from w3lib.encoding import read_bom

from blogcrawler.dom import encoding
from blogcrawler.serialise import load_file

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CHARACTERS = 40_000_000
MAX_TAGS = 400_000
#: parsers compare each attribute of a tag with all others, so their number is limited
MAX_ATTRIBUTES = 200
_MAX_PREFIXES = 50
#: number of characters in which the root element must begin
_MAX_PREAMBLE = 200_000

_ROOT = re.compile(r"<(?:[A-Za-z_][\w.-]{0,30}:)?(rss|feed|rdf)(?=[\s>/])", re.IGNORECASE)
_PAGE = re.compile(r"<(?:(!doctype)\s{1,9}html|html|head|body)(?=[\s>])", re.IGNORECASE)
_START_TAG = re.compile(r"<[A-Za-z]")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_AMPERSAND = re.compile(r"&(?:#([0-9]{1,7});|#[xX]([0-9a-fA-F]{1,6});|([A-Za-z][A-Za-z0-9]{1,31});)?")
#: HTML elements without content, except those whose names have another meaning in feeds
_VOID = frozenset(["area", "br", "col", "embed", "hr", "img", "input", "meta", "param", "track", "wbr"])
_NEVER_NESTED = frozenset(["item", "entry"])
_XML_ENTITIES = frozenset(["amp", "lt", "gt", "quot", "apos"])
_PREFIX = re.compile(r"</?([A-Za-z_][\w.-]{0,30}):|\s([A-Za-z_][\w.-]{0,30}):[A-Za-z_][\w.-]{0,60}\s?=")
_TAG = re.compile(r"<(/?)([A-Za-z_][\w.-]{0,60}(?::[A-Za-z_][\w.-]{0,60})?)(?=[\s>/])([^<>]*)>")
_LONG_TAG = re.compile(r"<[^<>]{1000,}")
_ATTRIBUTE = re.compile(r"""([A-Za-z_][\w.-]{0,60}(?::[A-Za-z_][\w.-]{0,60})?)\s{0,99}=\s{0,99}("[^"]*"|'[^']*')""")


class FeedTooComplexError(ValueError):
    """The document exceeds the limits of size, number of tags, or attributes per tag."""


def find_root(text: str) -> re.Match[str] | None:
    """Match the start of the feed's root element (group 1 is its local name); None if the text is not an XML feed."""
    root = _ROOT.search(text, 0, _MAX_PREAMBLE)
    page = _PAGE.search(text, 0, root.start()) if root else None
    if root is None or (page and (page[1] is None or _START_TAG.search(text, page.end(), root.start()))):
        return None  # the feed may have an HTML document type
    return root


def well_formed(text: str) -> etree._Element | None:
    """Parse the feed in a text and return its root; None if it is not an XML feed. O(n) in the text.

    Raises `FeedTooComplexError` beyond the limits.
    """
    root = find_root(text)
    if root is None:
        return None
    if len(text) > MAX_CHARACTERS or text.count("<") > MAX_TAGS:
        raise FeedTooComplexError
    legal = _ILLEGAL.sub("", text[root.start() :])
    clean = _declare_prefixes(_unfold(legal))
    if any(tag[0].count("=") > MAX_ATTRIBUTES for tag in _LONG_TAG.finditer(clean)):
        raise FeedTooComplexError
    try:
        return etree.fromstring(clean.encode(), _parser(recover=False))
    except etree.XMLSyntaxError:
        pass
    broken = _declare_prefixes(_unfold(_complete_entries(legal, root[1].lower())))
    try:
        tree: etree._Element | None = etree.fromstring("".join(_balanced(broken)).encode(), _parser(recover=True))
    except etree.XMLSyntaxError:
        return None
    return tree


def without_entities(text: str) -> str:
    """Remove characters that XML forbids, CDATA sections and non-XML entities, and escape bare ampersands."""
    return _unfold(_ILLEGAL.sub("", text))


def _parser(*, recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        recover=recover, resolve_entities=False, no_network=True, huge_tree=True, remove_comments=True, remove_pis=True
    )


def _unfold(text: str) -> str:
    """Replace CDATA sections and non-XML entities by escaped text."""
    outside, *sections = text.split("<![CDATA[")
    pieces = [_AMPERSAND.sub(_entity, outside)]
    open_section: list[str] = []
    for section in sections:
        inside, end, outside = section.partition("]]>")
        if not end:
            open_section.append(inside)
            continue
        pieces.append(html.escape("<![CDATA[".join([*open_section, inside]), quote=False))
        pieces.append(_AMPERSAND.sub(_entity, outside))
        open_section = []
    pieces.extend(html.escape(piece, quote=False) for piece in open_section)
    return "".join(pieces)


def _entity(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if decimal or hexadecimal:
        code = int(decimal) if decimal else int(hexadecimal, 16)
        is_legal = code <= sys.maxunicode and not _ILLEGAL.match(chr(code))
        return f"&#{code};" if is_legal else ""  # XML requires a lower-case x
    if name in _XML_ENTITIES:
        return match[0]
    if name and (character := html.entities.html5.get(f"{name};")):
        return html.escape(character)
    return "&amp;" + match[0][1:]


def _declare_prefixes(text: str) -> str:
    end = text.find(">")
    if end < 0:
        return text
    start_tag = text[:end]
    missing: dict[str, str] = {}
    for match in _PREFIX.finditer(text):
        prefix = match[1] or match[2]
        if prefix in missing or prefix.lower().startswith("xml") or f"xmlns:{prefix}" in start_tag:
            continue
        missing[prefix] = _namespaces().get(prefix.lower(), f"urn:undeclared:{prefix}")
        if len(missing) >= _MAX_PREFIXES:
            break
    name = re.match(r"<[^\s>/]+", text)
    if not missing or name is None:
        return text
    declarations = "".join(f' xmlns:{prefix}="{uri}"' for prefix, uri in missing.items())
    return text[: name.end()] + declarations + text[name.end() :]


@cache
def _namespaces() -> dict[str, str]:
    return load_file(dict[str, str], __package__, "namespaces.json")


def _complete_entries(text: str, root: str) -> str:
    """Remove an incomplete last entry of a truncated feed: half an article is not what the blog published."""
    lower = text.lower() if len(text.lower()) == len(text) else text
    tail = lower[-4096:] if len(lower) > 4096 else lower
    if f"</{root}" in tail or f":{root}>" in tail:
        return text
    end = max(lower.rfind("</item>"), lower.rfind("</entry>"))
    return text[: text.index(">", end) + 1] if end >= 0 else text


def _balanced(text: str) -> Iterator[str]:
    """Close every element, in the right order.

    An end tag closes all elements inside its element; an end tag without a start tag is removed; something that looks
    like a tag but is not becomes text.
    """
    opened: list[str] = []
    count: dict[str, int] = {}
    position = 0
    while (start := text.find("<", position)) >= 0:
        if opened:
            yield text[position:start].replace("]]>", "]]&gt;")
        tag = _TAG.match(text, start)
        if tag is None:
            position = _after_declaration(text, start)
            if position == start + 1:
                yield "&lt;" if opened else ""
            continue
        position = tag.end()
        closing, name, rest = tag.groups()
        if not closing:
            if name in _NEVER_NESTED and count.get(name):
                yield from _close(opened, count, name)
            is_empty = rest.endswith("/") or name.lower() in _VOID
            yield f"<{name}{_attributes(rest)}{'/' if is_empty else ''}>"
            if not is_empty:
                opened.append(name)
                count[name] = count.get(name, 0) + 1
        elif count.get(name):
            yield from _close(opened, count, name)
        if not opened:
            return
    yield text[position:]
    yield from (f"</{name}>" for name in reversed(opened))


def _close(opened: list[str], count: dict[str, int], name: str) -> Iterator[str]:
    """The end tags of the innermost open element of this name and of all elements in it."""
    while True:
        inner = opened.pop()
        count[inner] -= 1
        yield f"</{inner}>"
        if inner == name:
            return


def _after_declaration(text: str, start: int) -> int:
    """The position after a comment, an instruction or a declaration; after the single character if it is none."""
    for begin, end in (("<!--", "-->"), ("<?", "?>"), ("<!", ">")):
        if text.startswith(begin, start):
            place = text.find(end, start)
            return place + len(end) if place >= 0 else len(text)
    return start + 1


def _attributes(markup: str) -> str:
    attributes = dict(_ATTRIBUTE.findall(markup))
    return "".join(f" {name}={value}" for name, value in attributes.items())


def decode(body: bytes, content_type: str | None = None) -> str:
    """Decode a feed and remove leading white space; undecodable bytes become U+FFFD. O(n) in the body."""
    return _decode(body, content_type).lstrip("\ufeff \t\r\n")


def _decode(body: bytes, content_type: str | None) -> str:
    if read_bom(body)[0] is not None:
        return encoding.decode(body, content_type)
    if body[:2] in (b"<\0", b"\0<"):  # UTF-16 without byte order mark (XML 1.0, appendix F)
        return body.decode("utf-16-le" if body[:1] == b"<" else "utf-16-be", "replace")
    if not body.isascii():
        with suppress(UnicodeDecodeError):
            return body.decode("utf-8")
    # encoding in the declaration, which may follow after warnings
    start = max(0, body.find(b"<?xml", 0, _MAX_PREAMBLE))
    return body[:start].decode("ascii", "replace") + encoding.decode(body[start:], content_type)
