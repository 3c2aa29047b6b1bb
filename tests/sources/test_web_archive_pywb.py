"""Captures of a real pywb, which is a program of its own here: tests/crawl/test_warc_replay.py states where it is."""

from __future__ import annotations

import gzip
import io
import socket
import subprocess
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from scrapy.utils.defer import deferred_f_from_coro_f
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from blogcrawler.errors import DamagedCapture, Unreachable
from blogcrawler.sources.capture import Capture
from blogcrawler.sources.web_archive import WebArchive
from tests.crawl.test_warc_replay import MANAGER, SERVER, wait_for
from tests.sources.internet_archive import asking

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (MANAGER and SERVER), reason="there is no pywb: pip install it somewhere, and set PYWB"),
]

PAGE = b"<html><body>A page</body></html>"
HTML = ("Content-Type", "text/html; charset=utf-8")
POST = "http://blog.test/2010/a-post"
DAY = datetime(2010, 1, 1, tzinfo=UTC)
MANY = [f"http://many.test/{number:03}/" for number in range(50)]


def write_warc(file):
    """A blog with a page, its revisit and a redesign, redirects, errors, encodings, a feed; and a blog of many pages."""
    writer = WARCWriter(file, gzip=True)

    def add(url, date, body=PAGE, status="200 OK", headers=(HTML,)):
        http = StatusAndHeaders(status, list(headers), protocol="HTTP/1.1")
        record = writer.create_warc_record(
            url, "response", payload=io.BytesIO(body), http_headers=http, warc_headers_dict={"WARC-Date": date}
        )
        writer.write_record(record)
        record.raw_stream.close()
        return record.rec_headers.get_header("WARC-Payload-Digest")

    link = ("Link", '<http://blog.test/feed>; rel="alternate"')
    cookies = [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")]
    digest = add(
        POST, "2010-01-01T00:00:00Z", headers=[HTML, link, *cookies, ("Date", "Fri, 01 Jan 2010 00:00:00 GMT")]
    )
    writer.write_record(
        writer.create_revisit_record(
            POST,
            digest=digest,
            refers_to_uri=POST,
            refers_to_date="2010-01-01T00:00:00Z",
            http_headers=StatusAndHeaders("200 OK", [HTML], protocol="HTTP/1.1"),
            warc_headers_dict={"WARC-Date": "2012-01-01T00:00:00Z"},
        )
    )
    add("https://www.blog.test/2010/a-post/", "2013-01-01T00:00:00Z", PAGE.replace(b"A page", b"A new design"))
    add(
        "http://blog.test/gzip",
        "2010-01-01T00:00:00Z",
        gzip.compress(PAGE),
        headers=[HTML, ("Content-Encoding", "gzip")],
    )
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(PAGE), PAGE)
    add("http://blog.test/chunked", "2010-01-01T00:00:00Z", chunks, headers=[HTML, ("Transfer-Encoding", "chunked")])
    add("http://blog.test/old", "2010-01-01T00:00:00Z", b"", "301 Moved", [HTML, ("Location", "/2010/a-post?x=1")])
    add("http://blog.test/gone", "2010-01-01T00:00:00Z", b"away", "503 Away", [HTML, ("Retry-After", "5")])
    add("http://blog.test/p%C3%A4?b=2&a=1", "2010-01-01T00:00:00Z")
    add("http://blog.test/feed", "2010-01-01T00:00:00Z", b"<rss/>", headers=[("Content-Type", "application/rss+xml")])
    for url in MANY:
        add(url, "2010-01-01T00:00:00Z")


def compress_index(folder, *, lines_of_block):
    """Turn a sorted index into blocks that are compressed each, with an index of the blocks: pywb's "ZipNum"."""
    lines = (folder / "index.cdxj").read_bytes().splitlines(keepends=True)
    offset = 0
    with (folder / "blocks.gz").open("wb") as blocks, (folder / "index.idx").open("w") as summary:
        for number, start in enumerate(range(0, len(lines), lines_of_block), start=1):
            block = gzip.compress(b"".join(lines[start : start + lines_of_block]))
            first = b" ".join(lines[start].split(b" ", 2)[:2]).decode()
            summary.write(f"{first}\tblocks.gz\t{offset}\t{len(block)}\t{number}\n")
            offset += blocks.write(block)
    (folder / "index.loc").write_text("blocks.gz\tblocks.gz\n")
    (folder / "index.cdxj").unlink()


