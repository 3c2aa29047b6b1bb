"""Comments of a real WordPress from its feeds and API: the server of the lab that may lie beside the checkout."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from blogcrawler.backend import Archive
from blogcrawler.export import FORMATS, Selection
from tests.crawl.running import DATABASE, crawl
from tests.crawl.wordpress import MARKS, SHARED, WordPress
from tests.export.wxr_reading import Import, words

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
    _, posts, requests = map(int, re.findall(r"[0-9]+", line))
    assert requests <= MOST_REQUESTS * posts


@pytest.fixture(scope="module")
def archived(wordpress, tmp_path_factory):
    """A folder with the archive of the blog, and the outcome of the crawl."""
    folder = tmp_path_factory.mktemp("archived")
    wordpress.use_theme("twentytwentyone")
    return folder, crawl(folder, wordpress.url, timeout_s=300)


def test_pingbacks_are_told_from_comments(wordpress, archived, tmp_path):
    wordpress.write_truth(tmp_path / "truth")
    _, done = archived
    lines = (tmp_path / "truth" / "truth.jsonl").read_text("utf-8").splitlines()
    kinds = {
        (post["url"], f"comment-{one['id']}"): one["type"]
        for post in map(json.loads, lines)
        for one in post["comments"]
    }
    found = {(record["url"], one["id"]): one["kind"] for record in done.records for one in record["comments"]}
    wrong = [key for key, kind in kinds.items() if found.get(key) != kind]
    assert len(wrong) <= 0.01 * len(kinds)


def letters(content):
    """What an article says, without the shortcodes that WordPress makes markup of, and its quotes."""
    return re.sub(r"\W|_", "", "".join(words(re.sub(r"\[/?caption[^\]]*\]", "", content))))


def test_what_is_exported_for_wordpress_is_what_wordpress_exports(wordpress, archived, tmp_path):
    """Of posts and comments that everybody can see. Times may be by another zone's clock."""
    folder, _ = archived
    with Archive.open(f"sqlite:///{folder / DATABASE}", make=False) as archive:
        FORMATS["wxr"].export(Selection.of(archive), str(tmp_path / "ours"))
    (tmp_path / "theirs.xml").write_text(wordpress.export(), "utf-8")
    ours, theirs = Import(*(tmp_path / "ours").glob("*.xml")), Import(tmp_path / "theirs.xml")
    assert set(ours.posts) <= set(theirs.posts)
    assert len(ours.posts) > 50
    assert set(ours.authors.values()) == set(theirs.authors.values())
    seen = [(post, theirs.posts[url]) for url, post in ours.posts.items()]
    for key in ("post_date_gmt", "post_name", "status", "author", "terms"):
        assert [post[key] for post, _ in seen] == [there[key] for _, there in seen], key
    locked = [post for post, there in seen if letters(post["content"]) != letters(there["content"])]
    assert [post["content"] for post in locked] == [""], "the one that has a password"
    told, wanted = (
        {(*key, one["author"], one["date_gmt"], one["type"]) for key, post in both for one in post["comments"] if one["approved"] == "1"}
        for both in ([((url,), post) for url, post in side.posts.items() if url in ours.posts] for side in (ours, theirs))
    )  # fmt: skip
    assert len(wanted) > 600
    assert len(told & wanted) >= 0.99 * len(wanted)
    assert len(told) <= 1.01 * len(wanted)
