"""The reports that crawls leave: what they tell, and that nothing of them runs or asks for anything."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from lxml import html

from blogcrawler.export.text import encoded
from blogcrawler.report.page import page, size
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import PROGRAM, crawl, run
from tests.site import Reply

HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(1)">"\'&\x00\ud800'


def facts(**changes):
    """Of a crawl that found a little of everything, under names that are hostile."""
    told = {
        "version": 1, "program": "blogcrawler", "spider": "newcrawl", "started": "2026-11-21T12:00:00+00:00",
        "ended": "2026-11-21T12:01:00+00:00", "seconds": 60.0, "reason": "finished", "summary": [HOSTILE, HOSTILE],
        "records": {"handed_on": 2, "new": 2, "changed": 0, "same": 0, "moved": 0, "gone": 0},
        "pages": {"fetched": 4, "posts": 2, "lists": 1, "others": 1},
        "harvest": [(0, 0), (2, 1), (4, 2)],
        "requests": [{"purpose": "pages", "requests": 7, "errors": 1, "unanswered": 1, "bytes": 4321}],
        "fields": {"title": {"sources": [{"source": "rule", "records": 1, "confidence": 0.5, "sure": 0, "fair": 0, "doubtful": 1}], "empty": 1}},
        "failures": [{"reason": HOSTILE, "count": 3, "examples": [HOSTILE, f"javascript:{HOSTILE}", "http://a.example.org/?<b>"]}],
        "comments": {"found": 3}, "files": {"stored": 1, "known": 0, "failed": 1, "bytes": 5}, "rendered": 0,
        "blog": {"home": "http://a.example.org/", "title": HOSTILE, "feed": None, "posts": 2},
        "months": [{"month": "2014-05", "posts": 0, "lost": 2, "usual": 7.5, "looks_incomplete": True}],
        "undated": 1, "gaps": {"post": 2, "comments": 1, "file": 1, "field": 4},
    }  # fmt: skip
    return told | changes


def written(told):
    return encoded(page(told)).decode()


def check_harmless(text):
    """No scripts, no handlers, no addresses to fetch from; links only to the web."""
    tree = html.fromstring(text)
    assert not tree.xpath("//script|//iframe|//object|//embed|//img|//link|//*[@src]|//foreignObject")
    for element in tree.iter():
        names = [name.lower() for name in element.attrib]
        assert not [
            name for name in names if name.startswith("on") or (name == "style" and "url(" in element.get("style"))
        ]
    assert not re.search(r"url\(|@import", text)
    assert all(re.match("https?://|#", link) for link in tree.xpath("//a/@href"))
    assert "default-src 'none'" in tree.xpath("//meta[@http-equiv]/@content")[0]


def test_nothing_that_the_web_tells_is_markup():
    check_harmless(written(facts()))
    check_harmless(written(facts(blog={"home": HOSTILE, "title": None, "feed": None, "posts": 0})))


def test_a_crawl_that_did_nothing_has_a_page():
    nothing = facts(
        harvest=[(0, 0)], requests=[], fields={}, failures=[], months=[], gaps={}, undated=0, summary=["Nothing new."],
        records=dict.fromkeys(facts()["records"], 0), pages=dict.fromkeys(facts()["pages"], 0),
    )  # fmt: skip
    text = written(nothing)
    check_harmless(text)
    assert "<svg" not in text


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (1234567, "1.2 MB"), (5 * 10**12, "5000.0 GB")],
)
def test_sizes(number, words):
    assert size(number) == words


def reports(folder, ending):
    return sorted(folder.glob(f"archive/reports/*/*.{ending}"))


@pytest.mark.slow
def test_a_crawl_leaves_a_report(tmp_path):
    posts = make_posts(14)
    blog = Blog([replace(post, title=HOSTILE[:-2]) if at == 3 else post for at, post in enumerate(posts)], in_feed=5)
    with serve(blog) as site:
        dead = posts[9].path
        site.routes[dead] = Reply("gone", status=404)
        done = crawl(tmp_path, f"{site.url}/", server=site, REPORTS=True)
        asked = len(done.requests)
        (file,), (told,) = reports(tmp_path, "html"), reports(tmp_path, "json")
        assert any(line.endswith(f"report: {file.relative_to(tmp_path)}") for line in done.summary)
        check_harmless(file.read_text("utf-8"))
        found = json.loads(told.read_text("utf-8"))
        assert found["records"] | {"handed_on": 13, "new": 13} == found["records"]
        assert (found["blog"]["posts"], found["gaps"]["post"]) == (13, 1)
        assert sum(one["requests"] for one in found["requests"]) == asked
        assert found["harvest"][-1] == [found["pages"]["fetched"], 13]
        assert {"reason": "404 Not Found", "count": 1, "examples": [site.url + dead]} in found["failures"]
        title = found["fields"]["title"]
        assert sum(source["records"] for source in title["sources"]) + title["empty"] == 13
        assert {source["source"] for source in title["sources"]} == {"feed", "rule"}
        lost = [month["month"] for month in found["months"] if month["lost"]]
        assert lost == [f"{posts[9].published:%Y-%m}"]
        assert sum(month["posts"] for month in found["months"]) + found["undated"] == 13
        update = crawl(tmp_path, f"{site.url}/", spider="updatecrawl", REPORTS=True, REPORTS_KEPT=1)
        assert update.code == 0
        (newest,) = reports(tmp_path, "html")
        assert newest.stem.endswith("updatecrawl")
        assert [one.stem for one in reports(tmp_path, "json")] == [newest.stem]


@pytest.mark.slow
def test_a_crawl_goes_its_way_where_no_report_can_be_written(tmp_path):
    with serve(Blog(make_posts(4))) as site:
        (tmp_path / "archive").mkdir()
        (tmp_path / "archive" / "reports").write_text("a file")
        done = crawl(tmp_path, f"{site.url}/", REPORTS=True)
        assert (done.code, len(done.records)) == (0, 4)
        assert "The report of the crawl cannot be written" in done.stderr


def test_a_crawl_that_fails_before_it_knows_its_blog_leaves_none(tmp_path):
    done = run(
        tmp_path,
        [
            *PROGRAM,
            "crawl",
            "newcrawl",
            "-a",
            "url=http://127.0.0.1:9/",
            "-s",
            "RETRY_TIMES=0",
            "-s",
            "BACKOFF_TIMES=0",
        ],
    )
    assert done.code == 1
    assert reports(tmp_path, "html") == []