@contextmanager
def served(folder, collections, *, compressed=()):
    """The address of a pywb with these collections, of a WARC file each; indexes of some are compressed."""
    for name, file in collections.items():
        for arguments in (("init", name), ("add", name, str(file))):
            subprocess.run([MANAGER, *arguments], cwd=folder, check=True, capture_output=True)
    for name in compressed:
        compress_index(folder / "collections" / name / "indexes", lines_of_block=2)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [SERVER, "-b", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port, server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


@pytest.fixture(scope="module")
def pywb(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pywb")
    captures = folder / "captures.warc.gz"
    with captures.open("wb") as file:
        write_warc(file)
    with served(folder, {"blog": captures, "large": captures}, compressed=["large"]) as address:
        yield address


@pytest.mark.parametrize("path", ["/blog", "/blog/", "/blog/cdx"])
@deferred_f_from_coro_f
async def test_a_collection(pywb, tmp_path, path):
    async with asking() as ask:
        captures = WebArchive(pywb + path, ask, tmp_path, interval_s=0)
        found = await captures.find("https://blog.test/2010/a-post/")
        bodies = [(await captures.read(it)).body for it in found]
    digest = found[0].digest
    assert digest.startswith("sha1:")
    assert found[0] == Capture(POST, DAY, 200, "text/html", digest, f"{pywb}/blog/20100101000000id_/{POST}")
    assert found[1] == Capture(
        POST, DAY.replace(year=2012), 200, "text/html", digest, f"{pywb}/blog/20120101000000id_/{POST}"
    )
    assert found[2].url == "https://www.blog.test/2010/a-post/"
    assert bodies == [PAGE, PAGE, PAGE.replace(b"A page", b"A new design")]


@deferred_f_from_coro_f
async def test_no_collection(pywb, tmp_path):
    async with asking() as ask:
        with pytest.raises(Unreachable, match="is no web archive"):
            await WebArchive(pywb, ask, tmp_path, interval_s=0).find(POST)


@pytest.mark.parametrize("collection", ["blog", "large"])
@deferred_f_from_coro_f
async def test_a_host_is_listed_once(pywb, tmp_path, collection):
    asked = []
    async with asking() as ask:

        async def count(address):
            asked.append(address)
            return await ask(address)

        captures = WebArchive(f"{pywb}/{collection}", count, tmp_path, interval_s=0)
        await captures.feeds("http://many.test/")
        found = [await captures.find(url) for url in MANY]
        listing = len(asked)
        assert await captures.find("http://many.test/none") == []
        assert (await captures.read(found[49][0])).body == PAGE
    assert [[it.url for it in each] for each in found] == [[url] for url in MANY]
    assert listing == (1 if collection == "blog" else 1 + 3)


@pytest.mark.parametrize("collection", ["blog", "large"])
@deferred_f_from_coro_f
async def test_a_host_that_is_too_large(pywb, tmp_path, collection):
    async with asking() as ask:
        captures = WebArchive(f"{pywb}/{collection}", ask, tmp_path, interval_s=0, most_listed=5)
        assert [it.url for it in await captures.feeds("http://blog.test/")] == ["http://blog.test/feed"]
        assert [it.time.year for it in await captures.find(POST)] == [2010, 2012, 2013]
        assert await captures.find("http://blog.test/none") == []


@pytest.mark.parametrize("collection", ["blog", "large"])
@deferred_f_from_coro_f
async def test_a_folder(pywb, tmp_path, collection):
    async with asking() as ask:
        captures = WebArchive(f"{pywb}/{collection}", ask, tmp_path, interval_s=0)
        await captures.feeds("http://www.blog.test/2010/a-post/")
        assert len(await captures.find(POST)) == 3
        assert len(await captures.find("http://blog.test/gzip")) == 1


async def read(pywb, folder, url):
    async with asking() as ask:
        captures = WebArchive(f"{pywb}/blog", ask, folder, interval_s=0)
        return await captures.read((await captures.find(url))[0])


@deferred_f_from_coro_f
async def test_headers_are_as_they_were_captured(pywb, tmp_path):
    response = await read(pywb, tmp_path, POST)
    assert response.status == 200
    assert response.headers == (
        (b"Content-Type", b"text/html; charset=utf-8"),
        (b"Link", b'<http://blog.test/feed>; rel="alternate"'),
        (b"Set-Cookie", b"a=1"),
        (b"Set-Cookie", b"b=2"),
        (b"Date", b"Fri, 01 Jan 2010 00:00:00 GMT"),
    )


@pytest.mark.parametrize("name", ["gzip", "chunked", "p%C3%A4?a=1&b=2"])
@deferred_f_from_coro_f
async def test_encodings(pywb, tmp_path, name):
    response = await read(pywb, tmp_path, f"http://blog.test/{name}")
    assert (response.body, response.headers) == (PAGE, ((b"Content-Type", b"text/html; charset=utf-8"),))


@deferred_f_from_coro_f
async def test_redirects_and_errors(pywb, tmp_path):
    old = await read(pywb, tmp_path, "http://blog.test/old")
    gone = await read(pywb, tmp_path, "http://blog.test/gone")
    assert (old.status, dict(old.headers)[b"Location"]) == (301, b"/2010/a-post?x=1")
    assert (gone.status, gone.body, dict(gone.headers)[b"Retry-After"]) == (503, b"away", b"5")


@deferred_f_from_coro_f
async def test_a_capture_of_another_time_is_shown(pywb, tmp_path):
    async with asking() as ask:
        captures = WebArchive(f"{pywb}/blog", ask, tmp_path, interval_s=0)
        place = f"{pywb}/blog/20121231000000id_/{POST}"
        response = await captures.read(Capture(POST, DAY.replace(year=2012, month=12, day=31), 200, "", "", place))
        with pytest.raises(DamagedCapture):
            await captures.read(Capture(POST, DAY, 200, "", "", f"{pywb}/blog/20100101000000id_/http://blog.test/none"))
    new = "https://www.blog.test/2010/a-post/"
    assert response.capture == Capture(
        new, DAY.replace(year=2013), 200, "text/html", "", f"{pywb}/blog/20130101000000id_/{new}"
    )
