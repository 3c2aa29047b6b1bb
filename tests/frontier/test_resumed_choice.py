"""A crawl that goes on chooses its pages as one that was never cut: it has the observations of all pages, in order."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from blogcrawler.frontier import Frontier, Link, MemoryStore, Observation

SITE = "http://example.org"
POSTS = 60
TAGS = 25


class Blog:
    """Lists, tags, months and posts, some of which are gone; each page has a side bar."""

    def __init__(self, seed: int) -> None:
        source = Random(seed)
        posts = [f"{SITE}/post-{number}" for number in range(POSTS)]
        self.gone = {post for post in posts if source.random() < 0.15}
        bar = [*(self.link(post, "bar") for post in posts[:4]), *(self.link(self.tag(n), "bar") for n in range(6))]
        self.pages: dict[str, list[Link]] = {}
        for start in range(0, POSTS - 20, 5):
            url = f"{SITE}/page/{start // 5 + 1}/"
            further = self.link(f"{SITE}/page/{start // 5 + 2}/", "pager")
            self.pages[url] = [*(self.link(post, "list") for post in posts[start : start + 5]), further, *bar]
        for number in range(TAGS):
            self.pages[self.tag(number)] = [*(self.link(post, "list") for post in source.sample(posts, 3)), *bar]
        for number in range(12):
            self.pages[f"{SITE}/2014/{number + 1:02}/"] = bar
        for number, post in enumerate(posts):
            near = [posts[number + step] for step in (-1, 1) if 0 <= number + step < POSTS and source.random() < 0.3]
            tags = source.sample(range(TAGS), 2)
            month = f"{SITE}/2014/{number % 12 + 1:02}/"
            about = f"{SITE}/about/{number % 9}?reply={number}"
            self.pages[post] = [
                *(self.link(one, "near") for one in near),
                *(self.link(self.tag(n), "tags") for n in tags),
                self.link(month, "when"),
                self.link(about, "reply"),
                *bar,
            ]
            self.pages[about] = bar

    @staticmethod
    def tag(number: int) -> str:
        return f"{SITE}/tag/{'abcdefghijklmnopqrstuvwxyz'[number]}/"

    @staticmethod
    def link(url: str, place: str) -> Link:
        return Link(url, is_post="/post-" in url, marks=(f"place {place}",))


class Kept:
    """What outlasts a frontier: its rows, and the observations as JSON."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.observations: list[str] = []

    def tell(self, observation: Observation) -> None:
        self.observations.append(json.dumps(observation.to_dict()))

    def frontier(self, *, knows_observations: bool = True) -> Frontier:
        told = [Observation.from_dict(json.loads(text)) for text in self.observations if knows_observations]
        return Frontier(self.store, observations=told, on_observation=self.tell)


def begun(blog: Blog, pages: int) -> tuple[Frontier, Kept]:
    """A frontier that so many pages of a crawl were taken in by, and what is kept of it."""
    kept = Kept()
    frontier = kept.frontier()
    frontier.add_many([Link(f"{SITE}/page/1/"), *(Link(f"{SITE}/post-{number}", is_post=True) for number in range(4))])
    for _ in range(pages):
        page = frontier.pop()
        assert page is not None
        if page.url in blog.gone or page.url not in blog.pages:
            frontier.failed(page.url, "404 Not Found", gone=True)
            frontier.flush()
        else:
            links = blog.pages[page.url]
            count = sum(link.is_post for link in links)
            frontier.commit_page(page.url, yield_=count, links=links, is_post="/post-" in page.url)
    return frontier, kept


def known(frontier: Frontier, blog: Blog) -> list[Any]:
    """What a frontier tells of a blog."""
    lists = [[link.url for link in frontier.outside_boilerplate(links)] for links in blog.pages.values()]
    return [frontier.most_listed, frontier.found_on_posts, frontier.has_promising_page(), len(frontier), lists]


@pytest.mark.parametrize("seed", range(4))
def test_who_goes_on_knows_what_was_known(seed):
    blog = Blog(seed)
    whole, kept = begun(blog, 75)
    assert known(kept.frontier(), blog) == known(whole, blog)
    assert known(kept.frontier(knows_observations=False), blog) != known(whole, blog)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_told_again_by_who_goes_on(seed):
    _, kept = begun(Blog(seed), 40)
    before = list(kept.observations)
    kept.frontier()
    assert kept.observations == before


