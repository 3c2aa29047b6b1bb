"""Texts of feeds: is it HTML or plain text, whatever it is labelled, and how either becomes the other."""

from __future__ import annotations

import html
import re

from blogcrawler.dom import fragment, inline_text
from blogcrawler.errors import PageTooComplex

__all__ = ["as_html", "is_html", "title_text"]

_MAX_TITLE = 4_000
_TAGS = (
    "a|abbr|acronym|address|article|aside|audio|b|big|blockquote|caption|center|cite|code|dd|del|details|dfn|div|dl|dt|em|embed"
    "|figcaption|figure|font|footer|h[1-6]|header|i|iframe|ins|kbd|li|main|mark|object|ol|p|picture|pre|q|rp|rt|ruby|s|samp|section"
    "|small|span|strike|strong|sub|summary|sup|svg|table|tbody|td|tfoot|th|thead|time|tr|tt|u|ul|var|video"
)
_END_TAG = re.compile(rf"</(?:{_TAGS})\s{{0,9}}>", re.IGNORECASE)
_VOID_TAG = re.compile(r"<(?:br|hr|img|wbr)(?:\s[^<>]{0,2000})?/?>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
#: what is left where a text was escaped once too often; not &lt;, which is as likely meant
_ESCAPED_TWICE = re.compile(
    r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip|laquo|raquo);"
)


def is_html(text: str) -> bool:
    """Does it hold markup? An end tag or a void element of HTML, or an entity: "a < b" and "<T>" are text."""
    return bool(_END_TAG.search(text) or _VOID_TAG.search(text) or _ENTITY.search(text))


def title_text(raw: str) -> str:
    """A title as plain text in one line, of whatever it is written in. "" where there is none."""
    text = raw[:_MAX_TITLE]
    if is_html(text):
        text = _text_of_markup(_without_pseudo_tags(text))
    return " ".join(_ESCAPED_TWICE.sub(lambda match: html.unescape(match[0]), text).split())


def _text_of_markup(text: str) -> str:
    try:
        return inline_text(fragment(text))
    except PageTooComplex:  # a title nested that deeply is no title
        return ""


def as_html(text: str) -> str:
    """Plain text as HTML: escaped, a paragraph for each block between blank lines. Markup stays as it is."""
    if is_html(text):
        return text
    blocks = (block.strip() for block in re.split(r"\n[ \t\r]*\n", text))
    return "\n".join(f"<p>{html.escape(block, quote=False)}</p>" for block in blocks if block)


_START = re.compile(r"<(?=[^A-Za-z/!?]|$)")


def _without_pseudo_tags(text: str) -> str:
    """A less-than sign that opens no tag, escaped."""
    return _START.sub("&lt;", text)
