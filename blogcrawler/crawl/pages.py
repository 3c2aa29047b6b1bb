"""Functions for single pages of a crawl: their trees, entries and links, how to request them, and why some are given
up."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from blogcrawler.browser import GROWING, LIST
from blogcrawler.browser.need import TRIED
from blogcrawler.crawl.read_page import ReadPage
from blogcrawler.crawl.reasons import ALREADY_FETCHED, LEADS_AWAY, NO_WEB_PAGE, TOO_SLOW
from blogcrawler.dom import parse_page
from blogcrawler.downloader import NOT_CAPTURED
from blogcrawler.downloader.reasons import BROKE, is_gone, is_temporary
from blogcrawler.downloader.removed import REMOVED
from blogcrawler.errors import NotAWebPage, PageTooSlow
from blogcrawler.frontier import Link
from blogcrawler.routes import out_of_path
from blogcrawler.serialise import dump
from blogcrawler.urls import identity, with_other_slash

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.read_page import Outline
    from blogcrawler.items import Entry, Page

COVERAGE = "coverage"
"""Name under which the archive keeps whether the source that lists the posts is believed complete."""

logger = logging.getLogger(__name__)


def tree_or_give_up(ctx: CrawlContext, page: Page) -> HtmlElement | None:
    """The tree of a page; None if it cannot be read: then it is given up, and nothing is learned from it."""
    try:
        page.tree = parse_page(page)
    except NotAWebPage as error:
        give_up(ctx, page.url, TOO_SLOW if isinstance(error, PageTooSlow) else NO_WEB_PAGE)
        ctx.archive.forget_training_pages(ctx.home, url=page.url)
    return page.tree


def page_or_give_up(ctx: CrawlContext, page: Page, handed_in: ReadPage | None = None) -> ReadPage | None:
    """The page as a worker has read it, or to be read here; None if it cannot be read and is given up."""
    if handed_in is not None and handed_in.url == page.url:
        return handed_in
    return ReadPage(page, ctx.classifier.wrapper) if tree_or_give_up(ctx, page) is not None else None


def entry_of(ctx: CrawlContext, url: str) -> Entry | None:
    """The data that the feed or another source has about the post at a URL, also if a trailing slash differs."""
    keys = (identity(url), with_other_slash(identity(url)))
    entry = next((ctx.entries[key] for key in keys if key in ctx.entries), None)
    return entry or ctx.archive.source_entry(ctx.home, *keys)


def add_entry(ctx: CrawlContext, entry: Entry) -> None:
    """Add the address of an entry's post to the frontier, as that of a post."""
    if ctx.scope.covers(entry.url) and ctx.frontier.status(entry.url) != "failed":
        ctx.entries.setdefault(identity(entry.url), entry)
        ctx.frontier.add(entry.url, is_post=True)


def give_up(ctx: CrawlContext, url: str, reason: str, *, detours: int = 0) -> None:
    """Note that a page could not be fetched, and why; `detours`: number of redirects before the failure."""
    if reason == REMOVED:
        ctx.frontier.set_aside(url, reason)
        ctx.frontier.flush()
        return
    judge(ctx, url, is_post=False)
    ctx.coverage.check.note_gone(url, is_permanent=is_gone(reason))
    if reason == BROKE:
        ctx.outcome.note_fault()
    if not (is_gone(reason) and ctx.coverage.check.is_behind_list(url)):
        ctx.tally.failure(reason, out_of_path(url))
    teaches = not is_temporary(reason) and reason != NOT_CAPTURED  # what web archives lack says nothing about the blog
    ctx.frontier.failed(url, reason, gone=teaches, detours=detours)
    if teaches:
        ctx.harvest.record(0)
    with ctx.archive.transaction():
        if is_gone(reason) and ctx.archive.mark_gone(ctx.home, url, now=datetime.now(UTC)):
            ctx.tally.posts_gone += 1
        ctx.frontier.flush()
    for note in ctx.hooks.on_given_up:
        note(url, reason)


