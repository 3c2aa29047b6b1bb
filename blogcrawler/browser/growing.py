"""Whether a page shows more of itself, as far as its source tells: a button says so, or a script that watches."""

from __future__ import annotations

import re
from html import unescape

from blogcrawler.browser.systems import LARGEST, SIGNS, never, phrases

__all__ = ["GROWING", "grows", "grows_by_script"]

GROWING = "growing"
"""What asks for a page to be shown in the browser where it may grow there."""
LONGEST = 80
"""Characters that a control says."""
_CONTROL = re.compile(r"<(button|a)\b([^<>]{0,500})>(.{1,400}?)</\1\s*>", re.IGNORECASE | re.DOTALL)
_REACTS = re.compile(
    r"""<(\w{1,20})\s[^<>]{0,500}?\b(role=["']?button\b|onclick=)[^<>]{0,500}>(.{1,400}?)</\1\s*>""",
    re.IGNORECASE | re.DOTALL,
)
_INPUT = re.compile(r"<input\b([^<>]{1,500})>", re.IGNORECASE)
_IS_BUTTON = re.compile(r"""\btype\s{0,9}=\s{0,9}["']?(?:button|submit)\b""", re.IGNORECASE)
_VALUE = re.compile(r"""\bvalue\s{0,9}=\s{0,9}(?:"([^"]{1,100})"|'([^']{1,100})'|([^\s"'>]{1,100}))""", re.IGNORECASE)
_ENDLESS = re.compile(r"\binfinite[-_ ]?scroll|\bIntersectionObserver\b", re.IGNORECASE)
_LEADS_ON = re.compile(r"""\bhref\s*=\s*["']?(?![#"'\s>]|javascript:)""", re.IGNORECASE)
_WATCHES = re.compile(
    r"""\bIntersectionObserver\b|\b(?:addEventListener|on)\(\s{0,9}["']scroll\b|\bonscroll\s{0,9}=|\.scroll\(\s{0,9}(?:function|\()"""
)
_ASKS = re.compile(r"\bfetch\(|\bXMLHttpRequest\b|\.ajax\(|\.getJSON\(|\$\.get\(")
_NAMES_ITSELF = re.compile(r"\binfinite[-_ ]?scroll", re.IGNORECASE)
_MARKUP = re.compile(r"<[^>]{0,1000}>")


def grows(body: bytes) -> bool:
    """Has a page's source a control that says that it shows more, and that leads to no other page? O(n).

    Controls and words are those that are clicked in the browser, see `more`. A list that grows by itself is told by
    what its scripts are called, or use.
    """
    source = body[:LARGEST].decode("utf-8", "replace")
    if _ENDLESS.search(source):
        return True
    told = [
        text
        for name, marks, text in _CONTROL.findall(source)
        if name.lower() == "button" or not _LEADS_ON.search(marks)
    ]
    told += [text for name, sign, text in _REACTS.findall(source) if name.lower() != "a" or sign.lower() != "onclick="]
    inputs = (marks for marks in _INPUT.findall(source) if _IS_BUTTON.search(marks))
    told += [value[value.lastindex or 0] for marks in inputs if (value := _VALUE.search(marks))]
    return any(map(_says_more, told))


def grows_by_script(body: bytes) -> bool:
    """May a script add to a page as one goes down: does it watch that, and ask for something? O(n)."""
    code = body[:LARGEST].decode("utf-8", "replace")
    return bool(_NAMES_ITSELF.search(code) or (_WATCHES.search(code) and _ASKS.search(code)))


def _says_more(markup: str) -> bool:
    text = unescape(_MARKUP.sub(" ", markup)).strip()
    words = SIGNS.sub(" ", text.lower()).strip()
    return (
        len(text) <= LONGEST
        and any(phrase in words for phrase in phrases())
        and not any(f" {word} " in f" {words} " for word in never())
    )
