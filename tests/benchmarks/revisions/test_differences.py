from __future__ import annotations

from dataclasses import replace

from tests.benchmarks.revisions.crawls import (
    ARCHIVE_AFTER_KILL,
    ARCHIVE_UNDISTURBED,
    Crawl,
    serious_lines,
    sorted_crawl,
)
from tests.benchmarks.revisions.differences import differences, kill_differences

PROVENANCE = {"status": 200, "fields": {"title": {"source": "rule", "rule": "//h1", "confidence": 0.9}}}


def record(slug, **fields):
    return {"url": f"http://b.example/{slug}/", "title": slug, "comments": [], "provenance": PROVENANCE, **fields}


def request(path, **headers):
    return {"method": "GET", "url": f"http://b.example{path}", "headers": {"Accept": "*/*", **headers}}


CRAWL = Crawl(
    "new", 0, [record("a"), record("b")], [request("/"), request("/a/"), request("/b/")], 2, "finished", ["WARNING: x"]
)


def test_nothing_is_said_of_crawls_that_are_the_same():
    assert differences(CRAWL, replace(CRAWL, records=CRAWL.records[::-1])) == []


def test_outcome():
    changed = replace(CRAWL, exit_code=1, items=3, finish_reason="shutdown", log=["WARNING: y"])
    assert differences(CRAWL, changed) == [
        "exit code: 0, now 1",
        "items: 2, now 3",
        "finish reason: 'finished', now 'shutdown'",
        "log:",
        "@@ -1 +1 @@",
        "-WARNING: x",
        "+WARNING: y",
    ]


def test_records_that_only_one_has():
    found = differences(CRAWL, replace(CRAWL, records=[record("a"), record("c")]))
    assert found == [
        "records only in old: 1",
        "  http://b.example/b/",
        "records only in new: 1",
        "  http://b.example/c/",
    ]


def test_a_second_record_of_a_post():
    found = differences(CRAWL, replace(CRAWL, records=[*CRAWL.records, record("a")]))
    assert found == ["records only in new: 1", "  http://b.example/a/ (record 2 of it)"]


def test_fields_are_named_with_how_many_records_differ_and_examples():
    comment = {"id": "c1", "author": "Ann"}
    old = [record(str(number), comments=[comment]) for number in range(5)]
    new = [record(str(number), title="x", comments=[{**comment, "author": None}]) for number in range(5)]
    found = differences(replace(CRAWL, records=old), replace(CRAWL, records=new))
    assert found[:3] == [
        "field comments[].author: differs in 5 of 5 records",
        "  http://b.example/0/",
        '    old "Ann"',
    ]
    assert "field title: differs in 5 of 5 records" in found
    assert sum(line.startswith("  http") for line in found) == 2 * 3


def test_long_texts_are_cut_to_where_they_differ():
    old, new = record("a", title="x" * 500 + "old" + "y" * 500), record("a", title="x" * 500 + "new" + "y" * 500)
    (_, _, before, after) = differences(replace(CRAWL, records=[old]), replace(CRAWL, records=[new]))
    assert "xold" in before
    assert "xnew" in after
    assert len(before) < 200


def test_texts_of_several_lines_are_shown_as_a_unified_diff():
    old, new = record("a", content_text="one\ntwo\nthree"), record("a", content_text="one\nthree")
    found = differences(replace(CRAWL, records=[old]), replace(CRAWL, records=[new]))
    assert found[2:] == ["    @@ -2 +1,0 @@", "    -two"]


def test_a_key_that_is_missing_differs_from_one_that_is_null():
    old, new = record("a", guid=None), record("a")
    found = differences(replace(CRAWL, records=[old]), replace(CRAWL, records=[new]))
    assert found[2:] == ["    old null", "    new no such key"]


def test_requests_that_only_one_has_and_where_the_order_begins_to_differ():
    changed = replace(CRAWL, requests=[request("/"), request("/b/"), request("/b/")])
    assert differences(CRAWL, changed) == [
        "requests only in old: 1",
        "  GET http://b.example/a/",
        "requests only in new: 1",
        "  GET http://b.example/b/",
        "order of requests: differs from request 2 on (3 and 3 requests):",
        "    old GET http://b.example/a/",
        "    new GET http://b.example/b/",
    ]


def test_the_same_requests_in_another_order():
    found = differences(CRAWL, replace(CRAWL, requests=[request("/"), request("/b/"), request("/a/")]))
    assert found[0] == "order of requests: differs from request 2 on (3 and 3 requests):"
    assert differences(sorted_crawl(CRAWL), sorted_crawl(replace(CRAWL, requests=CRAWL.requests[::-1]))) == []


def test_headers_are_compared():
    found = differences(CRAWL, replace(CRAWL, requests=[request("/", **{"If-None-Match": '"x"'}), *CRAWL.requests[1:]]))
    assert found[:4] == [
        "requests only in old: 1",
        "  GET http://b.example/",
        "requests only in new: 1",
        '  GET http://b.example/ [If-None-Match: "x"]',
    ]


def test_a_crawl_without_requests_differs_from_one_with_some():
    found = differences(CRAWL, replace(CRAWL, requests=[]))
    assert found[-1] == "    new the end"


def test_a_killed_crawl_may_be_surer_of_fields_and_must_have_the_same_records():
    surer = {"status": 200, "fields": {"title": {"source": "rule", "rule": "//h1", "confidence": 0.95}}}
    whole = Crawl(ARCHIVE_UNDISTURBED, 0, [record("a"), record("b")])
    killed = Crawl(ARCHIVE_AFTER_KILL, 0, [record("b"), record("a", provenance=surer)])
    assert kill_differences([whole, killed]) == []
    found = kill_differences([whole, replace(killed, records=killed.records[:1])])
    assert found == ["records only in old: 1", "  http://b.example/a/"]


def test_only_warnings_errors_and_sentences_of_a_log_count():
    log = """2026-01-01 10:00:00,123 INFO scrapy.core: fine
2026-01-01 10:00:01,123 WARNING blogcrawler.spiders: no answer from 127.0.0.1:4711
Traceback (most recent call last):
2026-01-01 10:00:02,123 ERROR blogcrawler.other: bad
blogcrawler: There is no blog."""
    assert serious_lines(log, "http://127.0.0.1:4711") == [
        "WARNING: no answer from PROXY",
        "ERROR: bad",
        "blogcrawler: There is no blog.",
    ]
