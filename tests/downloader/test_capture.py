"""What comes over the wire goes to WARC files as it came."""

from __future__ import annotations

import gzip
import hashlib

from scrapy.utils.defer import deferred_f_from_coro_f
from warcio.archiveiterator import ArchiveIterator

from tests.downloader.crawling import fetch
from tests.site import LocalSite, RawSite, Reply, Validators

PAGE = b"<html><p>A page of some words.</p></html>" * 20


def records(folder):
    """(type, header of the record, block) of each record, in the order of writing; all digests are checked."""
    found = []
    for file in sorted((folder / "warc").glob("*.warc.gz")):
        with file.open("rb") as stream:
            found += [
                (record.rec_type, record.rec_headers.get_header, record.raw_stream.read())
                for record in ArchiveIterator(stream, no_record_parse=True)
            ]
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                record.raw_stream.read()
    return found


def of(folder, kind):
    return [(header, block) for one, header, block in records(folder) if one == kind]


def place(page):
    return page.meta.get("warc")


def settings(folder, **more):
    return {"WARC": True, "ARCHIVE": str(folder), **more}


@deferred_f_from_coro_f
async def test_heads_are_as_on_the_wire(tmp_path):
    lines = [b"HTTP/1.1 200 Very OK", b"sErVer: x", b"Set-Cookie:a=1", b"no colon", b"X-Folded: one", b"  two"]
    head = b"\r\n".join([*lines, b"Set-Cookie: b=2", b"Content-Length: %d" % len(PAGE), b"", b""])
    with RawSite(head + PAGE) as site:
        fetched = await fetch(f"{site.url}/a?b=1#c", **settings(tmp_path))
        (asked,) = site.heads
    ((response, block),) = of(tmp_path, "response")
    assert block == head + PAGE
    assert response("WARC-Target-URI") == f"{site.url}/a?b=1"
    assert response("WARC-IP-Address") == "127.0.0.1"
    ((_, request),) = of(tmp_path, "request")
    assert request == asked
    assert request.startswith(b"GET /a?b=1 HTTP/1.1\r\n")
    (file,) = (tmp_path / "warc").glob("*.warc.gz")
    name, _, offset = place(fetched.pages[0]).partition("#")
    assert name == file.name
    with file.open("rb") as stream:
        stream.seek(int(offset))
        assert next(iter(ArchiveIterator(stream))).content_stream().read() == PAGE


@deferred_f_from_coro_f
async def test_interim_answers_are_no_part_of_the_head(tmp_path):
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
    with RawSite(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + head + b"Hi") as site:
        await fetch(f"{site.url}/", **settings(tmp_path))
    assert [block for _, block in of(tmp_path, "response")] == [head + b"Hi"]


@deferred_f_from_coro_f
async def test_bodies_are_as_sent_but_for_chunks(tmp_path):
    sent = gzip.compress(PAGE)
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (sent[:20], sent[20:]))
    with RawSite(head + chunks + b"0\r\n\r\n") as site:
        fetched = await fetch(f"{site.url}/", **settings(tmp_path))
    assert fetched.bodies == [PAGE]
    ((response, block),) = of(tmp_path, "response")
    assert block == head.replace(b"Transfer", b"X-Archive-Orig-Transfer") + sent
    assert response("WARC-Payload-Digest") == f"sha256:{hashlib.sha256(sent).hexdigest()}"
    assert response("WARC-Truncated") is None


@deferred_f_from_coro_f
async def test_only_the_last_try_of_a_body_that_breaks_off_is_kept(tmp_path):
    routes = {"/": Reply(gzip.compress(PAGE)[:-20], headers={"Content-Encoding": "gzip"})}
    with LocalSite(routes) as site:
        fetched = await fetch(f"{site.url}/", **settings(tmp_path, RETRY_TIMES=2))
        assert site.paths == ["/"] * 3
    assert fetched.pages[0].flags == ["truncated"]
    ((response, _),) = of(tmp_path, "response")
    assert response("WARC-Truncated") == "disconnect"


@deferred_f_from_coro_f
async def test_redirects_are_kept_and_errors_are_not(tmp_path):
    routes = {"/": Reply("", 302, {"Location": "/b"}), "/b": Reply(PAGE), "/gone": Reply("Gone", status=404)}
    with LocalSite(routes) as site:
        fetched = await fetch(f"{site.url}/", f"{site.url}/gone", meta={"redirect": True}, **settings(tmp_path))
    assert [header("WARC-Target-URI") for header, _ in of(tmp_path, "response")] == [f"{site.url}/", f"{site.url}/b"]
    places = {page.url.removeprefix(site.url): place(page) for page in fetched.pages}
    assert places["/b"] is not None
    assert places["/gone"] is None


@deferred_f_from_coro_f
async def test_what_has_not_changed_is_referred_to(tmp_path):
    given = settings(tmp_path, HTTPCACHE_ENABLED=True)
    with LocalSite({"/": Validators(etags=True, modified=None).of(Reply(PAGE)), "/plain": Reply(PAGE)}) as site:
        urls = [f"{site.url}/", f"{site.url}/plain"]
        first = await fetch(*urls, **given)
        again = await fetch(*urls, **given)
        site.routes["/"] = Validators(etags=True, modified=None).of(Reply(b"Another page"))
        changed = await fetch(f"{site.url}/", **given)
    originals = {header("WARC-Target-URI"): header for header, _ in of(tmp_path, "response")[:2]}
    places, later = ({page.url: place(page) for page in done.pages} for done in (first, again))
    assert places == later
    revisits = of(tmp_path, "revisit")
    profiles = {header("WARC-Target-URI"): header("WARC-Profile").rpartition("/")[2] for header, _ in revisits}
    assert profiles == {urls[0]: "server-not-modified", urls[1]: "identical-payload-digest"}
    for header, block in revisits:
        original = originals[header("WARC-Target-URI")]
        assert header("WARC-Refers-To") == original("WARC-Record-ID")
        assert header("WARC-Refers-To-Date") == original("WARC-Date")
        assert block.startswith(b"HTTP/1.1 200 OK\r\n" if header("WARC-Truncated") else b"")
        assert PAGE not in block
    assert len(of(tmp_path, "response")) == 3
    assert changed.bodies == [b"Another page"]


@deferred_f_from_coro_f
async def test_what_only_the_cache_has_is_sent_whole(tmp_path):
    given = settings(tmp_path, HTTPCACHE_ENABLED=True)
    with LocalSite({"/": Validators(etags=True, modified=None).of(Reply(PAGE))}) as site:
        await fetch(f"{site.url}/", **{**given, "WARC": False})
        assert not (tmp_path / "warc").exists()
        fetched = await fetch(f"{site.url}/", **given)
    ((_, block),) = of(tmp_path, "response")
    assert block.startswith(b"HTTP/1.1 200 OK\r\n")
    assert block.endswith(PAGE)
    assert place(fetched.pages[0]) is not None


@deferred_f_from_coro_f
async def test_passwords_stay_here(tmp_path):
    with LocalSite({"/": Reply(PAGE)}) as site:
        headers = {"Authorization": "Basic c2VjcmV0", "Cookie": "session=secret"}
        await fetch(f"{site.url}/", **settings(tmp_path, DEFAULT_REQUEST_HEADERS=headers))
    ((_, request),) = of(tmp_path, "request")
    assert b"\r\nHost: " in request
    assert b"c2VjcmV0" not in request
    assert b"secret" not in request
