"""Ways to crawl a site, to be compared: this project's own, and those that it is measured beside.

A strategy says which address is next and is told what was found there. All know the feed's entries, from which they
learn the same permalink pattern, and are given the home page, on which the feed was found; what they do then is theirs.
"""

from __future__ import annotations

import heapq
import random
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.feature_extraction.text import HashingVectorizer

from blogcrawler import settings
from blogcrawler.crawl.classifier import PostClassifier, menu
from blogcrawler.frontier import Frontier, Link, PermalinkPattern, Progress, StopRules, is_numbered_url
from blogcrawler.frontier.stop_rules import PATIENCE
from blogcrawler.urls import identity, same_site
from tests.benchmarks.linkgraphs import Answer, Graph

__all__ = ["STRATEGIES", "Strategy"]


class Strategy(Protocol):
    """Chooses the next address of a crawl."""

    def next(self) -> str | None:
        """What to fetch; None when nothing is left."""

    def follows(self, url: str, target: str) -> bool:
        """True if `target`, which `url` redirects to, is to be fetched."""

    def take(self, url: str, answer: Answer) -> None:
        """A page was fetched, or is missing."""


class Queue(ABC):
    """What all strategies but ours have: each page is fetched once, new links go into some queue."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.pattern = PermalinkPattern.learn(graph.feed, negatives=[graph.home])
        self.seen: set[str] = {identity(graph.home)}
        for url in graph.feed:
            self.note_page(url)

    def note_page(self, url: str) -> None:
        key = identity(url)
        if key not in self.seen and self.graph.scope.covers(url):
            self.seen.add(key)
            self.push(url)

    @abstractmethod
    def push(self, url: str) -> None:
        """Let a page wait."""

    def follows(self, url: str, target: str) -> bool:
        if not self.graph.scope.covers(target) or (identity(target) in self.seen and identity(target) != identity(url)):
            return False
        self.seen.add(identity(target))
        return True

    def take(self, url: str, answer: Answer) -> None:
        for link in answer.links:
            self.note_page(link.url)


class BreadthFirst(Queue):
    """First in, first out."""

    def __init__(self, graph: Graph) -> None:
        self.waiting: deque[str] = deque()
        super().__init__(graph)

    def push(self, url: str) -> None:
        self.waiting.append(url)

    def next(self) -> str | None:
        return self.waiting.popleft() if self.waiting else None


class DepthFirst(BreadthFirst):
    """Last in, first out: Scrapy's default."""

    def next(self) -> str | None:
        return self.waiting.pop() if self.waiting else None


class Random(Queue):
    """Any of those that wait."""

    def __init__(self, graph: Graph) -> None:
        self.waiting: list[str] = []
        self.random = random.Random(1)
        super().__init__(graph)

    def push(self, url: str) -> None:
        self.waiting.append(url)

    def next(self) -> str | None:
        if not self.waiting:
            return None
        at = self.random.randrange(len(self.waiting))
        self.waiting[at], self.waiting[-1] = self.waiting[-1], self.waiting[at]
        return self.waiting.pop()


class PatternFirst(Queue):
    """What fits the permalink pattern, then everything else; each first in, first out."""

    def __init__(self, graph: Graph) -> None:
        self.posts: deque[str] = deque()
        self.waiting: deque[str] = deque()
        super().__init__(graph)

    def push(self, url: str) -> None:
        (self.posts if self.pattern.matches(url) else self.waiting).append(url)

    def next(self) -> str | None:
        if self.posts:
            return self.posts.popleft()
        return self.waiting.popleft() if self.waiting else None


