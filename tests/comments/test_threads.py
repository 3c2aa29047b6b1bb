"""Comments from where a system's own script gets them."""

from __future__ import annotations

import json

import pytest

from blogcrawler.comments.systems import recognise
from blogcrawler.comments.threads import own_threads, thread_of
from blogcrawler.feeds.sources import Answer
from blogcrawler.items import Comment

ISSO = b'<script data-isso="//comments.example.org/" src="//comments.example.org/js/embed.min.js"></script>'
URL = "https://blog.example.org/2020/a post/?x=1#top"
SITE = "http://blog.example.net"
POST = f"{SITE}/2014/05/a-post/"
API = '<link rel="https://api.w.org/" href="{}"><link rel="alternate" href="http://blog.example.net/wp-json/wp/v2/posts/45">'


def thread(source: bytes = ISSO):
    (system,) = recognise(source)
    return thread_of(system, source, URL)


def answer(told: object, **headers: str) -> Answer:
    body = told if isinstance(told, bytes) else json.dumps(told).encode()
    return Answer(URL, 200, body, headers=headers)


def isso(total: int, *comments: object) -> Answer:
    return answer({"total_replies": total, "replies": list(comments)})


@pytest.mark.parametrize(
    ("source", "url"),
    [
        (ISSO, "https://comments.example.org/?uri=%2F2020%2Fa%20post%2F"),
        (ISSO.replace(b" src", b" data-isso-id='post 7' src"), "https://comments.example.org/?uri=post%207"),
    ],
)
def test_where_a_system_is_asked(source, url):
    assert thread(source).next_request.url == url


def test_all_comments_must_be_there():
    whole, part = thread(), thread()
    nested = {"id": 1, "text": "a", "replies": [{"id": 2, "parent": 1, "text": "b"}]}
    assert whole.take(isso(2, nested))
    assert part.take(isso(3, nested))
    assert whole.is_whole
    assert not part.is_whole


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[]", b"null", b'{"replies": {}, "total_replies": 1}', b'{"replies": []}', b"[" * 100_000],
)
def test_no_answer(body):
    assert not thread().take(answer(body))


def test_a_deep_thread_and_odd_comments_are_read():
    item = {"id": 0, "text": "x"}
    for number in range(1, 300):
        item = {"id": number, "text": "x", "replies": [item]}
    found = thread()
    assert found.take(isso(302, item, "no comment", None))
    assert len(found.comments) == 302


def test_names_and_addresses_are_no_markup():
    found = thread()
    hostile = {"id": '"><b>', "author": "<script>", "website": "javascript:1", "created": "<", "text": "<p>x</p>"}
    assert found.take(isso(1, hostile))
    (comment,) = found.to_comments(URL).comments
    assert (comment.author_url, comment.published, comment.content_html) == (None, None, "<p>x</p>")


def test_an_answer_becomes_comments():
    (found,) = own_threads(API.format(f"{SITE}/wp-json/").encode(), POST)
    bob = {"id": 12, "parent": 0, "author_name": "Bob", "author_url": "javascript:alert(1)", "type": "comment"}
    cy = {"id": 13, "parent": 12, "author_name": "Cy &amp; Di", "author_url": "http://cy.example.org/", "type": "ping"}
    for at, (one, text) in enumerate([(bob, "<p>A <b onclick='x()'>text</b>.</p><script>x()</script>"), (cy, "Yes.")]):
        link = f"{POST}comment-page-1/#comment-{12 + at}"
        one |= {"content": {"rendered": text}, "date_gmt": "2014-05-02T10:00:00", "link": link}
    assert found.take(answer([bob, cy], **{"x-wp-total": "2"}))
    told = found.to_comments(POST)
    assert (told.system, told.is_own) == ("WordPress", True)
    assert told.comments[0] == Comment(
        "comment-12",
        None,
        "comment",
        "Bob",
        None,
        "2014-05-02T10:00:00+00:00",
        f"{POST}comment-page-1/#comment-12",
        "<p>A <b>text</b>.</p>",
        "A text.",
    )
    second = told.comments[1]
    assert (second.parent, second.kind, second.author) == ("comment-12", "pingback", "Cy & Di")
    assert second.author_url == "http://cy.example.org/"


@pytest.mark.parametrize("html", ["", "<p>postid-45</p>", '<link rel="https://api.w.org/" href="/wp-json/">'])
def test_pages_that_do_not_name_an_api(html):
    assert own_threads(html.encode(), POST) == []
