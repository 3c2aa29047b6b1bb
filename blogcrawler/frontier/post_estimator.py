"""Whether a URL is a post's, before it is fetched: a second opinion beside the permalink pattern.

On some blogs the pages of tags, or the menu's, have addresses of the posts' form; on others old posts have addresses of
another form. Which links lead to which shows after a few of them.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression

from blogcrawler.frontier.features import MENU, PATTERN, TWIN

if TYPE_CHECKING:
    from collections.abc import Sequence

_BELIEFS: Sequence[tuple[tuple[str, ...], bool, float]] = (
    ((PATTERN,), True, 3.0),
    ((), False, 3.0),
    ((PATTERN, MENU), False, 3.0),
    ((PATTERN, TWIN), False, 3.0),
)
"""Examples before anything was fetched: marks, whether that is a post, weight."""


class PostEstimator:
    """Logistic regression over the features of URLs and of the links to them.

    Of posts and of other pages the newest `limit` each are remembered, so that learning and predicting cost the same
    however long a crawl is. Refitted when asked after new examples. Deterministic.
    """

    def __init__(self, *, limit: int = 400) -> None:
        self.limit = limit
        self._examples: dict[bool, deque[tuple[str, ...]]] = {is_post: deque(maxlen=limit) for is_post in (True, False)}
        self._vectorizer = HashingVectorizer(analyzer=tuple, n_features=2**12, alternate_sign=False, norm=None)
        self._model: LogisticRegression | None = None

    def __len__(self) -> int:
        return sum(map(len, self._examples.values()))

    def partial_fit(self, examples: Sequence[tuple[str, ...]], are_posts: Sequence[bool]) -> PostEstimator:
        """Learn from fetched pages: their features, with marks, and what they turned out to be."""
        for example, is_post in zip(examples, are_posts, strict=True):
            self._examples[is_post].append(example)
        self._model = None
        return self

    def forget(self, example: tuple[str, ...], *, is_post: bool) -> None:
        """Unlearn a page that turned out to be something else, where it is remembered."""
        with suppress(ValueError):
            self._examples[is_post].remove(example)
            self._model = None

    def predict(self, asked: Sequence[tuple[str, ...]]) -> list[float]:
        """The probability that each is a post."""
        if not asked:
            return []
        found: list[float] = self._fitted().predict_proba(self._vectorizer.transform(asked))[:, 1].tolist()
        return found

    def _fitted(self) -> LogisticRegression:
        if self._model is None:
            fetched = [(marks, is_post, 1.0) for is_post, kept in self._examples.items() for marks in kept]
            examples, labels, weights = zip(*_BELIEFS, *fetched, strict=True)
            model = LogisticRegression(C=1.0, max_iter=50, tol=1e-2)
            self._model = model.fit(self._vectorizer.transform(examples), labels, sample_weight=weights)
        return self._model
