"""A store of files that cannot be used ends a crawl, for no fault of its blog, and nothing is lost."""

from __future__ import annotations

import asyncio
import threading
from contextlib import closing, contextmanager

import pytest
import requests
from aiohttp import web

from blogcrawler.backend import Archive
from tests.crawl.blog import make_posts
from tests.crawl.object_stores import STORES
from tests.crawl.running import DATABASE, crawl, has_traceback
from tests.crawl.test_media import Illustrated, media, picture, png, put, served
from tests.site import LocalSite, Reply

pytestmark = pytest.mark.slow

POSTS = make_posts(14)
MOST = 1000
"""Bytes of the largest object that a store takes."""


def blog(posts=POSTS):
    """Each post has a picture, and a second one that all of them show."""
    shown = {at: f'<img src="/{len(posts) - at}.png"><img src="/all.png">' for at in range(len(posts))}
    return Illustrated(posts, shown=shown[0], all_shown=shown)


def files(posts=POSTS):
    return {f"/{number}.png": picture(png(number)) for number in range(1, len(posts) + 1)} | {
        "/all.png": picture(png(0))
    }


def crawled(folder, site, store, **settings):
    done = crawl(folder, f"{site.url}/", server=site, **{"MEDIA": "True", **store.settings, **settings})
    assert not has_traceback(done), done.stderr
    return done


def ended(done, store):
    """True if a crawl ended since the store cannot be used, and said so."""
    (sentence,) = done.sentences
    assert sentence.startswith(f"blogcrawler: The store {store.settings['FILES_STORE']} for files cannot be written (")
    return done.code == 75


def kept(folder):
    """The files of each post of the archive that are kept, and those that are not."""
    with closing(Archive.open(f"sqlite:///{folder / DATABASE}")) as archive:
        (row,) = archive.blogs()
        records = list(archive.records(row.home))
    return {record.url: [media.error for media in record.media] for record in records}


def at_a_request(site, path, do):
    """Do something when a page or file is asked for."""
    reply = site.routes[path]

    async def answer(_):
        await asyncio.to_thread(do)
        return reply

    site.routes[path] = answer


def drop(store, _):
    store.drop()


def stop(store, _):
    store.stop()


def distrust(_, patch):
    """The store lets in whom it knows, which is nobody; it is one of this process."""
    patch.setattr("moto.settings.INITIAL_NO_AUTH_ACTION_COUNT", 0)


@pytest.mark.parametrize(
    ("kind", "fault", "said"),
    [
        ("s3", drop, "NoSuchBucket"),
        ("s3", stop, "Could not connect"),
        ("s3", distrust, "InvalidAccessKeyId"),
        ("gs", drop, "404"),
        ("gs", stop, "Connection"),
    ],
)
def test_a_store_that_cannot_be_used_ends_a_crawl_before_it_begins(tmp_path, monkeypatch, kind, fault, said):
    with served(blog(), files()) as site, STORES[kind](monkeypatch) as store:
        fault(store, monkeypatch)
        done = crawled(tmp_path, site, store)
        assert ended(done, store)
        assert said in done.stderr
        assert (done.requests, done.records) == ([], [])


def test_a_crawl_without_files_needs_no_store(tmp_path, monkeypatch):
    with served(blog(), files()) as site, STORES["s3"](monkeypatch) as store:
        store.drop()
        done = crawled(tmp_path, site, store, MEDIA="False")
        assert (done.code, len(done.records)) == (0, len(POSTS))


def test_a_store_that_goes_away_is_waited_for(tmp_path, monkeypatch):
    with served(blog(), files()) as site, STORES["s3"](monkeypatch) as store:

        def restart():
            store.stop()
            threading.Timer(3, store.start).start()

        at_a_request(site, "/5.png", restart)
        done = crawled(tmp_path, site, store)
        assert (done.code, len(done.records)) == (0, len(POSTS))
        assert all(errors == [None, None] for errors in kept(tmp_path).values())


@pytest.mark.parametrize("path", ["/14.png", "/5.png", "/all.png"])
def test_a_store_that_stays_away_ends_a_crawl_that_goes_on_where_it_was(tmp_path, monkeypatch, path):
    with served(blog(), files()) as site, STORES["s3"](monkeypatch) as store:
        at_a_request(site, path, store.stop)
        done = crawled(tmp_path, site, store, BACKEND_PATIENCE=2)
        assert ended(done, store)
        assert len(done.records) < len(POSTS)
        assert done.seconds < 30
        assert all(errors == [None, None] for errors in kept(tmp_path).values())
        store.start()
        put(site, blog(), files())
        done = crawled(tmp_path, site, store)
        assert done.code == 0, done.stderr
        assert len(done.records) == len(POSTS)
        assert list(kept(tmp_path).values()) == [[None, None]] * len(POSTS)
        assert len(store.names()) == len(POSTS) + 1


