"""The reports that crawls leave: what they tell, and that nothing of them runs or asks for anything."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from blogcrawler.export.text import encoded
from blogcrawler.purposes import Purpose
from blogcrawler.report.extension import drop_old
from blogcrawler.report.facts import pages_by_kind
from blogcrawler.report.page import page, size
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import DATABASE, PROGRAM, command, crawl, crawl_until, run
from tests.site import Reply

HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(1)">"\'&\x00\ud800'


def facts(**changes):
    """Of a crawl that found a little of everything, under names that are hostile."""
    told = {
        "version": 1, "program": "blogcrawler", "spider": "newcrawl", "started": "2026-11-21T12:00:00+00:00",
        "ended": "2026-11-21T12:01:00+00:00", "seconds": 60.0, "reason": HOSTILE, "goes_on_since": "2026-11-20T12:00:00+00:00", "summary": [HOSTILE, HOSTILE],
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


def test_commands_are_safe_to_paste_into_a_shell():
    blog = {"home": "http://a.example.org/?a&b=$(id)", "title": None, "feed": None, "posts": 0}
    assert (
        "blogcrawler gaps 'http://a.example.org/?a&b=$(id)'"
        in html.fromstring(written(facts(blog=blog))).text_content()
    )


def test_a_narrow_page_is_not_wider_than_its_window():
    """Tables and plots move within a part of their own, also by the keyboard."""
    tree = html.fromstring(written(facts()))
    assert tree.xpath("//table | //*[local-name()='svg']")
    for wide in tree.xpath("//table | //figure//*[local-name()='svg']"):
        assert wide.xpath("boolean(ancestor::div[@class='wide'][@tabindex='0'][@aria-label])")


def test_ten_months_that_look_incomplete_are_shown_and_the_rest_is_folded():
    month = {"posts": 0, "lost": 1200, "usual": None, "looks_incomplete": True}
    text = written(facts(months=[{"month": f"{2000 + number}-01", **month} for number in range(13)]))
    shown, folded = text.split("<details><summary>3 further months</summary>")
    assert "January 2009" in shown
    assert "January 2010" not in shown
    assert "January 2012" in folded
    assert "1,200" in shown
    assert "further month" not in written(facts())


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


KINDS = st.fixed_dictionaries({name: st.integers(0, 9) for name in ("posts", "lists", "others", "fetched")})
ASKED = st.dictionaries(
    st.sampled_from(Purpose), st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), max_size=6
)


@given(KINDS, ASKED)
def test_each_request_is_counted_once(pages, asked):
    """Also where pages were at hand, or were fetched to find the feed."""
    requests = [
        {"purpose": str(purpose), "requests": good + errors + lost, "errors": errors, "unanswered": lost, "bytes": 0}
        for purpose, (good, errors, lost) in asked.items()
    ]
    kinds = pages_by_kind({"pages": pages, "requests": requests})
    assert sum(kinds.values()) == sum(one["requests"] for one in requests)
    assert all(count > 0 for count in kinds.values())


def test_a_page_that_was_fetched_to_find_the_feed_is_none_of_the_sources():
    asked = [
        {"purpose": "pages", "requests": 31, "errors": 1, "unanswered": 0, "bytes": 0},
        {"purpose": "sources", "requests": 4, "errors": 0, "unanswered": 0, "bytes": 0},
    ]
    pages = {"fetched": 32, "posts": 24, "lists": 7, "others": 0}
    assert pages_by_kind({"pages": pages, "requests": asked}) == {
        "posts": 24,
        "lists of posts": 7,
        "errors, and no answer": 1,
        "sources": 3,
    }


def test_old_reports_are_dropped_and_nothing_else(tmp_path):
    names = [
        "20261124T100000Z-newcrawl",
        *(f"20261124T100000Z-newcrawl-{at}" for at in range(2, 12)),
        "20261125T100000Z-a",
    ]
    for name in [*names, "notes", "2026"]:
        for ending in (".html", ".json"):
            (tmp_path / f"{name}{ending}").touch()
    drop_old(tmp_path, 3)
    left = {file.stem for file in tmp_path.iterdir()}
    assert left == {"notes", "2026", *names[-3:]}
    drop_old(tmp_path, 0)
    assert {file.stem for file in tmp_path.iterdir()} == left


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
        assert sum(pages_by_kind(found).values()) == asked
        assert not found["goes_on_since"]
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


@pytest.mark.slow
def test_a_crawl_that_is_gone_on_with_says_so(tmp_path):
    with serve(Blog(make_posts(20), in_feed=5)) as site:
        crawl(tmp_path, f"{site.url}/", REPORTS=True, PAGE_LIMIT=10)
        (earlier,) = reports(tmp_path, "json")
        done = crawl(tmp_path, f"{site.url}/", server=site, REPORTS=True)
        (later,) = set(reports(tmp_path, "json")) - {earlier}  # by their names only if nobody has set the clock back
        first, second = (json.loads(file.read_text("utf-8")) for file in (earlier, later))
        assert (first["reason"], second["reason"]) == ("page_limit", "finished")
        assert (first["goes_on_since"], second["goes_on_since"] >= first["started"]) == (None, True)
        assert second["harvest"][-1] == [second["pages"]["fetched"], second["pages"]["posts"]]
        assert sum(pages_by_kind(second).values()) == len(done.requests)
        assert "resumes one" in later.with_suffix(".html").read_text("utf-8")


@pytest.mark.slow
def test_a_crawl_that_failed_says_why(tmp_path):
    blog = Blog(make_posts(6))
    with serve(blog) as site:
        site.routes |= {path: Reply("gone", status=404) for path in blog.paths()}
        done = crawl(tmp_path, f"{site.url}/", REPORTS=True)
        (told,), (file,) = reports(tmp_path, "json"), reports(tmp_path, "html")
        assert f"blogcrawler: {json.loads(told.read_text('utf-8'))['reason']}" in done.stderr
        assert "leads to a page that can be read" in file.read_text("utf-8")


@pytest.mark.slow
def test_nothing_is_left_of_a_report_that_cannot_be_written(tmp_path):
    with serve(Blog(make_posts(40))) as site:
        code = crawl_until(
            tmp_path,
            command(f"{site.url}/", REPORTS=True, DOWNLOAD_DELAY=0.03),
            lambda: len(site.paths) > 15,
            lambda _: without_failures(tmp_path),
        )
        assert code == 75
        assert list(tmp_path.glob("archive/reports/*/*")) == []
        assert "Traceback" not in (tmp_path / "stderr").read_text("utf-8")


def without_failures(folder):
    """The archive's database is damaged during the crawl."""
    with closing(sqlite3.connect(folder / DATABASE, timeout=30)) as database, database:
        database.execute("DROP TABLE failure")


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
