"""The order in which the sources of a post's comments are asked, without Scrapy and a browser."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler

from blogcrawler.backend import Archive
from blogcrawler.comments import CommentGatherer, Crawl
from blogcrawler.feeds.sources import Answer
from blogcrawler.items import Page, Record, RecordSource
from tests.comments.test_page_comments import run
from tests.wrapper.comments.made import wrapper

SITE = "http://blog.example.net"
API, FEED = f"{SITE}/wp-json/wp/v2/comments?post=45&per_page=100&page=1&order=asc", f"{SITE}/2014/05/a-post/feed/"
NAMED = f'<link rel="https://api.w.org/" href="{SITE}/wp-json/"><body class="postid-45">'
SHOWN = '<link rel="stylesheet" href="/wp-content/themes/a.css"><li id=comment-12>Yes.</li>'
ANSWER = json.dumps([{"id": 12, "author_name": "Bob", "content": {"rendered": "Yes."}, "type": "comment"}]).encode()
FOUND = f"""<rss version="2.0"><channel><link>{SITE}/2014/05/a-post/</link><item><title>Yes</title>
<link>{SITE}/2014/05/a-post/#comment-12</link><description>Yes.</description></item></channel></rss>""".encode()


@pytest.fixture
def gather(tmp_path):
    """Gathers the comments of a post; what it was asked for is in `asked`."""
    with Archive.open(f"sqlite:///{tmp_path / 'archive.db'}") as archive:
        archive.start_crawl(SITE, now=datetime.now(UTC))

        def gather(html: str, answers: dict[str, Answer], count: int | None = None) -> tuple[Record, list[str]]:
            asked = []

            async def fetch(request):
                asked.append(request.url)
                return answers.get(request.url, Answer(request.url, 404))

            crawl = Crawl(fetch, MemoryStatsCollector(get_crawler()), is_stuck=lambda _: True)
            page = Page(f"{SITE}/2014/05/a-post/", f"<html>{html}</html>".encode())
            record = Record(SITE, page.url, comment_count=count, source=RecordSource(page, wrapper()))
            gatherer = CommentGatherer(archive, SITE, wrapper(), crawl, least=0.5)
            run(gatherer.add_to(record))
            gatherer.close()
            return record, asked

        yield gather


def test_an_api_that_has_all_is_enough(gather):
    record, asked = gather(NAMED + SHOWN, {API: Answer(API, 200, ANSWER, headers={"x-wp-total": "1"})})
    assert asked == [API]
    assert [(one.id, one.author, one.content_text) for one in record.comments] == [("comment-12", "Bob", "Yes.")]
    assert (record.comment_count, record.provenance.fields["comments"].rule) == (1, "WordPress")


def test_the_feed_is_asked_where_the_api_is_closed(gather):
    record, asked = gather(NAMED + SHOWN, {API: Answer(API, 401), FEED: Answer(FEED, 200, FOUND)}, count=1)
    assert asked == [API, FEED]
    assert [(one.id, one.content_text) for one in record.comments] == [("comment-12", "Yes.")]
    assert record.provenance.fields["comments"].source == "feed"


def test_nothing_is_asked_for_a_post_that_announces_none(gather):
    record, asked = gather(NAMED + SHOWN, {}, count=0)
    assert (asked, record.comments, record.comment_count) == ([], [], 0)


def test_a_post_whose_server_does_not_answer_is_asked_again_by_the_next_update(gather, tmp_path):
    gather(NAMED + SHOWN, {API: Answer(API, 503)}, count=1)
    with Archive.open(f"sqlite:///{tmp_path / 'archive.db'}") as archive:
        ((url, *_),) = archive.load_source_state(SITE, "late comments")["waiting"]
    assert url == f"{SITE}/2014/05/a-post/"


class Shown:
    """Stands in for the browser, and notes the pages that it is to render."""

    can_render = True

    def __init__(self) -> None:
        self.pages: list[str] = []

    async def show(self, page: Page, *_: object, **__: object) -> None:
        self.pages.append(page.url)


@pytest.mark.parametrize(
    ("answer", "is_rendered"),
    [
        pytest.param(b"[]", False, id="the API has none of this post"),
        pytest.param(None, True, id="the API does not answer"),
    ],
)
def test_no_browser_is_asked_where_the_source_of_other_posts_comments_has_none(tmp_path, answer, is_rendered):
    def post(number: int, shown: str) -> Record:
        html = f'{NAMED.replace("45", str(number))}{shown}<script src="/own.js"></script>'
        page = Page(f"{SITE}/2014/05/post-{number}/", f"<html>{html}</html>".encode())
        return Record(SITE, page.url, comment_count=1 if shown else None, source=RecordSource(page, wrapper()))

    async def fetch(request):
        if "post=45&" in request.url:
            return Answer(request.url, 200, ANSWER, headers={"x-wp-total": "1"})
        if "wp-json" in request.url and answer is not None:
            return Answer(request.url, 200, answer, headers={"x-wp-total": "0"})
        return Answer(request.url, 404)

    browser = Shown()
    crawl = Crawl(fetch, MemoryStatsCollector(get_crawler()), browser, is_stuck=lambda _: True)
    with Archive.open(f"sqlite:///{tmp_path / 'archive.db'}") as archive:
        archive.start_crawl(SITE, now=datetime.now(UTC))
        gatherer = CommentGatherer(archive, SITE, wrapper(), crawl, least=0.5)
        for record in (post(45, SHOWN), without := post(46, "")):
            run(gatherer.add_to(record))
    assert browser.pages == ([without.url] if is_rendered else [])
    assert without.comment_count == (None if is_rendered else 0)
