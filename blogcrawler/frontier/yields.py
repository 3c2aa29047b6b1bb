"""The expected yield of a page: one estimate for ranking, for leaving out kinds of pages, and for the stop rules."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple, Protocol

from blogcrawler.frontier.features import PATTERN, features, places_of
from blogcrawler.frontier.kind_history import KindHistory
from blogcrawler.frontier.kinds import shape_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.frontier.kind_history import PageResult
    from blogcrawler.frontier.post_estimator import PostEstimator
    from blogcrawler.frontier.store import Candidate

SURE = 0.5
"""Probability of being a post at or above which a page with a post's address is fetched as a post."""
KNOWN = 0.15
"""Weight of a link to a known post, relative to a link to a new post: further pages of a list of known posts may lead
to new posts."""
UNKNOWN = 1.0
"""Number of posts that a page is expected to lead to before anything was learned."""
FEWEST_PRESUMED = 5
"""Number of pages that look like non-posts at or above which they count as non-posts."""
REMEMBERED = 400
"""Number of posts, and of other pages, that are remembered as examples."""
GROWTH = 5
"""The estimator learns again when the number of new examples, none of which was a surprise, is the number of old
examples divided by this."""
ENOUGH_CONTRADICTING = 3
"""Number of non-posts at posts' addresses above which the pattern misleads."""


class YieldEstimator(Protocol):
    """Estimates how many posts a page leads to."""

    def partial_fit(self, urls: Sequence[str], yields: Sequence[float], marks: Sequence[tuple[str, ...]]) -> object:
        """Learn from fetched pages."""

    def predict(self, urls: Sequence[str], marks: Sequence[tuple[str, ...]]) -> list[float]:
        """The expected number of posts of each page."""


class Estimate(NamedTuple):
    """What is expected of an unfetched page."""

    #: probability that it is a post
    is_post: float
    #: number of posts that it leads to
    leads_to: float
    #: number of fetched pages of its shape, and whether all of them were posts
    samples: float
    all_were_posts: bool
    #: see `KindHistory.exhaustion`
    exhaustion: float

    @property
    def harvest_rate(self) -> float:
        """Expected posts per request: p + g posts for 1 + g requests."""
        return (self.is_post + self.leads_to) / (1 + self.leads_to)


class YieldModel:
    """Learns from fetched pages whether other pages are posts, and how many posts they lead to.

    The k nearest neighbours estimate how many posts a page leads to, a logistic regression estimates whether it is a
    post, and the history of its kind shows whether similar pages still bring anything.
    """

    def __init__(self, estimator: YieldEstimator | None = None) -> None:
        self.kinds = KindHistory()
        self._neighbours = estimator
        self._posts = PostClassifier()
        #: number of pages from which yields were learned
        self.examples = 0
        #: whether something was learned that changes earlier estimates
        self.is_overturned = False
        #: keys of pages that were counted before they could be judged
        self.counted: set[str] = set()
        #: pages with a post's address that were missing, and that were no posts
        self._gone = 0
        self._contradicting = 0

    @property
    def is_pattern_misleading(self) -> bool:
        """True if many pages with a post's address exist but are no posts."""
        return self._contradicting > max(ENOUGH_CONTRADICTING, self._gone)

    def estimate(self, pages: Sequence[Candidate]) -> list[Estimate]:
        """What is expected of each page."""
        urls, marks = [page.url for page in pages], [page.marks for page in pages]
        leads_to = self._neighbours.predict(urls, marks) if self._neighbours else [UNKNOWN] * len(urls)
        kinds = self.kinds
        return [
            Estimate(
                p,
                g,
                kinds.samples(page.url),
                shape_of(page.url) in kinds.of_posts_alone,
                kinds.exhaustion(page.url, places_of(page.marks)),
            )
            for page, p, g in zip(pages, self.post_probabilities(pages), leads_to, strict=True)
        ]

    def post_probabilities(self, pages: Sequence[Candidate]) -> list[float]:
        """The probability that each page is a post."""
        return self._posts.predict(pages)

    def learn(self, page: Candidate, result: PageResult, *, is_alias: bool = False) -> bool:
        """Learn from a requested page. True if the result was not expected. `is_alias`: its address redirected to a
        known post, so pages that are linked alike may be posts."""
        surprise = not is_alias and self.learn_kind(page, is_post=result.was_post, is_gone=result.is_gone)
        if not result.was_post:
            known = max(0, (page.post_links or 0) - result.new_posts)
            self._learn_yield(page, result.new_posts + KNOWN * known)
        if result.was_post or page.key not in self.counted:
            self._record(page, result)
        self.counted.discard(page.key)
        return surprise

    def learn_kind(self, page: Candidate, *, is_post: bool, is_gone: bool = False) -> bool:
        """Learn whether a page is a post. True if this was not expected."""
        was_presumed = self._posts.is_presumed(page.key)
        if page.is_post and not is_post:
            self._gone += is_gone
            self._contradicting += not is_gone and not was_presumed
        elif was_presumed:
            self._contradicting -= 1
        surprise = self._posts.learn(page, is_post=is_post)
        self.is_overturned = self.is_overturned or surprise
        return surprise

    def presume(self, page: Candidate, result: PageResult) -> bool:
        """Count a fetched page that looks like a non-post so far. True if this changes how other pages are judged."""
        self._record(page, result)
        self.counted.add(page.key)
        presumed = self._posts.presume(page) if page.is_post else 0
        self._contradicting += presumed
        self.is_overturned = self.is_overturned or presumed > 0
        return presumed > 0

    def _record(self, page: Candidate, result: PageResult) -> None:
        if self.kinds.record(page.url, result, places_of(page.marks)):
            self.is_overturned = True

    def _learn_yield(self, page: Candidate, posts: float) -> None:
        if self._neighbours is None:
            from blogcrawler.frontier.estimators import LinkYieldEstimator  # numpy takes a tenth of a second to load

            self._neighbours = LinkYieldEstimator()
        self._neighbours.partial_fit([page.url], [posts], [page.marks])
        self.examples += 1


