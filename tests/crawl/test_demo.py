"""The demonstration blog as a whole, crawled twice."""

from __future__ import annotations

from collections import Counter
from urllib.parse import urljoin

import pytest

from blogcrawler.demo import DemoServer
from tests.crawl.blog import DemoTargets
from tests.crawl.running import Outcome, crawl, has_traceback, kept
from tests.demo.truth import truth

pytestmark = pytest.mark.slow

KEYS = [
    "blog",
    "url",
    "guid",
    "title",
    "authors",
    "published",
    "updated",
    "tags",
    "language",
    "content_html",
    "content_text",
    "comments",
    "comment_count",
    "media",
    "provenance",
]
PROVENANCE_KEYS = ["fetched", "status", "sha256", "rendered", "warc", "capture", "generator", "fields"]
IN_FEED = 8
POSTS = truth()


class Crawled:
    """Two crawls of the blog, one after the other, into one archive."""

    def __init__(self, folder, server):
        self.home = server.url
        self.first = crawl(folder, server.url, server=DemoTargets(server), anew=True)
        self.kept_first = kept(folder)
        self.second = crawl(folder, server.url, server=DemoTargets(server))
        self.kept_second = kept(folder)

    def record(self, post):
        return self.first.record(urljoin(self.home, post["path"]))


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    with DemoServer() as server:
        return Crawled(tmp_path_factory.mktemp("demo"), server)


def f1(found: str, expected: str) -> float:
    """Of the words, as a multiset."""
    a, b = Counter(found.split()), Counter(expected.split())
    return 2 * (a & b).total() / (a.total() + b.total())


def test_finds_every_post_once(crawled):
    assert crawled.first.code == 0, crawled.first.stderr
    assert crawled.first.urls == sorted(urljoin(crawled.home, post["path"]) for post in POSTS)
    assert set(crawled.kept_first) == set(crawled.first.urls)


@pytest.mark.parametrize("post", POSTS, ids=[post["path"] for post in POSTS])
def test_reads_what_the_post_says(crawled, post):
    record = crawled.record(post)
    assert record["title"] == post["title"]
    assert record["authors"] == [post["author"]]
    assert record["published"][:10] == post["published"][:10]
    assert f1(record["content_text"], post["text"]) >= 0.95
    assert sorted(record["tags"]) == sorted(post["tags"])


@pytest.mark.parametrize("post", POSTS[:IN_FEED], ids=[post["path"] for post in POSTS[:IN_FEED]])
def test_takes_over_what_the_feed_says(crawled, post):
    record = crawled.record(post)
    assert record["published"] == post["published"]
    assert record["guid"] == f"{crawled.home}?p={post['id']}"
    assert record["tags"] == post["tags"]
    assert record["comment_count"] == len(post["comments"])
    sources = {name: record["provenance"]["fields"][name]["source"] for name in ("title", "authors", "published")}
    assert sources == {"title": "feed", "authors": "feed", "published": "feed"}


def test_every_key_is_there(crawled):
    for record in crawled.first.records:
        assert sorted(record) == sorted(KEYS)
        assert sorted(record["provenance"]) == sorted(PROVENANCE_KEYS)
        assert record["blog"] == crawled.home
        assert all(isinstance(record[name], list) for name in ("authors", "tags", "comments", "media"))
        assert record["provenance"]["status"] == 200


def test_says_where_the_values_come_from(crawled):
    for record in crawled.first.records:
        for name in ("title", "authors", "published", "content"):
            source = record["provenance"]["fields"][name]
            assert source["source"] in {"feed", "rule", "metadata", "url", "fallback"}
            assert 0 < source["confidence"] <= 1
            assert source["source"] != "rule" or source["rule"]


def test_fetches_nothing_twice(crawled):
    assert crawled.first.repeated == {}


def test_asks_for_nothing_that_robots_txt_forbids(crawled):
    forbidden = [target for target in crawled.first.requests if target.startswith(("/?s=", "/reply/"))]
    assert forbidden == []


def test_asks_for_nothing_that_is_no_page(crawled):
    files = [target for target in crawled.first.requests if target.endswith((".css", ".png", ".svg"))]
    assert files == []


def test_a_second_crawl_gives_the_same_records_once(crawled):
    assert crawled.second.code == 0, crawled.second.stderr
    assert crawled.second.urls == crawled.first.urls
    assert crawled.kept_second == crawled.kept_first, "first_seen or what a post says has changed"


def test_the_log_has_a_summary(crawled):
    verdict, first, *rest = crawled.first.summary
    assert verdict.startswith("Complete: 24")
    assert first.startswith("24 posts from ")
    assert any("title: " in line and "8 by feed" in line and "16 by rule" in line for line in rest)
    assert "all posts listed by the sitemap were fetched" in first
    assert any("archive.db" in line and "posts.jsonl" in line for line in rest)


def test_tells_no_story_of_its_insides(crawled):
    outcome: Outcome = crawled.first
    assert not has_traceback(outcome)
    assert outcome.stdout == ""
    assert [line for line in outcome.stderr.splitlines() if "Warning" in line] == []
    assert [line for line in outcome.stderr.splitlines() if " ERROR " in line or " CRITICAL " in line] == []
