"""Crawls that keep what servers send in WARC files, to which records refer."""

from __future__ import annotations

import gzip
import hashlib
import os
import signal

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.browser.installed import needs_a_browser
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.constants import with_constants
from tests.crawl.running import command, crawl, crawl_until, has_traceback, kept, query
from tests.site import Reply, Validators

pytestmark = pytest.mark.slow

POSTS = make_posts(12)


def put(site, blog):
    validators = Validators(etags=True, modified=None)
    site.routes = {path: validators.of(reply) for path, reply in blog.routes(site.url).items()}


def archived(folder):
    """(type, header of the record) of all records of closed files; all digests are checked."""
    found = []
    for file in sorted((folder / "archive" / "warc").glob("*.warc.gz")):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                record.raw_stream.read()
                found.append((record.rec_type, record.rec_headers.get_header))
    return found


def page_of(folder, record):
    """The record that a post's record refers to, and its decoded body."""
    name, _, offset = record["provenance"]["warc"].partition("#")
    with (folder / "archive" / "warc" / name).open("rb") as stream:
        stream.seek(int(offset))
        found = next(iter(ArchiveIterator(stream)))
        return found, found.content_stream().read()


def targets(folder, kind):
    return [header("WARC-Target-URI") for one, header in archived(folder) if one == kind]


def test_each_record_refers_to_its_page(tmp_path):
    small = with_constants({"blogcrawler.capture:SEGMENT_BYTES": 12_000})
    with serve() as site:
        put(site, Blog(POSTS))
        for path, reply in list(site.routes.items())[::2]:
            site.routes[path] = gzipped(reply) if path != "/feed.xml" else reply
        done = crawl(tmp_path, f"{site.url}/", server=site, WARC=True, **small)
    assert (done.code, len(done.records)) == (0, 12)
    assert len(list((tmp_path / "archive" / "warc").glob("*.warc.gz"))) > 2
    for record in done.records:
        page, body = page_of(tmp_path, record)
        assert (page.rec_type, page.rec_headers.get_header("WARC-Target-URI")) == ("response", record["url"])
        assert hashlib.sha256(body).hexdigest() == record["provenance"]["sha256"]
    sent = targets(tmp_path, "response") + targets(tmp_path, "revisit")
    assert f"{site.url}/feed.xml" in sent
    assert sorted(sent) == sorted(targets(tmp_path, "request"))


def gzipped(route):
    def answer(request):
        reply = route(request) if callable(route) else route
        if not isinstance(reply, Reply) or reply.status != 200:
            return reply
        body = reply.body.encode() if isinstance(reply.body, str) else reply.body
        return Reply(gzip.compress(body), 200, {**reply.headers, "Content-Encoding": "gzip"}, reply.content_type)

    return answer


def test_an_update_refers_to_what_it_finds_unchanged(tmp_path):
    with serve() as site:
        put(site, Blog(POSTS[2:], in_feed=4))
        first = crawl(tmp_path, f"{site.url}/", WARC=True)
        put(site, Blog(POSTS, in_feed=4))
        new = crawl(tmp_path, f"{site.url}/", spider="updatecrawl", WARC=True)
        again = crawl(tmp_path, f"{site.url}/", spider="updatecrawl", WARC=True)
    assert (len(first.records), len(new.records), len(again.records)) == (10, 2, 0)
    for record in new.records:
        assert page_of(tmp_path, record)[0].rec_headers.get_header("WARC-Target-URI") == record["url"]
    originals = {header("WARC-Record-ID"): header for kind, header in archived(tmp_path) if kind == "response"}
    revisits = [header for kind, header in archived(tmp_path) if kind == "revisit"]
    assert f"{site.url}/feed.xml" in {header("WARC-Target-URI") for header in revisits}
    for header in revisits:
        original = originals[header("WARC-Refers-To")]
        assert header("WARC-Refers-To-Target-URI") == original("WARC-Target-URI") == header("WARC-Target-URI")
        assert header("WARC-Refers-To-Date") == original("WARC-Date")


def test_an_archive_that_was_begun_without_gets_what_is_fetched_then(tmp_path):
    with serve() as site:
        put(site, Blog(POSTS[2:], in_feed=4))
        first = crawl(tmp_path, f"{site.url}/", WARC=False)
        assert not (tmp_path / "archive" / "warc").exists()
        assert {record["provenance"]["warc"] for record in first.records} == {None}
        put(site, Blog(POSTS, in_feed=4))
        new = crawl(tmp_path, f"{site.url}/", spider="updatecrawl", WARC=True)
    assert len(new.records) == 2
    assert all(page_of(tmp_path, record) for record in new.records)
    assert not targets(tmp_path, "revisit")


@pytest.mark.parametrize("pages", [3, 9])
def test_a_killed_crawl_leaves_files_that_the_next_one_closes(tmp_path, pages):
    with serve() as site:
        put(site, Blog(POSTS))
        given = command(f"{site.url}/", WARC=True)
        crawl_until(tmp_path, given, lambda: len(site.targets) >= pages, lambda one: os.kill(one.pid, signal.SIGKILL))
        assert list((tmp_path / "archive" / "warc").glob("*.open"))
        done = crawl(tmp_path, f"{site.url}/", WARC=True)
    assert done.code == 0
    assert not list((tmp_path / "archive" / "warc").glob("*.open"))
    assert len(kept(tmp_path)) == len(done.records) == 12
    for record in done.records:
        assert page_of(tmp_path, record)[0].rec_headers.get_header("WARC-Target-URI") == record["url"]


def test_files_that_cannot_be_written_end_the_crawl(tmp_path):
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "warc").write_bytes(b"")
    with serve(Blog(POSTS)) as site:
        done = crawl(tmp_path, f"{site.url}/", WARC=True)
    assert done.code == 75
    assert not has_traceback(done)
    (sentence,) = done.sentences
    assert "warc for WARC files cannot be written" in sentence


@needs_a_browser
def test_rendered_pages_and_their_pictures_are_records_of_their_own(tmp_path):
    with serve(Blog(POSTS[:4])) as site:
        done = crawl(tmp_path, f"{site.url}/", WARC=True, RENDER="always", SCREENSHOTS=True)
    assert len(done.records) == 4
    for record in done.records:
        view, body = page_of(tmp_path, record)
        assert view.rec_type == "resource"
        assert view.rec_headers.get_header("WARC-Target-URI") == f"urn:view:{record['url']}"
        assert hashlib.sha256(body).hexdigest() == record["provenance"]["sha256"]
        assert record["url"] in targets(tmp_path, "response")
        assert f"urn:fullPage:{record['url']}" in targets(tmp_path, "resource")
    assert query(tmp_path, "SELECT count(*) FROM post") == [(4,)]
