"""The live progress line."""

from __future__ import annotations

import asyncio
import io
import re
import sys

import pytest
from scrapy import Spider
from scrapy.utils.defer import deferred_f_from_coro_f
from scrapy.utils.test import get_crawler

from blogcrawler.reporting import Tally
from blogcrawler.reporting.progress import Progress, described, duration


@pytest.mark.parametrize(
    ("counts", "line"),
    [
        ({}, "starting"),
        ({"pages": 2, "phase": "learning"}, "learning: 2 pages fetched"),
        ({"phase": "finding the blog"}, "finding the blog"),
        ({"pages": 3}, "3 pages fetched"),
        ({"pages": 3, "posts": 1}, "1 post found, 3 pages fetched"),
        ({"pages": 3, "posts": 1, "frontier/pending": 9}, "1 post found, 3 pages fetched, 9 waiting"),
        ({"pages": 130, "posts": 120, "listed": 120}, "120 of 120 posts fetched, finishing"),
        ({"pages": 20, "posts": 20, "listed": 120}, "fetching 20 of 120 posts, about 5 min left"),
        ({"pages": 999, "posts": 999, "listed": 1000}, "fetching 999 of 1,000 posts"),
        ({"pages": 1, "listed": 120, "archived_before": 100}, "fetching 100 of 120 posts"),
        (
            {"pages": 9, "posts": 10, "listed": 120, "archived_before": 100},
            "fetching 110 of 120 posts, about 1 min left",
        ),
        (
            {"pages": 9, "posts": 5, "expected": 100, "archived_before": 100},
            "105 posts found, 9 pages fetched",
        ),
    ],
)
def test_the_line_counts_the_posts_of_all_parts_and_the_rate_of_this_one(counts, line):
    tally = Tally(get_crawler().stats)
    for name, value in counts.items():
        tally.stats.set_value(f"blogcrawler/{name}", value)
    assert described(tally, 60.0) == line


@pytest.mark.parametrize(
    ("counts", "line"),
    [
        ({"pages": 20, "posts": 20, "listed": 120}, "stopping: 20 of 120 posts fetched"),
        ({"pages": 20, "posts": 20}, "stopping: 20 posts found, 20 pages fetched"),
        ({"phase": "learning"}, "stopping"),
    ],
)
def test_a_crawl_that_is_told_to_stop_says_so(counts, line):
    tally = Tally(get_crawler().stats)
    for name, value in counts.items():
        tally.stats.set_value(f"blogcrawler/{name}", value)
    assert described(tally, 60.0, is_stopping=True) == line


@pytest.mark.parametrize(("seconds", "text"), [(7.6, "8 s"), (59.4, "59 s"), (59.6, "1 min"), (3599, "1 h")])
def test_durations_have_the_unit_that_fits(seconds, text):
    assert duration(seconds) == text


class Terminal(io.StringIO):
    """Standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


@deferred_f_from_coro_f
async def test_the_clock_goes_on_to_the_end_and_the_echo_of_ctrl_c_has_room(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "80")
    crawler = get_crawler(settings_dict={"LOG_ENABLED": False})
    crawler.crawling = True
    tally = Tally(crawler.stats)
    tally.pages = tally.posts = tally.listed = 120
    tally.newest_title = "A title " * 20
    live = Progress.from_crawler(crawler)
    live.spider_opened(Spider("newcrawl"))
    await asyncio.sleep(1.3)
    written = sys.stderr.getvalue()
    live.spider_closed(Spider("newcrawl"))
    frames = [line for line in re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written)) if "posts" in line]
    assert "0:00:00" in frames[0]
    assert "0:00:01" in frames[-1]
    assert max(map(len, frames)) + len("^C") < 80
