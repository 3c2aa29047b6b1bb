"""Whoever watches a crawl sees posts soon."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.crawl_cost import first_record
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import DATABASE, command, run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("in_feed", [10, 0], ids=["feed", "empty feed"])
def test_the_first_record_is_kept_within_ten_seconds(tmp_path: Path, in_feed: int) -> None:
    with serve(Blog(make_posts(60), in_feed=in_feed)) as site:
        began = time.time()
        done = run(tmp_path, command(f"{site.url}/"), anew=True)
    assert done.code == 0, done.stderr
    assert first_record(tmp_path / DATABASE) - began < 10
    assert len(done.records) == 60
