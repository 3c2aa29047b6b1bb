"""Of which pages is remembered how they show comments."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from blogcrawler.backend import Archive
from blogcrawler.comments.gathered import Gathered
from blogcrawler.comments.page_comments import AT_ONCE, PageComments
from blogcrawler.comments.page_rules import ENOUGH, KeptPageRules, PageRules
from blogcrawler.items import Comment, Page, Record, RecordSource
from tests.wrapper.comments.made import SHAPES, page, thread, url, wrapper

HOME = "http://blog.example.org/"


@pytest.mark.parametrize("told", [[], [Comment("c1", None, "comment", "Bob")]])
def test_a_post_has_comments_where_its_feed_tells_some_and_not_by_having_a_feed(tmp_path, told):
    """Pages without comments teach nothing of how comments are shown, however many feeds say that there are none."""
    gathered = Gathered()
    gathered.add(told, is_whole=True)
    post = Record(HOME, url(1), source=RecordSource(Page(url(1), page(1, "").encode()), wrapper(), None))
    with Archive.open(f"sqlite:///{tmp_path / 'archive.db'}") as archive:
        archive.start_crawl(HOME, now=datetime.now(UTC))
        PageComments(None, KeptPageRules(archive, HOME, wrapper(), PageRules())).remember(gathered, post)
        ((_, known),) = archive.comment_pages(HOME).load()
    assert known["has_comments"] is bool(told)


def busy_crawl():
    """One that has more in work than what waits."""
    return SimpleNamespace(is_stuck=lambda _: False, frontier=lambda _: 0)


def post(number, count):
    """One with so many comments, as a stage is given it."""
    body = page(number, SHAPES["table"](thread(number, count)) if count else "").encode()
    return Gathered(), Record(HOME, url(number), source=RecordSource(Page(url(number), body), wrapper(), None))


def run(coroutine):
    """In another thread: this one has the reactor's loop."""
    with ThreadPoolExecutor() as pool:
        return pool.submit(asyncio.run, asyncio.wait_for(coroutine, 60)).result()


def test_posts_that_waited_for_rules_are_read_by_the_same_ones(tmp_path):
    """They make the rules better together, before one of them is read: which was first changes nothing."""
    used = []

    class Watched(PageRules):
        def read(self, tree, page, **more):
            found = super().read(tree, page, **more)
            used.append(found.rules)
            return found

    async def add_all(pages, posts):
        await asyncio.gather(*(pages.add_to(*one) for one in posts))

    posts = [post(number, number % 5 + 1) for number in range(AT_ONCE)]
    with Archive.open(f"sqlite:///{tmp_path / 'archive.db'}") as archive:
        archive.start_crawl(HOME, now=datetime.now(UTC))
        pages = PageComments(busy_crawl(), KeptPageRules(archive, HOME, wrapper(), Watched()))
        for number in range(AT_ONCE, AT_ONCE + ENOUGH // 2):
            gathered, record = post(number, number % 5 + 1)
            gathered.add([Comment("c1", None, "comment", "Bob")], is_whole=True)
            pages.remember(gathered, record)
        run(add_all(pages, posts))
    assert [len(gathered.comments) for gathered, _ in posts] == [number % 5 + 1 for number in range(AT_ONCE)]
    last = used[-AT_ONCE:]
    assert all(rules is last[0] for rules in last)


def test_a_post_without_comments_that_comes_when_rules_do_waits_for_those_that_have_some(tmp_path):
    """Which are to show first where comments are: then it is known of that post that it has none."""
    ended = []

    async def add(pages, number, count, after_s=0.0):
        await asyncio.sleep(after_s)
        await pages.add_to(*post(number, count))
        ended.append(count)

    async def add_all(pages):
        early = [add(pages, number, number % 5 + 1) for number in range(AT_ONCE)]
        await asyncio.gather(*early, add(pages, AT_ONCE, 0, after_s=0.02))

    with Archive.open(f"sqlite:///{tmp_path / 'archive.db'}") as archive:
        archive.start_crawl(HOME, now=datetime.now(UTC))
        run(add_all(PageComments(busy_crawl(), KeptPageRules(archive, HOME, wrapper(), PageRules()))))
    assert ended.index(0) == AT_ONCE
