"""Of which pages is remembered how they show comments."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from blogcrawler.backend import Archive
from blogcrawler.items import Comment, Page, Record, RecordSource
from blogcrawler.pipelines.gathered import Gathered
from blogcrawler.pipelines.on_pages import AT_ONCE, PageComments
from blogcrawler.pipelines.rulebook import ENOUGH, Rulebook
from tests.wrapper.comments.made import SHAPES, page, thread, url, wrapper

HOME = "http://blog.example.org/"


@pytest.mark.parametrize("told", [[], [Comment("c1", None, "comment", "Bob")]])
def test_a_post_has_comments_where_its_feed_tells_some_and_not_by_having_a_feed(tmp_path, told):
    """Pages without comments teach nothing of how comments are shown, however many feeds say that there are none."""
    gathered = Gathered()
    gathered.add(told, is_whole=True)
    post = Record(HOME, url(1))
    material = RecordSource(Page(url(1), page(1, "").encode()), wrapper(), None)
    with Archive.open(f"sqlite:///{tmp_path / 'archive.db'}") as archive:
        archive.start_crawl(HOME, now=datetime.now(UTC))
        PageComments(None, archive, Rulebook()).remember(gathered, post, material)
        ((_, known),) = archive.comment_pages(HOME).all()
    assert known["has_comments"] is bool(told)


def test_posts_that_waited_for_rules_are_read_by_the_same_ones(tmp_path):
    """They make the rules better together, before one of them is read: which was first changes nothing."""
    used = []

    class Watched(Rulebook):
        def read(self, tree, page, **more):
            found = super().read(tree, page, **more)
            used.append(found.rules)
            return found

    busy = SimpleNamespace(scraper=SimpleNamespace(slot=SimpleNamespace(itemproc_size=2 * AT_ONCE)))

    async def add_all(pages, posts):
        await asyncio.gather(*(pages.add_to(*post) for post in posts))

    def post(number):
        body = page(number, SHAPES["table"](thread(number, number % 5 + 1))).encode()
        return Gathered(), Record(HOME, url(number)), RecordSource(Page(url(number), body), wrapper(), None)

    posts = [post(number) for number in range(AT_ONCE)]
    told = [post(number) for number in range(AT_ONCE, AT_ONCE + ENOUGH // 2)]
    with Archive.open(f"sqlite:///{tmp_path / 'archive.db'}") as archive:
        archive.start_crawl(HOME, now=datetime.now(UTC))
        pages = PageComments(SimpleNamespace(engine=busy), archive, Watched())
        for gathered, record, material in told:
            gathered.add([Comment("c1", None, "comment", "Bob")], is_whole=True)
            pages.remember(gathered, record, material)
        with ThreadPoolExecutor() as pool:  # this thread has the reactor's loop
            pool.submit(lambda: asyncio.run(add_all(pages, posts))).result(60)
    assert [len(gathered.comments) for gathered, _, _ in posts] == [number % 5 + 1 for number in range(AT_ONCE)]
    last = used[-AT_ONCE:]
    assert all(rules is last[0] for rules in last)
