"""NewCrawl: from a blog's address to a record of every post (URL → records).

The crawl begins with the blog's feed: its entries' pages are fetched and learned from. After that the frontier says
which page is next. All state is in the back end after each page, so the same command goes on with a crawl that was cut
short.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy.exceptions import CloseSpider

from blogcrawler.backend import FeedState
from blogcrawler.crawl.blocked_site import blocked, without_content
from blogcrawler.crawl.browser_need import Rendering, shows, tree_of
from blogcrawler.crawl.classifier import PostClassifier, feed_since
from blogcrawler.crawl.conditional_requests import FeedAsker
from blogcrawler.crawl.feed_discovery import BUSY, REFUSALS, Discovery, rediscover, refused, without_feed
from blogcrawler.crawl.refinement import Sample
from blogcrawler.crawl.session_tokens import SESSIONS, Sessions, find_sessions
from blogcrawler.crawl.shared_settings import disagreement, terms
from blogcrawler.crawl.update.comment_feed import CommentNews
from blogcrawler.crawl.update.lost_feed import LostFeed
from blogcrawler.dom import parse_page
from blogcrawler.downloader.reasons import NOT_SHOWN, advice_of
from blogcrawler.errors import BeingCrawled, NoFeed, NoPages, Unreachable, UnreadableRules
from blogcrawler.feeds import Feed
from blogcrawler.feeds.synthetic import Candidate, confirm
from blogcrawler.items import Entry, Page
from blogcrawler.spiders.base import COMPLETE, now, page_of
from blogcrawler.spiders.shown import first_route, needs_a_browser
from blogcrawler.spiders.training import TRAINING_PAGES, is_bare, learned, only_in_menu
from blogcrawler.spiders.turned_away import TurnedAway
from blogcrawler.time_limit import in_time
from blogcrawler.urls import Scope, canonicalise, identity, parse_start_url, routed
from blogcrawler.wrapper import Wrapper

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from scrapy import Request
    from scrapy.http import Response

    from blogcrawler.crawl.post_sources import Basis
    from blogcrawler.feeds.synthetic import PostList

__all__ = ["NewCrawl"]

START = "start"
"""Under which name the archive keeps the address that a crawl began with."""
SAMPLE = 10
"""Pages of a list that are fetched before more of it."""
MAX_LISTS = 8
"""Lists that are tried of a blog without a feed."""
ENOUGH_LISTED = 20
"""Posts from which no further list is tried."""
FEW = 8
"""Posts below which a list may be worse."""
HALF = 0.5
NEARLY = 0.9
"""Share of the quality of the first list of posts that a further one must have: others may be of pages with a date."""


class NewCrawl(TurnedAway):
    """Archives a blog."""

    name = "newcrawl"
    #: the page that the crawl began with, if the site has not given it
    _refused: Response | None = None
    #: feeds that lead to no post, and their entries
    _in_vain: frozenset[str] = frozenset()

    async def prepare(self) -> AsyncIterator[Request]:
        """Go on with a crawl that was cut short, or find the feed and learn from its entries."""
        start_url = parse_start_url(self.url or "")
        self.archive = self._open_archive()
        has_joined = await self._group.find_place(self.archive, start_url)
        home = self.archive.find_blog(start_url)
        if home and has_joined and self._joins(home):
            await self._renew_sessions()
            pages = []
            self._go_on_as_listed()
        elif home and self._is_cut_short(home) and self._go_on(home):
            await self._renew_sessions()
            pages = self._pages_not_taken()
            if self._outputs_begin_anew():
                yield self._recall_request()
            with self._tolerating("lists of posts"):
                pages += await self._go_on_listing()
            await self._note_comments()
        else:
            start_url = self._start_that_led_here(start_url, home)
            found = await self._discover(start_url, lambda start: self._find_sessions(start, start_url, home))
            self._refused = found.start if found.start and found.start.status in REFUSALS else None
            self._show_routes(found.feed)
            self._begin_anew(found, start_url)
            pages, basis = await self._fetch_and_learn(found, start_url)
            with self._tolerating("lists of posts"):
                pages += await self._list_posts(basis)
            await self._note_comments()
            pages = [await self._grown(page) for page in pages]
        await self._share()
        for page in {identity(page.url): page for page in pages}.values():
            yield self.kept(page)

    def _is_complete(self, reason: str) -> bool:
        """True if nothing is left for a next crawl; not of a crawl whose records are hardly posts."""
        bare, records = self.tally.bare_records, self.tally.records
        if reason in COMPLETE and 2 * bare > records and self.fatal is None:
            message = f"{bare} of {records} records of {self.home} have neither a title nor a date, so they are hardly "
            self.fatal = NoPages(
                f"{message}posts; if the blog has a feed, give its address with -a url=.", url=self.home
            )
        if reason in COMPLETE and (start := self._refused) and self.frontier.status(start.url) != "done":
            self.fault = self.fault or refused(start, start.url)
        return self.fatal is None and not self._is_blocked() and super()._is_complete(reason)

    def _finish(self, reason: str, *, is_complete: bool) -> None:
        """Write down how the crawl ended; what a blocked one has learned is dropped, so that the next begins anew."""
        if self._is_blocked():
            reason = str(self.fault)
            self.archive.save_crawl_state(self.home, None)
            self.archive.forget_training_pages(self.home)
        super()._finish(reason, is_complete=is_complete)

    async def _note_comments(self) -> None:
        """Keep what the feed of all comments tells: what later updates compare with."""
        news = CommentNews(self.archive, self.home, FeedAsker(self.crawler, self.sessions))
        if self.settings.getbool("COMMENTS") and not news.is_kept:
            with self._tolerating("the feed of all comments"):
                await news.ask(self.archive.load_feed_state(self.home))
                news.keep()

    # -------------------------------------------------------------------------------------------------------- sessions

    async def _find_sessions(self, start: Response, start_url: str, home: str | None) -> Response:
        """Tell from the first page whether the site's addresses carry tokens; that page without them."""
        kept = {} if home is None else self.archive.load_source_state(home, SESSIONS)
        self._use(await find_sessions(start, start_url, self._download_counted, Sessions.from_dict(kept)))
        return self.sessions.received(start, start_url)

    async def _download_counted(self, url: str) -> Response:
        response = await self._download(url, render=self._rendering.of_lists)
        self.tally.page()
        return response

    def _keep_sessions(self) -> None:
        if self.sessions.place is not None:
            self.archive.save_source_state(self.home, SESSIONS, self.sessions.to_dict())

    async def _renew_sessions(self) -> None:
        """Go on with the tokens of a crawl that was cut short; the last one is old by now."""
        self._use(Sessions.from_dict(self.archive.load_source_state(self.home, SESSIONS)))
        if self.sessions.answers != "directly":
            with suppress(Exception):  # the old one may do
                self.sessions.received(await self._download_counted(parse_start_url(self.url or "")), self.home)

    # -------------------------------------------------------------------------------------------------------- going on

    def _is_cut_short(self, home: str) -> bool:
        blog = self.archive.blog(home)
        return not blog.crawl_complete and blog.crawl_kind in (None, self.name)

    def _start_that_led_here(self, start_url: str, home: str | None) -> str:
        """Where a crawl began of which nothing else is left; else the address that is given.

        A home page is what a feed calls so, and what monitors and workers know a blog by: it need not be there.
        """
        if home is None or identity(start_url) != identity(home) or not self._is_cut_short(home):
            return start_url
        return str(self.archive.load_source_state(home, START).get("url", start_url))

    def _joins(self, home: str) -> bool:
        """Take up what others are at work on. False for what nobody is, and which was begun by another version."""
        trouble = disagreement(terms(self.settings), self._group.terms, home)
        if trouble is None and self._go_on(home, has_joined=True):
            return True
        if self._group.leave_unread():
            return False
        raise trouble or BeingCrawled(
            f"Another spider is about to begin the crawl of {home} anew, since what was left of it cannot be read by "
            "this version of blogcrawler. Start this one again to help."
        )

    def _go_on(self, home: str, *, has_joined: bool = False) -> bool:
        """Take up a crawl that was cut short after its wrapper was learned, or that others are at work on."""
        state, kept = self.archive.load_crawl_state(home), self.archive.load_wrapper(home)
        if state is None or kept is None:
            return False
        if self._group.is_lost(self.archive, home):
            self.logger.info("What waits for the crawl of %s was in a Redis; beginning anew.", home)
            return False
        try:
            self.reader = PostClassifier.from_dict(state["reader"], Wrapper.from_dict(kept))
            self._entries = {key: Entry.from_dict(entry) for key, entry in state["entries"].items()}
            self._rendering = Rendering.from_dict(state.get("rendering", {}))
            self._sample = Sample(state.get("samples", 0))
        except (UnreadableRules, KeyError, TypeError):
            self.logger.info("The crawl of %s was begun by another version; beginning anew.", home)
            return False
        if any(entry.is_synthetic for entry in self._entries.values()):
            self.tally.no_feed()
        self.home = home
        started = self.archive.blog(home).crawl_started
        self.reader.know(map(routed, self.archive.urls(home, since=started)) if started else ())
        if started is not None:
            self.tally.goes_on(started)
        if has_joined and not self._group.is_alone:
            self.frontier = self._group.frontier(self.archive, home)
            self._tried_again = self._group.tried_again(self.archive, home)
            return True
        self._group.confirm()
        self.archive.start_crawl(home, now=now())
        if not has_joined:
            self._group.take_up(self.archive, home)
        self.frontier = self._group.frontier(self.archive, home)
        self._tried_again = self.frontier.unavailable
        again = self.frontier.resume(retry_failed=True)
        self.logger.info(
            "Going on with the crawl of %s: %d URLs wait, %d of them again.", home, len(self.frontier), again
        )
        return True

    def _recall_request(self) -> Request:
        """What brings the records of the crawl's first part into an output that begins anew."""
        started = self.archive.blog(self.home).crawl_started
        urls = map(routed, self.archive.urls(self.home, since=started)) if started else []
        done = [url for url in urls if self.frontier.status(url) == "done"]
        return self._request_to_hand_on(self._recalled(done))

    def _pages_not_taken(self) -> list[Page]:
        """The pages that were learned from, as far as the last crawl has not come to them."""
        pages = [page for page, _ in self.archive.load_training_pages(self.home)]
        waiting = [page for page in pages if self.frontier.status(page.url) == "pending"]
        for page in waiting:
            self.frontier.redirected(page.url, page.url)
        return waiting

    # ------------------------------------------------------------------------------------------------- beginning anew

    def _begin_anew(self, found: Discovery, start_url: str) -> None:
        feed = found.feed
        known = self.archive.find_blog(found.home)  # it may have moved to https since
        home = known if known is not None and identity(known) == identity(found.home) else found.home
        assert self.standing is not None
        self.standing.enter_home(home, start_url, feed.url)
        self.home = home
        self._group.confirm()
        with self.archive.transaction():
            if not self.archive.start_crawl(self.home, now=now()):
                self.archive.forget_training_pages(self.home)
            self.archive.reset_frontier(self.home)
            self.archive.save_addresses(self.home, [start_url, self.home, feed.url])
            self.archive.save_blog(self.home, title=feed.title, language=feed.language)
            if not found.lists:
                self.archive.save_feed_state(self.home, FeedState(feed.url, found.etag, found.last_modified))
            self.archive.save_crawl_state(self.home, None)
            self.archive.forget_sources(self.home)
            if found.empty_feed is not None:
                self.archive.save_feed_state(self.home, FeedState(found.empty_feed))
                LostFeed(self.archive, self.home).begin()
            self._keep_sessions()
            self.archive.save_source_state(self.home, START, {"url": start_url})
        self.frontier = self._group.frontier(self.archive, self.home)
        listed = [entry.url for one in found.lists for entry in one.entries]
        self._scope = Scope.of(self.home, [entry.url for entry in feed.entries] or listed)
        self._entries = {}
        for _ in filter(None, (found.start, *found.pages)):
            self.tally.page()

    async def _fetch_and_learn(
        self, found: Discovery, start_url: str, *, must_be_dated: bool = False
    ) -> tuple[list[Page], Basis]:
        """Fetch the feed's entries, learn, and fill the frontier; the pages that are at hand then.

        And what is known of the blog's other sources of posts.
        """
        pages = [] if found.lists else await self._fetch_entries(found)
        fetched, others = (await self._fetch_listed(found)) if found.lists else self._without_lists(pages)
        entries = [(page, entry) for page, entry in fetched if self._tree_of(page) is not None]
        if must_be_dated and not any(entry.published for _, entry in entries):
            entries = []  # such as of the author are what is left of a blog whose posts are gone
        if not entries:
            self._end_in_time()
        if found.lists and not entries:
            raise NoFeed(
                f"No feed was found for {start_url}, and what its pages list does not lead to posts, which show the "
                "same title and a date. If the blog has a feed, give its address with -a url=.",
                url=start_url,
            )
        if not entries and first_route(found.feed) and NOT_SHOWN in self.tally.failures:
            raise needs_a_browser(found.feed)
        if not entries:
            return await self._learn_without_feed(found, start_url)
        if found.lists:
            self.tally.no_feed(found.empty_feed)
        found = await self._start_as_shown(found, [entry for _, entry in entries])
        wrapper = learned(entries, self.archive.corrections(self.home).all())
        odd = set() if found.lists else only_in_menu(entries)
        odd |= {identity(page.url) for page, entry in entries if is_bare(page, entry, wrapper)}
        entries, aside = self._without([page for page, _ in entries if identity(page.url) in odd], entries)
        if aside:
            wrapper = learned(entries, self.archive.corrections(self.home).all())
        basis = await self._basis(found, [page for page, _ in entries])
        with self.archive.transaction():
            odd = {identity(page.url) for page in (*others, *aside)}
            for entry in found.feed.entries:
                if identity(entry.url) not in odd:
                    self._add_entry(entry)
            no_posts = {identity(url) for url in (*_no_posts(found, start_url), *(page.url for page in aside))}
            self._keep_rules(wrapper, entries, no_posts, feed_since(found.feed.entries))
            if not found.lists:
                self.frontier.done(found.feed.url)
            self._older().begin(basis)
            self.frontier.add(found.home, is_post=False)
            start = [page for response in (found.start, *found.pages) for page in self._claim_start(response)]
            self.frontier.flush()
        self._training = entries
        # the home page's links come first, in its order; whether other pages are posts is told by those that are
        home = [page for page in start if identity(page.url) == identity(self.home)]
        rest = [page for page in start if page not in home]
        return [*home, *(page for page, _ in entries), *others, *aside, *rest], basis

    async def _learn_without_feed(self, found: Discovery, start_url: str) -> tuple[list[Page], Basis]:
        """Begin again with another feed, or the blog's lists, since its feed leads to no page. Raises NoPages."""
        instead = Discovery(Feed(found.home, "synthetic"), found.home, None, None, None)
        self._in_vain |= {identity(url) for url in (found.feed.url, *(entry.url for entry in found.feed.entries))}
        refused, answers, self._answers = self._refusal(found.feed), self._answers, {}
        with suppress(Exception):  # whatever it was: there are no lists then
            start = found.start or await self._fetch(found.home)
            lists = await without_feed(start, parse_page(page_of(start)), self._fetch)
            instead = replace(lists, empty_feed=found.feed.url)
            if not isinstance(refused, Unreachable):
                asked = rediscover(start, self._fetch, besides=self._in_vain, has_guesses=True, is_own=self._is_untried)
                instead = (await asked)[0] or instead
        try:
            if not (instead.feed.entries or instead.lists):
                raise NoFeed(f"No page of {found.home} lists posts.", url=found.home)
            if identity(instead.home) != identity(self.home):
                self.archive.forget_without_posts(self.home)
            self._begin_anew(instead, start_url)
            return await self._fetch_and_learn(instead, start_url, must_be_dated=True)
        except NoFeed as error:
            if not isinstance(refused, Unreachable):
                raise refused from error
            self.fault, self._answers = refused, answers
            self._begin_anew(found, start_url)
            return await self._fetch_and_learn(found, start_url)

    def _is_untried(self, feed: Feed) -> bool:
        return self._in_vain.isdisjoint(identity(entry.url) for entry in feed.entries)

    def _refusal(self, feed: Feed) -> NoPages | Unreachable:
        """How a crawl ends whose feed leads to no post: unreachable where a site answers with what is no post's."""
        reasons, advice = ", ".join(self.tally.failures), next(filter(None, map(advice_of, self.tally.failures)), None)
        own = [page for key, (page, _) in self._answers.items() if identity(page.url) == key]
        trees = [tree for page in own if (tree := tree_of(page)) is not None]
        message = (
            f"None of the {len(feed.entries)} entries of {feed.url} leads to a page that can be read ({reasons}); "
            f"{advice or 'check whether the blog is still there'}."
        )
        if advice and trees:
            return Unreachable(f"{message} Nothing but what its feed tells could be kept.", url=feed.url)
        return blocked(self.home, trees) or NoPages(message, url=feed.url)

    def _note_blocked(self, found: Discovery, entries: list[tuple[Page, Entry]]) -> None:
        """Note where no page shows its post, since all are one: such a crawl is no success, whatever its feed tells."""
        start = tree_of(page_of(found.start)) if found.start is not None else None
        others = [page for page, _ in entries if identity(page.url) != identity(found.home)]
        trees = [tree for page in others if (tree := tree_of(page)) is not None]
        if not found.lists and not any(page.tree is not None and shows(page.tree, entry) for page, entry in entries):
            self.fault = self.fault or blocked(self.home, [start, *trees] if start is not None else trees)

    def _end_in_time(self) -> None:
        """End the crawl if its time was over before anything could be learned."""
        limit = self.stop_rules.time_limit_s
        if limit is not None and self.elapsed_s() >= limit:
            self.tally.stopped(f"the limit of {limit:g} seconds was reached before a post's page was there")
            raise CloseSpider("time_limit")

    async def _fetch_listed(self, found: Discovery) -> tuple[list[tuple[Page, Entry]], list[Page]]:
        """The posts' pages of a blog without a feed, each with its synthetic entry; and pages that are no posts.

        The lists are tried one after another, until one turns out to be of posts: more of it is fetched then. While
        pages have no days, worse lists are tried, too; where those have some, pages without one are no posts.
        """
        posts: list[tuple[Page, Entry]] = []
        others: list[Page] = []
        first: PostList | None = None
        for listed in (*found.lists[:MAX_LISTS], *found.lists[MAX_LISTS:][-1:]):
            least = NEARLY if len(posts) >= FEW else HALF
            is_worse = first is not None and listed.quality < least * first.quality
            if len(posts) >= ENOUGH_LISTED or (is_worse and _have_days(posts)):
                break
            if self.stop_rules.page_limit is not None and self.tally.pages >= self.stop_rules.page_limit:
                break
            for part in _samples(listed.entries):
                fetched = await self._fetch_entries(replace(found, feed=replace(found.feed, entries=part)))
                pages = [(page, entry) for page, entry in fetched if self._tree_of(page) is not None]
                told = in_time(pages, _confirmed)
                told = {url: entry for url, entry in told.items() if entry.published or not is_worse}
                own = [(page, told[page.url]) for page, _ in pages if page.url in told]
                posts += own
                others += self._set_aside([page for page, _ in pages if page.url not in told])
                if 2 * len(own) < len(pages):
                    break
            first = first or (listed if posts else None)
        if _have_days(posts):
            others += self._set_aside([page for page, entry in posts if entry.published is None])
            posts = [(page, entry) for page, entry in posts if entry.published is not None]
        for page, entry in posts:
            self._entries[identity(page.url)] = entry
            self.archive.save_training_page(self.home, page, entry)
        return posts, others

    def _claim_start(self, response: Response | None) -> list[Page]:
        """A page that the crawl began with, unless it is an entry's: it needs no second request."""
        if response is None or response.status in BUSY or self.frontier.status(response.url) == "claimed":
            return []
        self.frontier.redirected(response.url, response.url)
        return [page_of(response)]

    async def _fetch_entries(self, found: Discovery) -> list[tuple[Page, Entry]]:
        """The pages of the feed's newest entries, as far as they are the entries'; all where none is."""
        if not self._is_blocked():
            kept = {identity(page.url): page for page, _ in self.archive.load_training_pages(self.home)}
            if found.start is not None and found.start.status == 200:
                kept.setdefault(identity(found.start.url), page_of(found.start))
            pages = await self._as_shown(await self._fetch_pages(found.feed.entries, kept))
            self._note_blocked(found, pages)
        if self._is_blocked():
            pages = [(replace(page, url=canonicalise(entry.url)), entry) for page, entry in self._answers.values()]
            answers = [(without_content(page), entry) for page, entry in pages]
            return self._own_pages(answers, set())
        return self._own_pages(pages, {identity(found.home), identity(found.feed.url)})


def _have_days(posts: list[tuple[Page, Entry]]) -> bool:
    """True if half of some posts have a day, or more."""
    return 0 < len(posts) <= 2 * sum(entry.published is not None for _, entry in posts)


def _confirmed(pages: Sequence[tuple[Page, Entry]]) -> dict[str, Entry]:
    """By a page's address its entry as the page says it, for pages that are posts."""
    found = [Candidate(page.tree, page.url, entry) for page, entry in pages if page.tree is not None]
    return {one.url: entry for one, entry in zip(found, confirm(found), strict=True) if entry is not None}


def _samples(entries: tuple[Entry, ...]) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """The first of a list, and some from all of the rest: older posts may be of another form."""
    rest = entries[SAMPLE:]
    return entries[:SAMPLE], rest[:: max(1, -(-len(rest) // (TRAINING_PAGES - SAMPLE)))]


def _no_posts(found: Discovery, start_url: str) -> list[str]:
    """Pages that are no posts, whatever they look like: home page and feed, and a start page that is not below home."""
    below = found.home.rstrip("/") + "/"
    start = [url for url in (start_url, found.start.url if found.start else start_url) if not url.startswith(below)]
    return [found.home, found.feed.url, *start]
