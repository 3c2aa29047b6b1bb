"""The frontier: every URL that a crawl has met, and which one is fetched next.

Posts come first, in order of discovery, then the pages that are most likely to link to posts. `flush` writes the state,
so that a page, its links and its record can be written together; a crawl that was killed resumes from there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from blogcrawler.errors import BadArgument
from blogcrawler.frontier.address_differences import is_sorted, with_slash_toggled
from blogcrawler.frontier.aliases import Aliases
from blogcrawler.frontier.features import MENU, TWIN, VARIANT, Link
from blogcrawler.frontier.kinds import is_numbered_url
from blogcrawler.frontier.ledger import Ledger, UnderWay
from blogcrawler.frontier.observation import REDIRECT, Observation
from blogcrawler.frontier.page_learning import PageLearner
from blogcrawler.frontier.pending import RankedPages, WaitingPosts
from blogcrawler.frontier.selection import MIRRORED, Selection
from blogcrawler.frontier.store import Candidate, FrontierStore, MemoryStore, Status, key_of
from blogcrawler.frontier.yields import SURE, YieldModel
from blogcrawler.urls import canonicalise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from blogcrawler.frontier.yields import YieldEstimator

MOST_REFUSED = 10_000
"""Maximum number of refused pages that are counted."""


class Frontier:
    """The URLs that a crawl has to fetch, best first.

    Every URL has one status: pending, claimed (returned by `pop`), done, failed or dropped. Methods accept URLs as
    pages write them; two spellings of one page (`urls.identity`) are one URL. Not for several threads or processes at
    once.
    """

    def __init__(
        self,
        store: FrontierStore | None = None,
        *,
        estimator: YieldEstimator | None = None,
        max_pending: int = 50_000,
        observations: Iterable[Observation] = (),
        on_observation: Callable[[Observation], None] | None = None,
    ) -> None:
        """Load the rows of `store`. Of pages beyond `max_pending` only a short key is kept in memory.

        Such pages wait in the store until half of those in memory are gone; posts are always kept in memory.
        `on_observation` is called with the observation of each page before its row is saved. A frontier that gets these
        `observations`, in order, learns the same. Pages without an observation are learned from by their rows alone, in
        any order.
        """
        self.store = MemoryStore() if store is None else store
        self.max_pending = max_pending
        self._ledger = Ledger(self.store)
        self._posts = WaitingPosts()
        self._model = YieldModel(estimator)
        self._pages = RankedPages(self._model)
        self._aliases = Aliases(self._ledger.status, self.known)
        self._under_way = UnderWay()
        self._learner = PageLearner(self._model, self._aliases, self._revive)
        self._selection = Selection(
            self._posts,
            self._pages,
            self._model,
            self._aliases,
            self._learner,
            self._under_way,
            end=self._end,
            unshelve=self._unshelve,
        )
        #: pages dropped by this process because similar pages brought nothing
        self.dropped = 0
        self._on_observation: Callable[[Observation], None] | None = None
        #: keys of pages refused for the same reason or because their URLs are out of bounds
        self._refused: set[str] = set()
        by_rows = list(self._load(observations))
        self._on_observation = on_observation
        if on_observation is not None:  # report these before the observations that follow
            for observation in by_rows:
                on_observation(observation)

    def __len__(self) -> int:
        """Number of pending URLs."""
        return len(self._posts) + len(self._pages) + self._ledger.shelved

    @property
    def pending_posts(self) -> int:
        """Number of pending URLs that have a post's address."""
        return len(self._posts) + self._pages.posts

    @property
    def left_out(self) -> int:
        """Number of pages that this process left out because of their kind or form; refused ones count up to
        `MOST_REFUSED`."""
        return self.dropped + len(self._refused)

    @property
    def unavailable(self) -> int:
        """Number of pages that could not be fetched but may be available later. O(n)."""
        return sum(candidate.post_links is None for candidate in self._ledger.in_state("failed"))

    @property
    def most_listed(self) -> int:
        """Maximum number of posts that one page has listed."""
        return self._model.kinds.most_listed

    @property
    def found_on_posts(self) -> int:
        """Number of posts that were found on pages of other posts."""
        return self._learner.found_on_posts

    def has_promising_page(self) -> bool:
        """True if a waiting page promises more than others, see `Selection.has_promising_page`."""
        return self._selection.has_promising_page()

    def known(self, url: str) -> bool:
        """True if the frontier knows this page, in any status; False if the URL is no http(s) URL."""
        return self.status(url) is not None

    def status(self, url: str) -> Status | None:
        """The status of a page; None if the page is unknown or the URL is no http(s) URL."""
        key = _key_or_none(url)
        status = None if key is None else self._ledger.status(key)
        return "pending" if status == "shelved" else status

    def add(self, url: str, *, is_post: bool) -> bool:
        """Add a URL. False if it is known, no http(s) URL or out of bounds."""
        return self.add_many([Link(url, is_post)]) == 1

    def add_many(self, links: Iterable[Link], *, found_on: str | None = None, depth: int = 0) -> int:
        """Add links; returns how many are new. A pending page that a link shows to be a post becomes one.

        `found_on` is the page that holds the links; None for seeds (feed, sitemap), which `reclassify` does not change.
        """
        page = None if found_on is None else _key_or_none(found_on)
        source = canonicalise(found_on) if found_on and page else None
        self._aliases.trials.discard(page or "")
        fresh = []
        shown: dict[str, tuple[str, ...]] = {}
        others: dict[str, tuple[str, ...]] = {}
        for link in links:
            key = _key_or_none(link.url)
            if key is None:
                continue
            if key != page:
                (shown if link.is_post else others)[key] = link.places
            if (candidate := self._new_candidate(key, link, source, depth)) is not None:
                fresh.append(candidate)
        new_posts = self._wait(*fresh)
        if page:
            findings = self._under_way.findings(page)
            findings.new_posts += new_posts
            findings.shown = {**(findings.shown or {}), **shown}
            findings.leads_to |= {page.url: others[page.key] for page in fresh if page.key in others}
            findings.places |= dict.fromkeys(place for places in others.values() for place in places)
            findings.linked |= dict.fromkeys(filter(self._is_named_page, others))
        return len(fresh)

    def _new_candidate(self, key: str, link: Link, found_on: str | None, depth: int) -> Candidate | None:
        """The candidate of a link; None if its page is known, also under an alias, or not worth a request."""
        url = link.url
        known = key if key in self._ledger else self._aliases.resolve(url := canonicalise(url))
        if known is not None:
            self._promote(known, link)
            return None
        if not self._selection.admits(url, link.places, is_post=link.is_post):
            if len(self._refused) < MOST_REFUSED:
                self._refused.add(key)
            return None
        hints = tuple(self._hints(url, link, is_linked=found_on is not None))
        self._ledger.expect(key)
        place = self._ledger.next_position()
        page = Candidate(key, url, place, link.is_post, depth=depth, found_on=found_on, bonus=link.bonus)
        return replace(page, marks=link.marks, hints=hints)

    def _hints(self, url: str, link: Link, *, is_linked: bool) -> Iterator[str]:
        """Marks that count against a link's target; `is_linked` says that a page links to it."""
        if not link.is_post and (link.is_variant or self._aliases.additions.is_variant(url)):
            yield VARIANT
        if link.is_post and is_linked:
            if link.in_menu:
                yield MENU
            if self.known(with_slash_toggled(url)):
                yield TWIN

    def _is_named_page(self, key: str) -> bool:
        """True if a page waits, is no post, and is identified by its name among pages of its shape."""
        page = self._pages.get(key)
        return page is not None and not page.is_post and not is_numbered_url(page.url)

    def new_posts_of(self, url: str) -> int:
        """Number of new posts that were found on a page in flight."""
        return self._under_way.findings(key_of(url)).new_posts

    def outside_boilerplate(self, links: Iterable[Link]) -> list[Link]:
        """The posts that a page lists: links to posts outside the boilerplate of pages."""
        listed = self._learner.boilerplate.listed
        return [link for link in links if link.is_post and listed({link.url: link.places})]

    def is_sorted(self, url: str) -> bool:
        """True for a known page's address with a parameter that sorts or filters its list, so that posts may be in any
        order."""
        return is_sorted(canonicalise(url), self.known)

    def pop(self, *, posts_only: bool = False) -> Candidate | None:
        """Claim and return the best pending URL, or the best post (`posts_only`); None if there is none."""
        while (page := self._selection.next(posts_only=posts_only)) is not None:
            best = self._claim(page)
            url = self._aliases.request_url(best.url)
            if key_of(url) != best.key:
                self._under_way.findings(key_of(url)).asked_as = best
            if url == best.url or self._lead(best, url):
                return self._under_way.get(key_of(url))
        return None

    def has_twin(self, url: str) -> bool:
        """True if a post was fetched, or is being fetched, at another spelling of this address."""
        return self._aliases.has_version(url)

    def is_mirrored(self, url: str) -> bool:
        """True if the page was fetched at another spelling of this address, by a learned difference or a common
        untested one."""
        canonical = canonicalise(url)
        return self._aliases.is_fetched_with_slash_toggled(canonical) or self._aliases.is_alias(canonical)

    def may_be_version(self, page: Candidate) -> bool:
        """True if a waiting page may be a translation of a post, by its address or the marks of links to it."""
        return self._aliases.additions.may_be_version(page.url, page.marks)

    def is_spelling(self, url: str, other_url: str) -> bool:
        """Note a statement that two addresses belong to one page; False if they differ in more than spelling."""
        return self._aliases.note_alias(url, other_url)

    def end_if_duplicate(self, url: str, same_content: str | None) -> bool:
        """True if a fetched post is a duplicate of `other`, a post with the same content at another address; it is then
        done."""
        is_mirrored = self._aliases.compare(url, same_content)
        if is_mirrored:
            self._end_as_mirrored(url)
        return is_mirrored

    def _end_as_mirrored(self, url: str) -> None:
        candidate = self._take(url)
        self._under_way.take_findings(candidate.key)
        self._end(candidate, "done", reason=MIRRORED)

    def _unshelve(self) -> None:
        """Load pages that wait in the store only, when half of those in memory are gone."""
        if self._ledger.shelved and 2 * len(self._pages) <= self.max_pending:
            for candidate in self._ledger.unshelve(max(1, self.max_pending // 2)):
                self._wait(candidate)

    def done(self, url: str, *, yield_: int | None = None, is_post: bool | None = None, is_copy: bool = False) -> int:
        """Mark a page as fetched after its links were added; returns the number of new posts found on it.

        `yield_` is the number of its links to posts, which trains the estimate; None if the page was not read.
        `is_post`: None to judge by the address. `is_copy`: the page repeats a post. Raises BadArgument if the URL is no
        http(s) URL.
        """
        candidate = self._take(url)
        if candidate.was_post is None:
            candidate = self._understood(candidate, "done", yield_, is_post=is_post, is_copy=is_copy)
        else:
            self._end(candidate, "done")
        return candidate.new_posts or 0

    def learn(self, url: str, *, yield_: int, is_post: bool) -> int:
        """Learn from a page as `done` does, but keep it in flight until its record is written."""
        candidate = self._understood(self._take(url), "claimed", yield_, is_post=is_post)
        self._under_way.add(candidate)
        return candidate.new_posts or 0

    def _understood(
        self, page: Candidate, status: Status, yield_: int | None, *, is_post: bool | None, is_copy: bool = False
    ) -> Candidate:
        """Learn from a fetched page, and return its candidate with the result."""
        findings = self._under_way.take_findings(page.key)
        if yield_ is not None:
            page = replace(page, was_post=page.is_post if is_post is None else is_post)
        page = replace(page, status=status, reason=None, post_links=yield_, new_posts=findings.new_posts)
        self._note(page)
        self._teach(page, self._learner.observe(page, findings, is_copy=is_copy), findings.origin)
        return page

    def _teach(self, page: Candidate, observation: Observation, origin: Candidate | None = None) -> None:
        if self._on_observation is not None:
            self._on_observation(observation)
        self._learner.learn(page, observation, origin)

    def undecided(self, url: str) -> None:
        """Note a fetched page whose links were added, but which cannot be judged yet. Until it turns out to be a post,
        it counts against pages of its shape as a non-post does."""
        if (candidate := self._under_way.get(key_of(url))) is not None:
            self._learner.presume(candidate, self._under_way.findings(candidate.key))

    def _revive(self) -> None:
        """Let dropped pages wait again if their kinds are no longer given up."""
        for candidate in self._ledger.in_state("dropped") if self.dropped > 0 else ():
            if not self._selection.is_in_vain(candidate):
                self._wait(replace(candidate, status="pending", reason=None))
                self.dropped -= 1

    def failed(self, url: str, reason: str, *, gone: bool = False, detours: int = 0) -> None:
        """Note that a page could not be fetched after `detours` redirects; if `gone`, a yield of 0 is learned."""
        candidate = self._take(url)
        asked_as = self._under_way.take_findings(candidate.key).asked_as
        gone = gone and candidate.was_post is None  # otherwise it existed and was learned from already
        if gone:
            candidate = replace(candidate, post_links=0, new_posts=0, was_post=False)
        self._end(candidate, "failed", reason=reason)
        if gone:
            self._teach(candidate, Observation(candidate.key, is_gone=True, detours=detours))
        if gone and asked_as is not None:  # the server does not rewrite all its addresses alike
            self._aliases.note_answer(asked_as.url)
            self._wait(replace(asked_as, status="pending"))

    def redirected(self, source: str, target: str) -> bool:
        """Note that `source` redirected to `target`, which is claimed; False if that page is fetched or claimed
        already."""
        key_of(target)  # raises before anything is changed
        origin = self._take(source)
        self._aliases.note_redirect(origin.url, canonicalise(target))
        return self._lead(origin, target)

    def note_answer(self, source: str, target: str) -> None:
        """Learn how the server rewrites addresses from a page that was fetched for another purpose."""
        self._aliases.note_redirect(canonicalise(source), canonicalise(target))
        self._aliases.note_answer(canonicalise(target))

    def request_url(self, url: str) -> str:
        """The address that the server would redirect `url` to; `url` itself if no redirect is expected."""
        return self._aliases.request_url(url)

    def is_under_way(self, url: str) -> bool:
        """True if `pop` returned this page and it has not ended."""
        return key_of(url) in self._under_way

    def unfinished(self) -> list[Candidate]:
        """The pages in flight and the waiting posts, in order of discovery. O(n log n) in these."""
        return sorted((*self._under_way, *self._posts), key=lambda candidate: candidate.position)

    def set_aside(self, url: str, reason: str) -> None:
        """End a page that needs no request. Raises BadArgument if the URL is no http(s) URL."""
        self._end(self._take(url), "done", reason=reason)

    def _lead(self, origin: Candidate, target: str) -> bool:
        """Claim `target` in place of a candidate that no longer waits."""
        key, url = key_of(target), canonicalise(target)
        self._under_way.remove(origin.key)
        if key == origin.key:
            self._claim(replace(origin, url=url))
            return True
        is_known = self._ledger.status(key) in ("done", "claimed")
        if is_known:
            origin = replace(origin, post_links=0, new_posts=0, was_post=False)
        self._end(origin, "done", reason=REDIRECT)
        if is_known:
            is_alias = self._aliases.additions.is_post(key)
            self._teach(replace(origin, reason=REDIRECT), Observation(origin.key, is_alias=is_alias))
            return False
        page = self._take(target)
        self._claim(replace(page, is_post=origin.is_post or page.is_post, depth=origin.depth), origin)
        return True

    def commit_page(
        self,
        url: str,
        *,
        yield_: int | None,
        links: Iterable[Link],
        is_post: bool | None = None,
        is_copy: bool = False,
        flush: bool = True,
    ) -> int:
        """Add a page and its links: `add_many`, `done` and, if wanted, `flush`; returns the number of new posts."""
        candidate = self._under_way.get(key_of(url))
        self.add_many(links, found_on=url, depth=candidate.depth + 1 if candidate else 1)
        new_posts = self.done(url, yield_=yield_, is_post=is_post, is_copy=is_copy)
        if flush:
            self.flush()
        return new_posts

    def resume(self, *, retry_failed: bool = False) -> int:
        """Let pages wait again that were claimed when a crawl ended, and with `retry_failed` those that failed and are
        not gone.

        Returns the number of pages.
        """
        again = list(self._under_way)
        if retry_failed:
            again += [candidate for candidate in self._ledger.in_state("failed") if candidate.post_links is None]
        self._wait_again(again)
        return len(again)

    def retry(self, urls: Iterable[str]) -> None:
        """Let these pages wait again if they failed, and all dropped pages."""
        keys = set(map(key_of, urls))
        failed = [candidate for candidate in self._ledger.in_state("failed") if candidate.key in keys]
        self._wait_again([*failed, *self._ledger.in_state("dropped")])

    def _wait_again(self, pages: Iterable[Candidate]) -> None:
        for candidate in pages:
            self._under_way.remove(candidate.key)
            # these posts are known by now
            self._under_way.findings(candidate.key).new_posts += candidate.new_posts or 0
            self._wait(candidate.anew())

    def reclassify(self, matches: Callable[[str], bool]) -> int:
        """Judge again which pending URLs are posts after the permalink pattern has changed; returns how
        many changed."""
        changed = [
            replace(candidate, is_post=not candidate.is_post)
            for candidate in (*self._posts, *self._pages)
            if not (candidate.is_post and candidate.found_on is None) and matches(candidate.url) != candidate.is_post
        ]
        for candidate in changed:
            self._forget_pending(candidate.key)
            self._wait(candidate)
        return len(changed)

    def flush(self) -> None:
        """Write all changes since the last flush to the store, in one transaction."""
        self._ledger.flush()

    def _load(self, observations: Iterable[Observation]) -> Iterator[Observation]:
        """Load all rows and learn from them; yields an observation for each page that has only a row."""
        ended, origins, mirrored = dict[str, Candidate](), dict[str, Candidate](), list[str]()
        for candidate in self._ledger.restore():
            self._aliases.note_page(candidate)
            if candidate.reason == MIRRORED:
                mirrored.append(candidate.url)
            if candidate.status == "pending":
                self._enqueue(candidate)
            elif candidate.status == "claimed":
                self._under_way.add(candidate)
            elif candidate.reason == REDIRECT and candidate.post_links is None:
                origins[candidate.key] = candidate
            elif candidate.status not in ("shelved", "dropped"):
                ended[candidate.key] = candidate
        for observation in observations:
            if (page := ended.get(observation.key)) is not None and observation.fits(page):
                self._learner.learn_again(
                    ended.pop(observation.key), observation, origins.get(observation.origin or "")
                )
        # the order in which the others were fetched is unknown: shapes that brought something come last
        for candidate in sorted(ended.values(), key=lambda one: one.new_posts or 0):
            if candidate.post_links is not None:
                yield self._learner.learn_by_row(candidate)
        for url in mirrored:
            self._aliases.compare_again(url)
        self._learner.doubts = 1

    def _promote(self, key: str, link: Link) -> None:
        """Update a known page with another link to it."""
        seed = self._under_way.get(key) or self._posts.get(key)
        if seed is not None and not seed.marks and link.marks:
            marked = replace(seed, marks=link.marks, hints=(MENU,) if link.in_menu and link.is_post else ())
            if key in self._under_way:
                self._under_way.add(marked)
            else:
                self._posts.add(marked)
            self._note(marked)
        if link.is_post and self._ledger.status(key) == "shelved":
            self._wait(replace(self._take(link.url), is_post=True))
        page = self._pages.get(key)
        if page is None:
            return
        is_better = link.is_post and not page.is_post
        if is_better or (link.marks and not page.marks):  # at first no page links to pages that a source lists
            self._pages.remove(key)
            marks, bonus = page.marks or link.marks, max(page.bonus, link.bonus)
            self._wait(replace(page, is_post=page.is_post or link.is_post, marks=marks, bonus=bonus))

    def _enqueue(self, candidate: Candidate, *, is_sure: bool = True) -> None:
        if candidate.is_post and is_sure:
            self._posts.add(candidate)
        else:
            self._pages.add(candidate)

    def _wait(self, *candidates: Candidate) -> int:
        """Let candidates wait; returns the number of those that are surely posts."""
        posts = [page for page in candidates if page.is_post]
        rated = zip(posts, self._model.post_probabilities(posts), strict=True)
        sure = {page.key for page, p in rated if p >= SURE or page.found_on is None}
        for candidate in candidates:
            if candidate.is_post or len(self._pages) < self.max_pending:
                self._enqueue(candidate, is_sure=candidate.key in sure)
                self._note(candidate)
            else:
                self._ledger.shelve(candidate)
                self._aliases.note_page(candidate)
        return len(sure)

    def _claim(self, candidate: Candidate, origin: Candidate | None = None) -> Candidate:
        claimed = replace(candidate, status="claimed")
        self._under_way.add(claimed)
        if origin is not None:
            self._under_way.findings(candidate.key).origin = origin
        self._note(claimed)
        return claimed

    def _end(self, candidate: Candidate, status: Status, reason: str | None = None) -> None:
        self._note(replace(candidate, status=status, reason=reason))
        self.dropped += status == "dropped"

    def _note(self, candidate: Candidate) -> None:
        self._ledger.note(candidate)
        self._aliases.note_page(candidate)

    def _take(self, url: str) -> Candidate:
        """Remove and return the candidate of this page; a new candidate if the page is unknown or ended before."""
        key = key_of(url)
        candidate = self._under_way.remove(key) or self._forget_pending(key)
        if candidate is None:
            self._ledger.shelved -= self._ledger.status(key) == "shelved"
            candidate = Candidate(key, canonicalise(url), self._ledger.next_position())
        return candidate

    def _forget_pending(self, key: str) -> Candidate | None:
        return self._posts.remove(key) or self._pages.remove(key)


def _key_or_none(url: str) -> str | None:
    try:
        return key_of(url)
    except BadArgument:
        return None
