"""Decide whether a capture shows what the blog published at its address.

Afterwards the address may have been parked, or have shown an error with status 200, a login or a request for consent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.browser.need import shows, tree_of
from blogcrawler.dom import asks_for_password, links
from blogcrawler.items import Page
from blogcrawler.urls import identity, resolve, same_site, with_other_slash

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.sources import CapturedResponse


def shows_blog(ctx: CrawlContext, url: str, response: CapturedResponse) -> bool:
    """True unless a captured page lacks its feed entry, is no post at the address of one, or leads to no other page of
    the site. O(n) in its text."""
    page = Page(url, response.body, response.header("content-type"), response.status)
    tree = tree_of(page) if page.status == 200 else None
    if tree is None:
        return True
    if asks_for_password(tree):
        return False
    key = identity(url)
    entry = ctx.entries.get(key) or ctx.entries.get(with_other_slash(key))
    if entry is not None and (entry.title or entry.content_html):
        return shows(tree, entry)
    if ctx.has_learned and ctx.classifier.is_permalink(url):
        wrapper = ctx.classifier.wrapper
        if wrapper.is_post(tree, url, is_permalink=True):
            return True
        if wrapper.is_other_post(tree, url) is False:
            return False
    return _leads_on(tree, url)


def _leads_on(tree: HtmlElement, url: str) -> bool:
    targets = (resolve(url, link.url) for link in links(tree, url) if link.kind == "a")
    return any(target and same_site(target, url) and identity(target) != identity(url) for target in targets)
