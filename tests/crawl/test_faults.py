"""A server that fails in one answer of ten, in each of the usual ways: the archive is the same as of one that never does."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from aiohttp import web

from tests.crawl.blog import make_posts, serve
from tests.crawl.running import Outcome, crawl, has_traceback
from tests.crawl.weblog import Weblog
from tests.site import Reply

if TYPE_CHECKING:
    from pathlib import Path

    from tests.site.local import Route

pytestmark = pytest.mark.slow

SHARE = 0.1


async def cut(request: web.BaseRequest) -> web.StreamResponse:
    """A body that breaks off."""
    response = web.StreamResponse(headers={"Content-Type": "text/html", "Content-Length": "100000"})
    await response.prepare(request)
    await response.write(b"<html><body><p>It begins well")
    request.transport.close()
    return response


async def closed(request: web.BaseRequest) -> web.StreamResponse:
    """No answer at all."""
    request.transport.close()
    return web.Response()


FAULTS = (Reply("sorry", 500), Reply("later", 503, {"Retry-After": "1"}), Reply("too many", 429), cut, closed)


class Faults:
    """Tells whether an answer is to fail: by the address and the number of the attempt, so that a run can be repeated."""

    def __init__(self) -> None:
        self.attempts: Counter[str] = Counter()
        self.made = 0

    def of(self, path: str) -> Route | None:
        self.attempts[path] += 1
        number = int.from_bytes(hashlib.sha256(f"{path}#{self.attempts[path]}".encode()).digest()[:8])
        if number >= SHARE * 2**64:
            return None
        self.made += 1
        return FAULTS[number % len(FAULTS)]

    def before(self, route: Route) -> Route:
        """A route that fails now and then."""

        def answer(request: web.BaseRequest) -> Route:
            found = self.of(request.raw_path) or route
            return found(request) if callable(found) else found

        return answer


def told(outcome: Outcome) -> list[dict[str, object]]:
    """What the records say, but for when their pages were fetched."""
    records = sorted(outcome.records, key=lambda record: record["url"])
    return [{name: value for name, value in record.items() if name != "provenance"} for record in records]


@pytest.mark.parametrize("in_feed", [10, 40])
def test_a_server_that_fails_now_and_then(tmp_path: Path, in_feed: int) -> None:
    blog, faults = Weblog(in_feed=in_feed), Faults()
    with serve(blog) as site:
        (tmp_path / "calm").mkdir()
        (tmp_path / "faulty").mkdir()
        calm = crawl(tmp_path / "calm", site.url + "/", server=site)
        site.routes = {path: faults.before(route) for path, route in site.routes.items()}
        site.default = faults.before(site.default)
        faulty = crawl(tmp_path / "faulty", site.url + "/", server=site, BACKOFF_DELAY=0.2)
    assert faults.made >= len(calm.requests) * SHARE / 2
    assert faulty.code == 0
    assert not has_traceback(faulty)
    assert len(calm.records) == len(blog.posts)
    assert told(faulty) == told(calm)


def test_pages_that_cannot_be_had_are_tried_once_more(tmp_path: Path) -> None:
    """The next crawl asks for them alone; the one after it begins anew."""
    blog = Weblog(posts=make_posts(30))
    with serve(blog) as site:
        down = [blog.path(post) for post in blog.posts[15:18]]
        whole = {path: site.routes[path] for path in down}
        site.routes |= dict.fromkeys(down, Reply("sorry", 500))
        first = crawl(tmp_path, f"{site.url}/", server=site, RETRY_TIMES=0)
        assert first.code == 0, first.stderr
        assert "  3 pages could not be fetched this time" in first.summary
        assert "run the same command again" in first.summary[0]
        site.routes |= whole
        second = crawl(tmp_path, f"{site.url}/", server=site)
        assert set(down) <= set(second.requests)
        assert set(second.requests).isdisjoint(blog.path(post) for post in blog.posts[:15])
        assert second.urls == blog.urls(site.url)
        assert second.summary[0].startswith("Complete: ")
        third = crawl(tmp_path, f"{site.url}/", server=site)
        assert set(third.requests) >= {blog.path(post) for post in blog.posts}


def test_pages_that_never_can_be_had_do_not_keep_a_crawl_open(tmp_path: Path) -> None:
    blog = Weblog(posts=make_posts(30))
    with serve(blog) as site:
        site.routes |= {blog.path(post): Reply("sorry", 500) for post in blog.posts[15:18]}
        runs = [crawl(tmp_path, f"{site.url}/", server=site, RETRY_TIMES=0) for _ in range(3)]
    assert ["run the same command again" in one.summary[0] for one in runs] == [True, False, True]
    assert set(runs[2].requests) >= {blog.path(post) for post in blog.posts}, "it begins anew"
