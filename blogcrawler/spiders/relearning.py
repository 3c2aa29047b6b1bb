"""What an update learns where a blog was given another design: new posts' pages tell that the wrapper fits no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blogcrawler.crawl.browser_need import tree_of
from blogcrawler.crawl.wrapper_fit import Habits, share_that_fits
from blogcrawler.downloader.reasons import reason_of, status_reason
from blogcrawler.spiders.base import page_of
from blogcrawler.spiders.catching_up import CatchingUp
from blogcrawler.spiders.training import TRAINING_PAGES, learned
from blogcrawler.urls import canonicalise, identity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.crawl.update.feed_changes import News
    from blogcrawler.feeds import Feed
    from blogcrawler.items import Entry, Page

__all__ = ["Relearning"]

TRIED = 3
"""Pages of new posts by which it is told whether the wrapper still fits."""
LEARNED_FROM = 5
"""Pages that the wrapper was learned from by which it is told what it finds as a rule."""
ENOUGH = 0.5
"""Share of them that it must fit."""
OF_COMMENTS = ("comments", "comment habits")
"""Under which names the archive keeps what was learned of comments, which another design makes void."""


class Relearning(CatchingUp):
    """An update that learns the wrapper anew where it does not fit any more."""

    def __init__(self, **more: Any) -> None:  # noqa: ANN401
        super().__init__(**more)
        #: why pages could not be had that the wrapper was to be tried on
        self._lost: dict[str, str] = {}
        #: was it found that the wrapper does not fit?
        self._has_relearned = False

    async def _fetch_news(self, news: News, feed: Feed) -> list[Page]:
        """Have the pages of new and changed posts fetched; those that are at hand, read by a wrapper that fits."""
        wanted = [*news.new, *news.changed]
        pages = await self._fetch_some(wanted[:TRIED])
        habits = self._habits() if pages else None
        if share_that_fits(self.reader.wrapper, pages, habits) < ENOUGH:
            self._has_relearned = True
            pages = await self._learn_anew(pages, feed, habits)
        keys = {identity(entry.url) for entry in wanted}
        pages = [(page, entry) for page, entry in pages if identity(entry.url) in keys]
        for entry in wanted:
            self._add_entry(entry)
        for page, entry in pages:
            self.frontier.redirected(canonicalise(entry.url), page.url)
            if self._scope.covers(page.url) and identity(page.url) not in self.reader.no_posts:
                self._entries[identity(page.url)] = entry
        for url, reason in self._lost.items():
            self._give_up(url, reason)
        self.frontier.flush()
        return [page for page, _ in pages]

    async def _fetch_some(self, entries: Iterable[Entry]) -> list[tuple[Page, Entry]]:
        """The pages of entries, as far as they can be had now."""
        found = []
        for entry in entries:
            if not self._scope.covers(entry.url):
                continue
            url = canonicalise(entry.url)
            try:
                response = await self._fetch_post(url)
            except Exception as error:  # noqa: BLE001  one page never ends a crawl
                self._lost[url] = reason_of(error)
                continue
            self.tally.page()
            page = page_of(response)
            if page.status != 200:
                self._lost[url] = status_reason(page.status)
            elif self._tree_of(page) is not None:
                found.append((page, entry))
        return found

    def _habits(self) -> Habits:
        """What is to be expected of pages whose entries do not bring the article."""
        kept = self.archive.load_training_pages(self.home)
        pages = [(page, entry) for page, entry in kept if entry.title][-LEARNED_FROM:]
        for page, _ in pages:
            page.tree = tree_of(page)
        return Habits.of(self.reader.wrapper, pages)

    async def _learn_anew(
        self, pages: list[tuple[Page, Entry]], feed: Feed, habits: Habits | None
    ) -> list[tuple[Page, Entry]]:
        """Learn from the pages of all entries, if known posts look different, too; the pages that are at hand."""
        at_hand = {identity(entry.url) for _, entry in pages}
        others = [entry for entry in feed.entries if identity(entry.url) not in at_hand][: TRAINING_PAGES - len(pages)]
        first = await self._fetch_some(others[:TRIED])
        if first and share_that_fits(self.reader.wrapper, first, habits) >= ENOUGH:
            return [*pages, *first]
        training = [*pages, *first, *await self._fetch_some(others[TRIED:])]
        wrapper = learned(training, self.archive.corrections(self.home).all())
        if share_that_fits(wrapper, training, habits) <= share_that_fits(self.reader.wrapper, training, habits):
            return training
        self.logger.info("The blog's pages look different now; they were learned anew from %d of them.", len(training))
        self.tally.redesigned(len(training))
        with self.archive.transaction():
            self.archive.forget_training_pages(self.home)
            self.archive.forget_source_states(self.home, OF_COMMENTS)
            for page, entry in training:
                self._entries[identity(page.url)] = entry
                self.archive.save_training_page(self.home, page, entry)
            no_posts = set(self.reader.no_posts)
            self._keep_rules(wrapper, training, no_posts, self.reader.feed_since, self.reader.posts)
        self._introduce({post.url: post for post in self._known.values()}.values())
        return training
