"""Pages as readers see them: a headless Chromium that runs the scripts of pages, used through `Renderer`.

The browser has no way to the network: the crawl's own downloader answers each of its requests (`traffic`), so
robots.txt, the guard of addresses, delays, proxy and user agent hold for rendered pages, too.
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
