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
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from blogcrawler.errors import BadArgument
from blogcrawler.frontier.ranking import RankedPages
from blogcrawler.frontier.store import Candidate, FrontierStore, MemoryStore, Status
from blogcrawler.frontier.traps import TrapBounds
from blogcrawler.urls import canonicalise, identity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from blogcrawler.frontier.ranking import YieldEstimator

__all__ = ["Frontier", "Link"]


@dataclass(frozen=True)
class Link:
    """A link as it was found on a page, absolute."""

    url: str
    is_post: bool = False
    #: added to the estimated yield
    bonus: float = 0.0


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
        max_pending: int = 200_000,
    ) -> None:
        """Load what `store` holds. Beyond `max_pending` only posts are taken in."""
        self.store = MemoryStore() if store is None else store
        self.bounds = bounds or TrapBounds()
        self.max_pending = max_pending
        self._status: dict[str, Status] = {}
        self._posts: dict[str, Candidate] = {}
        self._post_order: list[tuple[int, str]] = []
        self._pages = RankedPages(estimator)
        self._claimed: dict[str, Candidate] = {}
        self._new_posts: Counter[str] = Counter()
        self._unsaved: dict[str, dict[str, Any]] = {}
        self._position = 0
        self._load()

    def __len__(self) -> int:
        """How many URLs are pending."""
        return len(self._posts) + len(self._pages)

    @property
    def pending_posts(self) -> int:
        """How many of the pending URLs are posts."""
        return len(self._posts)

    def known(self, url: str) -> bool:
        """Has the frontier met this page, in whatever state? False for what is no http(s) URL."""
        return self.status(url) is not None

    def status(self, url: str) -> Status | None:
        """What has become of a page; None for one that the frontier has not met, and for what is no http(s) URL."""
        key = _key_or_none(url)
        return None if key is None else self._status.get(key)

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
        added = 0
        for link in links:
            key = _key_or_none(link.url)
            if key is None:
                continue
            if key in self._status:
                self._promote(key, link)
                continue
            url = canonicalise(link.url)
            if not self._is_welcome(url, is_post=link.is_post):
                continue
            position = self._next_position()
            self._wait(Candidate(key, url, position, link.is_post, depth=depth, found_on=found_on, bonus=link.bonus))
            added += 1
            if link.is_post and page:
                self._new_posts[page] += 1
        return added

    def pop(self) -> Candidate | None:
        """The best pending URL, which is claimed from now on; None when nothing is pending."""
        while self._post_order:
            _, key = heapq.heappop(self._post_order)
            if key in self._posts:
                return self._claim(self._posts.pop(key))
        while (page := self._pages.pop()) is not None:
            if not self._pages.shapes.is_barren(page.url):
                return self._claim(page)
            self._end(page, "dropped", reason="the pages of this shape bring nothing new")
        return None

    def done(self, url: str, *, yield_: int | None = None) -> int:
        """The page was fetched and its links were added: the number of posts found on it that nobody knew.

        `yield_` is the number of links to posts that it held, with which the estimate is trained; None for a page that
        was not looked at. Raises BadArgument for what is no http(s) URL.
        """
        candidate = self._take(url)
        new_posts = self._new_posts.pop(candidate.key, 0)
        self._end(candidate, "done", post_links=yield_, new_posts=new_posts)
        self._learn(candidate, yield_, new_posts)
        return new_posts

    def failed(self, url: str, reason: str, *, gone: bool = False) -> None:
        """The page could not be fetched. `gone`: there is no such page, so that the estimate learns a yield of 0.

        Raises BadArgument for what is no http(s) URL.
        """
        candidate = self._take(url)
        self._new_posts.pop(candidate.key, None)
        self._end(candidate, "failed", reason=reason, post_links=0 if gone else None)
        self._learn(candidate, 0 if gone else None, 0)

    def _learn(self, candidate: Candidate, yield_: int | None, new_posts: int) -> None:
        if yield_ is None:
            return
        self._pages.learn([(candidate.url, yield_)])
        if not candidate.is_post:
            self._pages.record_harvest(candidate.url, new_posts)

    def redirected(self, source: str, target: str) -> bool:
        """Fetching `source` led to `target`, which is claimed now. False when that page is fetched or claimed already.

        Raises BadArgument when one of them is no http(s) URL.
        """
        key, url = _key(target), canonicalise(target)
        origin = self._take(source)
        if key == origin.key:
            self._claim(replace(origin, url=url))
            return True
        self._end(origin, "done", reason="redirect")
        if self._status.get(key) in ("done", "claimed"):
            return False
        page = self._take(target)
        self._claim(replace(page, is_post=origin.is_post or page.is_post, depth=origin.depth))
        return True

    def commit_page(self, url: str, *, yield_: int | None, links: Iterable[Link]) -> int:
        """A page and its links in one go: `add_many`, `done` and `flush`; the number of new posts."""
        candidate = self._claimed.get(_key(url))
        self.add_many(links, found_on=url, depth=candidate.depth + 1 if candidate else 1)
        new_posts = self.done(url, yield_=yield_)
        self.flush()
        return new_posts

    def resume(self, *, retry_failed: bool = False) -> int:
        """Make pending again what was claimed when a crawl ended, and on request what failed and is not gone.

        How many these are.
        """
        again = list(self._claimed.values())
        if retry_failed:
            self.flush()
            rows = (row for row in self.store.load() if row["status"] == "failed" and row["post_links"] is None)
            again += map(Candidate.from_row, rows)
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
        examples, harvests = [], []
        for row in self.store.load():
            candidate = Candidate.from_row(row)
            self._position = max(self._position, candidate.position + 1)
            self._status[candidate.key] = candidate.status
            if candidate.status == "pending":
                self._enqueue(candidate)
            elif candidate.status == "claimed":
                self._claimed[candidate.key] = candidate
            elif candidate.post_links is not None:
                examples.append((candidate.url, candidate.post_links))
                if not candidate.is_post:
                    harvests.append((candidate.new_posts or 0, candidate.url))
        self._pages.learn(examples)
        # the order in which pages were fetched is not kept: a shape that ever brought something gets the benefit of it
        for new_posts, url in sorted(harvests):
            self._pages.record_harvest(url, new_posts)

    def _is_welcome(self, url: str, *, is_post: bool) -> bool:
        if is_post:
            return len(url) <= self.bounds.max_length
        if len(self) >= self.max_pending or self._pages.shapes.is_barren(url):
            return False
        return self.bounds.refusal(url) is None

    def _promote(self, key: str, link: Link) -> None:
        page = self._pages.get(key) if link.is_post else None
        if page:
            self._pages.remove(key)
            self._wait(replace(page, is_post=True))

    def _enqueue(self, candidate: Candidate) -> None:
        if candidate.is_post:
            self._posts[candidate.key] = candidate
            heapq.heappush(self._post_order, (candidate.position, candidate.key))
        else:
            self._pages.add(candidate)

    def _wait(self, candidate: Candidate) -> None:
        self._enqueue(candidate)
        self._note(candidate)

    def _claim(self, candidate: Candidate) -> Candidate:
        claimed = replace(candidate, status="claimed")
        self._claimed[claimed.key] = claimed
        self._note(claimed)
        return claimed

    def _end(
        self,
        candidate: Candidate,
        status: Status,
        *,
        reason: str | None = None,
        post_links: int | None = None,
        new_posts: int | None = None,
    ) -> None:
        self._note(replace(candidate, status=status, reason=reason, post_links=post_links, new_posts=new_posts))

    def _note(self, candidate: Candidate) -> None:
        self._status[candidate.key] = candidate.status
        self._unsaved[candidate.key] = candidate.to_row()

    def _take(self, url: str) -> Candidate:
        """The candidate of this page, out of where it waited; a new one for a page unknown or ended before."""
        key = _key(url)
        candidate = self._claimed.pop(key, None) or self._forget_pending(key)
        if candidate is None:
            candidate = Candidate(key, canonicalise(url), self._next_position())
        return candidate

    def _next_position(self) -> int:
        self._position += 1
        return self._position - 1

    def _forget_pending(self, key: str) -> Candidate | None:
        return self._posts.pop(key, None) or self._pages.remove(key)


def _key(url: str) -> str:
    """A short name of the page's identity; two among a million pages are the same with probability 10⁻¹⁷."""
    return blake2b(identity(url).encode(), digest_size=12).hexdigest()


def _key_or_none(url: str) -> str | None:
    try:
        return _key(url)
    except BadArgument:
        return None
