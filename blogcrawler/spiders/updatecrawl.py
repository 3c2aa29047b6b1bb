"""UpdateCrawl: from a blog in the archive and a time to what is new since then (URL × time → records).

The feed is asked whether it has changed, and says which posts are new or were changed: these are fetched, and read by
the wrapper that is kept, which is learned anew only where it does not fit any more. What feeds have told counts as
known when all of it is done, and all outputs are written: an update that was cut short is made again by the next, which
hands on the records of both.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from blogcrawler.backend import LATE_COMMENTS, LATE_MEDIA, FeedState, LatePosts
from blogcrawler.crawl.browser_need import Rendering
from blogcrawler.crawl.classifier import PostClassifier, feed_since
from blogcrawler.crawl.conditional_requests import FeedAsker
from blogcrawler.crawl.session_tokens import SESSIONS, Sessions
from blogcrawler.crawl.update.announcements import Earlier
from blogcrawler.crawl.update.comment_counts import CommentCounts
from blogcrawler.crawl.update.comment_feed import CommentNews
from blogcrawler.crawl.update.feed_changes import News, digest, find_news, missing
from blogcrawler.crawl.update.permalink_changes import Moves
from blogcrawler.crawl.update.since import parse_since
from blogcrawler.errors import NotArchived, TemporaryFailure, UnreadableRules
from blogcrawler.frontier import Frontier
from blogcrawler.items import Entry, ToldComments
from blogcrawler.spiders.base import COMPLETE, now
from blogcrawler.spiders.finding_feed import FindingFeed
from blogcrawler.spiders.remembering import MOST_TRIES
from blogcrawler.urls import identity, parse_start_url
from blogcrawler.wrapper import Wrapper

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from scrapy import Request

    from blogcrawler.backend import KnownPost
    from blogcrawler.feeds import Feed
    from blogcrawler.items import Record

__all__ = ["UpdateCrawl"]

FEED = "feed"
"""Under which name the archive keeps what the entries of the feed said."""
MOST_MISSING = 10
"""Posts that are looked at because the feed no longer has them; others wait for the next update."""
A_DAY_S = 24 * 3600


class UpdateCrawl(FindingFeed):
    """Brings a blog's archive up to date. Argument `since`: a time from which on all that is new is handed on."""

    name = "updatecrawl"
    looks_at_all = False
    arguments = frozenset({"url", "since"})
    custom_settings = {"HARVEST_WINDOW": 100, "ROBOTSTXT_LIFETIME": A_DAY_S}  # noqa: RUF012  Scrapy's name
    _counts: CommentCounts
    _moves: Moves

    def __init__(self, url: str | None = None, since: str | None = None, **more: Any) -> None:  # noqa: ANN401
        super().__init__(url=url, **more)
        self._since = parse_since(since) if since else None
        #: known posts that the feed no longer has
        self._missing: dict[str, KnownPost] = {}
        self._is_second_part = False
        self._comment_news: CommentNews | None = None
        self._late: LatePosts | None = None
        self._late_media: LatePosts | None = None
        #: how often updates have tried in vain to have the pages of entries
        self._tries: dict[str, int] = {}

    @classmethod
    def check_arguments(cls, given: dict[str, str]) -> None:
        """Raise BadArgument for what cannot be meant."""
        if given.get("since"):
            parse_since(given["since"])

    async def prepare(self) -> AsyncIterator[Request]:
        """Ask the feed; yield the pages that are at hand then, and what was lost with an update that was cut short."""
        self.tally.updates()
        start_url = parse_start_url(self.url or "")
        self.archive = self._open_archive()
        self.home = self._archived(start_url)
        self._take_up(start_url)
        # after a first part, feeds may be as they were, and what they said is not done
        is_wanted = self._since is not None or self._is_second_part
        asker = FeedAsker(self.crawler, self.sessions, is_unconditional=is_wanted)
        feed = await self._changed_feed(asker)
        if self.settings.getbool("COMMENTS"):
            self._comment_news = CommentNews(self.archive, self.home, asker)
            await self._comment_news.ask(self._feed_state or self.archive.load_feed_state(self.home))
            self._comment_news.begin(self._known, now=now())
        news = self._news_of(feed)
        if self._comment_news is not None:
            doubtful = {self._known[key].url for key in self._comment_news.doubtful if key in self._known}
            fetched = self._posts_of([*news.new, *news.changed]) | doubtful
            yield self._request_to_hand_on(self._comment_news.changed(self._known, fetched))
            self._late = LatePosts(self.archive, self.home, LATE_COMMENTS)
            for url in sorted({*doubtful, *self._late.take_up()}):
                self.frontier.add(url, is_post=True)
        if self.settings.getbool("MEDIA"):
            self._late_media = LatePosts(self.archive, self.home, LATE_MEDIA)
            yield self._request_to_hand_on(self._lacking_media(self._late_media.take_up()))
        await self._read_what_was_left()
        if feed is None:
            return
        self._check_place(feed)
        self.reader.feed_since = feed_since(feed.entries)
        pages = await self._fetch_news(news, feed)
        for post in self._missing.values():
            self.frontier.add(post.url, is_post=True)
        if news.has_rolled_over or feed.kind == "synthetic":
            await self._walk_back(feed, news.new)
        elif self._has_holes and (news.new or self._is_second_part):
            await self._fill_holes(news.new)
        if self._sitemaps_read is None:
            await self._read_sitemap(news.new)
        if not news.has_rolled_over and feed.kind != "synthetic":
            await self._look_back(feed)
        for page in (*pages, *await self._ask_pages(news, feed)):
            yield self.kept(page)

    def _count_kept(self) -> None:
        if self._end is not None and self._is_complete(self._end[0]):
            self._moves.settle(self.reader.places.is_linked)
        super()._count_kept()

    def _finish(self, reason: str, *, is_complete: bool) -> None:
        """Keep what the feeds said, if all that they led to is done, and what was asked for if it could not be kept."""
        with self.archive.transaction():
            if is_complete and self.fatal is None:
                self._keep_what_was_said()
            if self._late_media is not None and isinstance(self.fatal, TemporaryFailure):
                self._late_media.give_back()
            super()._finish(reason, is_complete=is_complete)

    def _keep_what_was_said(self) -> None:
        if self._feed_state is not None:
            self.archive.save_feed_state(self.home, self._feed_state)
            self._digests.end()
            for key in self._missing:  # they are looked at once, and again if the feed has them again
                self._digests.said.pop(key, None)
            waiting = self._to_be_tried_again()
            if waiting:  # the feed may not change until their pages are there
                self.archive.save_feed_state(self.home, FeedState(self._feed_state.url))
            for key in waiting:
                self._digests.said.pop(key, None)
            self._tries = waiting
            self._save_what_was_said()
            self._counts.end()
        self._keep_lists()
        if self._comment_news is not None:
            self._comment_news.keep()

    def _save_what_was_said(self) -> None:
        self.archive.save_source_state(
            self.home, FEED, {**self._digests.to_dict("digests"), "tries": self._tries, "has_holes": self._has_holes}
        )

    def _to_be_tried_again(self) -> dict[str, int]:
        """The entries whose pages could not be had, and that have no record yet, with how often they were tried."""
        failed = {identity(row["url"]) for row in self.frontier.store.load("failed")}
        lost = (key for key in self._digests.said if key in failed and key not in self._known)
        again = {key: self._tries.get(key, 0) + 1 for key in lost}
        return {key: count for key, count in again.items() if count < MOST_TRIES}

    # ------------------------------------------------------------------------------------------------ what is known

    def _archived(self, start_url: str) -> str:
        home = self.archive.find_blog(start_url)
        blog = self.archive.blog(home) if home is not None else None
        if home is None or blog is None or self.archive.load_wrapper(home) is None:
            raise NotArchived(
                f"{start_url} is not in the archive yet; crawl it first: crawl newcrawl -a url={start_url}",
                url=start_url,
            )
        if blog.crawl_kind != self.name and not (blog.crawl_complete or blog.crawl_reason in COMPLETE):
            raise NotArchived(
                f"The first crawl of {home} is not complete; go on with it: crawl newcrawl -a url={start_url}", url=home
            )
        return home

    def _take_up(self, start_url: str) -> None:
        """Take what earlier crawls have learned of the blog."""
        state, kept = self.archive.load_crawl_state(self.home), self.archive.load_wrapper(self.home)
        try:
            assert state is not None
            assert kept is not None
            self.reader = PostClassifier.from_dict(state["reader"], Wrapper.from_dict(kept))
            self._rendering = Rendering.from_dict(state.get("rendering", {}))
        except (UnreadableRules, AssertionError, KeyError, TypeError) as error:
            self.archive.begin_anew(self.home)  # so that a monitor does
            raise NotArchived(
                f"{self.home} was crawled by another version; crawl it anew: crawl newcrawl -a url={start_url}",
                url=self.home,
            ) from error
        self._scope = self.reader.scope
        states = self.archive.load_source_states(self.home)
        self._take_up_lists(self.archive.blog(self.home).crawl_started)
        self._is_second_part = self.archive.start_crawl(self.home, now=now(), kind=self.name)
        self._recalls = self._is_second_part and self._outputs_begin_anew()
        self._begun = self.archive.blog(self.home).crawl_started or now()
        if self._is_second_part:
            self.tally.goes_on(self._begun)
        self._use(Sessions.from_dict(states.get(SESSIONS, {})))
        posts = self.archive.known_posts(self.home)
        guids = Counter(post.guid for post in posts.values())
        self._known = {**{post.guid: post for post in posts.values() if post.guid and guids[post.guid] == 1}, **posts}
        self._moves = Moves(self.archive, self.home, self._known, self._begun, self.tally)
        self._introduce([post for post in posts.values() if self._was_known(post.url)])
        entries = [Entry.from_dict(entry) for entry in state["entries"].values()]
        self._counts = CommentCounts(self.archive, self.home, entries)
        if FEED not in states:
            failed = {identity(row["url"]) for row in self.archive.frontier_store(self.home).load("failed")}
            told = {identity(entry.url): digest(entry) for entry in entries if not entry.is_synthetic}
            said = {key: digest for key, digest in told.items() if key not in failed}
            self.archive.save_source_state(self.home, FEED, {"digests": said})
            states[FEED] = {"digests": said}
        kept_of_feed = states[FEED]
        self._digests, self._tries = Earlier.from_dict(kept_of_feed, "digests"), kept_of_feed.get("tries", {})
        self._has_holes = kept_of_feed.get("has_holes", False)
        self.archive.reset_frontier(self.home)
        self.frontier = Frontier(self.archive.frontier_store(self.home))

    def _news_of(self, feed: Feed | None) -> News:
        """What a feed says that is new; that it was said is kept before it is acted upon."""
        if feed is None:
            return News()
        posts = tuple(entry for entry in feed.entries if identity(entry.url) not in self.reader.no_posts)
        feed = replace(feed, entries=posts)
        news = find_news(feed.entries, self._known, self._digests, self._begun)
        self._has_holes |= news.has_holes
        found = missing(feed.entries, self._known, self._digests.said)
        self._moves.missing, self._moves.listed = dict(found), {identity(entry.url) for entry in feed.entries}
        if not self._has_holes:
            self._missing = dict(list(found.items())[:MOST_MISSING])
        when_kept = {key: post.last_changed for key, post in self._known.items()}
        self._digests.begin({identity(entry.url): digest(entry) for entry in feed.entries}, when_kept, now=now())
        self._save_what_was_said()
        news = self._not_told(self._with_those_to_look_at(news, feed.entries))
        self._counts.begin(feed.entries, self._known, now=now())
        return news

    def _check_place(self, feed: Feed) -> None:
        """Raise NotArchived where a feed is of another site now."""
        own = (self._scope.covers(entry.url) or identity(entry.url) in self._digests.said for entry in feed.entries)
        if feed.entries and not any(own):
            there = feed.entries[0].url
            raise NotArchived(
                f"The feed of {self.home} leads to another site now, as to {there}. If the blog has moved, crawl "
                f"it there: crawl newcrawl -a url={urljoin(there, '/')}",
                url=self.home,
            )

    def _posts_of(self, entries: Iterable[Entry]) -> set[str]:
        """The addresses of the known posts that entries are of."""
        found = (self._known.get(identity(entry.url)) or self._known.get(entry.guid or "") for entry in entries)
        return {post.url for post in found if post is not None}

    # -------------------------------------------------------------------------------------------------------- comments

    def _not_told(self, news: News) -> News:
        """The news, with posts that are told to have another number of comments, and are not known to have it."""
        changed = [entry for entry in news.recounted if self._is_still_another_number(entry)]
        return replace(news, changed=[*news.changed, *changed])

    def _is_still_another_number(self, entry: Entry) -> bool:
        post = self._known.get(identity(entry.url))
        if not self._counts.is_news(entry, post):
            return False
        record = self.archive.record(self.home, post.url) if post is not None else None
        if record is None or self._comment_news is None or entry.comment_count is None:
            return True
        return not self._comment_news.explains(record, entry.comment_count)

    # -------------------------------------------------------------------------------------------------------- records

    def _hand_on(self, record: Record) -> Iterator[Record]:
        assert record.material is not None
        has_moved = self._moves.before_saving(record)
        entry = record.material.entry or self._entry_of_kept(record.url)
        material = replace(record.material, is_update=not has_moved, entry=entry)
        published = material.entry.published if material.entry else None
        is_late = self._late is not None and self._late.is_due(record.url)
        news = self._comment_news if not is_late else None
        comments = news.all_comments(record.url, published) if news is not None else None
        if comments is not None:
            told = ToldComments("comment feed", tuple(comments), is_own=True)
            material = replace(material, told_comments=told)
        record.material = material
        yield record

    def item_ended(self, item: Record) -> None:
        """A record came out."""
        with self._ending_without_archive():
            self._moves.after_saving(item)
        super().item_ended(item)

    def _entry_of_kept(self, url: str) -> Entry | None:
        """What a feed has said of a known post that it no longer has, as far as that does not change with the post.

        Pages may write the time in another zone, or the day alone.
        """
        kept = self.archive.record(self.home, url)
        source = kept.provenance.fields.get("published") if kept is not None else None
        is_told = source is not None and source.source == "feed"
        feed = self._late.feed_of(url) if self._late is not None else None
        if kept is None or not (is_told or feed):
            return None
        return Entry(url, guid=kept.guid, published=kept.published if is_told else None, comments_feed=feed)

    def _alias(self, url: str, target: str) -> None:
        """A page led to another one."""
        super()._alias(url, target)
        self._moves.note(url, target)
