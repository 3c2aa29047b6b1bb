"""The frontier against a model: whatever happens in whatever order, and the process may die at any time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from blogcrawler.backend import Archive
from blogcrawler.frontier import Frontier, FrontierStore, Link, MemoryStore

urls = st.sampled_from([f"http://example.org/{name}" for name in "abcdefgh"])
HOME = "http://example.org/"


class Crawl(RuleBasedStateMachine):
    """The model: the state of each URL, and what of it was flushed."""

    def __init__(self) -> None:
        super().__init__()
        self.archive = Archive.open("sqlite://")
        self.open_store()
        self.states: dict[str, str] = {}
        self.posts: set[str] = set()
        self.flushed: tuple[dict[str, str], set[str]] = ({}, set())

    def open_store(self) -> None:
        self.store: FrontierStore = self.archive.frontier_store(HOME)
        self.frontier = Frontier(self.store)

    def teardown(self) -> None:
        self.archive.close()

    def pending(self) -> set[str]:
        return {url for url, state in self.states.items() if state == "pending"}

    @rule(url=urls, is_post=st.booleans())
    def add(self, url: str, is_post: bool) -> None:
        assert self.frontier.add(url, is_post=is_post) is (url not in self.states)
        if self.states.setdefault(url, "pending") == "pending" and is_post:
            self.posts.add(url)

    @rule()
    def pop(self) -> None:
        candidate = self.frontier.pop()
        if candidate is None:
            assert not self.pending()
            return
        assert candidate.url in self.pending()
        assert (candidate.url in self.posts) is bool(self.pending() & self.posts)
        self.states[candidate.url] = "claimed"

    @rule(data=st.data(), ends=st.sampled_from(["done", "failed"]))
    def end(self, data: Any, ends: str) -> None:
        claimed = sorted(url for url, state in self.states.items() if state == "claimed")
        if claimed:
            url = data.draw(st.sampled_from(claimed))
            if ends == "done":
                self.frontier.done(url)
            else:
                self.frontier.failed(url, "500")
            self.states[url] = ends

    @rule(data=st.data(), goal=urls)
    def redirect(self, data: Any, goal: str) -> None:
        claimed = sorted(url for url, state in self.states.items() if state == "claimed" and url != goal)
        if claimed:
            source = data.draw(st.sampled_from(claimed))
            fetched = self.states.get(goal) in ("done", "claimed")
            assert self.frontier.redirected(source, goal) is not fetched
            self.states[source] = "done"
            if not fetched:
                self.states[goal] = "claimed"
                if source in self.posts:
                    self.posts.add(goal)

    @rule()
    def flush(self) -> None:
        self.frontier.flush()
        self.flushed = (dict(self.states), set(self.posts))

    @rule()
    def commit(self) -> None:
        candidate = self.frontier.pop()
        if candidate:
            link = f"{candidate.url}x"
            self.frontier.commit_page(candidate.url, yield_=None, links=[Link(link)] if len(link) < 25 else [])
            self.states[candidate.url] = "done"
            if len(link) < 25:
                self.states.setdefault(link, "pending")
            self.flushed = (dict(self.states), set(self.posts))

    @rule()
    def be_killed(self) -> None:
        self.states, self.posts = dict(self.flushed[0]), set(self.flushed[1])
        self.open_store()
        self.resume()

    @rule()
    def resume(self) -> None:
        claimed = {url for url, state in self.states.items() if state == "claimed"}
        assert self.frontier.resume() == len(claimed)
        self.states.update(dict.fromkeys(claimed, "pending"))

    @invariant()
    def counts_agree(self) -> None:
        assert len(self.frontier) == len(self.pending())
        assert self.frontier.pending_posts == len(self.pending() & self.posts)
        assert all(map(self.frontier.known, self.states))


class CrawlInMemory(Crawl):
    """The same on a store in memory, which outlives the frontier."""

    def open_store(self) -> None:
        if not hasattr(self, "store"):
            self.store = MemoryStore()
        self.frontier = Frontier(self.store)


class TellingStore(FrontierStore):
    """A store that tells when something is saved."""

    def __init__(self, store: FrontierStore, saved: Callable[[], None]) -> None:
        self.store, self.saved = store, saved

    def load(self, status: str | None = None, limit: int | None = None) -> Iterable[Mapping[str, Any]]:
        return self.store.load(status, limit)

    def save(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.store.save(rows)
        self.saved()

    def clear(self) -> None:
        self.store.clear()


class CrawlThatShelves(Crawl):
    """The same with hardly any memory: what comes back into it is looked up in the store, so all is saved first."""

    def open_store(self) -> None:
        self.store = TellingStore(self.archive.frontier_store(HOME), self.note_saved)
        self.frontier = Frontier(self.store, max_pending=2)

    def note_saved(self) -> None:
        self.flushed = (dict(self.states), set(self.posts))


for machine in (Crawl, CrawlInMemory, CrawlThatShelves):
    machine.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestCrawl = Crawl.TestCase
TestCrawlInMemory = CrawlInMemory.TestCase
TestCrawlThatShelves = CrawlThatShelves.TestCase
