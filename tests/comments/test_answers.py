"""Each comment system on a saved page, with the requests that it is asked by and its saved answers: answers/*.json.

`requests` have the url, json where it is a POST, and the answer (`text` where it is no JSON), with headers that count.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from blogcrawler.comments.endpoints import parts_of
from blogcrawler.comments.systems import recognise, systems
from blogcrawler.comments.threads import thread_of
from blogcrawler.feeds.dates import iso_date
from blogcrawler.feeds.sources import Answer

CASES = {
    path.stem: json.loads(path.read_text("utf-8")) for path in sorted(Path(__file__).with_name("answers").iterdir())
}
SYSTEMS = {system.name: system for system in systems()}
ENDPOINTS = [
    (system.name, place) for system in systems() if system.has_own_endpoints for place in range(len(system.endpoints))
]
all_cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def thread(case: dict[str, Any], page: str | None = None):
    source = (page or case["page"]).encode()
    return thread_of(SYSTEMS[case["system"]], source, case["url"])


def answer(body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    return Answer("https://answers.example.org/", status, body, headers=headers or {})


def saved(request: dict[str, Any]) -> Answer:
    body = request["text"] if "text" in request else json.dumps(request["answer"])
    return answer(body.encode(), headers=request.get("headers"))


@pytest.mark.parametrize(("name", "place"), ENDPOINTS)
def test_each_endpoint_has_a_saved_answer(name, place):
    used = [
        next(at for at, one in enumerate(SYSTEMS[name].endpoints) if parts_of(one["parts"], case["page"], case["url"]))
        for case in CASES.values()
        if case["system"] == name
    ]
    assert place in used, f"add tests/comments/answers/{name}.json"


@all_cases
def test_a_system_is_recognised(case):
    if SYSTEMS[case["system"]].signs:
        assert [system.name for system in recognise(case["page"].encode())] == [case["system"]]


def fields(comment):
    told = {key: comment.get(key, "") for key in ("id", "parent", "author", "html")}
    return {**told, "published": iso_date(comment.get("published"))}


@all_cases
def test_a_system_is_asked_and_understood(case):
    found = thread(case)
    assert found.system == case["system"]
    for request in case["requests"]:
        sent = found.next_request
        assert sent.url == request["url"]
        assert sent.method == ("POST" if "json" in request else "GET")
        assert (json.loads(sent.body) if sent.body else None) == request.get("json")
        assert not found.is_whole
        assert found.take(saved(request))
    assert found.next_request is None
    assert found.is_whole
    assert list(map(fields, found.comments)) == list(map(fields, case["comments"]))


@all_cases
def test_pages_need_no_quotes(case):
    """As minified pages have none that HTML does not need."""
    source = re.sub(r"<[a-z][^>]*>", lambda tag: re.sub(r"""=(["'])([^\s"'`=<>]+)\1""", r"=\2", tag[0]), case["page"])
    assert thread(case, source).next_request == thread(case).next_request


@all_cases
def test_errors_are_no_answers(case):
    for body in ("", "<html></html>", "{}", "null", '{"message": "error"}'):
        found = thread(case)
        assert not found.take(answer(body.encode()))
        assert not found.is_whole
    for status in (403, 429, 500):
        found = thread(case)
        assert not found.take(answer(b"{}", status))
        assert not found.is_whole


@pytest.mark.parametrize(("system", "status"), [("giscus", 404), ("Ghost", 405)])
def test_a_thread_that_is_not_there_has_no_comments(system, status):
    found = thread(CASES[system])
    assert found.take(answer(b'{"error": "Discussion not found"}', status))
    assert found.is_whole
    assert not found.comments
    assert found.next_request is None


def test_an_issue_that_is_not_there_has_no_comments():
    found = thread(CASES["utterances"])
    assert found.take(answer(b'{"total_count": 0, "items": []}'))
    assert found.is_whole
    assert found.next_request is None


def test_more_than_a_system_tells_at_once_is_not_whole():
    found = thread(CASES["Disqus"])
    (request,) = CASES["Disqus"]["requests"]
    assert found.take(answer(request["text"].replace('"total": 2', '"total": 120').encode()))
    assert not found.is_whole
    found = thread(CASES["Ghost"])
    for request in CASES["Ghost"]["requests"]:
        assert not found.is_whole
        assert found.take(answer(saved(request).body.replace(b'"total": 3', b'"total": 4')))
    assert found.next_request is None
    assert not found.is_whole, "only some of the replies are told"
    found = thread(CASES["Mastodon"])
    comment = {"in_reply_to_id": "11", "created_at": "2021-02-03T04:05:06.000Z", "content": "<p>y</p>"}
    many = {"descendants": [{**comment, "id": str(number)} for number in range(60)]}
    assert found.take(answer(json.dumps(many).encode()))
    assert not found.is_whole


def test_a_comment_that_comes_twice_is_one():
    found = thread(CASES["Cusdis"])
    for _ in range(2):
        assert found.take(saved(CASES["Cusdis"]["requests"][0]))
    assert [comment["id"] for comment in found.comments] == ["u1", "u2"]
    assert not found.is_whole


@pytest.mark.parametrize(
    "source",
    [
        "<script>twikoo.init({envId: 'env-123', el: '#tcomment'})</script>",
        "<script>new Gitalk({repo: 'notes', owner: 'ann', id: md5(location.pathname)})</script>",
        "<script>new Valine({el: '#vcomments', appId: 'ID', appKey: 'KEY'})</script>",
        "<script>DiscourseEmbed = { discourseUrl: 'https://f.example.org/', discourseEmbedUrl: 'https://x' };</script><p id='discourse-comments'>",
        "<div id='cusdis_thread'></div>",
        "<script>window.x_preloads = 1</script><img src='https://substackcdn.com/x.png'>",
        "<div id='isso-thread'>",
        "<div id='remark42'>",
        '<div id="disqus_thread">',
    ],
)
def test_a_page_that_lacks_a_part_of_the_address_is_not_asked_for(source):
    (system,) = recognise(source.encode())
    assert thread_of(system, source.encode(), "https://blog.example.org/a") is None


@pytest.mark.parametrize(
    "piece",
    [
        "<script",
        "Waline.init({",
        "new Gitalk(",
        "new Valine(",
        "Artalk.init(",
        "twikoo.init(",
        "remark_config={",
        "<meta ",
        "<link ",
    ],
)
def test_pages_without_end_take_little_time(piece):
    begun = time.process_time()
    for system in systems():
        thread_of(system, (piece * (200_000 // len(piece))).encode(), "https://blog.example.org/a")
    assert time.process_time() - begun < 30
