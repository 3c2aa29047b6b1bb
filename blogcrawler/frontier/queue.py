"""The frontier: every URL that a crawl has met, and which one is next.

Posts come before everything else, in the order in which they were found; then the pages that are most likely to link
to posts. The state is written by `flush`, so what belongs together (a page, its links, its record) can be written
together, and a crawl that was killed goes on from there: what was done stays done, and what was lost will be found
again on pages that were not done.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from blogcrawler.errors import BadArgument
from blogcrawler.frontier.features import MENU, PLACE, TWIN, VARIANT
from blogcrawler.frontier.frames import Frames
from blogcrawler.frontier.ranking import Postlike, RankedPages
from blogcrawler.frontier.spelling import Spelling
from blogcrawler.frontier.store import Candidate, FrontierStore, MemoryStore, Status, key_of
from blogcrawler.frontier.traps import TrapBounds, shape_of
from blogcrawler.frontier.variants import Additions
from blogcrawler.urls import canonicalise

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from blogcrawler.frontier.ranking import YieldEstimator

__all__ = ["Frontier", "Link"]

KNOWN = 0.15
"""What a link to a known post counts beside one to a new post: lists of known posts may go on with others."""


MOST_PASSED = 20
"""Pages that are passed over in favour of one of another shape."""


@dataclass(frozen=True)
class Link:
    """A link as it was found on a page, absolute."""

    url: str
    is_post: bool = False
    #: added to the estimated yield
    bonus: float = 0.0
    #: what it says of the page, see `features.marks_of`
    marks: tuple[str, ...] = ()
    #: is it in the site's menu, where posts seldom are?
    in_menu: bool = False
    #: has it a post's address with parameters that posts have not?
    is_variant: bool = False


class Frontier:
    """What a crawl has to fetch, best first.

    Every URL is in one state: pending, claimed (`pop` handed it out), done, failed, dropped. Methods take URLs as they
    were found; two spellings of one page (`urls.identity`) are one URL. Not for several threads or processes at once.
    """

    def __init__(
        self,
        store: FrontierStore | None = None,
        *,
        estimator: YieldEstimator | None = None,
        bounds: TrapBounds | None = None,
        max_pending: int = 50_000,
    ) -> None:
        """Load what `store` holds. Of pages beyond `max_pending` only a short name is kept in memory.

        These wait in the store until half of the others are gone; posts are always kept in memory.
        """
        self.store = MemoryStore() if store is None else store
        self.bounds = bounds or TrapBounds()
        self.max_pending = max_pending
        self._status: dict[str, Status] = {}
        self._posts: dict[str, Candidate] = {}
        self._post_order: list[tuple[int, str]] = []
        self._pages = RankedPages(estimator)
        self._claimed: dict[str, Candidate] = {}
        self._new_posts: Counter[str] = Counter()
        #: key of a page under way → the posts that it links to, with their places
        self._shown: dict[str, dict[str, tuple[str, ...]]] = {}
        self._frames = Frames()
        self._additions = Additions(self.known)
        self._unsaved: dict[str, dict[str, Any]] = {}
        self._position = 0
        self._doubts = 0
        #: how many pages wait in the store alone
        self._shelved = 0
        self._spelling = Spelling()
        #: key of a page under way → the candidate whose address led to it
        self._came_from: dict[str, Candidate] = {}
        #: posts that were found on pages of other posts, in this process
        self.found_on_posts = 0
        #: pages that were left out since pages like them brought nothing, in this process
        self.dropped = 0
        #: key of a page that is asked for at an address that no link has → the candidate that has one
        self._asked_as: dict[str, Candidate] = {}
        self._load()

    def __len__(self) -> int:
        """How many URLs are pending."""
        return len(self._posts) + len(self._pages) + self._shelved

    @property
    def pending_posts(self) -> int:
        """How many of the pending URLs have a post's address."""
        return len(self._posts) + self._pages.posts

    @property
    def most_listed(self) -> int:
        """How many posts one page has listed, at most."""
        return self._pages.shapes.most_listed

    def known(self, url: str) -> bool:
        """Has the frontier met this page, in whatever state? False for what is no http(s) URL."""
        return self.status(url) is not None

    def status(self, url: str) -> Status | None:
        """What has become of a page; None for one that the frontier has not met, and for what is no http(s) URL."""
        key = _key_or_none(url)
        found = None if key is None else self._status.get(key)
        return "pending" if found == "shelved" else found

    def add(self, url: str, *, is_post: bool, found_on: str | None = None, depth: int = 0, bonus: float = 0.0) -> bool:
        """Take in a URL. False when it is known, no http(s) URL or out of bounds.

        A pending page that turns out to be a post is moved to the posts. `found_on` is the page that held the link,
        None for seeds (feed, sitemap), whose being a post is certain: `reclassify` leaves them.
        """
        return self.add_many([Link(url, is_post, bonus)], found_on=found_on, depth=depth) == 1

    def add_many(self, links: Iterable[Link], *, found_on: str | None = None, depth: int = 0) -> int:
        """Take in the links of a page, as `add` does; the number of those that are new."""
        page = None if found_on is None else _key_or_none(found_on)
        found_on = canonicalise(found_on) if found_on and page else None
        fresh = []
        shown: dict[str, tuple[str, ...]] = {}
        for link in links:
            key = _key_or_none(link.url)
            if key is None:
                continue
            if link.is_post and key != page:
                shown[key] = _places(link)
            if key in self._status:
                self._promote(key, link)
                continue
            url = canonicalise(link.url)
            if not self._is_welcome(url, is_post=link.is_post):
                continue
            if self._additions.is_idle(url, is_post=link.is_post):
                continue
            hints = self._hints(url, link) if page else ()
            is_variant = not link.is_post and (link.is_variant or self._additions.is_variant(url))
            hints += (VARIANT,) if is_variant else ()
            one = Candidate(key, url, self._next_position(), link.is_post, depth=depth, found_on=found_on)
            fresh.append(replace(one, bonus=link.bonus, marks=link.marks, hints=hints))
            self._status[key] = "pending"
        posts = self._wait_all(fresh)
        if page:
            self._new_posts[page] += posts
            self._shown.setdefault(page, {}).update(shown)
        return len(fresh)

    def new_posts_of(self, url: str) -> int:
        """How many posts that nobody knew were found on a page that is under way."""
        return self._new_posts[key_of(url)]

    def outside_frame(self, links: Iterable[Link]) -> list[Link]:
        """Those links to posts that a page has and most others have not where it has them: what it lists."""
        posts = [link for link in links if link.is_post]
        return [link for link in posts if self._frames.listed({link.url: _places(link)})]

    def _hints(self, url: str, link: Link) -> tuple[str, ...]:
        """What speaks against a link's target being a post, though its address has the form."""
        if not link.is_post:
            return ()
        address, mark, query = url.partition("?")
        twin = address.removesuffix("/") if address.endswith("/") else f"{address}/"
        told = ((MENU, link.in_menu), (TWIN, self.known(f"{twin}{mark}{query}")))
        return tuple(hint for hint, is_true in told if is_true)

    def pop(self, *, posts_only: bool = False) -> Candidate | None:
        """The best pending URL, which is claimed from now on; None when nothing is pending.

        `posts_only`: what has no post's address stays where it is.
        """
        while (best := self._best(posts_only=posts_only)) is not None:
            url = self._spelling.spell(best.url)
            if key_of(url) != best.key:
                self._asked_as[key_of(url)] = best
            if url == best.url or self._lead(best, url):
                return self._claimed[key_of(url)]
        return None

    def _best(self, *, posts_only: bool) -> Candidate | None:
        self._doubt()
        while self._post_order:
            _, key = heapq.heappop(self._post_order)
            if key in self._posts:
                return self._claim(self._posts.pop(key))
        self._unshelve()
        while (page := self._pages.pop_post() if posts_only else self._next_page()) is not None:
            if VARIANT not in page.hints and not page.is_post and self._additions.is_variant(page.url):
                self._pages.add(replace(page, hints=(*page.hints, VARIANT)))  # the other page was not known before
                continue
            if not self._is_in_vain(page):
                return self._claim(page)
            self._end(page, "dropped", reason="the pages of this shape bring nothing new")
            self.dropped += 1
            self._unshelve()
        return None

    def _is_in_vain(self, page: Candidate) -> bool:
        """Have pages like this one brought nothing?"""
        return self._pages.shapes.is_barren(page.url, is_post=page.is_post) or self._additions.is_idle(
            page.url, is_post=page.is_post
        )

    def _is_open(self, url: str, under_way: Collection[str]) -> bool:
        """Is no page of this kind under way that will tell of all?"""
        if shape_of(url) in under_way and not self._pages.shapes.is_tried(url):
            return False
        return self._additions.is_open(url, under_way)

    def _next_page(self) -> Candidate | None:
        """The best page, but none of a shape of which the first is still under way: that one will tell of all."""
        under_way = {shape_of(one.url) for one in self._claimed.values()}
        under_way |= {added.name for one in self._claimed.values() for added in self._additions.of(one.url)}
        passed: list[Candidate] = []
        best = None
        while len(passed) < MOST_PASSED and (page := self._pages.pop()) is not None:
            if self._is_open(page.url, under_way):
                best = page
                break
            passed.append(page)
        if best is None and passed:
            best = passed.pop(0)
        for page in passed:
            self._pages.add(page)
        return best

    def _unshelve(self) -> None:
        """Let pages wait in memory again that wait in the store, when half of the others are gone."""
        if not self._shelved or 2 * len(self._pages) > self.max_pending:
            return
        self.flush()
        for row in list(self.store.load("shelved", max(1, self.max_pending // 2))):
            self._shelved -= 1
            self._wait(replace(Candidate.from_row(row), status="pending"))

    def done(self, url: str, *, yield_: int | None = None, is_post: bool | None = None) -> int:
        """The page was fetched and its links were added: the number of posts found on it that nobody knew.

        `yield_` is the number of links to posts that it held, with which the estimate is trained; None for a page that
        was not looked at. `is_post`: what it turned out to be; None for what its address says. Raises BadArgument for
        what is no http(s) URL.
        """
        candidate = self._take(url)
        new_posts = self._new_posts.pop(candidate.key, 0)
        shown = self._shown.pop(candidate.key, None)
        if shown is not None:
            self._frames.note(place for places in shown.values() for place in places)
        if yield_ is not None:
            candidate = replace(candidate, was_post=candidate.is_post if is_post is None else is_post)
        candidate = replace(candidate, post_links=yield_, new_posts=new_posts)
        self._spelling.note_page(candidate.url)
        self.found_on_posts += new_posts if candidate.was_post else 0
        self._credit(self._came_from.pop(candidate.key, None), is_post=bool(candidate.was_post))
        self._end(candidate, "done")
        self._learn(candidate, None if shown is None else self._frames.listed(shown))
        return new_posts

    def _credit(self, origin: Candidate | None, *, is_post: bool) -> None:
        """An address that leads to a post is one of a post: others of its shape are not in vain, nor are additions."""
        if origin is not None and is_post:
            self._pages.shapes.note_post(origin.url)
            self._additions.record(origin.url, brings_something=True)

    def failed(self, url: str, reason: str, *, gone: bool = False) -> None:
        """The page could not be fetched. `gone`: there is no such page, so that the estimate learns a yield of 0.

        Raises BadArgument for what is no http(s) URL.
        """
        candidate = self._take(url)
        self._new_posts.pop(candidate.key, None)
        self._shown.pop(candidate.key, None)
        if gone:
            candidate = replace(candidate, post_links=0, new_posts=0, was_post=False)
        self._end(candidate, "failed", reason=reason)
        self._learn(candidate, is_gone=True)
        asked = self._asked_as.pop(candidate.key, None)
        if asked and gone:  # the server does not spell all its addresses alike
            self._spelling.note_page(asked.url)
            self._wait(replace(asked, status="pending"))

    def _learn(self, candidate: Candidate, listed: Collection[str] | None = None, *, is_gone: bool = False) -> None:
        """Learn from a page that was fetched; `listed` are the posts that it lists, None where that was not kept."""
        if candidate.post_links is None or candidate.was_post is None:
            return
        new_posts = candidate.new_posts or 0
        if self._pages.learn_kind(candidate, is_post=candidate.was_post, is_gone=is_gone):
            self._doubts += 1
        if not candidate.was_post:
            self._pages.learn([(candidate, new_posts + KNOWN * max(0, candidate.post_links - new_posts))])
        goes_on = self._pages.shapes.goes_on(candidate.url, listed or ())
        self._pages.record_harvest(candidate, new_posts, listed or (), is_gone=is_gone)
        brings = bool(new_posts or candidate.was_post or goes_on)
        if brings or listed is not None or not candidate.post_links:  # else it may list what others do not
            self._additions.record(candidate.url, brings_something=brings)

    def _doubt(self) -> None:
        """Look again at what was taken for posts, after one turned out to be none."""
        if self._doubts and self._posts:
            waiting = list(self._posts.values())
            for candidate, p in zip(waiting, self._pages.postlike.predict(waiting), strict=True):
                if p < Postlike.SURE and candidate.found_on is not None:
                    del self._posts[candidate.key]
                    self._pages.add(candidate)
        self._doubts = 0

    def redirected(self, source: str, target: str) -> bool:
        """Fetching `source` led to `target`, which is claimed now. False when that page is fetched or claimed already.

        Raises BadArgument when one of them is no http(s) URL.
        """
        key_of(target)  # raises before anything is changed
        origin = self._take(source)
        self._spelling.note_redirect(origin.url, canonicalise(target))
        return self._lead(origin, target)

    def _lead(self, origin: Candidate, target: str) -> bool:
        """Claim `target` in the place of a candidate that waits no longer."""
        key, url = key_of(target), canonicalise(target)
        self._claimed.pop(origin.key, None)
        if key == origin.key:
            self._claim(replace(origin, url=url))
            return True
        is_known = self._status.get(key) in ("done", "claimed")
        if is_known:
            origin = replace(origin, post_links=0, new_posts=0, was_post=False)
        self._end(origin, "done", reason="redirect")
        if is_known:
            self._learn(origin)
            return False
        page = self._take(target)
        self._claim(replace(page, is_post=origin.is_post or page.is_post, depth=origin.depth))
        self._came_from[key] = origin
        return True

    def commit_page(self, url: str, *, yield_: int | None, links: Iterable[Link], is_post: bool | None = None) -> int:
        """A page and its links in one go: `add_many`, `done` and `flush`; the number of new posts."""
        candidate = self._claimed.get(key_of(url))
        self.add_many(links, found_on=url, depth=candidate.depth + 1 if candidate else 1)
        new_posts = self.done(url, yield_=yield_, is_post=is_post)
        self.flush()
        return new_posts

    def resume(self, *, retry_failed: bool = False) -> int:
        """Make pending again what was claimed when a crawl ended, and on request what failed and is not gone.

        How many these are.
        """
        again = list(self._claimed.values())
        if retry_failed:
            self.flush()
            again += [Candidate.from_row(row) for row in self.store.load("failed") if row["post_links"] is None]
        for candidate in again:
            self._claimed.pop(candidate.key, None)
            self._wait(replace(candidate, status="pending", reason=None))
        return len(again)

    def reclassify(self, matches: Callable[[str], bool]) -> int:
        """Ask anew which pending URLs are posts, since the permalink pattern has changed; how many changed sides."""
        changed = [
            replace(candidate, is_post=not candidate.is_post)
            for candidate in (*self._posts.values(), *self._pages)
            if not (candidate.is_post and candidate.found_on is None) and matches(candidate.url) != candidate.is_post
        ]
        for candidate in changed:
            self._forget_pending(candidate.key)
            self._wait(candidate)
        return len(changed)

    def flush(self) -> None:
        """Write all changes since the last flush to the store, in one transaction."""
        if self._unsaved:
            self.store.save(list(self._unsaved.values()))
            self._unsaved.clear()

    def _load(self) -> None:
        ended = []
        for row in self.store.load():
            candidate = Candidate.from_row(row)
            self._position = max(self._position, candidate.position + 1)
            self._status[candidate.key] = candidate.status
            self._note_post(candidate)
            if candidate.status == "pending":
                self._enqueue(candidate)
            elif candidate.status == "shelved":
                self._shelved += 1
            elif candidate.status == "claimed":
                self._claimed[candidate.key] = candidate
            elif candidate.post_links is not None:
                ended.append(candidate)
        # the order in which pages were fetched is not kept: a shape that ever brought something gets the benefit of it
        for candidate in sorted(ended, key=lambda one: one.new_posts or 0):
            self._learn(candidate, is_gone=candidate.status == "failed")
        self._doubts = 1

    def _is_welcome(self, url: str, *, is_post: bool) -> bool:
        if is_post:
            return len(url) <= self.bounds.max_length
        if self._pages.shapes.is_barren(url):
            return False
        return self.bounds.refusal(url) is None

    def _promote(self, key: str, link: Link) -> None:
        seed = self._claimed.get(key) or self._posts.get(key)
        if seed is not None and not seed.marks and link.marks:
            marked = replace(seed, marks=link.marks, hints=(MENU,) if link.in_menu and link.is_post else ())
            (self._claimed if key in self._claimed else self._posts)[key] = marked
            self._note(marked)
        if link.is_post and self._status[key] == "shelved":
            self._wait(replace(self._take(link.url), is_post=True))
        page = self._pages.get(key) if link.is_post else None
        if page is not None and not page.is_post:
            self._pages.remove(key)
            self._wait(replace(page, is_post=True))

    def _enqueue(self, candidate: Candidate, *, is_sure: bool = True) -> None:
        if candidate.is_post and is_sure:
            self._posts[candidate.key] = candidate
            heapq.heappush(self._post_order, (candidate.position, candidate.key))
        else:
            self._pages.add(candidate)

    def _wait(self, candidate: Candidate) -> None:
        self._wait_all([candidate])

    def _wait_all(self, candidates: Sequence[Candidate]) -> int:
        """Let candidates wait; how many of them are posts for sure."""
        posts = [one for one in candidates if one.is_post]
        sure = {
            one.key
            for one, p in zip(posts, self._pages.postlike.predict(posts), strict=True)
            if p >= Postlike.SURE or one.found_on is None
        }
        for candidate in candidates:
            if candidate.is_post or len(self._pages) < self.max_pending:
                self._enqueue(candidate, is_sure=candidate.key in sure)
                self._note(candidate)
            else:
                self._shelved += 1
                self._note(replace(candidate, status="shelved"))
        return len(sure)

    def _claim(self, candidate: Candidate) -> Candidate:
        claimed = replace(candidate, status="claimed")
        self._claimed[claimed.key] = claimed
        self._note(claimed)
        return claimed

    def _end(self, candidate: Candidate, status: Status, *, reason: str | None = None) -> None:
        self._note(replace(candidate, status=status, reason=reason))

    def _note(self, candidate: Candidate) -> None:
        self._status[candidate.key] = candidate.status
        self._note_post(candidate)
        self._unsaved[candidate.key] = candidate.to_row()

    def _note_post(self, candidate: Candidate) -> None:
        is_post = candidate.was_post or (candidate.is_post and candidate.was_post is None)
        self._additions.note_page(candidate.key, candidate.url, is_post=bool(is_post))

    def _take(self, url: str) -> Candidate:
        """The candidate of this page, out of where it waited; a new one for a page unknown or ended before."""
        key = key_of(url)
        candidate = self._claimed.pop(key, None) or self._forget_pending(key)
        if candidate is None:
            self._shelved -= self._status.get(key) == "shelved"
            candidate = Candidate(key, canonicalise(url), self._next_position())
        return candidate

    def _next_position(self) -> int:
        self._position += 1
        return self._position - 1

    def _forget_pending(self, key: str) -> Candidate | None:
        return self._posts.pop(key, None) or self._pages.remove(key)


def _places(link: Link) -> tuple[str, ...]:
    return tuple(mark for mark in link.marks if mark.startswith(PLACE))


def _key_or_none(url: str) -> str | None:
    try:
        return key_of(url)
    except BadArgument:
        return None
