"""A blog full of traps: the server of the lab that may lie beside the checkout."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crawl.running import crawl

LAB = Path(__file__).resolve().parents[2].parent / "shared" / "lab" / "lab.py"
PORTS = 18800
MOST_USELESS = 0.06
"""Of the requests, those that give neither a post nor a list of posts: two of 38, a feed and a sitemap without end."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not LAB.exists(), reason="the lab's servers do not lie beside the checkout"),
]


class Traps:
    """The server, which counts what it was asked for."""

    def __init__(self, folder):
        self._options = ["--work", str(folder), "--port-base", str(PORTS)]
        self.url = f"http://127.0.0.1:{PORTS + 5}/"

    def __enter__(self):
        self._lab("up", "traps")
        return self

    def __exit__(self, *_):
        self._lab("down", "traps")

    def counts(self):
        return json.loads(self._lab("traps", "counts"))

    def _lab(self, *arguments):
        command = [sys.executable, str(LAB), *arguments, *self._options]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("traps")
    with Traps(folder / "lab") as traps:
        settings = {"TIME_LIMIT": 60, "DOWNLOAD_TIMEOUT": 5, "RETRY_TIMES": 0, "BACKOFF_TIMES": 0}
        return crawl(folder, traps.url, timeout_s=150, **settings), traps.counts()


def test_the_crawl_ends_well(crawled):
    outcome, _ = crawled
    assert outcome.code == 0, outcome.stderr


def test_all_posts_are_found_once(crawled):
    outcome, counts = crawled
    assert counts["posts_fetched"] == 30
    assert len(outcome.urls) == len(set(outcome.urls)) == 30


def test_nothing_private_is_reached(crawled):
    outcome, counts = crawled
    assert not counts["breaches"]
    assert "LAB-SECRET" not in json.dumps(outcome.records)


def test_few_requests_are_for_traps(crawled):
    _, counts = crawled
    assert counts["useless_share"] <= MOST_USELESS, counts["names"]
