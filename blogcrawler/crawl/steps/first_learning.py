"""The step that learns a blog from the posts of its feed, of another feed, or of its lists."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from blogcrawler.crawl.blocked_site import empty_page, no_pages, note_blocked, without_content
from blogcrawler.crawl.classifier import feed_since
from blogcrawler.crawl.pages import add_entry
from blogcrawler.crawl.post_sources import OlderPosts
from blogcrawler.crawl.steps import StepResult, learning
from blogcrawler.crawl.steps.beginning import begin_anew
from blogcrawler.crawl.steps.rendered_pages import first_route, needs_a_browser, posts_as_shown, start_as_shown
from blogcrawler.crawl.tasks import CrawlOver
from blogcrawler.dom import parse_page
from blogcrawler.downloader.reasons import NOT_SHOWN
from blogcrawler.errors import NoFeed, Unreachable
from blogcrawler.feeds import Feed
from blogcrawler.feeds.discovery import BUSY, Discovery, rediscover, without_feed
from blogcrawler.feeds.list_search import lists_of_sitemap
from blogcrawler.feeds.synthetic import Candidate, confirm
from blogcrawler.frontier import Stop, StopReason
from blogcrawler.time_limit import in_time
from blogcrawler.urls import canonicalise, identity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.steps.learning import PostPages
    from blogcrawler.feeds.synthetic import PostList
    from blogcrawler.items import Entry, Page
    from blogcrawler.wrapper import Wrapper


SAMPLE = 10
"""Number of pages of a list that are fetched before more of it."""
MAX_LISTS = 8
"""Maximum number of lists that are tried for a blog without a feed."""
ENOUGH_LISTED = 20
"""Number of posts at or above which no further list is tried."""
FEW = 8
"""Number of posts below which a list of lower quality is tried, too."""
HALF = 0.5
NEARLY = 0.9
"""Minimum quality of a further list, as a share of the first list's quality: HALF while there are few posts, otherwise
NEARLY, since further lists may hold dated pages that are not posts."""


async def learn_blog(ctx: CrawlContext) -> StepResult:
    """Fetch the pages of the newest posts, learn from them, and fill the frontier; returns the pages at hand.

    Raises NoFeed, NoPages.
    """
    assert ctx.discovery is not None
    return StepResult(await _learn(ctx, ctx.discovery, in_vain=set()))


async def _learn(
    ctx: CrawlContext, discovery: Discovery, *, in_vain: set[str], must_be_dated: bool = False
) -> Sequence[Page]:
    """Learn from what was discovered; `in_vain` are feeds that led to no post, and their entries."""
    entries, others = await _training_pages(ctx, discovery)
    if must_be_dated and not any(entry.published for _, entry in entries):
        entries = []  # if the posts of a blog are gone, pages such as the author's may be left
    if not entries:
        _end_unless_elsewhere(ctx, discovery)
        return await _learn_from_elsewhere(ctx, discovery, in_vain)
    if discovery.lists:
        ctx.tally.has_no_feed = discovery.empty_feed or True
    discovery = await start_as_shown(ctx, discovery, [entry for _, entry in entries])
    wrapper = learning.learn_with_corrections(ctx, entries)
    odd = set() if discovery.lists else learning.only_in_menu(entries)
    odd |= {identity(page.url) for page, entry in entries if learning.is_bare(page, entry, wrapper)}
    entries, aside = learning.set_odd_aside(ctx, odd, entries)
    if aside:
        wrapper = learning.learn_with_corrections(ctx, entries)
    await OlderPosts(ctx).begin(discovery, [page for page, _ in entries])
    start = _store_and_fill(ctx, discovery, wrapper, entries, others, aside)
    # the home page's links come first, in its order; known posts help to classify the other pages
    home = [page for page in start if identity(page.url) == identity(ctx.home)]
    rest = [page for page in start if page not in home]
    return [*home, *(page for page, _ in entries if page.status), *others, *aside, *rest]


async def _training_pages(ctx: CrawlContext, discovery: Discovery) -> tuple[PostPages, list[Page]]:
    """The readable pages of posts with their entries, and pages that turned out to be no posts."""
    if discovery.lists:
        fetched, others = await read_lists(ctx, discovery)
    else:
        entries = discovery.feed.entries
        if discovery.is_united:  # of many years, in which the blog may have been redesigned
            entries = tuple(learning.spread(entries, learning.TRAINING_PAGES))
        pages = await _entries_pages(ctx, discovery, entries)
        fetched, others = learning.set_odd_aside(ctx, learning.headed_by_others(pages), pages)
    pages = learning.readable(ctx, fetched)
    if not pages and discovery.is_united:  # the entries alone are the posts
        failed = (entry for entry in discovery.feed.entries if ctx.frontier.status(entry.url) == "failed")
        pages = learning.readable(ctx, [(empty_page(entry), entry) for entry in failed])
    return pages, others


async def _entries_pages(ctx: CrawlContext, discovery: Discovery, entries: Sequence[Entry]) -> PostPages:
    """The pages of the newest entries that are the entries' own; of a blocked site, empty pages for all of them."""
    if not ctx.is_blocked:
        at_hand = {identity(page.url): page for page, _ in ctx.archive.load_training_pages(ctx.home)}
        if discovery.start is not None and discovery.start.status == 200:
            at_hand.setdefault(identity(discovery.start.url), discovery.start)
        pages = await posts_as_shown(ctx, await learning.fetch_pages(ctx, entries, at_hand))
        note_blocked(ctx, discovery, pages)
    if ctx.is_blocked:
        answers = ctx.answers.values()
        empty = [(without_content(replace(page, url=canonicalise(entry.url))), entry) for page, entry in answers]
        return learning.own_pages(ctx, empty, set())
    return learning.own_pages(ctx, pages, {identity(discovery.home), identity(discovery.feed.url)})


