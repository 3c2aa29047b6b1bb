from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from blogcrawler import feeds
from blogcrawler.dom import links, parse
from blogcrawler.errors import NotAFeed, PageTooSlow
from blogcrawler.feeds import comments, parse_feed
from blogcrawler.feeds.sources import sitemap
from blogcrawler.feeds.synthetic import lists
from blogcrawler.time_limit import in_time, set_time_limit, time_limit

if TYPE_CHECKING:
    from collections.abc import Iterator

EXPONENTIAL = re.compile(r"(?:<!--.*?-->\s*)*<p", re.DOTALL)
ATTACK = "<!--x-->" * 60 + "."


@pytest.fixture(autouse=True)
def _limit() -> Iterator[None]:
    set_time_limit(0.2)
    yield
    set_time_limit(0)


def is_over(begin: float) -> bool:
    return time.process_time() - begin < 5


@time_limit()
def stubborn() -> None:
    for _ in range(2):
        with suppress(Exception):
            EXPONENTIAL.match(ATTACK)
    EXPONENTIAL.match(ATTACK)


@time_limit()
def with_inner() -> None:
    with time_limit(pages=1000):
        pass
    EXPONENTIAL.match(ATTACK)


def test_a_regular_expression_is_broken_off() -> None:
    begin = time.process_time()
    with pytest.raises(PageTooSlow, match=r"0\.2 seconds"), time_limit():
        EXPONENTIAL.match(ATTACK)
    assert is_over(begin)
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


def test_what_comes_after_is_not_broken_off() -> None:
    with pytest.raises(PageTooSlow), time_limit():
        EXPONENTIAL.match(ATTACK)
    begin = time.process_time()
    while time.process_time() - begin < 1.5:
        pass
    with time_limit():
        pass
    assert parse(b"<p>a").findtext(".//p") == "a"


def test_a_library_that_catches_all_is_broken_off_again() -> None:
    begin = time.process_time()
    with pytest.raises(PageTooSlow):
        stubborn()
    assert is_over(begin)


def test_the_outer_limit_holds() -> None:
    with pytest.raises(PageTooSlow):
        with_inner()


def test_several_pages_take_longer() -> None:
    begin = time.process_time()
    with pytest.raises(PageTooSlow), time_limit(pages=4):
        EXPONENTIAL.match(ATTACK)
    assert time.process_time() - begin > 0.6


def test_errors_and_waiting_are_no_concern_of_it() -> None:
    with pytest.raises(KeyError), time_limit():
        raise KeyError
    with time_limit():
        time.sleep(0.5)
    set_time_limit(0)
    with time_limit():
        begin = time.process_time()
        while time.process_time() - begin < 0.4:
            pass


def test_another_thread_has_no_limit() -> None:
    done = []

    def work() -> None:
        set_time_limit(0.2)
        with time_limit():
            done.append(parse(b"<p>a") is not None)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]


def test_a_feed_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds.parse, "decode", lambda *_: EXPONENTIAL.match(ATTACK))
    with pytest.raises(NotAFeed):
        parse_feed(b"<rss/>", "http://example.org/feed")


def slow(*_: object, **__: object) -> None:
    EXPONENTIAL.match(ATTACK)


def test_sitemaps_feeds_of_comments_lists_and_links_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    page, url = parse("<p>a"), "http://example.org/"
    monkeypatch.setattr(sitemap, "looks_like_feed", slow)
    assert not sitemap.read_sitemap(b"http://example.org/a", url).is_sitemap
    monkeypatch.setattr(comments.parse, "decode", slow)
    with pytest.raises(NotAFeed):
        comments.parse_comments(b"<rss/>", url)
    monkeypatch.setattr(lists, "segment", slow)
    assert lists.post_lists(page, url) == []
    monkeypatch.setattr(page, "iter", slow, raising=False)
    with pytest.raises(PageTooSlow):
        links(page, url)


def burn(seconds: float) -> None:
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        pass


WATCHED = """
import asyncio, time
from blogcrawler.dom import inline_text, parse
from blogcrawler.errors import PageTooSlow
from blogcrawler.time_limit import set_time_limit, watch

short, long = parse("<p>some words</p>" * 1000), parse("<p>some words</p>" * 60_000)

def work(begin, seconds, of):
    while time.process_time() - begin < seconds:
        of()

async def main():
    set_time_limit(0.3)
    watch(asyncio.get_running_loop())
    for _ in range(2):
        begin = time.process_time()
        try:
            work(begin, 10, lambda: inline_text(long))
        except PageTooSlow:
            print("broken off", time.process_time() - begin < 2)
    work(time.process_time(), 0.6, lambda: None)
    print("other work")
    set_time_limit(1.2)
    begin = time.process_time()
    while time.process_time() - begin < 1.8:
        inline_text(short)
        await asyncio.sleep(0)
    print("short turns")

asyncio.run(main())
work(time.process_time(), 1.5, lambda: inline_text(short))
print("after the loop")
"""


def test_what_only_reads_is_broken_off_in_a_watched_loop() -> None:
    """Whatever it is; but not other work, nor reading in many short turns."""
    done = subprocess.run([sys.executable, "-c", WATCHED], capture_output=True, text=True, check=False)
    wanted = ["broken off True", "broken off True", "other work", "short turns", "after the loop"]
    assert done.stdout.splitlines() == wanted, done.stderr


def test_pages_that_take_too_long_are_left_out() -> None:
    def work(pages):
        for page in pages:
            burn(5 if page == "slow" else 0.01)
        return list(pages)

    assert in_time(["a", "slow", "b"], work) == ["a", "b"]
    assert in_time(["a"], work) == ["a"]
    with pytest.raises(PageTooSlow):
        in_time(["slow"], work)
