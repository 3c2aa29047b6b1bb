"""Renders pages with a headless Chromium, through `Renderer`.

The browser has no network access: the crawl's own downloader answers each of its requests (`traffic`), so robots.txt,
the address guard, delays, proxy and user agent apply to rendered pages, too.
"""

from __future__ import annotations

from blogcrawler.browser.choices import check_rendering
from blogcrawler.browser.growing import GROWING, LIST, grows, grows_by_script
from blogcrawler.browser.page_scripts import has_scripts
from blogcrawler.browser.phrases import says_all, says_rest
from blogcrawler.browser.renderer import Renderer, Rendition

__all__ = [
    "GROWING",
    "LIST",
    "Renderer",
    "Rendition",
    "check_rendering",
    "grows",
    "grows_by_script",
    "has_scripts",
    "says_all",
    "says_rest",
]
