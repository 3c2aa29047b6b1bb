"""A blog's page rules in the archive: for updates, for a resumed crawl, and for its other spiders."""

from __future__ import annotations

from contextlib import suppress
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

from blogcrawler.comments.page_rules import PostPage
from blogcrawler.errors import NotAWebPage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.backend import Archive
    from blogcrawler.comments.page_rules import PageRules
    from blogcrawler.wrapper import Wrapper

STATE = "comments"
"""Under which name the archive keeps the rules."""
LOOK_S = 0.5
"""Seconds between looks at what other spiders have kept."""
READING_S = 10.0
"""Seconds for which other spiders may take to read what has waited there for rules: one may have been killed."""


class KeptPageRules:
    """Keeps the `rules` of one blog, and the pages from which they are learned, beginning with an earlier crawl's
    or those of earlier parts of this one. Calls raise BackendUnavailable.

    Where a crawl `is_shared`, what its other spiders keep is taken in: all read comments by the same rules, and learn
    them from the same pages, whichever spider got these. In memory are also the pages that wait for rules at each of
    them, some thirty.
    """

    def __init__(
        self, archive: Archive, home: str, wrapper: Wrapper, rules: PageRules, *, is_shared: bool = False
    ) -> None:
        self._archive, self._home, self._wrapper = archive, home, wrapper
        self.rules, self.is_shared = rules, is_shared
        #: the archive's rules as they were read or written last
        self._kept: dict[str, Any] | None = None
        #: True if there are rules of another spider that `take_in` has not reported
        self._is_news = False
        #: pages of the archive that were read, with their places
        self._known: dict[str, int] = {}
        self._looked = -inf
        #: pages that wait for rules here, and at other spiders, by URL
        self._here: set[str] = set()
        self._elsewhere: dict[str, PostPage] = {}
        #: of the latter those in which the rules find comments, None as long as nobody asks; end of waiting for them
        self._with_comments: set[str] | None = set()
        self._until = 0.0
        self._take_rules()
        self._take_pages()
        if self.rules.catch_up():
            self.keep()

    def take_in(self, *, at_once: bool = False) -> bool:
        """Take in what other spiders have kept since the last look; True, once, if they have other rules."""
        now = monotonic()
        if self.is_shared and (at_once or now - self._looked >= LOOK_S):
            self._looked = now
            has_changed = self._take_rules()
            if self._here or self._elsewhere or not self.rules.is_improved:
                self._take_pages()
            if has_changed:
                self._is_news = True
                self._expect_reading()
        is_news, self._is_news = self._is_news, False
        return is_news

    @property
    def are_others_reading(self) -> bool:
        """True if posts with comments that have waited at other spiders still have to be read by the rules."""
        if not (self.is_shared and self._elsewhere and monotonic() < self._until):
            return False
        if self._with_comments is None:
            waiting = self._elsewhere.items()
            self._with_comments = {url for url, post in waiting if self.rules.read_post(post).comments}
        return not self._with_comments.isdisjoint(self._elsewhere)

    def learn(self, posts: Sequence[PostPage]) -> bool:
        """Learn from the pages of posts, those that are remembered, and those that wait at other spiders.

        True where rules were found.
        """
        is_learned = self.rules.learn(posts, self._elsewhere.values())
        if is_learned:
            self._expect_reading()
        return is_learned

    def note(self, post: PostPage, *, has_comments: bool, is_read: bool = True) -> None:
        """Take in a page to learn from, also for other spiders and a resumed crawl.

        Others wait for one that has waited for rules until it `is_read` by these.
        """
        url = post.page.url
        is_awaited = url in self._here or self._elsewhere.pop(url, None) is not None
        is_wanted = self.rules.would_miss(post, has_comments=has_comments)
        is_improved = self.rules.note(post, has_comments=has_comments)
        # rules are kept, too, where they have improved: the blog's row comes first then
        archive = self._archive
        with archive.alone_on(self._home) if is_improved else archive.transaction():
            if is_awaited and not is_read:
                self._here.add(url)
            elif is_wanted or (is_awaited and self.rules.remembers(url)):
                self._save(post, has_comments=has_comments)
            elif is_awaited:
                archive.comment_pages(self._home).drop(url)
            if is_improved:
                self.keep()
        if is_read:
            self._here.discard(url)

    def note_waiting(self, post: PostPage) -> None:
        """Let a page that waits for rules teach the other spiders meanwhile."""
        self._elsewhere.pop(post.page.url, None)
        if self.is_shared and post.is_kept:
            self._here.add(post.page.url)
            self._save(post, has_comments=None)

    def _save(self, post: PostPage, *, has_comments: bool | None) -> None:
        known = {**post.to_dict(), "has_comments": has_comments}
        self._known[post.page.url] = self._archive.comment_pages(self._home).save(post.page, known)

    def keep(self) -> None:
        """Keep the rules, with those that other spiders have kept meanwhile."""
        if not self.rules.rules:
            return
        with self._archive.alone_on(self._home):
            kept = self._archive.load_source_state(self._home, STATE)
            if self.is_shared and kept != self._kept:
                self.rules.add(kept)
                self._is_news = True
            self._kept = self.rules.to_dict()
            self._archive.save_source_state(self._home, STATE, self._kept)

    def _take_rules(self) -> bool:
        """Take the archive's rules; True where they have changed."""
        kept = self._archive.load_source_state(self._home, STATE)
        if kept == self._kept:
            return False
        self._kept = kept
        self.rules.replace(kept, are_of_crawl=self.is_shared)
        return True

    def _take_pages(self) -> None:
        """Take in the archive's pages that have changed. A page that waited elsewhere, and is gone, was read there."""
        pages = self._archive.comment_pages(self._home)
        places = pages.places()
        for url in self._elsewhere.keys() - places.keys():
            del self._elsewhere[url]
        changed = [url for url, place in places.items() if self._known.get(url) != place and url not in self._here]
        for page, known in pages.load(changed) if changed else ():
            with suppress(KeyError, TypeError, NotAWebPage):  # another version has kept it
                self._take_page(PostPage.from_dict(known, page, self._wrapper), has_comments=known["has_comments"])
        self._known = places

    def _take_page(self, post: PostPage, *, has_comments: bool | None) -> None:
        if has_comments is None:
            post.parse()
            self._elsewhere[post.page.url] = post
        else:
            self._elsewhere.pop(post.page.url, None)
            self.rules.recall(post, has_comments=has_comments)

    def _expect_reading(self) -> None:
        """The rules have changed: of the posts that wait at other spiders, those with comments are to be read first."""
        self._with_comments, self._until = None, monotonic() + READING_S
