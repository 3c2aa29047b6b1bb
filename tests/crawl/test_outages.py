"""A server of the blog that is away for a while: the crawl waits, goes on when it is back, and loses nothing."""

from __future__ import annotations

import signal
import threading
import time
from typing import TYPE_CHECKING

import pytest
from aiohttp import web

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import command, crawl, crawl_until, has_traceback, kept, outcome
from tests.site import Reply

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crawl.running import Outcome
    from tests.site import LocalSite
    from tests.site.local import Route

pytestmark = pytest.mark.slow

POSTS = 20


async def hang_up(request: web.BaseRequest) -> web.StreamResponse:
    """No answer at all."""
    request.transport.close()
    return web.Response()


BAD_GATEWAY = Reply("no server", 502)


class Away:
    """A site's server that goes away after some requests, for some seconds or for good."""

    def __init__(self, site: LocalSite, *, after: int, route: Route = hang_up, seconds: float | None = None) -> None:
        self._site, self._after, self._route, self._seconds = site, after, route, seconds
        self._routes, self._default = dict(site.routes), site.default
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Away:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    @property
    def is_away(self) -> bool:
        return len(self._site.targets) > self._after + 1

    def come_back(self) -> None:
        self._site.routes, self._site.default = self._routes, self._default

    def _run(self) -> None:
        while len(self._site.targets) < self._after and not self._is_over.wait(0.005):
            pass
        self._site.routes, self._site.default = dict.fromkeys(self._routes, self._route), self._route
        if self._seconds is not None:
            self._is_over.wait(self._seconds)
            self.come_back()


def all_is_there(done: Outcome, folder: Path, source: Blog, url: str) -> None:
    assert done.code == 0, done.stderr
    assert not has_traceback(done)
    assert done.urls == source.urls(url)
    assert sorted(kept(folder)) == source.urls(url)


@pytest.mark.parametrize("route", [hang_up, BAD_GATEWAY], ids=["silent", "502"])
@pytest.mark.parametrize("after", [4, 15, 28])
def test_a_server_that_comes_back(tmp_path: Path, after: int, route: Route) -> None:
    source = Blog(make_posts(POSTS), in_feed=5)
    with serve(source) as site, Away(site, after=after, route=route, seconds=4):
        done = crawl(tmp_path, f"{site.url}/", RETRY_TIMES=1)
        all_is_there(done, tmp_path, source, site.url)
        assert "does not answer; the crawl waits" in done.stderr
        assert "could not be fetched this time" not in done.stderr


@pytest.mark.parametrize("patience", [0, 3])
def test_a_server_that_does_not_come_back(tmp_path: Path, patience: int) -> None:
    source = Blog(make_posts(POSTS), in_feed=5)
    with serve(source) as site, Away(site, after=15) as away:
        done = crawl(tmp_path, f"{site.url}/", RETRY_TIMES=1, SERVER_PATIENCE=patience)
        assert done.code == 1
        assert not has_traceback(done)
        assert f"has not answered for {patience} seconds" in done.sentences[0]
        assert "run the same command again later" in done.sentences[0]
        away.come_back()
        all_is_there(crawl(tmp_path, f"{site.url}/"), tmp_path, source, site.url)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_waiting(tmp_path: Path, number: signal.Signals) -> None:
    source = Blog(make_posts(POSTS), in_feed=5)
    with serve(source) as site, Away(site, after=15) as away:
        began = 0.0

        def stop(run) -> None:
            nonlocal began
            time.sleep(2)  # it waits by now
            began = time.monotonic()
            run.send_signal(number)

        arguments = command(f"{site.url}/", RETRY_TIMES=1, SERVER_PATIENCE=600)
        code = crawl_until(tmp_path, arguments, lambda: away.is_away, stop)
        assert time.monotonic() - began < 15
        done = outcome(tmp_path, code, server=site)
        assert done.code == 128 + number, done.stderr
        assert not has_traceback(done)
        away.come_back()
        all_is_there(crawl(tmp_path, f"{site.url}/"), tmp_path, source, site.url)


def test_the_time_limit_ends_the_waiting(tmp_path: Path) -> None:
    source = Blog(make_posts(POSTS), in_feed=5)
    with serve(source) as site, Away(site, after=15) as away:
        done = crawl(tmp_path, f"{site.url}/", RETRY_TIMES=1, SERVER_PATIENCE=600, TIME_LIMIT=6)
        assert done.code == 0, done.stderr
        assert "limit of 6 seconds" in done.summary[1]
        assert done.seconds < 30
        away.come_back()
        all_is_there(crawl(tmp_path, f"{site.url}/"), tmp_path, source, site.url)


def test_an_address_that_alone_is_silent_is_not_waited_for(tmp_path: Path) -> None:
    source = Blog(make_posts(POSTS), in_feed=5)
    silent = source.path(source.posts[9])
    with serve(source) as site:
        site.routes[silent] = hang_up
        done = crawl(tmp_path, f"{site.url}/", RETRY_TIMES=1, SERVER_PATIENCE=600)
        assert done.code == 0, done.stderr
        assert done.urls == [url for url in source.urls(site.url) if not url.endswith(silent)]
        assert "waited for" not in done.stderr


def test_another_server_that_is_away_does_not_end_the_crawl(tmp_path: Path) -> None:
    """The blog's feed is at one that goes away after it was read."""
    source = Blog(make_posts(POSTS), in_feed=5)
    with serve(source) as site, serve(Blog()) as other:
        feed = source.feed(site.url)
        other.routes["/feed.xml"] = Reply(feed, content_type="application/rss+xml")
        home = site.routes["/"]
        site.routes["/"] = Reply(home.body.replace("/feed.xml", f"{other.url}/feed.xml"))
        with Away(other, after=1):
            done = crawl(tmp_path, f"{site.url}/", RETRY_TIMES=0, SERVER_PATIENCE=1, ALLOWED_PRIVATE_HOSTS="127.0.0.1")
        assert done.code == 0, done.stderr
        assert done.urls == source.urls(site.url)
