"""Whether a page shows more of itself, as far as its source tells: a control says so, or a script that watches."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.browser.page_scripts import adds_on_scrolling, elements_named, inline_code, runs_own_code
from blogcrawler.browser.phrases import LONGEST, says_all, says_more

if TYPE_CHECKING:
    from collections.abc import Iterator

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
_TAG = re.compile(r"<(/?)([a-z][a-z0-9-]{0,40})\b([^<>]{0,500})>|<!--", re.IGNORECASE)
_NAMES = re.compile(
    r"""\b(?:id|class)\s{0,9}=\s{0,9}(?:"([^"]{0,500})"|'([^']{0,500})'|([^\s"'>]{1,100}))""", re.IGNORECASE
)
_DATA = re.compile(r"\bdata-[a-z][\w-]{0,60}", re.IGNORECASE)
_LEADS_ON = re.compile(r"""\bhref\s*=\s*["']?(?![#"'\s>]|javascript:)""", re.IGNORECASE)
_COMMENT = "#comment"
_SKIPPED = frozenset(
    {_COMMENT, "script", "style", "noscript", "template", "textarea", "select", "svg", "title", "iframe"}
)
"""Elements that are not read."""
_VOID = frozenset({"br", "wbr", "hr", "img", "input", "meta", "link", "source", "area", "col", "path"})
_OTHERS = frozenset(
    {"a", "button", "h1", "h2", "h3", "h4", "h5", "h6",
     "label", "legend", "caption", "summary", "figcaption", "pre", "code"}
)  # fmt: skip
"""Elements in which a phrase is a link, a title or a sample."""
MOST_NESTED = 12


def grows(body: bytes, url: str = "http://own.invalid/") -> bool:
    """True if a page's source has a control that says that it shows more, and that leads to no other page. O(n).

    Controls and words are those that are clicked in the browser, see `clicking`. An element that is no button counts
    where all its text says is to show more, and the page runs a script of its own site; where it names further pages of
    a list, as an element without a link on the last of them does, a script in the page must name it. A list that grows
    by itself is recognised by the names of its scripts, or what they use.
    """
    source = body[:LARGEST].decode("utf-8", "replace")
    if _ENDLESS.search(source) or any(map(_says_more, _texts_of_controls(source))):
        return True
    said = list(labels(source))
    if any(says_all(label.text, "more") for label in said) and runs_own_code(source, url):
        return True
    return bool(said) and _is_known(said, inline_code(source))


def grows_by_script(script: bytes, page: bytes = b"") -> bool:
    """True if a script may add to its page: as it is scrolled, or by an element that it names. O(n)."""
    code = script[:LARGEST].decode("utf-8", "replace")
    said = list(labels(page[:LARGEST].decode("utf-8", "replace")))
    return adds_on_scrolling(code) or (bool(said) and _is_known(said, code))


def _texts_of_controls(source: str) -> Iterator[str]:
    """What the controls in a page's source say that lead to no other page. O(n)."""
    for name, marks, markup in _CONTROL.findall(source):
        if name.lower() == "button" or not _LEADS_ON.search(marks):
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


class Label(NamedTuple):
    """An element that says a phrase."""

    text: str
    #: ids, classes and names of attributes `data-…` of the elements that hold it and nothing else
    names: frozenset[str]


def labels(source: str) -> Iterator[Label]:
    """The elements of a source that say a phrase of lists and nothing else, outside of links and titles. O(n)."""
    opened: list[tuple[str, str]] = []  # since the last text
    text, holding, behind = "", [("", "")], 0
    inside: set[str] = set()
    at = 0
    while (tag := _TAG.search(source, at)) is not None:
        between, at = source[at : tag.start()], tag.end()
        is_end, name, marks = bool(tag[1]), (tag[2] or _COMMENT).lower(), tag[3]
        if between and not between.isspace():
            text, holding, opened, behind = between, opened, [], 0
        if name in _SKIPPED and not is_end:
            if (at := _end_of(name, source, at)) < 0:
                return
        elif name in _VOID:
            continue
        elif not is_end:
            if name in _OTHERS and (name != "a" or _LEADS_ON.search(marks)):
                inside.add(name)
            behind += bool(text)
            opened = [*opened[1 - MOST_NESTED :], (name, marks)]
        else:
            if text and not behind:
                if not inside and holding and holding[-1][0] == name and _says_list(text):
                    yield Label(text.strip(), _names(holding))
                text = ""
            elif text:
                behind -= 1
            if opened and opened[-1][0] == name:
                opened.pop()
            inside.discard(name)


def _says_list(markup: str) -> bool:
    return len(markup) <= 2 * LONGEST and says_all(unescape(markup).strip(), "more", "posts", "pages")


def _end_of(name: str, source: str, at: int) -> int:
    """Where the end tag of an element ends that is not read; -1 where it has none."""
    pattern = "-->" if name == _COMMENT else rf"</{name}\b[^<>]{{0,100}}>"
    end = re.compile(pattern, re.IGNORECASE).search(source, at)
    return end.end() if end is not None else -1


def _names(holding: list[tuple[str, str]]) -> frozenset[str]:
    told = " ".join(marks for _, marks in holding)
    values = [match[match.lastindex or 0] for match in _NAMES.finditer(told)]
    return frozenset([*" ".join(values).split(), *_DATA.findall(told)])
