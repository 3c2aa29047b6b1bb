"""Whether a page has a control that shows more of it, as far as its source tells: a button that says so."""

from __future__ import annotations

import re
from html import unescape

from blogcrawler.browser.systems import LARGEST, phrases

__all__ = ["GROWING", "grows"]

GROWING = "growing"
"""What asks for a page to be shown in the browser where it may grow there."""
LONGEST = 80
"""Characters that a control says."""
_CONTROL = re.compile(r"<(button|a)\b([^>]{0,1000})>(.{1,400}?)</\1\s*>", re.IGNORECASE | re.DOTALL)
_INPUT = re.compile(r"""<input\b[^>]{0,500}\btype=["']?button\b[^>]{0,500}\bvalue=["']([^"']{1,100})""", re.IGNORECASE)
_LEADS_ON = re.compile(r"""\bhref\s*=\s*["']?(?![#"'\s>]|javascript:)""", re.IGNORECASE)
_MARKUP = re.compile(r"<[^>]{0,1000}>")
_SIGNS = re.compile(r"[\d\s()\[\]{}.,:+…»›▼▾↓-]+")


def grows(body: bytes) -> bool:
    """Has a page's source a control that says that it shows more, and that leads to no other page? O(n).

    Controls and words are those that are clicked in the browser, see `more`.
    """
    source = body[:LARGEST].decode("utf-8", "replace")
    told = [
        text
        for name, marks, text in _CONTROL.findall(source)
        if name.lower() == "button" or not _LEADS_ON.search(marks)
    ]
    return any(map(_says_more, [*told, *_INPUT.findall(source)]))


def _says_more(markup: str) -> bool:
    text = unescape(_MARKUP.sub(" ", markup)).strip()
    words = _SIGNS.sub(" ", text.lower()).strip()
    return len(text) <= LONGEST and any(phrase in words for phrase in phrases())
