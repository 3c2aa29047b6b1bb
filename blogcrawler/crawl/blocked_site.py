"""Sites that do not let the crawler in, or show it one page in place of all, such as a check of the browser or a login.

How that is found out, and with which error their crawl ends. A refusal alone proves nothing: single posts may be
private. So where several pages were refused, or some at the end, a page that was a post is asked for again: if it is
shown, the site is open; else the crawl ends, and goes on another time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise, starmap
from typing import TYPE_CHECKING

from blogcrawler.browser.need import shows, tree_of
from blogcrawler.crawl.context import COMPLETE
from blogcrawler.crawl.tasks import Probe
from blogcrawler.dom import asks_for_password, inline_text
from blogcrawler.downloader.reasons import advice_of, status_reason
from blogcrawler.errors import NoPages, Unreachable
from blogcrawler.feeds.discovery import REFUSALS
from blogcrawler.frontier import Stop, StopReason
from blogcrawler.similarity import similarity, units
from blogcrawler.urls import identity
from blogcrawler.wrapper.fit import LIKE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.feeds import Feed
    from blogcrawler.feeds.discovery import Discovery
    from blogcrawler.items import Entry, Page

SHOWN = 60
"""Characters of a page that are quoted."""
SEVERAL = 5
"""Refused pages after which it is asked whether the site is open; after each time that it is, twice as many."""
LATER = "What was found is kept; run the same command again later to continue."


def blocked(url: str, trees: Sequence[HtmlElement]) -> Unreachable | None:
    """The error of a site all of whose pages are one; None where they differ. O(n) in their text."""
    if not are_one(trees):
        return None
    shown = (trees[0].findtext(".//title") or inline_text(trees[0])).strip()[:SHOWN]
    return Unreachable(
        f'{url} shows the same page at every address: "{shown}". It may want consent or a login: try RENDER=always or '
        "COOKIES_ENABLED=True, or ask its owner (set CONTACT).",
        url=url,
    )


def locked(start_url: str, page: Page) -> Unreachable | None:
    """The error of an address without a feed where a page asks for a password; None where it does not."""
    if page.tree is None or not asks_for_password(page.tree):
        return None
    leads = "" if identity(page.url) == identity(start_url) else f" leads to {page.url}, which"
    return Unreachable(
        f"{start_url}{leads} asks for a password and names no feed. Give the address of public pages or of the blog's "
        "feed with -a url=, or ask its owner to allow the crawler.",
        url=start_url,
    )


def refused(start: Page, start_url: str) -> Unreachable:
    """The error of a start page that a site does not give."""
    reason = status_reason(start.status)
    advice = advice_of(reason) or "give the address of the home page of the blog"
    return Unreachable(f"{start.url} answered {reason}; {advice}.", url=start_url)


def without_content(page: Page) -> Page:
    """A page as it is read where nothing that it shows is of a post."""
    return replace(page, body=b"<p>", content_type=None, tree=None)


def are_one(trees: Sequence[HtmlElement]) -> bool:
    """True if several pages say the same, but for a few words. O(n) in their text.

    Words with signs or digits are left out: tokens and addresses change from page to page.
    """
    texts = [[word for word in units(inline_text(tree)) if word.isalpha()] for tree in trees]
    return len(texts) > 1 and all(starmap(_are_alike, pairwise(texts)))


def _are_alike(one: list[str], other: list[str]) -> bool:
    """True if two texts have most words in common, or most pairs of letters."""
    common = (Counter(one) & Counter(other)).total()
    return 2 * common >= LIKE * (len(one) + len(other)) or similarity(" ".join(one), " ".join(other)) >= LIKE


# ------------------------------------------------------------------------------------------------- how a crawl ends


def check_start(ctx: CrawlContext, start: Page) -> None:
    """Make a crawl that comes to its end no success if its start page was refused, and was not read later."""

    def note_refused(reason: str) -> bool:
        if reason in COMPLETE and ctx.frontier.status(start.url) != "done":
            ctx.outcome.fault = ctx.outcome.fault or refused(start, start.url)
        return True  # whether the site is blocked is for the next to check

    if start.status in REFUSALS:
        ctx.hooks.completeness.insert(0, note_refused)


def check_records(ctx: CrawlContext, reason: str) -> bool:
    """False if most records are hardly posts, which is fatal, or if the site shows none."""
    bare, records = ctx.tally.bare_records, ctx.tally.records
    if reason in COMPLETE and 2 * bare > records and ctx.fatal is None:
        message = f"{bare} of {records} records of {ctx.home} have neither a title nor a date, so they are hardly "
        ctx.outcome.fatal = NoPages(
            f"{message}posts; if the blog has a feed, give its address with -a url=.", url=ctx.home
        )
    return ctx.fatal is None and not ctx.is_blocked


def note_blocked(ctx: CrawlContext, found: Discovery, entries: list[tuple[Page, Entry]]) -> None:
    """Note where no page shows its post, since all are one: such a crawl is no success, whatever its feed tells."""
    start = tree_of(found.start) if found.start is not None else None
    others = [page for page, _ in entries if identity(page.url) != identity(found.home)]
    trees = [tree for page in others if (tree := tree_of(page)) is not None]
    if not found.lists and not any(page.tree is not None and shows(page.tree, entry) for page, entry in entries):
        ctx.outcome.fault = ctx.outcome.fault or blocked(ctx.home, [start, *trees] if start is not None else trees)


def no_pages(ctx: CrawlContext, feed: Feed) -> NoPages | Unreachable:
    """The error of a crawl whose feed leads to no post: unreachable where a site answers with what is no post's."""
    reasons, advice = ", ".join(ctx.tally.failures), next(filter(None, map(advice_of, ctx.tally.failures)), None)
    own = [page for key, (page, _) in ctx.answers.items() if identity(page.url) == key]
    trees = [tree for page in own if (tree := tree_of(page)) is not None]
    message = (
        f"None of the {len(feed.entries)} entries of {feed.url} leads to a page that can be read ({reasons}); "
        f"{advice or 'check whether the blog is still there'}."
    )
    if advice and trees:
        return Unreachable(f"{message} Nothing but what its feed tells could be kept.", url=feed.url)
    return blocked(ctx.home, trees) or NoPages(message, url=feed.url)


