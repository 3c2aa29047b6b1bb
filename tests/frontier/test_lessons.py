"""A crawl that goes on chooses its pages as one that was never cut: it has the lessons of all pages, in order."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from blogcrawler.frontier import Frontier, Lesson, Link, MemoryStore

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
    """What outlasts a frontier: its rows, and the lessons as JSON."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.lessons: list[str] = []

    def tell(self, lesson: Lesson) -> None:
        self.lessons.append(json.dumps(lesson.to_dict()))

    def frontier(self, *, knows_lessons: bool = True) -> Frontier:
        told = [Lesson.from_dict(json.loads(text)) for text in self.lessons if knows_lessons]
        return Frontier(self.store, lessons=told, tell=self.tell)


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
    lists = [[link.url for link in frontier.outside_frame(links)] for links in blog.pages.values()]
    return [frontier.most_listed, frontier.found_on_posts, frontier.may_tell_more(), len(frontier), lists]


@pytest.mark.parametrize("seed", range(4))
def test_who_goes_on_knows_what_was_known(seed):
    blog = Blog(seed)
    whole, kept = begun(blog, 75)
    assert known(kept.frontier(), blog) == known(whole, blog)
    assert known(kept.frontier(knows_lessons=False), blog) != known(whole, blog)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_told_again_by_who_goes_on(seed):
    _, kept = begun(Blog(seed), 40)
    before = list(kept.lessons)
    kept.frontier()
    assert kept.lessons == before


@pytest.mark.parametrize("seed", range(2))
def test_who_goes_on_gives_up_the_same_kinds(seed):
    """Months bring nothing; how many of them have counts, and in which order pages came."""
    blog = Blog(seed)
    whole, kept = begun(blog, 90)
    again = kept.frontier()
    left = []
    for frontier in (whole, again):
        while (page := frontier.pop()) is not None:
            links = blog.pages.get(page.url, ())
            is_post = "/post-" in page.url
            frontier.commit_page(page.url, yield_=sum(link.is_post for link in links), links=links, is_post=is_post)
        left.append(frontier.left_out)
    assert left[0] == left[1]


def test_what_another_version_has_written_is_refused():
    with pytest.raises(TypeError):
        Lesson.from_dict({"key": "a", "is_unheard_of": True})


def test_a_page_that_was_not_done_teaches_nothing():
    """It is fetched again, and taught nothing that its row says."""
    kept = Kept()
    frontier = kept.frontier()
    frontier.add(f"{SITE}/post-1", is_post=True)
    frontier.pop()
    frontier.flush()
    frontier.learn(f"{SITE}/post-1", yield_=3, is_post=True)
    assert len(kept.lessons) == 1
    again = kept.frontier()
    assert again.resume() == 1
    assert again.pending_posts == 1