def _end_unless_elsewhere(ctx: CrawlContext, discovery: Discovery) -> None:
    """End the crawl of a blog without posts to learn from, unless another source may have some."""
    if ctx.is_late:
        stop = Stop(StopReason.NO_TIME_TO_LEARN, ctx.options.stop_rules.time_limit_s or 0)
        ctx.tally.stopped(**stop._asdict())
        raise CrawlOver(stop.rule)
    if discovery.lists:
        raise NoFeed(
            f"No feed was found for {discovery.start_url}, and the lists on its pages lead to no posts (pages with the "
            "listed title and a date). If the blog has a feed, give its address with -a url=.",
            url=discovery.start_url,
        )
    if first_route(discovery.feed) and NOT_SHOWN in ctx.tally.failures:
        raise needs_a_browser(discovery.feed)


def _store_and_fill(
    ctx: CrawlContext, discovery: Discovery, wrapper: Wrapper, entries: PostPages, others: list[Page], aside: list[Page]
) -> list[Page]:
    """Store what was learned, and fill the frontier; returns the first pages of the crawl that are no entry's."""
    with ctx.archive.transaction():
        odd = {identity(page.url) for page in (*others, *aside)}
        for entry in discovery.feed.entries:
            if identity(entry.url) not in odd:
                add_entry(ctx, entry)
            if discovery.is_united and ctx.frontier.status(entry.url) == "failed":  # it replaces the page
                ctx.entries.setdefault(identity(entry.url), entry)
        no_posts = {identity(url) for url in (*_no_posts(discovery), *(page.url for page in aside))}
        # between the days on which its feed was captured, posts may be missing
        since = None if discovery.is_united else feed_since(discovery.feed.entries)
        learning.keep_rules(ctx, wrapper, entries, no_posts, since)
        if discovery.feed.kind != "synthetic":
            ctx.frontier.done(discovery.feed.url)
        ctx.frontier.add(discovery.home, is_post=False)
        start = []
        for page in filter(None, (discovery.start, *discovery.pages)):
            if page.status not in BUSY and ctx.frontier.status(page.url) != "claimed":  # it belongs to no entry
                ctx.frontier.redirected(page.url, page.url)
                start.append(page)
        ctx.frontier.flush()
    ctx.training = entries
    return start


def _no_posts(discovery: Discovery) -> list[str]:
    """Pages that are no posts whatever they look like: home page, feed, and a start page that is not below the home
    page."""
    below = discovery.home.rstrip("/") + "/"
    start = (discovery.start_url, discovery.start.url if discovery.start else discovery.start_url)
    return [discovery.home, discovery.feed.url, *(url for url in start if not url.startswith(below))]


async def read_lists(ctx: CrawlContext, discovery: Discovery) -> tuple[PostPages, list[Page]]:
    """The pages of posts that lists lead to, each with its synthetic entry; and pages that are no posts.

    If the lists lead to no post, as when a blog has moved and its links are outdated, the sitemap is tried.
    """
    posts, others = await _read_in_turn(ctx, discovery, discovery.lists)
    if not posts:
        tried = {identity(entry.url) for listed in discovery.lists for entry in listed.entries}
        lists = await lists_of_sitemap(discovery.home, ctx.fetcher.get)
        new = [listed for listed in lists if tried.isdisjoint(identity(entry.url) for entry in listed.entries)]
        posts, more = await _read_in_turn(ctx, discovery, new)
        others += more
    if _have_days(posts):
        others += learning.set_aside(ctx, [page for page, entry in posts if entry.published is None])
        posts = [(page, entry) for page, entry in posts if entry.published is not None]
    for page, entry in posts:
        ctx.entries[identity(page.url)] = entry
        ctx.archive.save_training_page(ctx.home, page, entry)
    return posts, others


