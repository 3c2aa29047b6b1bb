"""Recognise sites that refuse the crawler, or show one page at all addresses, such as a browser check or a login.

This module decides with which error such a crawl ends. One refusal proves nothing: single posts may be private. So a
page that was a post is requested again after several pages were refused, or at the end if any were. If it is shown, the
site is open; otherwise the crawl ends and can be continued later.
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
from blogcrawler.items import Page
from blogcrawler.similarity import similarity, units
from blogcrawler.urls import canonicalise, identity
from blogcrawler.wrapper.fit import LIKE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.feeds import Feed
    from blogcrawler.feeds.discovery import Discovery
    from blogcrawler.items import CaptureReference, Entry

SHOWN = 60
"""Maximum number of characters of a page that an error message quotes."""
SEVERAL = 5
"""Number of refused pages after which the site is probed. It doubles each time the site proves open."""
LATER = "What was found is kept; run the same command again later to continue."


def blocked(url: str, trees: Sequence[HtmlElement]) -> Unreachable | None:
    """The error of a site that shows the same page everywhere; None if its pages differ. O(n) in their text."""
    if not are_same_page(trees):
        return None
    quoted = (trees[0].findtext(".//title") or inline_text(trees[0])).strip()[:SHOWN]
    return Unreachable(
        f'{url} shows the same page at every address: "{quoted}". It may want consent or a login: try RENDER=always or '
        "COOKIES_ENABLED=True, or ask its owner (set CONTACT).",
        url=url,
    )


def locked(start_url: str, page: Page) -> Unreachable | None:
    """The error of an address whose page asks for a password and names no feed; None if it does not ask."""
    if page.tree is None or not asks_for_password(page.tree):
        return None
    leads = "" if identity(page.url) == identity(start_url) else f" leads to {page.url}, which"
    return Unreachable(
        f"{start_url}{leads} asks for a password and names no feed. Give the address of public pages or of the blog's "
        "feed with -a url=, or ask its owner to allow the crawler.",
        url=start_url,
    )


def refused(start: Page, start_url: str) -> Unreachable:
    """The error of a start page that the site refuses, or that was not captured."""
    if start.is_not_captured:
        return Unreachable(
            f"{start.url} was not captured. Check the URL, the place of the captures and their time; blogcrawler blogs "
            "find lists the blogs in WARC files.",
            url=start_url,
        )
    reason = status_reason(start.status)
    advice = advice_of(reason) or "give the address of the home page of the blog"
    return Unreachable(f"{start.url} answered {reason}; {advice}.", url=start_url)


def without_content(page: Page) -> Page:
    """An empty page at the same address, for a page that shows nothing of its post."""
    return replace(page, body=b"<p>", content_type=None, tree=None)


def empty_page(entry: Entry, capture: CaptureReference | None = None) -> Page:
    """A page in place of that of an entry, which cannot be fetched; `capture` is the document with the entry."""
    time = capture.time if capture is not None else None
    return without_content(Page(canonicalise(entry.url), b"", status=0, fetched=time, capture=capture))


def are_same_page(trees: Sequence[HtmlElement]) -> bool:
    """True if several pages have the same text, except for a few words. O(n) in their text.

    Words with punctuation or digits are ignored: tokens and addresses change from page to page.
    """
    texts = [[word for word in units(inline_text(tree)) if word.isalpha()] for tree in trees]
    return len(texts) > 1 and all(starmap(_are_similar, pairwise(texts)))


def _are_similar(words: list[str], other_words: list[str]) -> bool:
    """True if two texts have most words in common, or most pairs of letters."""
    common = (Counter(words) & Counter(other_words)).total()
    return (
        2 * common >= LIKE * (len(words) + len(other_words))
        or similarity(" ".join(words), " ".join(other_words)) >= LIKE
    )


def check_start(ctx: CrawlContext, start: Page) -> None:
    """Let the crawl fail at its end if its start page was refused and was not read later."""

    def note_refused(reason: str) -> bool:
        if reason in COMPLETE and ctx.frontier.status(start.url) != "done":
            ctx.outcome.fault = ctx.outcome.fault or refused(start, start.url)
        return True  # the next check decides whether the site is blocked

    if start.status in REFUSALS:
        ctx.hooks.completeness.insert(0, note_refused)


def check_records(ctx: CrawlContext, reason: str) -> bool:
    """False if most records are hardly posts, which is a fatal error, or if the site shows no posts."""
    bare, records = ctx.tally.bare_records, ctx.tally.records
    if reason in COMPLETE and 2 * bare > records and ctx.fatal is None:
        message = f"{bare} of {records} records of {ctx.home} have neither a title nor a date, so they are hardly "
        ctx.outcome.fatal = NoPages(
            f"{message}posts; if the blog has a feed, give its address with -a url=.", url=ctx.home
        )
    return ctx.fatal is None and not ctx.is_blocked


def note_blocked(ctx: CrawlContext, discovery: Discovery, entries: list[tuple[Page, Entry]]) -> None:
    """Note if all entries' pages are the same page, which shows no post: such a crawl fails, whatever its
    feed holds."""
    start = tree_of(discovery.start) if discovery.start is not None else None
    others = [page for page, _ in entries if identity(page.url) != identity(discovery.home)]
    trees = [tree for page in others if (tree := tree_of(page)) is not None]
    if not discovery.lists and not any(page.tree is not None and shows(page.tree, entry) for page, entry in entries):
        ctx.outcome.fault = ctx.outcome.fault or blocked(ctx.home, [start, *trees] if start is not None else trees)


def no_pages(ctx: CrawlContext, feed: Feed) -> NoPages | Unreachable:
    """The error of a crawl whose feed leads to no post: Unreachable if the site answers with pages of another kind."""
    reasons, advice = ", ".join(ctx.tally.failures), next(filter(None, map(advice_of, ctx.tally.failures)), None)
    own = [page for key, (page, _) in ctx.answers.items() if identity(page.url) == key]
    trees = [tree for page in own if (tree := tree_of(page)) is not None]
    message = (
        f"None of the {len(feed.entries)} entries of {feed.url} leads to a page that can be read ({reasons}); "
        f"{advice or 'check whether the blog is still there'}."
    )
    if advice and trees:
        return Unreachable(f"{message} Only the content of its feed could be archived.", url=feed.url)
    return blocked(ctx.home, trees) or NoPages(message, url=feed.url)


class ClosedSite:
    """Requests a known post again once pages are refused, to see whether the site is closed."""

    def __init__(self, ctx: CrawlContext) -> None:
        self._ctx = ctx
        #: addresses that were refused since the site last proved open
        self._doubtful: dict[str, None] = {}
        self._most_doubtful = SEVERAL
        #: the error that says why the site is closed; None while it is open
        self.closed: Unreachable | None = None

    def stop(self) -> Stop | None:
        """The reason to end the crawl if the site is closed; None while it is open."""
        return None if self.closed is None else Stop(StopReason.SITE_CLOSED)

    def is_waiting(self) -> bool:
        """True if so many pages were refused that the site must be probed before the next request."""
        return len(self._doubtful) >= self._most_doubtful

    def check(self, reason: str) -> bool:  # noqa: ARG002
        """False if the site is closed. The crawl then fails with this error."""
        self._ctx.outcome.fatal = self._ctx.outcome.fatal or self.closed
        return self.closed is None

    def note_given_up(self, url: str, reason: str) -> None:
        """Note a page that could not be fetched."""
        if advice_of(reason) is not None and not self._ctx.is_blocked:
            self._doubtful[url] = None

    def probe(self, stop: Stop | None) -> Probe | None:
        """The task to request a stored page that was a post again, at the end of a crawl in which pages were
        refused."""
        ctx = self._ctx
        if not self._doubtful or not ctx.is_at_end(stop):
            return None
        known_posts = [
            page for page, _ in ctx.archive.load_training_pages(ctx.home) if identity(page.url) in ctx.entries
        ]
        if known_posts and not ctx.is_blocked:
            return Probe(known_posts[0].url, self.note_probed)
        self._doubtful.clear()
        return None

    def note_probed(self, page: Page | None) -> None:
        """End the crawl if a page that was a post is refused now; refused pages wait for the next crawl. A request
        without a response proves nothing."""
        if page is not None and page.status in REFUSALS:
            reason = status_reason(page.status)
            message = f"{page.url} answered {reason}, but was available before; {advice_of(reason)}. {LATER}"
            self.closed = Unreachable(message, url=self._ctx.home)
            self._ctx.frontier.retry(self._doubtful)
            self._ctx.frontier.flush()
        self._doubtful.clear()
        self._most_doubtful *= 2
        self._ctx.news.set()
