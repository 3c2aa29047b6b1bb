from __future__ import annotations

import http.client
import io
import socket
from datetime import date
from urllib.parse import urlsplit

import feedparser
import lxml.html
import pytest

from blogcrawler.demo import DemoServer, build
from tests.demo.truth import truth


@pytest.fixture(scope="module")
def server():
    with DemoServer() as running:
        yield running


def ask(server, target, method="GET", **headers):
    """Status, headers and body of one answer; redirects are not followed."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=5)
    try:
        body = headers.pop("body", None)
        connection.request(method, target, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def test_it_listens_on_loopback_only(server):
    assert urlsplit(server.url).hostname == "127.0.0.1"
    assert urlsplit(server.url).path == "/"


def test_it_answers_with_what_was_built(server):
    for path, (kind, body) in build(server.url).items():
        if path != "/404.html":
            status, headers, got = ask(server, path)
            assert (status, headers["Content-Type"], got) == (200, kind, body), path


def test_head_is_get_without_the_body(server):
    for target in ("/", "/feed.xml", "/nowhere/", "/?p=31"):
        status, headers, body = ask(server, target, "HEAD")
        get_status, get_headers, _ = ask(server, target)
        assert (status, body) == (get_status, b"")
        assert headers["Content-Length"] == get_headers["Content-Length"]
        assert headers["ETag"] == get_headers["ETag"]


@pytest.mark.parametrize(
    ("target", "location"),
    [
        ("/?p=31", "/2021/01/kettle-stitch-slowly/"),
        ("/?utm_source=a&p=31", "/2021/01/kettle-stitch-slowly/"),
        ("/?p=45", "/2022/03/%E5%92%8C%E7%B6%B4%E3%81%98/"),
        ("/feed/", "/feed.xml"),
        ("/feed", "/feed.xml"),
        ("/archive", "/archive/"),
        ("/2021/01/kettle-stitch-slowly?a=1", "/2021/01/kettle-stitch-slowly/?a=1"),
        ("/page/1/", "/"),
    ],
)
def test_moved_addresses(server, target, location):
    status, headers, _ = ask(server, target)
    assert (status, headers["Location"]) == (301, location)
    assert ask(server, location)[0] == 200


@pytest.mark.parametrize(
    "target",
    [
        "/nowhere/",
        "/2018/11/before-the-bindery/",
        "/?p=999",
        "/404.html",
        "/page/99/",
        "/../../etc/passwd",
        "/%00",
        "/%ff",
    ],
)
def test_what_does_not_exist(server, target):
    status, headers, body = ask(server, target)
    assert status == 404
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert b"<h1>Not found</h1>" in body


def test_queries_without_meaning_change_nothing(server):
    plain = ask(server, "/2021/01/kettle-stitch-slowly/")[2]
    for query in ("?utm_source=sidebar&utm_medium=link", "?replytocom=3", "?p=4"):
        assert ask(server, "/2021/01/kettle-stitch-slowly/" + query)[::2] == (200, plain)


def test_a_path_may_be_encoded_in_more_than_one_way(server):
    plain = ask(server, "/2022/03/%E5%92%8C%E7%B6%B4%E3%81%98/")[2]
    assert ask(server, "/2022/03/%e5%92%8c%e7%b6%b4%e3%81%98/")[::2] == (200, plain)
    assert ask(server, "/%61rchive/")[0] == 200


@pytest.mark.parametrize("path", ["/feed.xml", "/comments/feed.xml", "/2025/01/five-winters-in/"])
def test_conditional_requests(server, path):
    _, first, _ = ask(server, path)
    tag, modified = first["ETag"], first["Last-Modified"]
    assert ask(server, path, If_None_Match=tag)[::2] == (304, b"")
    assert ask(server, path, If_None_Match=f'"other", W/{tag}')[0] == 304
    assert ask(server, path, If_None_Match="*")[0] == 304
    assert ask(server, path, If_Modified_Since=modified)[0] == 304
    assert ask(server, path, "HEAD", If_None_Match=tag)[0] == 304
    assert ask(server, path, If_None_Match=tag)[1]["ETag"] == tag


@pytest.mark.parametrize(
    "headers",
    [
        {"If_None_Match": '"other"'},
        {"If_None_Match": '"other"', "If_Modified_Since": "Fri, 01 Jan 2100 00:00:00 GMT"},
        {"If_Modified_Since": "Fri, 05 Sep 2025 00:00:00 GMT"},
        {"If_Modified_Since": "yesterday"},
        {"If_Modified_Since": "Fri, 99 Sep 2025 00:00:00 GMT"},
    ],
)
def test_conditions_that_do_not_hold(server, headers):
    assert ask(server, "/feed.xml", **headers)[0] == 200


def test_the_served_feed_names_the_served_blog(server):
    status, headers, body = ask(server, "/feed.xml")
    assert status == 200
    feed = feedparser.parse(io.BytesIO(body), response_headers={"content-type": headers["Content-Type"]})
    assert not feed.bozo
    assert feed.feed.link == server.url
    for entry in feed.entries:
        assert entry.link.startswith(server.url)
        assert ask(server, urlsplit(entry.link).path)[0] == 200


@pytest.mark.parametrize(
    ("query", "slugs"),
    [
        ("?s=cinnamon", ["mending-a-cookery-book"]),
        ("?s=SOUPS+cinnamon", ["mending-a-cookery-book"]),
        ("?s=headband", ["headbands-for-the-impatient"]),
        ("?s=zebra", []),
        ("?s=cinnamon+zebra", []),
        ("?s=+", []),
    ],
)
def test_search(server, query, slugs):
    status, _, body = ask(server, "/" + query)
    found = lxml.html.document_fromstring(body.decode()).xpath("//article[@class='excerpt']/h2/a/@href")
    assert status == 200
    assert [path.split("/")[3] for path in found] == slugs


def test_search_escapes_what_was_sought(server):
    _, _, body = ask(server, "/?s=%22%3E%3Cscript%3E")
    assert b"<script>" not in body
    assert b"&#34;&gt;&lt;script&gt;" in body


def test_posting_is_refused(server):
    status, headers, _ = ask(server, "/reply/", "POST", body=b"name=a&text=b" * 100)
    assert (status, headers["Allow"]) == (405, "GET, HEAD")
    assert ask(server, "/reply/", "DELETE")[0] == 501


def test_requests_are_told_in_order():
    with DemoServer() as server:
        ask(server, "/")
        ask(server, "/feed.xml", "HEAD")
        assert server.requests == [("GET", "/"), ("HEAD", "/feed.xml")]


def test_the_same_blog_some_time_later():
    day = date(2024, 12, 31)
    with DemoServer(until=day, sitemap=False) as server:
        url = server.url
        assert ask(server, truth()[0]["path"])[0] == 404
        assert ask(server, "/sitemap.xml")[0] == 404
        _, before, _ = ask(server, "/feed.xml")
    with DemoServer(port=urlsplit(url).port) as server:
        assert server.url == url
        assert ask(server, truth()[0]["path"])[0] == 200
        assert ask(server, "/feed.xml", If_None_Match=before["ETag"])[0] == 200
        assert ask(server, "/feed.xml", If_Modified_Since=before["Last-Modified"])[0] == 200


def test_it_is_gone_afterwards():
    with DemoServer() as server:
        address = ("127.0.0.1", urlsplit(server.url).port)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=2)
    with pytest.raises(RuntimeError, match="with statement"):
        _ = server.url


def test_a_port_that_is_taken(server):
    with pytest.raises(OSError, match="in use"), DemoServer(port=urlsplit(server.url).port):
        pass


def test_a_client_that_hangs_up_disturbs_nobody(server, capfd):
    for line in (b"", b"GET / HTTP/1.1\r\n", b"nonsense\r\n\r\n", b"GET //[ HTTP/1.1\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", urlsplit(server.url).port), timeout=5) as client:
            client.sendall(line)
    assert ask(server, "/")[0] == 200
    assert capfd.readouterr().err == ""