@pytest.mark.parametrize("path", [None, "/5.png"], ids=["at its beginning", "on its way"])
def test_what_updates_have_not_brought_for_want_of_a_store_the_next_one_does(tmp_path, monkeypatch, path):
    with served(blog(POSTS[-3:]), files()) as site, STORES["s3"](monkeypatch) as store:
        assert crawled(tmp_path, site, store).code == 0
        put(site, blog(), files())
        at_a_request(site, path, store.stop) if path else store.stop()
        for _ in range(3):
            assert ended(crawled(tmp_path, site, store, spider="updatecrawl", BACKEND_PATIENCE=1), store)
        store.start()
        put(site, blog(), files())
        assert crawled(tmp_path, site, store, spider="updatecrawl").code == 0
        assert list(kept(tmp_path).values()) == [[None, None]] * len(POSTS)


def test_a_folder_that_cannot_be_written_ends_a_crawl(tmp_path):
    (tmp_path / "files").write_text("no folder")
    with served(blog(), files()) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site, MEDIA="True", FILES_STORE="files")
        assert (done.code, done.records) == (75, [])
        (sentence,) = done.sentences
        assert "The folder files for files cannot be written (" in sentence
        assert sentence.endswith("give another folder with ARCHIVE or FILES_STORE.")


@contextmanager
def taking_small_objects(store, code):
    """A store that refuses objects of more than `MOST` bytes, with this code."""
    ours = store.settings["AWS_ENDPOINT_URL"]
    refusal = f"<Error><Code>{code}</Code><Message>Too large</Message></Error>"

    async def answer(request):
        body = await request.read()
        if request.method == "PUT" and len(body) > MOST:
            return web.Response(status=400, text=refusal)
        headers = dict(request.headers)
        found = await asyncio.to_thread(
            requests.request, request.method, f"{ours}{request.path_qs}", data=body, headers=headers, timeout=10
        )
        passed = {name: value for name, value in found.headers.items() if name.lower() in {"etag", "content-type"}}
        return web.Response(status=found.status_code, body=found.content, headers=passed)

    with LocalSite({}, default=answer) as front:
        yield front


@contextmanager
def with_a_large_file(patch, code):
    """A blog one of whose pictures a store refuses with this code, and the store."""
    large = picture(png(3) + bytes(MOST))
    with (
        served(blog(), files() | {"/3.png": large}) as site,
        STORES["s3"](patch) as store,
        taking_small_objects(store, code) as front,
    ):
        store.settings["AWS_ENDPOINT_URL"] = front.url
        yield site, store


def test_a_file_that_the_store_refuses_is_what_its_post_lacks(tmp_path, monkeypatch):
    with with_a_large_file(monkeypatch, "EntityTooLarge") as (site, store):
        done = crawled(tmp_path, site, store)
        assert (done.code, len(done.records)) == (0, len(POSTS))
        assert "rejects a file of" in done.stderr
        assert media(done, site, POSTS[-3])["/3.png"]["error"] == "could not be written"
        assert sum(error is not None for errors in kept(tmp_path).values() for error in errors) == 1


def test_a_store_that_must_take_no_more_ends_a_crawl(tmp_path, monkeypatch):
    with with_a_large_file(monkeypatch, "XMinioAdminBucketQuotaExceeded") as (site, store):
        assert ended(crawled(tmp_path, site, store), store)
        assert all(errors == [None, None] for errors in kept(tmp_path).values())


def test_updates_that_a_store_has_ended_are_no_tries_for_what_hosts_could_not_give(tmp_path, monkeypatch):
    with with_a_large_file(monkeypatch, "QuotaExceeded") as (site, store):
        large = site.routes["/3.png"]
        site.routes["/3.png"] = Reply("busy", 503)
        fast = {"BACKOFF_TIMES": 0, "RETRY_TIMES": 0}
        assert crawled(tmp_path, site, store, **fast).code == 0
        site.routes["/3.png"] = large
        for _ in range(6):
            assert ended(crawled(tmp_path, site, store, spider="updatecrawl"), store)
        site.routes["/3.png"] = picture(png(3))
        assert crawled(tmp_path, site, store, spider="updatecrawl").code == 0
        assert list(kept(tmp_path).values()) == [[None, None]] * len(POSTS)
