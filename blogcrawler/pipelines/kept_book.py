"""A blog's rulebook in the archive: for updates, for the one that goes on with a crawl, and for its other spiders."""

from __future__ import annotations

from contextlib import suppress
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

from blogcrawler.errors import NotAWebPage
from blogcrawler.pipelines.rulebook import LARGEST, Seen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from blogcrawler.backend import Archive
    from blogcrawler.pipelines.rulebook import Rulebook
    from blogcrawler.wrapper import Wrapper

__all__ = ["KeptBook"]

STATE = "comments"
"""Under which name the archive keeps the rules."""
LOOK_S = 0.5
"""Seconds between looks at what other spiders have kept."""
TELLING_S = 10.0
"""Seconds for which other spiders may take to read what has waited there for rules: one may have been killed."""


class KeptBook:
    """Keeps the rules of `book`, and the pages from which it learns. Calls raise BackendUnavailable.

    Where a crawl `is_shared`, what its other spiders keep is taken in: all read comments by the same rules, and learn
    them from the same pages, whoever got these. In memory are also the pages that wait for rules at each of them, some
    thirty.
    """

    def __init__(self, archive: Archive, book: Rulebook, *, is_shared: bool = False) -> None:
        self.archive, self.book = archive, book
        self.is_shared = is_shared
        self._home: str | None = None
        self._wrapper: Wrapper | None = None
        #: what was read of the archive's rules, or written
        self._rules: dict[str, Any] | None = None
        #: are there rules of another spider that nobody was told of?
        self._is_news = False
        #: pages of the archive that were read, with their places
        self._known: dict[str, int] = {}
        self._looked = -inf
        #: pages that wait for rules here, and at other spiders, by URL
        self._here: set[str] = set()
        self._elsewhere: dict[str, Seen] = {}
        #: of the latter: those in which the rules find comments, None as long as nobody asks; until when they are
        #: waited for
        self._telling: set[str] | None = set()
        self._until = 0.0

    def has_rules(self, home: str) -> bool:
        """Are there rules already, so that nobody waits for others?"""
        if self._rules is None:
            self._take_rules(home)
        return bool(self.book.rules)

    def open(self, home: str, wrapper: Wrapper) -> None:
        """Take what an earlier crawl has learned, and the pages of earlier parts of this one."""
        if self._home is None:
            if self._rules is None:
                self._take_rules(home)
            self._home, self._wrapper = home, wrapper
            self._take_pages()
            if self.book.make_up():
                self.keep()

    def take_in(self, *, at_once: bool = False) -> bool:
        """Take in what other spiders have kept since the last look; have they other rules, which this tells once?"""
        now = monotonic()
        if self.is_shared and self._home is not None and (at_once or now - self._looked >= LOOK_S):
            self._looked = now
            has_changed = self._take_rules(self._home)
            if self._here or self._elsewhere or not self.book.is_improved:
                self._take_pages()
            if has_changed:
                self._is_news = True
                self._expect_telling()
        is_news, self._is_news = self._is_news, False
        return is_news

    @property
    def are_others_telling(self) -> bool:
        """Do posts with comments that have waited at other spiders still have to be read by the rules?"""
        if not (self.is_shared and self._elsewhere and monotonic() < self._until):
            return False
        if self._telling is None:
            waiting = self._elsewhere.items()
            self._telling = {url for url, seen in waiting if self.book.read(seen.parse(), seen.page).comments}
        return not self._telling.isdisjoint(self._elsewhere)

    def learn(self, posts: Sequence[Seen]) -> bool:
        """Learn from the pages of posts, those that are remembered, and those that wait at other spiders.

        True where rules were found.
        """
        is_learned = self.book.learn(posts, self._elsewhere.values())
        if is_learned:
            self._expect_telling()
        return is_learned

    def note(self, seen: Seen, *, has_comments: bool, is_read: bool = True) -> None:
        """Let a page teach how comments are shown, also others, and a crawl that goes on with this one.

        Others wait for one that has waited for rules until it `is_read` by these.
        """
        is_awaited = seen.page.url in self._here or self._elsewhere.pop(seen.page.url, None) is not None
        is_wanted = self.book.would_miss(seen, has_comments=has_comments)
        is_improved = self.book.note(seen, has_comments=has_comments)
        with self._writing(is_improved=is_improved):
            if is_awaited and not is_read:
                self._here.add(seen.page.url)
            elif is_wanted or (is_awaited and self.book.remembers(seen.page.url)):
                self._save(seen, has_comments=has_comments)
            elif is_awaited and self._home is not None:
                self.archive.comment_pages(self._home).drop(seen.page.url)
            if is_improved:
                self.keep()
        if is_read:
            self._here.discard(seen.page.url)

    def _writing(self, *, is_improved: bool) -> AbstractContextManager[object]:
        if is_improved and self._home is not None:  # rules are kept, too, by which the blog's row comes first
            return self.archive.alone_on(self._home)
        return self.archive.transaction()

    def note_waiting(self, seen: Seen) -> None:
        """Let a page that waits for rules teach the other spiders meanwhile."""
        self._elsewhere.pop(seen.page.url, None)
        if self.is_shared and len(seen.page.body) <= LARGEST:
            self._here.add(seen.page.url)
            self._save(seen, has_comments=None)

    def _save(self, seen: Seen, *, has_comments: bool | None) -> None:
        if self._home is not None:
            told = {**seen.to_dict(), "has_comments": has_comments}
            self._known[seen.page.url] = self.archive.comment_pages(self._home).save(seen.page, told)

    def keep(self) -> None:
        """Keep what was learned, with what other spiders have kept meanwhile."""
        if self._home is None or not self.book.rules:
            return
        with self.archive.alone_on(self._home):
            kept = self.archive.load_source_state(self._home, STATE)
            if self.is_shared and kept != self._rules:
                self.book.add(kept)
                self._is_news = True
            self._rules = self.book.to_dict()
            self.archive.save_source_state(self._home, STATE, self._rules)

    def _take_rules(self, home: str) -> bool:
        """Take the archive's rules where they have changed. Have they?"""
        kept = self.archive.load_source_state(home, STATE)
        if kept == self._rules:
            return False
        self._rules = kept
        self.book.take_over(kept, are_of_crawl=self.is_shared)
        return True

    def _take_pages(self) -> None:
        """Take in the archive's pages that have changed. What waited elsewhere, and is gone, was read there."""
        assert self._home is not None
        assert self._wrapper is not None
        pages = self.archive.comment_pages(self._home)
        places = pages.places()
        for url in self._elsewhere.keys() - places.keys():
            del self._elsewhere[url]
        changed = [url for url, place in places.items() if self._known.get(url) != place and url not in self._here]
        for page, told in pages.load(changed) if changed else ():
            with suppress(KeyError, TypeError, NotAWebPage):  # what another version has kept
                self._take_page(Seen.from_dict(told, page, self._wrapper), has_comments=told["has_comments"])
        self._known = places

    def _take_page(self, seen: Seen, *, has_comments: bool | None) -> None:
        if has_comments is None:
            seen.parse()
            self._elsewhere[seen.page.url] = seen
        else:
            self._elsewhere.pop(seen.page.url, None)
            self.book.recall(seen, has_comments=has_comments)

    def _expect_telling(self) -> None:
        """The rules have changed: of the posts that wait at other spiders, those with comments are to be read first."""
        self._telling, self._until = None, monotonic() + TELLING_S
