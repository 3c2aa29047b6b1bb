"""Where the time of a crawl goes, by samples of its stack."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.crawl_cost import chosen, measure, rooms, row

if TYPE_CHECKING:
    from pathlib import Path

BASE = ("tests/benchmarks/sampled.py:main", "blogcrawler/cli.py:main", "twisted/internet/base.py:run")
STACKS = {
    (*BASE, "scrapy/core/engine.py:_download"): 4,
    (*BASE, "blogcrawler/crawl/loop.py:run", "blogcrawler/frontier/queue.py:pop", "sklearn/base.py:fit"): 3,
    (*BASE, "blogcrawler/crawl/loop.py:run", "<frozen_importlib._bootstrap>:_load", "numpy/__init__.py:<module>"): 2,
    (*BASE, "blogcrawler/crawl/loop.py:run", "/usr/lib/python3/json/encoder.py:encode"): 1,
}


def test_samples_count_for_the_innermost_room_and_for_all_that_called_it() -> None:
    lines = rooms(STACKS).splitlines()
    assert "| Scrapy and Twisted | 40.0% | 80.0% |" in lines
    assert "| frontier | 30.0% | 30.0% |" in lines
    assert "| crawl | 10.0% | 40.0% |" in lines
    assert "| imports | 20.0% | 20.0% |" in lines


def test_samples_count_for_the_library_whose_function_runs() -> None:
    lines = rooms(STACKS).splitlines()
    assert [line for line in lines if "sklearn" in line] == ["| sklearn | 30.0% |"]
    assert "| Python | 10.0% |" in lines


@pytest.mark.parametrize("name", ["nobody", "posts-", "posts-0", "posts-many"])
def test_unknown_blogs_are_refused_with_the_known_ones(tmp_path: Path, name: str) -> None:
    with pytest.raises(SystemExit, match=f"There is no blog '{name}'.*demo"):
        chosen([name], tmp_path / "none")


@pytest.mark.slow
def test_the_cost_of_a_small_blog_is_that_of_a_crawl_and_of_a_spider_on_the_same_pages(tmp_path: Path) -> None:
    (blog,) = chosen(["posts-12"], tmp_path / "none")
    with blog.serve() as served:
        cost = measure(served.home, served.answer)
    assert cost.posts == 12
    assert cost.pages >= 12 + 2  # lists
    assert cost.crawl.cpu_s > cost.plain.cpu_s > 0
    assert 0 < cost.first_record_s < inf
    assert min(cost.database_bytes, cost.warc_bytes) > 0
    assert row(blog.name, cost).startswith(f"| posts-12 | 12 | {cost.pages} |")
