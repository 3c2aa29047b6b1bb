"""What the scripts of a page do, as far as their text tells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from blogcrawler.browser.trackers import is_tracking_code
from blogcrawler.urls import same_site

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCRIPT = re.compile(r"<script\b([^<>]{0,1000})>", re.IGNORECASE)
_END = re.compile(r"</script\b", re.IGNORECASE)
_SOURCE = re.compile(r"""\bsrc\s{0,9}=\s{0,9}["']?([^"'\s>]{1,1000})""", re.IGNORECASE)
_DATA = re.compile(r"""\btype\s{0,9}=\s{0,9}["']?[^"'\s>]{0,60}(?:json|template|x-(?!javascript))""", re.IGNORECASE)
_WATCHES = re.compile(
    r"""\bIntersectionObserver\b|\b(?:addEventListener|on)\(\s{0,9}["']scroll\b|\bonscroll\s{0,9}=|\.scroll\(\s{0,9}(?:function|\()"""
)
_ASKS = re.compile(r"\bfetch\(|\bXMLHttpRequest\b|\.ajax\(|\.getJSON\(|\$\.get\(")
_NAMES_ITSELF = re.compile(r"\binfinite[-_ ]?scroll", re.IGNORECASE)
_STRING = re.compile(r'"((?:[^"\\\n]|\\.){1,200})"|\'((?:[^\'\\\n]|\\.){1,200})\'|`((?:[^`\\\n]|\\.){1,200})`')
_BY_NAME = re.compile(r"(?:ById|ByClassName|contains|hasClass|\bid\s{0,3}={2,3})\(?\s{0,9}$")
_SELECTED = re.compile(r"[.#\[]([a-z][\w-]{0,60})", re.IGNORECASE)
_IN_SELECTOR = re.compile(r"[\w\s.#>,:*()\[\]=~+^$|\"'\\-]{1,200}")
_BY_ID = re.compile(r"\b([a-z]\w{0,60})\.(?:onclick\s{0,3}=|addEventListener\()", re.IGNORECASE)
_BEFORE = 40
"""Characters before a string that tell what it is for."""


def adds_on_scrolling(code: str) -> bool:
    """May a script add to a page as one goes down: does it watch that, and ask for something? O(n)."""
    return bool(_NAMES_ITSELF.search(code) or (_WATCHES.search(code) and _ASKS.search(code)))


def elements_named(code: str) -> frozenset[str]:
    """The ids, classes and attributes by which a script finds elements of its page. O(n)."""
    found = {match[1] for match in _BY_ID.finditer(code)}
    for string in _STRING.finditer(code):
        text = string[string.lastindex or 0]
        if _BY_NAME.search(code, max(0, string.start() - _BEFORE), string.start()):
            found.add(text)
        elif _IN_SELECTOR.fullmatch(text):
            found.update(_SELECTED.findall(text))
    return frozenset(found)


def inline_code(source: str) -> str:
    """The scripts that stand in a page's source, but those that count its visitors. O(n)."""
    return "\n".join(code for _, code in _scripts(source) if code.strip() and not is_tracking_code(code))


def runs_own_code(source: str, url: str) -> bool:
    """Has a page at an address a script of its site's own, in itself or in a file? O(n)."""
    files = (file for file, code in _scripts(source) if file and not code.strip())
    return bool(inline_code(source)) or any(same_site(urljoin(url, file), url) for file in files)


def _scripts(source: str) -> Iterator[tuple[str, str]]:
    """The file of each script, or "", and its code."""
    at = 0
    while (begin := _SCRIPT.search(source, at)) is not None:
        end = _END.search(source, begin.end())
        if end is None:
            return
        at = end.end()
        file = _SOURCE.search(begin[1])
        if not _DATA.search(begin[1]):
            yield (file[1], "") if file else ("", source[begin.end() : end.start()])