# --------------------------------------------------------------------------------------- a site that closes on the way


class ClosedSite:
    """Asks for a page that was a post once pages are refused."""

    def __init__(self, ctx: CrawlContext) -> None:
        self._ctx = ctx
        #: addresses that were refused since the site was last seen to be open
        self._doubtful: dict[str, None] = {}
        self._most_doubtful = SEVERAL
        #: why the site is closed
        self.closed: Unreachable | None = None

    def stop(self) -> Stop | None:
        """The rule that ends the crawl of a closed site."""
        return None if self.closed is None else Stop(StopReason.SITE_CLOSED)

    def is_waiting(self) -> bool:
        """True if so many pages were refused that no further one should be asked for before the site is probed."""
        return len(self._doubtful) >= self._most_doubtful

    def check(self, reason: str) -> bool:  # noqa: ARG002
        """False if the site is closed, which is why the crawl could not do its job."""
        self._ctx.outcome.fatal = self._ctx.outcome.fatal or self.closed
        return self.closed is None

    def note_given_up(self, url: str, reason: str) -> None:
        """Take in a page that could not be fetched."""
        if advice_of(reason) is not None and not self._ctx.is_blocked:
            self._doubtful[url] = None

    def probe(self, stop: Stop | None) -> Probe | None:
        """Probe the site at the end if pages were refused, with a page that was a post, where one is kept."""
        ctx = self._ctx
        if not self._doubtful or not ctx.is_at_end(stop):
            return None
        kept = [page for page, _ in ctx.archive.load_training_pages(ctx.home) if identity(page.url) in ctx.entries]
        if kept and not ctx.is_blocked:
            return Probe(kept[0].url, self.note_probed)
        self._doubtful.clear()
        return None

    def note_probed(self, page: Page | None) -> None:
        """End the crawl if a page that was a post is refused now; what was refused before waits for the next crawl.

        No answer tells nothing.
        """
        if page is not None and page.status in REFUSALS:
            reason = status_reason(page.status)
            message = f"{page.url} answered {reason}, and was there before; {advice_of(reason)}. {LATER}"
            self.closed = Unreachable(message, url=self._ctx.home)
            self._ctx.frontier.retry(self._doubtful)
            self._ctx.frontier.flush()
        self._doubtful.clear()
        self._most_doubtful *= 2
        self._ctx.news.set()
