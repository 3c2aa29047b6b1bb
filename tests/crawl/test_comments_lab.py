"""Comments of a real WordPress from its feeds and API: the server of the lab that may lie beside the checkout."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crawl.running import crawl

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
LAB, SCORE = SHARED / "lab", SHARED / "tools" / "score.py"
WORDPRESS = Path("/usr/share/wordpress")
PORTS = 18900
LEAST = {"recall": 0.99, "precision": 0.99, "author": 0.99, "date": 0.98, "parent": 0.98}
MOST_REQUESTS = 2.5
"""For each post with comments, on average."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not LAB.exists(), reason="the lab's servers do not lie beside the checkout"),
    pytest.mark.skipif(not WORDPRESS.is_dir(), reason="WordPress is not installed (apt-get install wordpress)"),
]


class WordPress:
    """The server."""

    def __init__(self, folder: Path) -> None:
        self._options = ["--work", str(folder), "--port-base", str(PORTS)]
        self.url = f"http://127.0.0.1:{PORTS + 1}/"

    def __enter__(self):
        self._run("lab.py", "up", "wordpress")
        return self

    def __exit__(self, *_):
        self._run("lab.py", "down", "wordpress")

    def use_theme(self, name: str) -> None:
        self._run("lab.py", "wordpress", "--theme", name)

    def write_truth(self, folder: Path) -> None:
        self._run("truth.py", "wordpress", "--out", str(folder))

    def _run(self, program: str, *arguments: str) -> None:
        command = [sys.executable, str(LAB / program), *arguments, *self._options]
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=400)


@pytest.fixture(scope="module")
def wordpress(tmp_path_factory):
    with WordPress(tmp_path_factory.mktemp("wordpress")) as server:
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
