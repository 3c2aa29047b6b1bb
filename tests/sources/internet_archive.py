"""A stand-in of the Internet Archive's Wayback Machine on loopback, with its search and its errors.

Built from wayback-cdx-server/README.md in github.com/internetarchive/wayback (parameters, table, resumption keys), its
class CDXServer (keys are decoded once more), RFC 7089 (Memento), and the answers that github.com/edgi-govdata-archiving/
wayback documents (exclusions, redirects of playback, X-Archive-Orig- headers).
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from urllib.parse import quote_plus, unquote, unquote_plus

from aiohttp import ClientError, ClientSession, DummyCookieJar, web
from yarl import URL

from blogcrawler.sources.kept_answers import Answer
from blogcrawler.sources.surt import surt_key

NAMES = ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"]
EXCLUDED = "org.archive.util.io.RuntimeIOException: org.archive.wayback.exception.{}"


@dataclass(frozen=True)
class Stored:
    """One capture that the web archive holds."""

    time: str
    url: str
    body: bytes = b""
    status: str = "200"
    mime: str = "text/html"
    digest: str = "Q4YULN754FHV2U6Q5JUT6Q2P57WEWNNY"
    headers: tuple[tuple[str, str], ...] = (("content-type", "text/html; charset=utf-8"), ("server", "nginx"))

    @property
    def row(self) -> list[str]:
        return [surt_key(self.url), self.time, self.url, self.mime, self.status, self.digest, str(len(self.body))]


@dataclass
class InternetArchive:
    """What it holds, and what it was asked."""

    captures: list[Stored]
    #: answers that come first, each once
    faults: list[Callable[[web.Request], web.StreamResponse]] = field(default_factory=list)
    #: when it was asked for what
    requests: list[tuple[float, str]] = field(default_factory=list)
    #: most rows of an answer
    most: int = 150_000
    address: str = ""

    @property
    def searches(self) -> list[str]:
        return [target for _, target in self.requests if target.startswith("/cdx/")]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.requests.append((time.monotonic(), request.raw_path))
        if self.faults:
            fault = self.faults.pop(0)(request)
            return await fault if asyncio.iscoroutine(fault) else fault
        if request.path == "/cdx/search/cdx":
            return self.search(request)
        if shown := re.fullmatch(r"/web/(\d{1,14})id_/(.*)", request.raw_path):
            return self.show(shown[1], unquote(shown[2]))
        return web.Response(status=404, text="<html>Not Found</html>", content_type="text/html")

    def search(self, request: web.Request) -> web.Response:
        asked = request.query
        rows = sorted(capture.row for capture in self.captures if self.matches(capture, asked))
        if "resumeKey" in asked:
            rows = [row for row in rows if f"{row[0]} {row[1]}" > unquote_plus(asked["resumeKey"])]
        most = min(int(asked.get("limit", self.most)), self.most)
        names = asked["fl"].split(",") if "fl" in asked else NAMES
        shown = [[row[NAMES.index(name)] for name in names] for row in rows[:most]]
        table = [names, *shown] if shown else []
        if asked.get("showResumeKey") == "true" and len(rows) > most:
            last = rows[most - 1]
            table += [[], [quote_plus(f"{last[0]} {last[1]}!")]]
        return web.json_response(table)

    @staticmethod
    def matches(capture: Stored, asked) -> bool:
        key, asked_key = surt_key(capture.url), surt_key(asked["url"])
        kind = asked.get("matchType", "exact")
        if kind == "exact":
            is_match = key == asked_key
        elif kind == "prefix":
            has_slash = asked["url"].endswith("/") and not asked_key.endswith("/")
            is_match = key.startswith(f"{asked_key}/" if has_slash else asked_key)
        else:
            is_match = key.partition(")")[0] == asked_key.partition(")")[0]
        name, _, pattern = asked.get("filter", ":.*").partition(":")
        return is_match and (not name or re.fullmatch(pattern, capture.row[NAMES.index(name)]) is not None)

    def show(self, asked_time: str, url: str) -> web.Response:
        known = [it for it in self.captures if surt_key(it.url) == surt_key(url)]
        if not known:
            return web.Response(status=404, text="Hrm. The Wayback Machine has not archived that URL.")
        nearest = min(known, key=lambda it: abs(int(it.time) - int(asked_time)))
        place = f"/web/{nearest.time}id_/{nearest.url}"
        if nearest.time != asked_time:
            return web.Response(status=302, headers={"Location": place, "x-archive-redirect-reason": "nearest"})
        if nearest.mime == "warc/revisit":
            same = next(it for it in self.captures if it.digest == nearest.digest and it.mime != nearest.mime)
            nearest = replace(same, time=nearest.time, url=nearest.url)
        moment = datetime.strptime(nearest.time, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        response = web.Response(status=int(nearest.status), body=nearest.body)
        response.headers["Memento-Datetime"] = format_datetime(moment, usegmt=True)
        response.headers["x-archive-src"] = "crawl-2010/crawl-2010-001.warc.gz"
        response.headers["Link"] = f'<{nearest.url}>; rel="original"'
        for name, value in nearest.headers:
            if name.lower() == "content-type":
                response.headers["Content-Type"] = value
            if name.lower() == "location":  # with links to the web archive itself
                response.headers["Location"] = f"{self.address}/web/{nearest.time}id_/{value}"
            else:
                response.headers.add(f"x-archive-orig-{name}", value)
        return response


def limited(*, after: str | None) -> Callable[[web.Request], web.Response]:
    """429, with or without Retry-After."""
    headers = {} if after is None else {"Retry-After": after}
    return lambda request: web.Response(status=429, text="Too Many Requests", headers=headers)


def status(code: int) -> Callable[[web.Request], web.Response]:
    """An error without further words."""
    return lambda request: web.Response(status=code, text="<html>error</html>")


def excluded(name: str) -> Callable[[web.Request], web.Response]:
    """What is answered for addresses that are not shown."""
    text = EXCLUDED.format(name)
    return lambda request: web.Response(
        status=403, text=text, headers={"X-Archive-Wayback-Runtime-Error": text.splitlines()[0]}
    )


def half_table(request: web.Request) -> web.Response:
    """A table that ends in the middle, though the server states that this is all."""
    return web.Response(
        text='[["urlkey","timestamp","original"],\n["test,blog)/","2010', content_type="application/json"
    )


async def hang_up(request: web.Request) -> web.StreamResponse:
    """The connection is closed within the body."""
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b"[[")
    request.transport.close()
    return response


@asynccontextmanager
async def running(archive: InternetArchive):
    """The web archive on a port of its own, and what asks it."""
    server = web.Server(archive.answer)
    runner = web.ServerRunner(server)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    archive.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        async with asking() as ask:
            yield ask
    finally:
        await runner.cleanup()


@asynccontextmanager
async def asking():
    """What makes single requests, as `WebArchive` demands it."""
    async with ClientSession(cookie_jar=DummyCookieJar(), auto_decompress=False) as session:

        async def ask(address: str) -> Answer:
            try:
                async with session.get(URL(address, encoded=True), allow_redirects=False) as response:
                    return Answer(response.status, tuple(response.raw_headers), await response.read())
            except ClientError as error:
                raise OSError(str(error)) from error

        yield ask
