"""The summary at the end of a crawl."""

from __future__ import annotations

import logging

import pytest
from scrapy import Spider
from scrapy.utils.test import get_crawler

from blogcrawler.frontier import Stop, StopReason
from blogcrawler.reporting import Tally
from blogcrawler.reporting.summary import Summary, wrapped


@pytest.fixture
def ended(caplog):
    """Ends a crawl that was counted by a function, and gives the lines that are logged."""

    def end(count, reason: str = "finished", **settings) -> list[str]:
        crawler = get_crawler(settings_dict={"DATABASE_URL": "sqlite:///a.db", **settings})
        count(Tally(crawler.stats))
        with caplog.at_level(logging.INFO, "blogcrawler.reporting"):
            Summary.from_crawler(crawler).spider_closed(Spider("newcrawl"), reason)
        return caplog.messages

    return end


def nothing(tally: Tally) -> None:
    pass


def archived(**counts: int) -> dict[str, int]:
    """What the archive has, as the end of a crawl counts it."""
    return {name: counts.get(name, 0) for name in ("posts", "comments", "files", "locked")}


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:secret@host/blogs",
        "postgresql://ann:s%40cret@host:5432/blogs",
        "postgresql://ann:s@cret@host/b",
    ],
)
def test_no_password_is_told(ended, address):
    told = ended(nothing, DATABASE_URL=address)
    assert not any("cret" in line for line in told)
    assert any("ann:***@host" in line for line in told)


def test_nothing_is_expected_where_nothing_is_announced(ended):
    assert not any("announced" in line for line in ended(nothing))


@pytest.mark.parametrize(
    ("reason", "stop", "words", "goes_on"),
    [
        ("finished", None, "no page was left to fetch", False),
        ("finished", Stop(StopReason.KINDS_LEFT_OUT, pages=3), "the remaining 3 pages are of kinds", False),
        ("shutdown", None, "it was interrupted", True),
        ("page_limit", Stop(StopReason.PAGE_LIMIT, limit=7), "the limit of 7 pages was reached", True),
        (
            "page_limit",
            Stop(StopReason.PAGE_LIMIT, limit=1),
            "0 posts from 0 pages. The crawl ended because the limit of 1 page w",
            True,
        ),
        ("time_limit", Stop(StopReason.TIME_LIMIT, limit=60.0), "the limit of 60 seconds was reached", True),
        ("harvest", Stop(StopReason.LOW_HARVEST, 1, pages=9), "the last 9 pages led to 0 new posts", False),
        ("complete", Stop(StopReason.SOURCE_COMPLETE, pages=1, source="API"), "1 other page led to no more", False),
        ("closed", Stop(StopReason.SITE_CLOSED), "the site began to refuse the crawler", True),
    ],
)
def test_why_it_ended_and_how_to_go_on(ended, reason, stop, words, goes_on):
    def count(tally: Tally) -> None:
        if stop is not None:
            tally.stopped(**stop._asdict())

    verdict, course, *_ = ended(count, reason)
    assert words in course
    assert ("run the same command again" in verdict) is goes_on


@pytest.mark.parametrize("reason", StopReason)
def test_each_reason_to_stop_is_worded(ended, reason):
    first = ended(lambda tally: tally.stopped(**Stop(reason, 1, 2, 3, 4, "sitemap")._asdict()), Stop(reason).rule)[1]
    assert str(reason) not in first


def test_failures_are_counted_with_examples(ended):
    def count(tally: Tally) -> None:
        for number in range(5):
            tally.failure("404 Not Found", f"http://blog.test/{number}/")
        tally.failure("too large", "http://blog.test/\x1b[2J")

    told = ended(count)
    assert any(line.strip().startswith("6 pages could not be used") for line in told)
    assert any("404 Not Found: 5, such as http://blog.test/0/" in line and "/3/" not in line for line in told)
    assert not any("\x1b" in line for line in told)


def test_a_crawl_without_a_feed_says_so(ended):
    assert any(
        "no feed: posts were found by the blog's list pages" in line
        for line in ended(lambda tally: setattr(tally, "has_no_feed", True))
    )