async def _read_in_turn(
    ctx: CrawlContext, discovery: Discovery, lists: Sequence[PostList]
) -> tuple[PostPages, list[Page]]:
    """The pages of posts in some lists, and pages that are no posts.

    The lists are tried one after another until one leads to posts; then more of it is fetched. Lists of lower quality
    are tried, too, while the pages have no dates. Once a list has pages with dates, its pages without dates are no
    posts.
    """
    posts: PostPages = []
    others: list[Page] = []
    first: PostList | None = None
    limit = ctx.options.stop_rules.page_limit
    for listed in (*lists[:MAX_LISTS], *lists[MAX_LISTS:][-1:]):
        least = NEARLY if len(posts) >= FEW else HALF
        is_limit_reached = limit is not None and ctx.tally.pages >= limit
        is_worse = first is not None and listed.quality < least * first.quality
        if len(posts) >= ENOUGH_LISTED or (is_worse and _have_days(posts)) or is_limit_reached:
            break
        own, rest = await _read_list(ctx, discovery, listed, must_be_dated=is_worse)
        posts += own
        others += rest
        first = first or (listed if posts else None)
    return posts, others


async def _read_list(
    ctx: CrawlContext, discovery: Discovery, listed: PostList, *, must_be_dated: bool
) -> tuple[PostPages, list[Page]]:
    """The posts among the first pages of a list, and among the rest if most of the first are posts; and the other
    pages."""
    posts: PostPages = []
    others: list[Page] = []
    rest = learning.spread(listed.entries[SAMPLE:], learning.TRAINING_PAGES - SAMPLE)  # older posts may differ
    for part in (listed.entries[:SAMPLE], rest):
        pages = learning.readable(ctx, await _entries_pages(ctx, discovery, part))
        confirmed = in_time(pages, _confirmed)
        accepted = {url: entry for url, entry in confirmed.items() if entry.published or not must_be_dated}
        own = [(page, accepted[page.url]) for page, _ in pages if page.url in accepted]
        posts += own
        others += learning.set_aside(ctx, [page for page, _ in pages if page.url not in accepted])
        if 2 * len(own) < len(pages):
            break
    return posts, others


def _have_days(posts: PostPages) -> bool:
    """True if at least half of the posts have a day."""
    return 0 < len(posts) <= 2 * sum(entry.published is not None for _, entry in posts)


def _confirmed(pages: Sequence[tuple[Page, Entry]]) -> dict[str, Entry]:
    """By page address: the entry that a page confirms, for pages that are posts."""
    candidates = [Candidate(page.tree, page.url, entry) for page, entry in pages if page.tree is not None]
    return {
        candidate.url: entry
        for candidate, entry in zip(candidates, confirm(candidates), strict=True)
        if entry is not None
    }


async def _learn_from_elsewhere(ctx: CrawlContext, discovery: Discovery, in_vain: set[str]) -> Sequence[Page]:
    """Start again with another feed or with the blog's lists, since no entry of its feed leads to a page. Raises
    NoPages. If there is neither, and the site answers with pages that are not posts, the feed's data is archived."""
    in_vain |= {identity(url) for url in (discovery.feed.url, *(entry.url for entry in discovery.feed.entries))}
    error, answers = no_pages(ctx, discovery.feed), ctx.answers
    ctx.answers = {}
    instead = await _other_source(ctx, discovery, in_vain, has_feeds=not isinstance(error, Unreachable))
    try:
        if not (instead.feed.entries or instead.lists):
            raise NoFeed(f"No page of {discovery.home} lists posts.", url=discovery.home)
        if identity(instead.home) != identity(ctx.home):
            ctx.archive.forget_without_posts(ctx.home)
        begin_anew(ctx, instead)
        return await _learn(ctx, instead, in_vain=in_vain, must_be_dated=True)
    except NoFeed as reason:
        if not isinstance(error, Unreachable):
            raise error from reason
        ctx.outcome.fault, ctx.answers = error, answers
        begin_anew(ctx, discovery)
        return await _learn(ctx, discovery, in_vain=in_vain)


async def _other_source(ctx: CrawlContext, discovery: Discovery, in_vain: set[str], *, has_feeds: bool) -> Discovery:
    """Another feed of the blog, unless feeds are not wanted, or the posts that its pages list; empty if there is
    neither."""
    instead = Discovery(Feed(discovery.home, "synthetic"), discovery.home, None, None, None)
    with suppress(Exception):  # any error means that there are no lists
        fetch = ctx.fetcher.get
        start = discovery.start or await fetch(discovery.home)
        instead = replace(await without_feed(start, parse_page(start), fetch), empty_feed=discovery.feed.url)
        if has_feeds:
            other, _ = await rediscover(
                start,
                fetch,
                besides=in_vain,
                has_guesses=True,
                is_own=lambda feed: in_vain.isdisjoint(identity(entry.url) for entry in feed.entries),
            )
            instead = other or instead
    return replace(instead, start_url=discovery.start_url)
