"""Texts of feeds: is it HTML or plain text, whatever it is labelled, and how either becomes the other."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from lxml.html import defs

from blogcrawler.dom import fragment, inline_text
from blogcrawler.errors import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_TITLE = 4_000
_NEW = "bdi data dialog main picture rb rtc search slot template"
_HTML = frozenset(defs.tags).union(_NEW.split())
#: elements within formulas and drawings, whose names are words of other things where they are alone
_INNER = """
annotation annotation-xml circle clippath defs desc ellipse g image line lineargradient marker mask menclose merror
mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup
msup mtable mtd mtext mtr munder munderover path pattern polygon polyline radialgradient rect semantics stop symbol text
textpath tspan use
"""
_NAMES = _HTML.union(_INNER.split())
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]{0,30})(?=[\s/>])([^<>]*)>")
#: elements that need no end tag (HTML Standard, section 13.1.2)
_ENDLESS = "area br col dd dt embed hr img input li link meta option p rp rt source td th tr track wbr"
_LONE = frozenset(_ENDLESS.split())
_ATTRIBUTE = re.compile(r"\s[A-Za-z][\w:.-]{0,60}\s{0,9}=")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
#: what is left where a text was escaped once too often; not &lt;, which is as likely meant
_ESCAPED_TWICE = re.compile(
    r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip|laquo|raquo);"
)


def is_html(text: str) -> bool:
    """True if a text holds a tag of HTML, MathML or SVG, or an entity: "a < b" and "List<String>" are text.

    A start tag that needs an end, and is glued to a word as in "Map<Object>", tells nothing. O(n).
    """
    known = (
        _is_alone(tag) or (tag[2].lower() in _HTML and not text[max(0, tag.start() - 1) : tag.start()].isalnum())
        for tag in _tags(text)
    )
    return any(known) or _ENTITY.search(text) is not None


def _tags(text: str) -> Iterator[re.Match[str]]:
    return (tag for tag in _TAG.finditer(text) if tag[2].lower() in _NAMES)


def _is_alone(tag: re.Match[str]) -> bool:
    """True if a tag is markup whatever stands around it: one of an end, of an empty element, or with an attribute."""
    return bool(tag[1]) or tag[2].lower() in _LONE or tag[3].endswith("/") or _ATTRIBUTE.search(tag[3]) is not None


def title_text(raw: str, *, is_markup: bool | None = None) -> str:
    """A title as plain text in one line, of whatever it is written in. "" where there is none.

    `is_markup` is what the feed declares; without it, "Use the <b> tag" is text.
    """
    text = raw[:_MAX_TITLE]
    if is_markup or (is_markup is None and any(map(_is_alone, _tags(text)))):
        text = _text_of_markup(_PSEUDO.sub(_escaped, text))
    elif is_markup is None and _ENTITY.search(text):
        text = html.unescape(text)
    return " ".join(_ESCAPED_TWICE.sub(lambda match: html.unescape(match[0]), text).split())


def json_text(value: object) -> str:
    """A string of JSON, without what is no character; numbers as feeds write ids; "" for anything else."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63 else ""


def _text_of_markup(text: str) -> str:
    try:
        return inline_text(fragment(text))
    except UNREADABLE:  # a title nested that deeply is no title
        return ""


def as_html(text: str, *, is_markup: bool | None = None) -> str:
    """Plain text as HTML: escaped, a paragraph for each block between blank lines. Markup stays as it is.

    `is_markup` is what the feed declares; without it the text tells.
    """
    if is_markup is not False and (is_html(text) or (is_markup and "<" in text)):
        return text
    blocks = (block.strip() for block in re.split(r"\n[ \t\r]*\n", text))
    return "\n".join(f"<p>{html.escape(block, quote=False)}</p>" for block in blocks if block)


_PSEUDO = re.compile(r"<(?!!--)(?:/?([A-Za-z][A-Za-z0-9-]{0,30})(?=[\s/>]))?")


def _escaped(sign: re.Match[str]) -> str:
    """A less-than sign that opens no tag, escaped."""
    return sign[0] if (sign[1] or "").lower() in _NAMES else f"&lt;{sign[0][1:]}"
