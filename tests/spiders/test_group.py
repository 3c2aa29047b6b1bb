"""How a spider that shares a crawl ends it, where something comes between; see tests/crawl/test_group.py for the rest."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from scrapy.settings import Settings

from blogcrawler.backend import Archive
from blogcrawler.crawl.group import Group
from blogcrawler.errors import LeftBehind
from blogcrawler.shared import Redis, RedisFrontierStore

HOME = "http://blog.example.org/"


@pytest.fixture
def archive(tmp_path):
    with Archive.open(f"sqlite:///{tmp_path / 'archive.db'}") as opened:
        opened.start_crawl(HOME, now=datetime.now(UTC))
        yield opened


@pytest.fixture
def other(redis_server, archive):
    """The store of another spider, which has not joined."""
    redis = Redis(redis_server.url)
    yield RedisFrontierStore(redis, f"{HOME} {archive.blog(HOME).crawl_started}")
    redis.close()


@pytest.fixture
def last(redis_server, archive):
    """A spider that was the only one of its crawl, and has left it, so that it is to write down how it ended."""
    settings = Settings()
    settings.setmodule("blogcrawler.settings")
    settings.set("FRONTIER_URL", redis_server.url)
    group = Group(settings)
    with ThreadPoolExecutor() as pool:
        assert pool.submit(asyncio.run, group.find_place(archive, HOME)).result(30) is False
    group.frontier(archive, HOME).add(f"{HOME}post/", is_post=True)
    group.share(archive, HOME, asked=1, tried_again=0)
    assert group.leave()
    yield group
    group.close()


def crawl_of(archive):
    return str(archive.blog(HOME).crawl_started)


def urls(store):
    return [row["url"] for row in store.load()]


def test_what_is_left_is_put_into_the_archive(archive, last, other):
    last.give_back(archive, HOME, is_complete=False)
    last.note_written()
    last.close()
    assert urls(archive.frontier_store(HOME)) == [f"{HOME}post/"]
    assert urls(other) == []


def test_what_could_not_be_written_stays_for_others(archive, last, other):
    """As when the archive is away just then."""
    last.give_back(archive, HOME, is_complete=True)
    last.close()
    assert other.join(crawl_of(archive)).spiders == 1
    assert urls(other) == [f"{HOME}post/"]


def test_one_that_slept_at_the_end_leaves_the_crawl_to_another_that_goes_on(redis_server, archive, last, other):
    redis = Redis(redis_server.url)
    (closing,) = redis.client.scan_iter("*:closing")
    redis.client.delete(closing)
    redis.close()
    assert other.join(crawl_of(archive)).spiders == 1
    with pytest.raises(LeftBehind, match="goes on with it"):
        last.give_back(archive, HOME, is_complete=True)
    last.close()
    assert urls(other) == [f"{HOME}post/"]
    assert urls(archive.frontier_store(HOME)) == []
