"""Small elements that say but one phrase, and lead nowhere: controls, if a script makes them one."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.browser.phrases import LONGEST, says_all

if TYPE_CHECKING:
    from collections.abc import Iterator

_TAG = re.compile(r"<(/?)([a-z][a-z0-9-]{0,40})\b([^<>]{0,500})>|<!--", re.IGNORECASE)
_NAMES = re.compile(
    r"""\b(?:id|class)\s{0,9}=\s{0,9}(?:"([^"]{0,500})"|'([^']{0,500})'|([^\s"'>]{1,100}))""", re.IGNORECASE
)
_DATA = re.compile(r"\bdata-[a-z][\w-]{0,60}", re.IGNORECASE)
LEADS_ON = re.compile(r"""\bhref\s*=\s*["']?(?![#"'\s>]|javascript:)""", re.IGNORECASE)
COMMENT = "#comment"
_SKIPPED = frozenset(
    {COMMENT, "script", "style", "noscript", "template", "textarea", "select", "svg", "title", "iframe"}
)
"""Elements that are not read."""
_VOID = frozenset({"br", "wbr", "hr", "img", "input", "meta", "link", "source", "area", "col", "path"})
_OTHERS = frozenset(
    {"a", "button", "h1", "h2", "h3", "h4", "h5", "h6",
     "label", "legend", "caption", "summary", "figcaption", "pre", "code"}
)  # fmt: skip
"""Elements in which a phrase is a link, a title or a sample."""
MOST_NESTED = 12


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
        is_end, name, marks = bool(tag[1]), (tag[2] or COMMENT).lower(), tag[3]
        if between and not between.isspace():
            text, holding, opened, behind = between, opened, [], 0
        if name in _SKIPPED and not is_end:
            if (at := _end_of(name, source, at)) < 0:
                return
        elif name in _VOID:
            continue
        elif not is_end:
            if name in _OTHERS and (name != "a" or LEADS_ON.search(marks)):
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
    pattern = "-->" if name == COMMENT else rf"</{name}\b[^<>]{{0,100}}>"
    end = re.compile(pattern, re.IGNORECASE).search(source, at)
    return end.end() if end is not None else -1


def _names(holding: list[tuple[str, str]]) -> frozenset[str]:
    told = " ".join(marks for _, marks in holding)
    values = [match[match.lastindex or 0] for match in _NAMES.finditer(told)]
    return frozenset([*" ".join(values).split(), *_DATA.findall(told)])
