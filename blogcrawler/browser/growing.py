"""Whether a page shows more of itself, as far as its source tells: a control says so, or a script that watches."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from blogcrawler.browser.code import adds_on_scrolling, elements_named, inline_code, runs_own_code
from blogcrawler.browser.labels import LEADS_ON, labels
from blogcrawler.browser.phrases import says_all, says_more

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.browser.labels import Label

GROWING = "growing"
"""What asks for a page to be shown in the browser where it may grow there."""
LIST = "list"
"""What asks for a page to be shown in it that is a list of posts, for all that is known."""
LARGEST = 2 * 1024 * 1024
"""Bytes of a page or script that are read."""
_CONTROL = re.compile(r"<(button|a)\b([^<>]{0,500})>(.{1,400}?)</\1\s*>", re.IGNORECASE | re.DOTALL)
_REACTS = re.compile(
    r"""<(\w{1,20})\s[^<>]{0,500}?\b(role=["']?button\b|onclick=)[^<>]{0,500}>(.{1,400}?)</\1\s*>""",
    re.IGNORECASE | re.DOTALL,
)
_INPUT = re.compile(r"<input\b([^<>]{1,500})>", re.IGNORECASE)
_IS_BUTTON = re.compile(r"""\btype\s{0,9}=\s{0,9}["']?(?:button|submit)\b""", re.IGNORECASE)
_VALUE = re.compile(r"""\bvalue\s{0,9}=\s{0,9}(?:"([^"]{1,100})"|'([^']{1,100})'|([^\s"'>]{1,100}))""", re.IGNORECASE)
_ENDLESS = re.compile(r"\binfinite[-_ ]?scroll|\bIntersectionObserver\b", re.IGNORECASE)
_MARKUP = re.compile(r"<[^>]{0,1000}>")


def grows(body: bytes, url: str = "http://own.invalid/") -> bool:
    """Has a page's source a control that says that it shows more, and that leads to no other page? O(n).

    Controls and words are those that are clicked in the browser, see `more`. What is no button counts where all that it
    says is to show more, and the page runs a script of its site's own; where it names further pages of a list, as what
    leads nowhere on the last of them does, a script in the page must know it. A list that grows by itself is told by
    what its scripts are called, or use.
    """
    source = body[:LARGEST].decode("utf-8", "replace")
    if _ENDLESS.search(source) or any(map(_says_more, told_by_controls(source))):
        return True
    said = list(labels(source))
    if any(says_all(label.text, "more") for label in said) and runs_own_code(source, url):
        return True
    return bool(said) and _is_known(said, inline_code(source))


def grows_by_script(script: bytes, page: bytes = b"") -> bool:
    """May a script of a page add to it: as one goes down, or by what it knows in the page and is no button? O(n)."""
    code = script[:LARGEST].decode("utf-8", "replace")
    said = list(labels(page[:LARGEST].decode("utf-8", "replace")))
    return adds_on_scrolling(code) or (bool(said) and _is_known(said, code))


def told_by_controls(source: str) -> Iterator[str]:
    """What the controls in a page's source say that lead to no other page. O(n)."""
    for name, marks, markup in _CONTROL.findall(source):
        if name.lower() == "button" or not LEADS_ON.search(marks):
            yield _text(markup)
    for name, sign, markup in _REACTS.findall(source):
        if name.lower() != "a" or sign.lower() != "onclick=":
            yield _text(markup)
    for marks in _INPUT.findall(source):
        if _IS_BUTTON.search(marks) and (value := _VALUE.search(marks)):
            yield _text(value[value.lastindex or 0])


def _says_more(text: str) -> bool:
    return says_more(text) or says_all(text, "pages")


def _is_known(said: list[Label], code: str) -> bool:
    named = elements_named(code)
    return any(not label.names.isdisjoint(named) for label in said)


def _text(markup: str) -> str:
    return unescape(_MARKUP.sub(" ", markup)).strip()
