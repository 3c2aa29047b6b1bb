"""The live progress line."""

from __future__ import annotations

import pytest
from scrapy.utils.test import get_crawler

from blogcrawler.reporting import Tally
from blogcrawler.reporting.progress import described


@pytest.mark.parametrize(
    ("counts", "line"),
    [
        ({}, "starting"),
        ({"pages": 2, "phase": "learning"}, "learning: 2 pages fetched"),
        ({"pages": 3, "posts": 1}, "1 post found, 3 pages fetched, 0 waiting"),
        ({"pages": 20, "posts": 20, "listed": 120}, "fetching 20 of 120 posts, about 5 min left"),
        ({"pages": 1, "listed": 120, "archived_before": 100}, "fetching 100 of 120 posts"),
        (
            {"pages": 9, "posts": 10, "listed": 120, "archived_before": 100},
            "fetching 110 of 120 posts, about 1 min left",
        ),
        (
            {"pages": 9, "posts": 5, "expected": 100, "archived_before": 100},
            "105 posts found, 9 pages fetched, 0 waiting",
        ),
    ],
)
def test_the_line_counts_the_posts_of_all_parts_and_the_rate_of_this_one(counts, line):
    tally = Tally(get_crawler().stats)
    for name, value in counts.items():
        tally.stats.set_value(f"blogcrawler/{name}", value)
    assert described(tally, 60.0) == line
