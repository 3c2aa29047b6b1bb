"""Does a page run scripts that may show something, and not only count its visitors?"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blogcrawler.browser.trackers import is_tracker, is_tracking_code
from blogcrawler.urls import resolve

if TYPE_CHECKING:
    from lxml.html import HtmlElement

DATA = ("json", "template", "x-")
"""In the type of a script element that is no script."""


def has_scripts(tree: HtmlElement) -> bool:
    """Does a page run scripts, besides those that count its visitors?"""
    return any(map(_may_fill, tree.iter("script")))


def _may_fill(script: HtmlElement) -> bool:
    kind = (script.get("type") or "").lower()
    if "javascript" not in kind and any(sign in kind for sign in DATA):
        return False
    source = resolve("http://own.invalid/", script.get("src") or "")
    if script.get("src"):
        return source is not None and not is_tracker(urlsplit(source).hostname or "")
    return bool((script.text or "").strip()) and not is_tracking_code(script.text or "")