class Published(PatternFirst):
    """As published: what fits the pattern, then by the yield of the five most similar URLs, as known at discovery.

    Similarity is that of the URLs' bigrams (cosine); the weights are Dudani's; the last 1,000 pages are remembered.
    """

    K, LIMIT, SIZE = 5, 1000, 2**12

    def __init__(self, graph: Graph) -> None:
        self.vectorizer = HashingVectorizer(
            analyzer="char", ngram_range=(2, 2), n_features=self.SIZE, alternate_sign=False, dtype=np.float32
        )
        self.vectors = csr_matrix((0, self.SIZE), dtype=np.float32)
        self.yields: list[float] = []
        self.heap: list[tuple[float, int, str]] = []
        super().__init__(graph)

    def push(self, url: str) -> None:
        if self.pattern.matches(url):
            self.posts.append(url)
        else:
            heapq.heappush(self.heap, (-self.estimates.get(url, 0.0), len(self.seen), url))

    def next(self) -> str | None:
        if self.posts:
            return self.posts.popleft()
        return heapq.heappop(self.heap)[2] if self.heap else None

    estimates: Mapping[str, float] = MappingProxyType({})

    def take(self, url: str, answer: Answer) -> None:
        count = len({link.url for link in answer.links if self.pattern.matches(link.url)})
        self.vectors = vstack([self.vectors, self.vectorizer.transform([url])], format="csr")[-self.LIMIT :]
        self.yields = [*self.yields, float(count)][-self.LIMIT :]
        self.estimates = self.estimate([link.url for link in answer.links if identity(link.url) not in self.seen])
        super().take(url, answer)

    def estimate(self, urls: Sequence[str]) -> dict[str, float]:
        if not urls:
            return {}
        distances = 1 - (self.vectorizer.transform(urls) @ self.vectors.T).toarray()
        nearest = np.argsort(distances, axis=1, kind="stable")[:, : self.K]
        near = np.take_along_axis(distances, nearest, axis=1)
        spread = near[:, -1:] - near[:, :1]
        weights = np.where(spread > 1e-6, (near[:, -1:] - near) / np.maximum(spread, 1e-6), 1.0)
        means = (weights * np.array(self.yields)[nearest]).sum(axis=1) / weights.sum(axis=1)
        return dict(zip(urls, means.tolist(), strict=True))


class Oracle(Queue):
    """Knows all pages: fetches posts that are linked, and else goes the shortest way to most posts that are not."""

    def __init__(self, graph: Graph) -> None:
        self.posts: deque[str] = deque()
        self.others: dict[str, None] = {}
        self.met: set[str] = set()
        self.memo: dict[str, tuple[str, Answer]] = {}
        super().__init__(graph)

    def answer(self, url: str) -> Answer:
        """What is found at an address in the end."""
        return self.end(url)[1]

    def end(self, url: str) -> tuple[str, Answer]:
        """An address after all redirects, and what is found there."""
        if url not in self.memo:
            end = url
            found = self.graph.answer(end)
            for _ in range(5):
                if found.location is None:
                    break
                end = found.location
                found = self.graph.answer(end)
            self.memo[url] = end, found
        return self.memo[url]

    def push(self, url: str) -> None:
        end, found = self.end(url)
        if found.page is None or found.page in self.met:
            return
        self.met.add(found.page)
        if found.is_post:
            self.posts.append(end)
        else:
            self.others[end] = None

    def follows(self, url: str, target: str) -> bool:
        return True

    def next(self) -> str | None:
        if self.posts:
            return self.posts.popleft()
        best = self.best()
        if best is not None:
            del self.others[best]
        return best

    def best(self) -> str | None:
        """Of the pages that wait, the one from which most unknown posts are fewest links away."""
        waiting = [(url, [url]) for url in self.others]
        reached = {self.answer(url).page for url in self.others}
        for _ in range(50):
            found = [(len(self.unmet(ends)), url) for url, ends in waiting]
            most = max(found, default=(0, ""))[0]
            if most:
                return next(url for count, url in found if count == most)
            further = []
            for url, ends in waiting:
                after = []
                for end in ends:
                    for link in self.answer(end).links:
                        page = self.answer(link.url).page
                        if page and page not in reached:
                            reached.add(page)
                            after.append(link.url)
                if after:
                    further.append((url, after))
            waiting = further
            if not waiting:
                return None
        return None

    def unmet(self, ends: Sequence[str]) -> set[str]:
        pages = (self.answer(link.url) for end in ends for link in self.answer(end).links)
        return {page.page for page in pages if page.is_post and page.page and page.page not in self.met}


