"""Comments from where a system's own script gets them."""

from __future__ import annotations

import json

import pytest

from blogcrawler.browser import beside, recognise, thread_of

ISSO = b'<script data-isso="//comments.example.org/" src="//comments.example.org/js/embed.min.js"></script>'
REMARK = b"<script>var remark_config = {\n host: 'https://r.example.org', components: ['embed'], site_id: 'my blog' }</script>"
WALINE = b"<script type=module>Waline.init({el: '#waline', serverURL: 'https://w.example.org/'})</script>"
URL = "https://blog.example.org/2020/a post/?x=1#top"


def thread(source: bytes, url: str = URL):
    (system,) = recognise(source)
    return thread_of(system, source, url)


@pytest.mark.parametrize(
    ("source", "url"),
    [
        (ISSO, "https://comments.example.org/?uri=%2F2020%2Fa%20post%2F"),
        (ISSO.replace(b" src", b" data-isso-id='post 7' src"), "https://comments.example.org/?uri=post%207"),
        (
            REMARK,
            (
                "https://r.example.org/api/v1/find?site=my%20blog&url=https%3A%2F%2Fblog.example.org%2F2020%2Fa%20post%2F%3Fx%3D1"
                "&format=tree&sort=%2Btime"
            ),
        ),
        (
            WALINE,
            "https://w.example.org/api/comment?path=%2F2020%2Fa%20post%2F&pageSize=100&page=1&lang=en&sortBy=insertedAt_asc",
        ),
    ],
    ids=["Isso", "Isso with an id", "Remark42", "Waline"],
)
def test_where_a_system_is_asked(source, url):
    assert thread(source).next_question.url == url


@pytest.mark.parametrize("source", [b"<div id='isso-thread'>", b"<div id='remark42'>", b'<div id="disqus_thread">'])
def test_a_page_that_does_not_tell_where_is_not_asked_for(source):
    assert thread(source) is None


def isso(total: int, *comments) -> bytes:
    return json.dumps({"total_replies": total, "replies": list(comments)}).encode()


def test_all_comments_must_be_there():
    whole, part = thread(ISSO), thread(ISSO)
    nested = {"id": 1, "text": "a", "replies": [{"id": 2, "parent": 1, "text": "b"}]}
    assert whole.take(isso(2, nested))
    assert part.take(isso(3, nested))
    assert whole.is_whole
    assert not part.is_whole


def test_answers_to_answers_know_whom_they_answer():
    found = thread(WALINE)
    page = {
        "objectId": "a",
        "nick": "Ann",
        "time": 1590504931000,
        "comment": "x",
        "children": [{"objectId": "b", "pid": "a", "comment": "y"}],
    }
    assert found.take(json.dumps({"data": {"count": 3, "totalPages": 2, "data": [page]}}).encode())
    assert "page=2" in found.next_question.url
    assert found.take(
        json.dumps({"data": {"count": 3, "totalPages": 2, "data": [{"objectId": "c", "comment": "z"}]}}).encode()
    )
    assert found.is_whole
    assert [(told["id"], told["parent"]) for told in found.comments] == [("a", ""), ("b", "a"), ("c", "")]
    assert found.comments[0]["published"] == "2020-05-26T14:55:31+00:00"


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[]", b"null", b'{"replies": {}, "total_replies": 1}', b'{"replies": []}', b"[" * 100_000],
)
def test_what_is_no_answer(body):
    assert not thread(ISSO).take(body)


def test_a_deep_thread_and_odd_comments_are_read():
    item = {"id": 0, "text": "x"}
    for number in range(1, 300):
        item = {"id": number, "text": "x", "replies": [item]}
    found = thread(ISSO)
    assert found.take(isso(302, item, "no comment", None))
    assert len(found.comments) == 302


def test_names_and_addresses_are_no_markup():
    found = thread(ISSO)
    hostile = {"id": '"><b>', "author": "<script>", "website": "javascript:1", "created": "<", "text": "<p>x</p>"}
    assert found.take(isso(1, hostile))
    assert "<script>" not in found.html()
    assert "javascript:" not in found.html()
    assert "<b>" not in found.html()


def test_comments_stand_at_the_end_of_the_page_in_any_charset():
    page = "<html><body>ä</BODY></html>".encode("latin-1")
    assert beside(page, "<i>é</i>") == "<html><body>ä<i>&#233;</i></BODY></html>".encode("latin-1")
    assert beside(b"ab", "<i>c</i>") == b"ab<i>c</i>"