class PostClassifier:
    """Judges which URLs are posts: those that fit the permalink pattern, until a page contradicts it.

    From then on, and for pages of the menu, a learned probability decides. Pages that look like non-posts so far count
    as non-posts as soon as there are a few of them.
    """

    def __init__(self) -> None:
        self._estimator: PostEstimator | None = None
        #: examples that the estimator has not learned from; of more it would forget the oldest
        self._examples: dict[bool, deque[tuple[str, ...]]] = {kind: deque(maxlen=REMEMBERED) for kind in (True, False)}
        self._is_due = False
        #: whether a page has contradicted the pattern
        self._in_doubt = False
        #: features of pages that look like non-posts, by key: too few to count, and those that count as non-posts
        self._few: dict[str, tuple[str, ...]] = {}
        self._presumed: dict[str, tuple[str, ...]] = {}

    def is_presumed(self, key: str) -> bool:
        """True if a page counts as a non-post, though this is not proven yet."""
        return key in self._presumed

    def presume(self, page: Candidate) -> int:
        """Note a fetched page that looks like a non-post so far; returns how many pages newly count as non-posts."""
        if page.key in self._presumed:
            return 0
        self._few[page.key] = _described(page)
        if not self._presumed and len(self._few) < FEWEST_PRESUMED:
            return 0
        new, self._few = self._few, {}
        self._presumed |= new
        self._examples[False].extend(new.values())
        self._in_doubt = self._is_due = True
        return len(new)

    def learn(self, page: Candidate, *, is_post: bool) -> bool:
        """Learn what a fetched page is. True if its address suggested otherwise."""
        self._few.pop(page.key, None)
        presumed = self._presumed.pop(page.key, None)
        if presumed is not None and not is_post:
            return False  # it was learned from already
        surprise = (self.predict([page])[0] >= SURE) != is_post
        self._in_doubt = self._in_doubt or surprise
        if presumed is not None:
            self._forget(presumed)
        self._examples[is_post].append(_described(page))
        self._is_due = self._is_due or surprise
        return surprise

    def _forget(self, presumed: tuple[str, ...]) -> None:
        if presumed in self._examples[False]:
            self._examples[False].remove(presumed)
        elif self._estimator is not None:
            self._estimator.forget(presumed, is_post=False)

    def predict(self, pages: Sequence[Candidate]) -> list[float]:
        """The probability that each page is a post."""
        doubtful = [page for page in pages if self._in_doubt or (page.is_post and page.hints)]
        learned = dict.fromkeys((page.key for page in doubtful), 0.0)
        if doubtful:
            learned = dict(zip(learned, self._learned().predict(list(map(_described, doubtful))), strict=True))
        return [learned.get(page.key, float(page.is_post)) for page in pages]

    def _learned(self) -> PostEstimator:
        if self._estimator is None:
            from blogcrawler.frontier.post_estimator import PostEstimator  # scikit-learn takes half a second to load

            self._estimator = PostEstimator(limit=REMEMBERED)
        if self._is_due or sum(map(len, self._examples.values())) >= max(1, len(self._estimator) // GROWTH):
            self._is_due = False
            for is_post, examples in self._examples.items():
                self._estimator.partial_fit(examples, [is_post] * len(examples))
                examples.clear()
        return self._estimator


def _described(page: Candidate) -> tuple[str, ...]:
    pattern = (PATTERN,) if page.is_post else ()
    return features(page.url, (*page.marks, *page.hints, *pattern))
