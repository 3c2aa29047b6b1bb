"""Decide which URLs are worth a request and which page is next: posts by discovery, then the most promising pages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from blogcrawler.frontier.features import VARIANT, places_of
from blogcrawler.frontier.kinds import is_within_bounds, shape_of
from blogcrawler.frontier.yields import SURE
from blogcrawler.urls import MAX_URL_LENGTH

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from blogcrawler.frontier.aliases import Aliases
    from blogcrawler.frontier.ledger import UnderWay
    from blogcrawler.frontier.page_learning import PageLearner
    from blogcrawler.frontier.pending import RankedPages, WaitingPosts
    from blogcrawler.frontier.store import Candidate, Status
    from blogcrawler.frontier.yields import YieldModel

    End = Callable[[Candidate, Status, str], None]

MOST_PASSED = 20
"""Maximum number of pages that are passed over in favour of a page of another shape."""
MIRRORED = "the page of another address"
"""Reason for pages that were fetched at another address."""
FRUITLESS = "the pages of this shape bring nothing new"


class Selection:
    """Judges URLs by their form, kind and additions, and chooses among the waiting pages.

    Pages that need no request are ended; `unshelve` loads further waiting pages into memory.
    """

    def __init__(
        self,
        posts: WaitingPosts,
        pages: RankedPages,
        model: YieldModel,
        aliases: Aliases,
        learner: PageLearner,
        under_way: UnderWay,
        *,
        end: End,
        unshelve: Callable[[], None],
    ) -> None:
        self._posts, self._pages = posts, pages
        self._model, self._aliases, self._additions = model, aliases, aliases.additions
        self._learner = learner
        self._under_way = under_way
        self._end, self._unshelve = end, unshelve
        #: keys of pages to fetch before pages of their shape are given up
        self._looks: list[str] = []

    def admits(self, url: str, places: Collection[str], *, is_post: bool) -> bool:
        """True if a canonical URL that is linked at these places may be added; a post's address may have any form."""
        if is_post:
            is_good = len(url) <= MAX_URL_LENGTH
        else:
            is_good = not self._model.kinds.is_given_up(url, places) and is_within_bounds(url)
        return is_good and not self._additions.is_idle(url, is_post=is_post)

    def is_in_vain(self, page: Candidate) -> bool:
        """True if pages like this one have brought nothing."""
        is_given_up = self._model.kinds.is_given_up(page.url, places_of(page.marks), is_post=page.is_post)
        return is_given_up or self._additions.is_idle(page.url, is_post=page.is_post)

    def has_promising_page(self) -> bool:
        """True if a waiting page promises more than others, since pages like it have led to posts.

        The first page of each shape that may be a translation of a post is fetched next.
        """
        for page in self._pages.variants if not self._looks else ():
            is_new = not self._model.kinds.samples(page.url)
            if is_new and self._additions.may_be_version(page.url, page.marks):
                self._looks.append(page.key)
                break
        return bool(self._looks) or self._pages.has_promising_page()

    def next(self, *, posts_only: bool) -> Candidate | None:
        """Remove and return the best page; None if there is none, or while a page in flight tests whether others are
        aliases."""
        self._judge_posts_again()
        if (post := self._next_post()) is not None:
            return post
        if self._posts:  # a page in flight will show whether they are aliases
            return None
        self._unshelve()
        if not posts_only and (page := self._look()) is not None:
            return page
        while (page := self._pages.pop_post() if posts_only else self._next_page()) is not None:
            is_twin = not page.is_post and self._aliases.is_fetched_with_slash_toggled(page.url)
            if is_twin or self._aliases.is_fetched(page.url):
                self._end(page, "done", MIRRORED)
                continue
            if not page.is_post and VARIANT not in page.hints and self._additions.is_variant(page.url):
                self._pages.add(replace(page, hints=(*page.hints, VARIANT)))
                continue
            if self._aliases.needs_trial(page.url) or self._additions.is_untried(page.url):
                if self._is_trying():
                    self._pages.add(page)
                    return None
                self._aliases.trials.add(page.key)
            if not self.is_in_vain(page):
                return page
            if not page.is_post and not self._additions.is_idle(page.url, is_post=False):
                self._looks += self._learner.last_look.choose(page.url, [page, *self._pages])
            if self._looks and not posts_only:
                self._pages.add(page)
                return self.next(posts_only=False)
            self._end(page, "dropped", FRUITLESS)
            self._unshelve()
        return None

    def _judge_posts_again(self) -> None:
        """Move waiting posts that are unlikely to be posts to the other pages, after a page turned out to
        be no post."""
        if self._learner.doubts and self._posts:
            waiting = list(self._posts)
            for candidate, p in zip(waiting, self._model.post_probabilities(waiting), strict=True):
                if p < SURE and candidate.found_on is not None:
                    self._posts.remove(candidate.key)
                    self._pages.add(candidate)
        self._learner.doubts = 0

    def _next_post(self) -> Candidate | None:
        """The first waiting post; possible aliases of other posts come last, one at a time."""
        while (first := self._posts.first()) is not None:
            post, was_put_off = first
            if self._aliases.is_fetched(post.url):
                self._posts.remove(post.key)
                self._end(post, "done", MIRRORED)
                continue
            if self._aliases.needs_trial(post.url):
                if not was_put_off:
                    self._posts.put_off_first()
                    continue
                if self._is_trying():
                    return None
                self._aliases.trials.add(post.key)
            return self._posts.remove(post.key)
        return None

    def _is_trying(self) -> bool:
        """True if a page in flight tests whether its address is an alias."""
        return any(key in self._under_way for key in self._aliases.trials)

    def _look(self) -> Candidate | None:
        """A page of a fruitless shape that is fetched before the shape is given up."""
        while self._looks:
            if (page := self._pages.remove(self._looks.pop(0))) is not None:
                return page
        return None

    def _next_page(self) -> Candidate | None:
        """The best page, except while the first page of its kind is in flight, which shows what the kind is worth."""
        shapes = {shape_of(page.url) for page in self._under_way}
        added = {addition.name for page in self._under_way for addition in self._additions.of(page.url)}
        passed: list[Candidate] = []
        best = None
        while best is None and len(passed) < MOST_PASSED and (page := self._pages.pop()) is not None:
            is_first = shape_of(page.url) in shapes and not self._model.kinds.samples(page.url)
            if is_first or not self._additions.is_open(page.url, added):
                passed.append(page)
            else:
                best = page
        best = best or (passed.pop(0) if passed else None)
        for page in passed:
            self._pages.add(page)
        return best