def note_duplicate(ctx: CrawlContext, asked: str, target: str) -> None:
    """Note that a page turned out to be one that was fetched before."""
    alias(ctx, asked, target)
    ctx.frontier.redirected(asked, target)
    ctx.harvest.record(0)
    ctx.frontier.flush()


def alias(ctx: CrawlContext, url: str, target: str) -> None:
    """Note that a page has another address."""
    ctx.coverage.alias(url, target)
    for note in ctx.hooks.on_alias:
        note(url, target)


def judge(ctx: CrawlContext, url: str, *, is_post: bool) -> None:
    """Report whether a page is a post to the source that lists posts."""
    if ctx.coverage.judge(url, is_post=is_post):
        logger.info("The %s is incomplete: %s is not in it.", ctx.coverage.source, url)
        ctx.frontier.reclassify(lambda link: is_post_link(ctx, link))
        save_coverage(ctx)


def save_coverage(ctx: CrawlContext) -> None:
    """Store whether the source that lists posts is believed complete, if there is such a source."""
    if ctx.coverage.source:
        state = {"source": ctx.coverage.source, "is_whole": ctx.coverage.is_whole}
        ctx.archive.save_source_state(ctx.home, COVERAGE, state)


def is_post_link(ctx: CrawlContext, url: str) -> bool:
    """True if a link is followed as a link to a post. If a source has all posts, it decides."""
    return ctx.classifier.is_permalink(url) and ctx.coverage.expects(url)


def may_be_post(ctx: CrawlContext, url: str) -> bool:
    """True if a page's address looks like a post's, it is not in the menu, and it is no known page at another
    address."""
    is_likely = ctx.classifier.is_permalink(url) and identity(url) not in ctx.classifier.menu
    return is_likely and not ctx.frontier.is_mirrored(url)


def all_links(ctx: CrawlContext, outline: Outline) -> list[Link]:
    """The pages of the blog that a page links to."""
    links = ((link, is_post_link(ctx, link.url)) for link in ctx.classifier.found_links(outline))
    return [link if link.is_post is is_post else replace(link, is_post=is_post) for link, is_post in links]


def links_of(ctx: CrawlContext, outline: Outline) -> list[Link]:
    """The links of a page that are followed."""
    links = all_links(ctx, outline)
    return links if ctx.hooks.link_filter is None else ctx.hooks.link_filter(links, outline.url)


def add_posts(ctx: CrawlContext, urls: Iterable[str], *, found_on: str | None = None) -> None:
    ctx.frontier.add_many([Link(url, is_post=True) for url in urls], found_on=found_on)
    ctx.frontier.flush()


def mode_of(ctx: CrawlContext, url: str) -> bool | str:
    """How a page is rendered before it is read, see `downloader.render`; False if it is not rendered."""
    rendering = ctx.fetcher.rendering
    is_list = not ctx.classifier.is_permalink(url)
    mode = LIST if rendering.of_lists and is_list else rendering.of_posts
    return GROWING if not mode and may_grow(ctx, url) else mode


def may_grow(ctx: CrawlContext, url: str) -> bool:
    """True if a page may be a list that is longer in a browser."""
    is_worth_it = ctx.grown_in_vain < TRIED and ctx.fetcher.can_try
    return is_worth_it and not ctx.fetcher.rendering.of_posts and not ctx.classifier.is_permalink(url)


def redirect_refusal(ctx: CrawlContext, asked: str, target: str) -> str | None:
    """Why the target of a redirect needs no request; None if it needs one."""
    if not ctx.classifier.scope.covers(target):
        return REMOVED if ctx.archive.removed(ctx.home).has(target) else LEADS_AWAY
    is_fetched = identity(target) != identity(asked) and ctx.frontier.status(target) in ("done", "claimed")
    return ALREADY_FETCHED if is_fetched else None


def save_state(ctx: CrawlContext) -> None:
    """Store what the crawl has learned, for a resumed crawl."""
    state = {
        "reader": ctx.classifier.to_dict(),
        "entries": dump(ctx.entries),
        "rendering": dump(ctx.fetcher.rendering),
        "samples": ctx.sample.rounds,
    }
    ctx.archive.save_crawl_state(ctx.home, state)
