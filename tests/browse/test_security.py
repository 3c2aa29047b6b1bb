"""Who is answered, and what browsers are told."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.responses import PlainTextResponse

from blogcrawler.browse.context import form_of
from blogcrawler.browse.security import Guard, Names
from tests.browse.serving import browsing, served
from tests.export.archives import DIGEST, filled

OWN = "http://127.0.0.1:8765"


async def changing(scope, receive, send):
    """What would change something."""
    await PlainTextResponse("done")(scope, receive, send)


def asked(method="GET", host="127.0.0.1:8765", listening="127.0.0.1", **headers):
    """The status of an answer, and its headers."""
    given = [(b"host", host.encode())] if isinstance(host, str) else [(b"host", one.encode()) for one in host]
    given += [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request"}

    scope = {"type": "http", "method": method, "headers": given, "path": "/", "query_string": b""}
    with ThreadPoolExecutor(1) as thread:  # here a loop runs
        thread.submit(asyncio.run, Guard(changing, Names(listening))(scope, receive, send)).result()
    return sent[0]["status"], dict(sent[0]["headers"])


@pytest.mark.parametrize(
    ("host", "listening", "status"),
    [
        ("127.0.0.1:8765", "127.0.0.1", 200),
        ("localhost", "127.0.0.1", 200),
        ("LOCALHOST:9", "127.0.0.1", 200),
        ("localhost.:8765", "127.0.0.1", 200),
        ("[::1]:8765", "127.0.0.1", 200),
        ("archive.local:8765", "archive.local", 200),
        ("192.168.1.4:8765", "192.168.1.4", 200),
        ("192.168.1.4:8765", "0.0.0.0", 200),
        ("[fe80::1]:8765", "::", 200),
        (socket.gethostname(), "0.0.0.0", 200),
        ("evil.example.com", "127.0.0.1", 400),
        ("evil.example.com", "0.0.0.0", 400),
        ("192.168.1.4", "127.0.0.1", 400),
        ("localhost.evil.example.com", "127.0.0.1", 400),
        ("evil.example.com@127.0.0.1", "127.0.0.1", 400),
        ("127.0.0.1:8765:1", "127.0.0.1", 400),
        ("127.0.0.1/..", "127.0.0.1", 400),
        ("127.0.0.1 evil", "127.0.0.1", 400),
        ("", "127.0.0.1", 400),
        ((), "127.0.0.1", 400),
        (("127.0.0.1", "evil.example.com"), "127.0.0.1", 400),
    ],
)
def test_only_names_of_this_machine_are_answered(host, listening, status):
    found, headers = asked(host=host, listening=listening)
    assert found == status
    assert headers[b"x-content-type-options"] == b"nosniff"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"origin": OWN}, 200),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "http://evil.example.com"}, 403),
        ({"origin": f"{OWN}.evil.example.com"}, 403),
        ({"sec_fetch_site": "same-origin"}, 200),
        ({"sec_fetch_site": "same-origin", "origin": OWN}, 200),
        ({"sec_fetch_site": "same-origin", "origin": "null"}, 200),
        ({"sec_fetch_site": "same-origin", "origin": "http://evil.example.com"}, 403),
        ({"sec_fetch_site": "same-site", "origin": OWN}, 403),
        ({"sec_fetch_site": "cross-site", "origin": OWN}, 403),
        ({"sec_fetch_site": "none", "origin": OWN}, 403),
    ],
)
def test_only_pages_of_this_server_change_anything(headers, status):
    assert asked("POST", **headers)[0] == status


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "XYZ"])
def test_nothing_else_is_done(method):
    assert asked(method, origin=OWN, sec_fetch_site="same-origin")[0] == 405


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec_fetch_site": "none", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}, 200),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}, 200),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "iframe"}, 403),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors", "sec_fetch_dest": "image"}, 403),
        ({"sec_fetch_site": "same-site", "sec_fetch_mode": "cors", "sec_fetch_dest": "empty"}, 403),
        ({"sec_fetch_site": "same-origin", "sec_fetch_mode": "no-cors", "sec_fetch_dest": "image"}, 200),
    ],
)
def test_pages_of_the_web_get_nothing_but_a_reader(headers, status):
    assert asked(**headers)[0] == status


def test_all_answers_have_the_headers(tmp_path):
    with filled(tmp_path) as archive, browsing(archive, tmp_path) as site:
        paths = ["/", "/blogs/1", "/posts/1", "/posts/1.json", "/nope", "/static/style.css", f"/files/{DIGEST}.png",
                 "/blogs/1/export/jsonl", "/blogs/1/export/site", "/search?page=x"]  # fmt: skip
        for path in paths:
            headers = site.ask(path).headers
            assert "default-src 'none'" in headers["content-security-policy"], path
            assert "frame-ancestors 'none'" in headers["content-security-policy"], path
            assert headers["x-content-type-options"] == "nosniff", path
            assert headers["referrer-policy"] == "no-referrer", path
            assert headers["cross-origin-opener-policy"] == "same-origin", path
            assert headers["cross-origin-resource-policy"] == "same-origin", path
            assert "server" not in headers, path
            assert headers["cache-control"], path
        policy = site.ask("/").headers["content-security-policy"]
        for part in (
            "img-src 'self' data:",
            "media-src 'self'",
            "style-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
        ):
            assert part in policy
        assert "script" not in policy
        assert site.ask("/", headers={"Host": "evil.example.com"}).status_code == 400
        assert site.ask("/", "POST").status_code == 403
        assert site.ask("/", "POST", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 405
        assert site.ask("/blogs/1", "HEAD").content == b""


def test_a_form_is_read():
    async def app(scope, receive, send):
        from starlette.exceptions import HTTPException
        from starlette.requests import Request

        try:
            answer = repr(await form_of(Request(scope, receive)))
        except HTTPException as error:
            answer = str(error.status_code)
        await PlainTextResponse(answer)(scope, receive, send)

    with served(app) as site:
        kind = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
        assert (
            site.ask("/", "POST", headers=kind, data="a=1&b=%C3%A9+x&a=2&c=").text == "{'a': '2', 'b': 'é x', 'c': ''}"
        )
        assert site.ask("/", "POST", headers=kind, data="a=%ff").text == "400"
        assert site.ask("/", "POST", headers=kind, data="&".join(f"a{n}=1" for n in range(1001))).text == "400"
        assert site.ask("/", "POST", headers=kind, data="a=" + "x" * (1 << 20)).text == "413"
        assert site.ask("/", "POST", json={"a": 1}).text == "415"
