"""Pages and feeds that take too long to read are given up with a reason, and the crawl goes on without them."""

from __future__ import annotations

import signal
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import command, crawl, has_traceback, kept, outcome, start
from tests.crawl.test_several_pages import SpreadBlog

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crawl.running import Outcome

pytestmark = pytest.mark.slow

BLOG = Blog(make_posts(14), in_feed=6)
SLOW = "<p>5 May 2020</p>" * 130_000
LIMIT_S = 0.3
IN_FEED, OLD = BLOG.posts[2], BLOG.posts[9]


def slowed(blog: Blog, post) -> str:
    return blog.page(post).replace("</div></article>", f"{SLOW}</div></article>")


def given_up(done: Outcome) -> bool:
    return any(line.strip().startswith("takes too long to read: ") for line in done.summary)


def test_slow_pages_of_an_entry_and_of_an_older_post(tmp_path: Path) -> None:
    with serve(BLOG) as site:
        for post in (IN_FEED, OLD):
            site.routes[BLOG.path(post)] = slowed(BLOG, post)
        done = crawl(tmp_path, f"{site.url}/", server=site, PAGE_TIME_LIMIT=LIMIT_S)
        assert done.code == 0, done.stderr
        assert not has_traceback(done)
        assert given_up(done), done.summary
        lost = {site.url + BLOG.path(post) for post in (IN_FEED, OLD)}
        assert set(BLOG.urls(site.url)) - lost <= set(done.urls) <= set(BLOG.urls(site.url))
        record = done.record(site.url + BLOG.path(BLOG.posts[8]))
        assert (record["title"], record["content_text"]) == (BLOG.posts[8].title, BLOG.posts[8].text)


@pytest.mark.parametrize("paragraphs", [10_000, 30_000, 130_000])
def test_a_slow_further_page_does_not_cost_its_article(tmp_path: Path, paragraphs: int) -> None:
    blog = SpreadBlog(make_posts(14), in_feed=6, spread={9})
    with serve(blog) as site:
        second = blog.address(OLD, 2)
        slow = blog.part(OLD, 2).replace("</div></article>", f"{'<p>5 May 2020</p>' * paragraphs}</div></article>")
        site.routes[second] = slow
        done = crawl(tmp_path, f"{site.url}/", server=site, PAGE_TIME_LIMIT=LIMIT_S)
        assert done.code == 0, done.stderr
        assert not has_traceback(done)
        record = done.record(site.url + BLOG.path(OLD))
        assert record["title"] == OLD.title
        assert record["content_text"].startswith(OLD.paragraphs[0])


def test_a_slow_feed(tmp_path: Path) -> None:
    with serve(BLOG) as site:
        item = f"<item><title>x</title><link>{site.url}/x/</link><description>y</description></item>"
        site.reset(replace(BLOG, odd_items=item * 60_000))
        done = crawl(tmp_path, f"{site.url}/", server=site, PAGE_TIME_LIMIT=LIMIT_S)
        assert done.code == 0, done.stderr
        assert not has_traceback(done)
        assert sorted(done.urls) == BLOG.urls(site.url)


def test_a_slow_home_page(tmp_path: Path) -> None:
    with serve(replace(BLOG, extra=SLOW)) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site, PAGE_TIME_LIMIT=LIMIT_S)
        assert done.code == 0, done.stderr
        assert not has_traceback(done)
        assert {site.url + BLOG.path(post) for post in BLOG.posts[: BLOG.in_feed]} <= set(done.urls)


@pytest.mark.parametrize("limit", ["signal", "TIME_LIMIT"])
def test_limits_hold_while_slow_pages_are_read(tmp_path: Path, limit: str) -> None:
    with serve(BLOG) as site:
        for post in BLOG.posts[6:9]:
            site.routes[BLOG.path(post)] = slowed(BLOG, post)
        settings = {"TIME_LIMIT": 5} if limit == "TIME_LIMIT" else {}
        process = start(tmp_path, command(f"{site.url}/", PAGE_TIME_LIMIT=LIMIT_S, **settings))
        try:
            begin = time.monotonic()
            while BLOG.path(BLOG.posts[6]) not in site.targets:
                assert time.monotonic() - begin < 60
                time.sleep(0.05)
            if limit == "signal":
                process.send_signal(signal.SIGINT)
            code = process.wait(60)
        finally:
            process.kill()
        done = outcome(tmp_path, code, server=site)
        assert done.code == (130 if limit == "signal" else 0)
        assert not has_traceback(done)
        assert {site.url + BLOG.path(post) for post in BLOG.posts[:6]} & set(kept(tmp_path))
