"""Wherever the program breaks, the crawl ends, keeps what it has, says why and has exit code 1; started again, it is made whole."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.breaking import SAID, breaking
from tests.crawl.running import command, crawl, kept, run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

SPIDER, NEW = "spiders.adapter:BlogSpider", "spiders.newcrawl:NewCrawl"
STEPS, LOOP, INTAKE, REFINEMENT = (
    "crawl.steps",
    "crawl.loop:CrawlLoop",
    "crawl.intake:Intake",
    "crawl.steps.refinement:Refinement",
)
STAGES = ("render:Render", "content:Content", "comments:Comments", "media:Media", "warc:Warc", "propagate:Propagate")
BEGINNING = [
    f"{NEW}.compose",
    "spiders.adapter:parse_start_url",
    "spiders.newcrawl:resume_with",
    f"{STEPS}.discovery:discover",
    f"{STEPS}.discovery:find_sessions",
    f"{STEPS}.discovery:begin_anew",
    f"{STEPS}.first_learning:read_lists",
    f"{STEPS}.learning:fetch_pages",
    f"{STEPS}.learning:own_pages",
    f"{STEPS}.learning:learned",
    f"{STEPS}.learning:keep_rules",
    "spiders.newcrawl:keep_journal",
]
"""Places before the first record."""
ONCE = [
    # what a crawl can do without
    f"{STEPS}.listing_sources:_Sources.read_all",
    f"{STEPS}.listing_sources:_Sources._read",
    "crawl.update.comment_feed:CommentNews.ask",
    "crawl.steps.refinement:refined",
    f"{REFINEMENT}._refine",
    # the end
    "pipelines.comments:CommentsPipeline.close_spider",
    "pipelines.propagate:PropagatePipeline.close_spider",
    f"{SPIDER}.closed",
    f"{SPIDER}.all_is_written",
    "crawl.ending:Ending._finish",
    "spiders.newcrawl:nothing_is_left",
    "reporting.summary:Summary.spider_closed",
    "report.extension:CrawlReport.spider_closed",
    "report.extension:CrawlReport.all_is_written",
    "capture:Capture.close",
]
"""Places from which on records can be there."""
AGAIN = [
    # the loop
    f"{LOOP}._next_url",
    f"{LOOP}.stop",
    f"{SPIDER}.request_for",
    f"{LOOP}._last_task",
    "frontier.queue:Frontier.pop",
    # pages
    f"{INTAKE}.process",
    f"{INTAKE}._commit_post",
    f"{INTAKE}._commit_other",
    f"{REFINEMENT}.prepare",
    "frontier.queue:Frontier.commit_page",
    "frontier.queue:Frontier.learn",
    "crawl.classifier:PostClassifier.verdict",
    "downloader.guard:GuardMiddleware.process_request",
    "downloader.exchanges:CaptureMiddleware.process_response",
    # stages
    *(f"pipelines.{stage}Pipeline.process_item" for stage in STAGES),
    "comments.page_rules:PageRules.read",
    "backend.archive:Archive.save_record",
    # signals
    f"{SPIDER}.note_news",
    f"{SPIDER}.item_ended",
    "frontier.queue:Frontier.done",
    "downloader.pace:Pace._keep",
    "report.watch:Watch._note_record",
]
"""Places from which on records can be there."""
EARLY = ("downloader.pace:Pace._keep", f"{SPIDER}.note_news", f"{SPIDER}.request_for")
"""Of these, what is called before there is a record."""
OPENING = [
    f"{SPIDER}._open",
    "pipelines.content:ContentPipeline.from_crawler",
    "crawl.blog_lease:BlogLease.enter",
    "browser.renderer:Renderer.from_crawler",
]


def blog() -> Blog:
    return Blog(make_posts(13), in_feed=4)


def broken(folder: Path, url: str, place: str, *, call: int = 1, always: bool = False) -> int:
    """A crawl that breaks must end with a sentence; how many posts it has kept."""
    told = breaking(f"blogcrawler.{place}", call=call, always=always)
    first = run(folder, command(url, *told, MEDIA=True, WARC=True, REPORTS=True), timeout_s=90)
    assert SAID in first.stderr, "the place that is to break was not reached"
    assert first.code == 1, first.stderr
    assert len(first.sentences) == 1, first.stderr
    assert "see the log" in first.sentences[0]
    try:
        found = len(kept(folder))
    except sqlite3.OperationalError:  # there is no table as yet
        found = 0
    assert len(first.records) <= found
    return found


@pytest.mark.parametrize("place", [*OPENING, *BEGINNING])
def test_a_crawl_that_breaks_while_it_begins_ends(tmp_path: Path, place: str) -> None:
    source = blog()
    with serve(source) as site:
        if place.endswith("read_lists"):
            site.routes = {path: reply for path, reply in site.routes.items() if path != "/feed.xml"}
        broken(tmp_path, f"{site.url}/", place)
        assert crawl(tmp_path, f"{site.url}/").urls == source.urls(site.url)


@pytest.mark.parametrize(
    ("place", "call"), [*((place, 1) for place in ONCE), *((place, call) for place in AGAIN for call in (1, 5))]
)
def test_a_crawl_that_breaks_ends_with_what_it_has(tmp_path: Path, place: str, call: int) -> None:
    source = blog()
    with serve(source) as site:
        found = broken(tmp_path, f"{site.url}/", place, call=call)
        assert found > 0 or call == 1 or place in EARLY
        again = crawl(tmp_path, f"{site.url}/")
        assert again.code == 0, again.stderr
        assert sorted(kept(tmp_path)) == source.urls(site.url)


@pytest.mark.parametrize(
    "place",
    [
        f"{SPIDER}.note_news",
        f"{SPIDER}.item_ended",
        f"{LOOP}._next_url",
        f"{INTAKE}.process",
        "crawl.steps.refinement:refined",
        "pipelines.content:ContentPipeline.process_item",
    ],
)
def test_a_crawl_that_breaks_each_time_ends(tmp_path: Path, place: str) -> None:
    source = blog()
    with serve(source) as site:
        broken(tmp_path, f"{site.url}/", place, call=2 if place.endswith("process_item") else 1, always=True)
        assert crawl(tmp_path, f"{site.url}/").code == 0


UPDATE = "spiders.updatecrawl:UpdateCrawl"


@pytest.mark.parametrize(
    "place",
    [
        f"{UPDATE}.compose",
        "crawl.update.feed_news:FeedNews.find",
        "crawl.update.feed_news:try_wrapper",
        "spiders.updatecrawl:prepare_record",
        f"{UPDATE}.item_ended",
        "crawl.ending:Ending._finish",
        "crawl.update.comment_feed:CommentNews.ask",
        "pipelines.propagate:PropagatePipeline.process_item",
    ],
)
def test_an_update_that_breaks_ends(tmp_path: Path, place: str) -> None:
    source = blog()
    with serve(Blog(source.posts[2:], in_feed=4)) as site:
        assert crawl(tmp_path, f"{site.url}/").code == 0
        site.reset(source)
        arguments = command(f"{site.url}/", *breaking(f"blogcrawler.{place}"), spider="updatecrawl")
        first = run(tmp_path, arguments, timeout_s=90)
        assert SAID in first.stderr
        assert first.code == 1, first.stderr
        assert "see the log" in first.sentences[0]
        again = crawl(tmp_path, f"{site.url}/", spider="updatecrawl")
        assert again.code == 0, again.stderr
        assert sorted(kept(tmp_path)) == source.urls(site.url)
