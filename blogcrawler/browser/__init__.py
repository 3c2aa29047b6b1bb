"""Pages as readers see them: a headless Chromium that runs the scripts of pages.

The browser has no way to the network: the crawl's own downloader answers each of its requests (`traffic`), so all that
holds for the crawl holds for rendered pages, too: robots.txt, the guard of addresses, delays, proxy, user agent.
`Renderer` is what the other rooms use, one for each crawl. Nothing is started before a page is to be rendered.
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