class Ours:
    """This project's frontier, with what the spider does around it."""

    TRAINING = 30

    def __init__(self, graph: Graph) -> None:
        self.frontier = Frontier()
        self.reader = PostClassifier(graph.scope, None, list(graph.feed), frozenset({identity(graph.home)}))  # type: ignore[arg-type]
        self.entries = {identity(url) for url in graph.feed}
        for url in graph.feed:
            self.frontier.add(url, is_post=True)
        self.frontier.add(graph.home, is_post=False)
        self.frontier.redirected(graph.home, graph.home)
        #: pages from which rules are learned before anything else: how many are not there yet, and the others
        self.training = list(graph.feed[: self.TRAINING])
        self.kept: list[tuple[str, Answer]] = []
        self.is_training = True
        self.rules = StopRules(
            harvest_window=settings.HARVEST_WINDOW,
            patience=PATIENCE,
        )
        self.harvest = self.rules.harvest()
        self.pages = self.posts = 0

    def next(self) -> str | None:
        if self.training:
            url = self.training.pop(0)
            self.frontier.redirected(url, url)
            return url
        if self.is_training:
            self.begin()
        candidate = None if self.rules.check(self.progress()) else self.frontier.pop()
        return candidate.url if candidate else None

    def progress(self) -> Progress:
        return Progress(
            pages=self.pages,
            elapsed_s=0,
            harvest=self.harvest,
            pending_posts=self.frontier.pending_posts,
            posts=self.posts,
            seeds=len(self.entries),
            most_listed=self.frontier.most_listed,
            found_on_posts=self.frontier.found_on_posts,
            has_promising_page=self.frontier.has_promising_page,
        )

    def begin(self) -> None:
        """All pages that the spider learns from are there."""
        posts = [[link.url for link in answer.links] for url, answer in self.kept if answer.is_post]
        self.reader.menu = menu(posts)
        self.is_training = False
        for url, answer in self.kept:
            self.take(url, answer)

    def follows(self, url: str, target: str) -> bool:
        if not self.reader.scope.covers(target):
            self.frontier.failed(url, "leads away", gone=True)
            return False
        return self.frontier.redirected(url, target)

    def take(self, url: str, answer: Answer) -> None:
        if self.is_training:
            self.kept.append((url, answer))
            return
        if answer.page is None:
            self.frontier.failed(url, "404", gone=True)
            return
        self.pages += 1
        links = self.links(url, answer)
        post_links = sum(link.is_post and not link.in_menu for link in links)
        other = self.canonical(url, answer)
        if other:
            links = [Link(other, self.reader.is_permalink(other)), *links]
        is_post = answer.is_post and (other is None or identity(url) in self.entries)
        if not is_post:
            self.reader.places.judge(identity(url), is_post=False)
            shown, listed = self.shown(links), self.shown(self.frontier.outside_boilerplate(links))
            yield_ = 0 if self.harvest.is_repetition(shown) else post_links
            new_posts = self.frontier.commit_page(url, yield_=yield_, links=links, is_post=False)
            self.harvest.record(new_posts, shown, set() if self.frontier.is_sorted(url) else listed)
            return
        self.posts += 1
        self.harvest.look(self.shown(links))
        if not self.reader.is_permalink(url) and not is_numbered_url(url):
            self.harvest.discovered()
        if self.reader.add_permalink(url):
            self.frontier.reclassify(self.reader.is_permalink)
        self.frontier.add_many(links, found_on=url)
        self.frontier.done(url, yield_=post_links, is_post=True)

    def links(self, url: str, answer: Answer) -> list[Link]:
        self.reader.places.note(((link.url, link.place) for link in answer.links), url)
        return self.reader.to_follow((link.url, link.place, link.rel, link.text) for link in answer.links)

    def shown(self, links: Sequence[Link]) -> set[str]:
        return {identity(link.url) for link in links if link.is_post and self.reader.is_known_post(link.url)}

    def canonical(self, url: str, answer: Answer) -> str | None:
        told = answer.canonical
        if told is None or identity(told) == identity(url) or not same_site(told, url):
            return None
        return told


STRATEGIES = {
    "this project": Ours,
    "pattern first": PatternFirst,
    "published kNN": Published,
    "breadth first": BreadthFirst,
    "random": Random,
    "depth first": DepthFirst,
    "oracle": Oracle,
}
