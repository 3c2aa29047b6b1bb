"""Analyses the scripts of a page by their text; data/trackers.json lists visitor counters and advertisers."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from blogcrawler.serialise import load_file
from blogcrawler.urls import resolve, same_site

if TYPE_CHECKING:
    from lxml.html import HtmlElement

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
"""Number of characters before a string that show how it is used."""
_NO_SCRIPT = ("json", "template", "x-")
"""Matches the type of a script element that is not a script."""


def has_scripts(tree: HtmlElement) -> bool:
    """True if a page runs scripts other than trackers."""
    return any(map(_may_show, tree.iter("script")))


def _may_show(script: HtmlElement) -> bool:
    kind = (script.get("type") or "").lower()
    if "javascript" not in kind and any(sign in kind for sign in _NO_SCRIPT):
        return False
    source = resolve("http://own.invalid/", script.get("src") or "")
    if script.get("src"):
        return source is not None and not is_tracker(urlsplit(source).hostname or "")
    return bool((script.text or "").strip()) and not is_tracking_code(script.text or "")


def is_tracker(host: str) -> bool:
    """True if a host or its parent domain only counts visitors or shows adverts."""
    parts = host.lower().split(".")
    return any(".".join(parts[start:]) in _tracking_hosts() for start in range(len(parts) - 1))


def is_tracking_code(script: str) -> bool:
    """True if an inline script only calls a tracker."""
    code = script.lower()
    return any(sign in code for sign in _trackers()["code"])


@cache
def _tracking_hosts() -> frozenset[str]:
    return frozenset(host for hosts in _trackers()["hosts"].values() for host in hosts)


@cache
def _trackers() -> dict[str, Any]:
    return load_file(dict[str, Any], __package__, "trackers.json")


def adds_on_scrolling(code: str) -> bool:
    """True if a script may load content on scrolling: it watches scrolling and sends requests. O(n)."""
    return bool(_NAMES_ITSELF.search(code) or (_WATCHES.search(code) and _ASKS.search(code)))


def elements_named(code: str) -> frozenset[str]:
    """Return the IDs, classes and attributes by which a script selects elements. O(n)."""
    names = {match[1] for match in _BY_ID.finditer(code)}
    for string in _STRING.finditer(code):
        text = string[string.lastindex or 0]
        if _BY_NAME.search(code, max(0, string.start() - _BEFORE), string.start()):
            names.add(text)
        elif _IN_SELECTOR.fullmatch(text):
            names.update(_SELECTED.findall(text))
    return frozenset(names)


def inline_code(tree: HtmlElement) -> str:
    """Return the inline scripts of a page, except trackers. O(n)."""
    return "\n".join(script.text for script in tree.iter("script") if not script.get("src") and _may_show(script))


def runs_own_code(tree: HtmlElement, url: str) -> bool:
    """True if a page has a script of its own site, inline or in a file. O(n)."""
    files = (script.get("src") for script in tree.iter("script") if _may_show(script))
    return any(file is None or same_site(urljoin(url, file), url) for file in files)