def asked_in_trap(cuts: set[int], *, knows_observations: bool = True) -> int:
    """How many pages of tags are asked for that list nothing new, once ten of them have led to posts."""
    tags = [f"{SITE}/tag/t{chr(97 + number // 26)}{chr(97 + number % 26)}/" for number in range(200)]
    kept = Kept()
    frontier = kept.frontier()
    frontier.add_many([Link(tag, marks=("place tags",)) for tag in tags])
    asked = 0
    while (page := frontier.pop()) is not None:
        if asked in cuts:
            cuts = cuts - {asked}
            frontier = kept.frontier(knows_observations=knows_observations)
            continue
        asked += 1
        links = [Link(f"{SITE}/post-{asked}", is_post=True, marks=("place list",))] if asked <= 10 else []
        frontier.commit_page(page.url, yield_=len(links), links=links, is_post=False)
        for post in links:
            if frontier.pop(posts_only=True) is not None:
                frontier.commit_page(post.url, yield_=0, links=[], is_post=True)
    return asked


def test_a_trap_costs_no_more_where_a_crawl_is_cut_in_it():
    whole = asked_in_trap(set())
    cuts = set(range(20, 100, 9))
    assert 20 < whole < 150
    assert asked_in_trap(cuts) == whole
    assert asked_in_trap(cuts, knows_observations=False) != whole


def test_what_rows_alone_tell_is_told_from_then_on_and_comes_first():
    """As of a crawl that an earlier version has begun."""
    blog = Blog(1)
    _, kept = begun(blog, 30)
    kept.observations.clear()
    kept.frontier()
    told = [json.loads(observation)["key"] for observation in kept.observations]
    assert sorted(told) == sorted(row["key"] for row in kept.store.load() if row["post_links"] is not None)
    again = list(kept.observations)
    kept.frontier()
    assert kept.observations == again


def test_a_page_that_was_gone_and_is_there_teaches_what_it_holds():
    kept = Kept()
    frontier = kept.frontier()
    links = [Link(f"{SITE}/post-{number}", is_post=True, marks=("place list",)) for number in range(5)]
    frontier.add(f"{SITE}/list", is_post=False)
    frontier.pop()
    frontier.failed(f"{SITE}/list", "404 Not Found", gone=True)
    frontier.add(f"{SITE}/other", is_post=False)
    assert frontier.redirected(f"{SITE}/other", f"{SITE}/list")
    frontier.commit_page(f"{SITE}/list", yield_=5, links=links, is_post=False)
    assert frontier.most_listed == kept.frontier().most_listed == 5


def test_further_pages_of_articles_show_what_stands_around_pages():
    kept = Kept()
    frontier = kept.frontier()
    bar = [Link(f"{SITE}/post-1", is_post=True, marks=("place bar",))]
    for number in range(6):
        frontier.add(f"{SITE}/part/{number}", is_post=False)
        frontier.pop()
        frontier.commit_page(f"{SITE}/part/{number}", yield_=None, links=bar)
    assert frontier.outside_boilerplate(bar) == kept.frontier().outside_boilerplate(bar) == []


def test_what_a_post_brought_is_its_own_also_where_it_is_read_again():
    kept = Kept()
    frontier = kept.frontier()
    url, links = f"{SITE}/post-1", [Link(f"{SITE}/post-2", is_post=True, marks=("place next",))]
    frontier.add(url, is_post=True)
    frontier.pop()
    frontier.add_many(links, found_on=url)
    frontier.learn(url, yield_=1, is_post=True)
    frontier.flush()
    again = kept.frontier()
    again.resume()
    page = again.pop()
    assert page is not None and page.url == url  # noqa: PT018
    again.add_many(links, found_on=url)
    assert again.learn(url, yield_=1, is_post=True) == 1
    assert frontier.found_on_posts == again.found_on_posts == 1


@pytest.mark.parametrize(
    "data",
    [
        {"key": ["a"]},
        {"key": "a", "leads_on": "no"},
        {"key": "a", "is_gone": 1},
        {"key": "a", "origin": ["b"]},
        {"key": "a", "places": "bar"},
        {"key": "a", "shown": ["b"]},
        {"is_gone": True},
        {},
        {"key": "a", "detours": "2"},
        {"key": "a", "places": [["bar"]]},
        {"key": "a", "shown": {"b": [1]}},
    ],
)
def test_what_another_version_has_written_is_refused(data):
    with pytest.raises((KeyError, TypeError, ValueError)):
        Observation.from_dict(data)


def test_a_page_that_was_not_done_teaches_when_it_is_read_again():
    kept = Kept()
    frontier = kept.frontier()
    frontier.add(f"{SITE}/post-1", is_post=True)
    frontier.pop()
    frontier.learn(f"{SITE}/post-1", yield_=3, is_post=True)
    frontier.flush()
    assert len(kept.observations) == 1
    again = kept.frontier()
    assert again.resume() == 1
    assert again.pop() is not None
    again.commit_page(f"{SITE}/post-1", yield_=3, links=[], is_post=True)
    assert len(kept.observations) == 2
    assert known(kept.frontier(), Blog(1)) == known(again, Blog(1))
