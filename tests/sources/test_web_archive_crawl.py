"""Crawls of a blog that is gone, from web archives: the stand-in of the Internet Archive, and pywb."""

from __future__ import annotations

import asyncio
import signal
import threading
from contextlib import contextmanager

import pytest

from tests.crawl.blog import Blog, make_posts
from tests.crawl.captured import BASE, addresses, taken_on, write
from tests.crawl.running import command, crawl, crawl_until
from tests.crawl.test_warc_replay import MANAGER, SERVER
from tests.sources.internet_archive import InternetArchive, Stored, half_table, hang_up, limited, running, status
from tests.sources.test_web_archive_pywb import served

pytestmark = pytest.mark.slow

BLOG = Blog(make_posts(8), in_feed=4)
CAPTURES = taken_on(BLOG, "2022-06-01")


@contextmanager
def serving(archive):
    """The web archive in a thread of its own."""
    is_ready, is_over = threading.Event(), threading.Event()

    async def serve():
        async with running(archive):
            is_ready.set()
            while not is_over.is_set():
                await asyncio.sleep(0.02)

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert is_ready.wait(10)
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def stored(taken):
    """A captured answer as the web archive holds it."""
    reply = taken.reply
    body = reply.body.encode() if isinstance(reply.body, str) else reply.body
    headers = (("content-type", reply.content_type), *reply.headers.items())
    mime = reply.content_type.partition(";")[0]
    return Stored(f"{taken.time:%Y%m%d%H%M%S}", taken.base + taken.path, body, str(reply.status), mime, headers=headers)


def assert_brought_back(done, place):
    assert done.code == 0, done.stderr
    assert done.urls == addresses(BLOG.posts)
    for post in BLOG.posts:
        record = done.record(BASE + post.path)
        assert (record["title"], record["content_text"]) == (post.title, post.text)
        assert record["provenance"]["capture"]["place"] == f"{place}/20220601000000id_/{BASE}{post.path}"


def bring_back(folder, place):
    return crawl(folder, f"{BASE}/", "-a", f"source={place}", timeout_s=300, CAPTURES_DELAY=0.1)


def test_a_crawl_from_the_internet_archive_in_spite_of_its_errors(tmp_path):
    archive = InternetArchive([stored(it) for it in CAPTURES])
    archive.faults = [limited(after="1"), half_table, status(503), hang_up]
    with serving(archive):
        assert_brought_back(bring_back(tmp_path, archive.address), f"{archive.address}/web")


def test_a_blog_on_the_host_of_the_web_archive(tmp_path):
    """At another port."""
    own, blog = "http://127.0.0.1:9", Blog(make_posts(40), in_feed=10)
    archive = InternetArchive([stored(it) for it in taken_on(blog, "2022-06-01", base=own)])
    with serving(archive):
        done = crawl(tmp_path, f"{own}/", "-a", f"source={archive.address}", timeout_s=100, CAPTURES_DELAY=0)
    assert done.code == 0, done.stderr
    assert done.urls == blog.urls(own)


def test_a_killed_crawl_asks_nothing_twice(tmp_path):
    archive = InternetArchive([stored(it) for it in CAPTURES])
    with serving(archive):
        arguments = command(f"{BASE}/", "-a", f"source={archive.address}", CAPTURES_DELAY=0.1)
        for least in (3, 6, 9):
            crawl_until(
                tmp_path,
                arguments,
                lambda least=least: len(archive.requests) >= least,
                lambda it: it.send_signal(signal.SIGKILL),
            )
        assert_brought_back(bring_back(tmp_path, archive.address), f"{archive.address}/web")
    targets = [target for _, target in archive.requests]
    assert len(targets) - len(set(targets)) <= 3, "only what was under way"


@pytest.mark.skipif(not (MANAGER and SERVER), reason="there is no pywb: pip install it somewhere, and set PYWB")
def test_a_crawl_from_pywb(tmp_path):
    file = write(tmp_path / "captures.warc.gz", CAPTURES)
    with served(tmp_path, {"gone": file}) as pywb:
        assert_brought_back(bring_back(tmp_path, f"{pywb}/gone"), f"{pywb}/gone")
