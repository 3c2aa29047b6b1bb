"""From a feed's bytes to a tree of well-formed XML.

Declared encodings are wrong so often that the bytes are asked first: text that is valid UTF-8 and not plain ASCII is
UTF-8 (RFC 3629, section 3: other encodings' texts are valid UTF-8 with vanishing probability).

A third of the feeds in the wild are not well-formed at some time of their life: white space or a PHP warning before the
declaration, named entities of HTML, bare ampersands, control characters, undeclared prefixes, HTML that is not escaped,
the end cut off. Each is repaired here, in linear time, so that what comes after sees clean XML only. Document type
declarations are dropped unread, and with them every custom entity: no entity bomb and no external entity can go off.
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
#: parsers compare each attribute of a tag with all the others
MAX_ATTRIBUTES = 200
_MAX_PREFIXES = 50
#: a root element is looked for in the beginning of a document only
_MAX_PREAMBLE = 200_000

_ROOT = re.compile(r"<(?:[A-Za-z_][\w.-]{0,30}:)?(rss|feed|rdf)(?=[\s>/])", re.IGNORECASE)
_PAGE = re.compile(r"<(?:(!doctype)\s{1,9}html|html|head|body)(?=[\s>])", re.IGNORECASE)
_START_TAG = re.compile(r"<[A-Za-z]")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_AMPERSAND = re.compile(r"&(?:#([0-9]{1,7});|#[xX]([0-9a-fA-F]{1,6});|([A-Za-z][A-Za-z0-9]{1,31});)?")
#: elements of HTML without content, but for those whose names mean something else in a feed
_VOID = frozenset(["area", "br", "col", "embed", "hr", "img", "input", "meta", "param", "track", "wbr"])
_NEVER_NESTED = frozenset(["item", "entry"])
_XML_ENTITIES = frozenset(["amp", "lt", "gt", "quot", "apos"])
_PREFIX = re.compile(r"</?([A-Za-z_][\w.-]{0,30}):|\s([A-Za-z_][\w.-]{0,30}):[A-Za-z_][\w.-]{0,60}\s?=")
_TAG = re.compile(r"<(/?)([A-Za-z_][\w.-]{0,60}(?::[A-Za-z_][\w.-]{0,60})?)(?=[\s>/])([^<>]*)>")
_LONG_TAG = re.compile(r"<[^<>]{1000,}")
_ATTRIBUTE = re.compile(r"""([A-Za-z_][\w.-]{0,60}(?::[A-Za-z_][\w.-]{0,60})?)\s{0,99}=\s{0,99}("[^"]*"|'[^']*')""")


class FeedTooComplexError(ValueError):
    """A document past the bounds on size, number of tags, or attributes of a tag."""


def find_root(text: str) -> re.Match[str] | None:
    """The start of the feed's root element; group 1 is its local name. None where the text is no XML feed."""
    root = _ROOT.search(text, 0, _MAX_PREAMBLE)
    page = _PAGE.search(text, 0, root.start()) if root else None
    if root is None or (page and (page[1] is None or _START_TAG.search(text, page.end(), root.start()))):
        return None  # a feed may stand under the document type of a page
    return root


def well_formed(text: str) -> etree._Element | None:
    """The root of the feed within a text; None where it is no XML feed. O(n) in the text.

    Raises `FeedTooComplexError` past the bounds.
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
    """Without characters that XML forbids, CDATA sections, and entities but XML's own; bare ampersands escaped."""
    return _unfold(_ILLEGAL.sub("", text))


def _parser(*, recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        recover=recover, resolve_entities=False, no_network=True, huge_tree=True, remove_comments=True, remove_pis=True
    )


def _unfold(text: str) -> str:
    """Without CDATA sections, and with no entities but XML's own."""
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
        return f"&#{code};" if is_legal else ""  # XML knows no "&#X"
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
    """A feed whose end was cut off, without the entry that was cut: half an article is not what the blog wrote."""
    lower = text.lower() if len(text.lower()) == len(text) else text
    tail = lower[-4096:] if len(lower) > 4096 else lower
    if f"</{root}" in tail or f":{root}>" in tail:
        return text
    end = max(lower.rfind("</item>"), lower.rfind("</entry>"))
    return text[: text.index(">", end) + 1] if end >= 0 else text


def _balanced(text: str) -> Iterator[str]:
    """The text with every element closed, and closed in order.

    An end tag closes all that was opened within its element; one of nothing that is open is left out; what looks like a
    tag but is none is text.
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
    """The end tags of the innermost element of that name and of all within it."""
    while True:
        inner = opened.pop()
        count[inner] -= 1
        yield f"</{inner}>"
        if inner == name:
            return


def _after_declaration(text: str, start: int) -> int:
    """Past a comment, an instruction or a declaration; past the character alone where there is none."""
    for begin, end in (("<!--", "-->"), ("<?", "?>"), ("<!", ">")):
        if text.startswith(begin, start):
            found = text.find(end, start)
            return found + len(end) if found >= 0 else len(text)
    return start + 1


def _attributes(rest: str) -> str:
    found = dict(_ATTRIBUTE.findall(rest))
    return "".join(f" {name}={value}" for name, value in found.items())


def decode(body: bytes, content_type: str | None = None) -> str:
    """The text of a feed, without white space before it; what cannot be decoded becomes U+FFFD. O(n) in the body."""
    return _decode(body, content_type).lstrip("\ufeff \t\r\n")


def _decode(body: bytes, content_type: str | None) -> str:
    if read_bom(body)[0] is not None:
        return encoding.decode(body, content_type)
    if body[:2] in (b"<\0", b"\0<"):  # UTF-16 without such a mark (XML 1.0, appendix F)
        return body.decode("utf-16-le" if body[:1] == b"<" else "utf-16-be", "replace")
    if not body.isascii():
        with suppress(UnicodeDecodeError):
            return body.decode("utf-8")
    start = max(0, body.find(b"<?xml", 0, _MAX_PREAMBLE))  # of the declaration, which warnings may precede
    return body[:start].decode("ascii", "replace") + encoding.decode(body[start:], content_type)
