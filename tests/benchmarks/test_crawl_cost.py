"""Where the time of a crawl goes, by samples of its stack."""

from __future__ import annotations

from tests.benchmarks.crawl_cost import rooms

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
