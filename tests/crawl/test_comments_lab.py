"""Comments of a real WordPress from its feeds and API: the server of the lab that may lie beside the checkout."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.crawl.running import crawl
from tests.crawl.wordpress import MARKS, SHARED, WordPress

SCORE = SHARED / "tools" / "score.py"
PORTS = 18900
LEAST = {"recall": 0.99, "precision": 0.99, "author": 0.99, "date": 0.98, "parent": 0.98}
MOST_REQUESTS = 2.5
"""For each post with comments, on average."""

pytestmark = MARKS


@pytest.fixture(scope="module")
def wordpress(tmp_path_factory):
    with WordPress(tmp_path_factory.mktemp("wordpress"), PORTS) as server:
        yield server


@pytest.mark.parametrize("theme", ["twentytwentyone", "lab-table", "lab-zettel"])
def test_every_comment_of_every_post(wordpress, tmp_path, theme):
    wordpress.use_theme(theme)
    wordpress.write_truth(tmp_path / "truth")
    done = crawl(tmp_path, wordpress.url, timeout_s=300)
    assert done.code == 0, done.stderr
    command = [sys.executable, str(SCORE), str(tmp_path / "posts.jsonl"), str(tmp_path / "truth"), "--json"]
    scored = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    comments = scored["all"]["comments"]
    assert {name: comments[name] for name in LEAST if comments[name] < LEAST[name]} == {}
    (line,) = (line for line in done.summary if line.strip().startswith("comments:"))
    posts, requests = (int(line.split()[at]) for at in (3, 6))
    assert requests <= MOST_REQUESTS * posts


def test_pingbacks_are_told_from_comments(wordpress, tmp_path):
    wordpress.use_theme("twentytwentyone")
    wordpress.write_truth(tmp_path / "truth")
    done = crawl(tmp_path, wordpress.url, timeout_s=300)
    lines = (tmp_path / "truth" / "truth.jsonl").read_text("utf-8").splitlines()
    kinds = {
        (post["url"], f"comment-{one['id']}"): one["type"]
        for post in map(json.loads, lines)
        for one in post["comments"]
    }
    found = {(record["url"], one["id"]): one["kind"] for record in done.records for one in record["comments"]}
    wrong = [key for key, kind in kinds.items() if found.get(key) != kind]
    assert len(wrong) <= 0.01 * len(kinds)