@pytest.mark.parametrize(
    ("counts", "reason", "line"),
    [
        ({"archived": {"posts": 61}}, "finished", "Complete: 61 posts."),
        (
            {"archived": {"posts": 1, "comments": 661}, "comments/found": 5},
            "finished",
            "Complete: 1 post, 661 comments.",
        ),
        ({"archived": {"posts": 1200, "files": 10}, "media/stored": 9}, "harvest", "Complete: 1,200 posts, 10 files."),
        ({"archived": {"posts": 61}, "expected": 61}, "finished", "Complete: 61 of 61 posts."),
        (
            {"archived": {"posts": 58}, "expected": 61},
            "finished",
            "Incomplete: 58 of 61 posts; the others could not be found.",
        ),
        (
            {"archived": {"posts": 58}, "expected": 61},
            "shutdown",
            "Incomplete: 58 of 61 posts; run the same command again.",
        ),
        ({"archived": {"posts": 58}}, "page_limit", "Incomplete: 58 posts; run the same command again."),
        (
            {"archived": {"posts": 58}, "unavailable": 2},
            "finished",
            "Incomplete: 58 posts; run the same command again.",
        ),
        ({"archived": {"posts": 61}, "listed": 61}, "finished", "Complete: 61 of 61 posts."),
        ({"archived": {"posts": 58}, "listed": 61}, "finished", "Complete: 58 posts."),
        ({"archived": {"posts": 63}, "listed": 61}, "shutdown", "Incomplete: 63 posts; run the same command again."),
        (
            {"archived": {"posts": 114, "comments": 2}, "listed": 1194},
            "shutdown",
            "Incomplete: 114 of about 1,194 posts, 2 comments; run the same command again.",
        ),
        (
            {"archived": {"posts": 0}, "listed": 61},
            "failed",
            "Incomplete: 0 of about 61 posts; run the same command again.",
        ),
        (
            {"archived": {"posts": 5}, "expected": 9, "listed": 7},
            "shutdown",
            "Incomplete: 5 of 9 posts; run the same command again.",
        ),
        (
            {"archived": {"posts": 120}, "listed": 361, "listed_gone": {"404": 159}},
            "complete",
            "Complete: 120 posts. 159 listed posts are no longer online (404).",
        ),
        (
            {"archived": {"posts": 5}, "listed": 9, "listed_gone": {"410": 1}},
            "shutdown",
            "Incomplete: 5 of about 9 posts; run the same command again. 1 listed post is no longer online (410).",
        ),
        ({"is_update": True, "listed_gone": {"404": 2}}, "finished", "Up to date: nothing new."),
        ({"is_update": True, "listed": 3}, "shutdown", "Incomplete: nothing new; run the same command again."),
        ({"is_update": True}, "finished", "Up to date: nothing new."),
        (
            {"is_update": True, "saved/new": 1, "comments/found": 2, "archived": {"posts": 61, "comments": 661}},
            "finished",
            "Up to date: 1 new post, 2 comments.",
        ),
        (
            {"is_update": True, "saved/new": 2, "saved/changed": 1},
            "finished",
            "Up to date: 2 new posts, 1 changed post.",
        ),
        ({}, "crawled_elsewhere", "Not crawled: another process is crawling the blog."),
    ],
)
def test_the_verdict_comes_first(ended, counts, reason, line):
    def count(tally: Tally) -> None:
        for name, value in counts.items():
            stat = archived(**value) if name == "archived" else value
            tally.stats.set_value(f"blogcrawler/{name}", stat)

    assert ended(count, reason)[0] == line


@pytest.mark.parametrize(("count", "words"), [(1, "1 post is"), (2, "2 posts are")])
def test_posts_with_a_password_are_named(ended, count, words):
    told = ended(lambda tally: setattr(tally, "archived", archived(posts=9, locked=count)))
    assert f"  {words} password-protected." in told


def test_found_of_expected(ended):
    def count(tally: Tally) -> None:
        tally.expected(61, "WordPress API")
        tally.archived = archived(posts=60)

    assert "  posts: 60 found, 61 announced by the WordPress API" in ended(count)


@pytest.mark.parametrize(("pages", "words"), [(1, "1 page not fetched"), (2, "2 pages not fetched")])
def test_pages_that_were_not_fetched(ended, pages, words):
    assert f"  {words}" in ended(lambda tally: setattr(tally, "pending", pages))


def test_one_comment_on_one_post(ended):
    def count(tally: Tally) -> None:
        for name, number in {"found": 4, "posts": 1, "requests": 1}.items():
            tally.stats.set_value(f"blogcrawler/comments/{name}", number)

    assert "  comments: 4 on 1 post (1 request)" in ended(count)


def test_what_was_odd_about_rendered_pages_is_told(ended):
    def count(tally: Tally) -> None:
        tally.stats.set_value("blogcrawler/rendering/pages", 20)
        tally.stats.set_value("blogcrawler/rendering/troubles/took too long", 2)
        tally.stats.set_value("blogcrawler/rendering/examples", {"took too long": ["http://blog.test/1"]})

    told = ended(count)
    at = told.index("  20 pages shown in a browser")
    assert told[at + 1] == "    took too long: 2, such as http://blog.test/1"


def test_nothing_is_told_of_rendering_where_nothing_was_rendered(ended):
    assert not any("browser" in line for line in ended(nothing))


@pytest.mark.parametrize(
    ("counts", "line"),
    [
        ({"stored": 10, "bytes": 14600, "failed": 1}, "  10 files saved (14.6 kB), 1 failed"),
        ({"stored": 1, "bytes": 500, "known": 2}, "  1 file saved (500 bytes), 2 saved before"),
        ({"failed": 342}, "  342 files failed"),
        ({}, None),
    ],
)
def test_files_by_outcome(ended, counts, line):
    def count(tally: Tally) -> None:
        for name, number in counts.items():
            tally.stats.set_value(f"blogcrawler/media/{name}", number)

    assert [told for told in ended(count)[1:] if "file" in told] == ([line] if line else [])


LONG = "/".join(["http://blog.test", *["a-long-name"] * 4])


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        (f"    404: 2, such as {LONG}, {LONG}", ["    404: 2, such as", f"      {LONG},", f"      {LONG}"]),
        ("  some files of 15 posts could not be fetched this time; updates ask for them again",
         ["  some files of 15 posts could not be fetched this time; updates ask for", "    them again"]),
        (f"Incomplete: 1 post; {'word ' * 12}end.", [f"Incomplete: 1 post; {'word ' * 11}".strip(), "word end."]),
        (f"  report: {LONG}/{LONG}", [f"  report: {LONG}/{LONG}"]),
    ],
)  # fmt: skip
def test_long_lines_continue_indented_and_addresses_stay_whole(line, lines):
    assert wrapped(line, 75).split("\n") == lines
