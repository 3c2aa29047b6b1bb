"""The file of what conditional requests need."""

from __future__ import annotations

import logging
import os
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.settings import Settings
from scrapy.utils.request import RequestFingerprinter

from blogcrawler.downloader.http_cache import FILE, KEPT_AT, SqliteCacheStorage

URL = "http://blog.example/"
SPIDER = SimpleNamespace(crawler=SimpleNamespace(request_fingerprinter=RequestFingerprinter()))
NAMES = st.text("abcdefghijklmnopqrstuvwxyz-", min_size=1).filter(lambda name: name != "vary")
VALUES = st.text(st.characters(max_codepoint=255)).map(lambda value: value.encode("latin-1"))


@contextmanager
def opened(folder):
    storage = SqliteCacheStorage(Settings({"ARCHIVE": str(folder)}))
    storage.open_spider(SPIDER)
    yield storage
    storage.close_spider(SPIDER)


def keep(storage, response, request=None):
    storage.store_response(SPIDER, request or Request(response.url), response)


def kept(storage, url=URL, **options):
    return storage.retrieve_response(SPIDER, Request(url, **options))


def page(body=b"<p>words</p>", url=URL, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HtmlResponse(url, headers={"Content-Type": "text/html", "ETag": '"1"', **named}, body=body)


@pytest.fixture(scope="module")
def storage(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("kept")) as storage:
        yield storage


@hypothesis_settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(NAMES, st.lists(VALUES, min_size=1)), st.binary(), st.integers(100, 599))
def test_round_trip(storage, headers, body, status):
    response = Response(URL, status=status, headers=headers, body=body)
    keep(storage, response)
    found = kept(storage)
    assert (found.url, found.status, found.headers, found.body) == (URL, status, response.headers, body)


def test_what_is_kept_outlives_the_crawl(tmp_path):
    with opened(tmp_path) as storage:
        keep(storage, page())
        sent = Request(URL)
        storage.store_response(SPIDER, sent, page(b"anew"))
    with opened(tmp_path / "." / "") as storage:
        request = Request(URL)
        found = storage.retrieve_response(SPIDER, request)
        assert isinstance(found, HtmlResponse)
        assert found.body == b"anew"
        assert request.meta["cache_timestamp"] > 1e9
        assert request.meta["cache_timestamp"] == sent.meta[KEPT_AT], "both crawls tell the same time"
        assert kept(storage, URL + "other") is None


def test_what_no_crawl_has_used_for_more_than_a_year_is_deleted(tmp_path, monkeypatch):
    day = 24 * 3600
    begin = time.time()
    with opened(tmp_path) as storage:
        keep(storage, page())
        keep(storage, page(url=URL + "gone"))
    for days in (300, 600):
        monkeypatch.setattr("blogcrawler.downloader.http_cache.time.time", lambda days=days: begin + days * day)
        with opened(tmp_path) as storage:
            unchanged = kept(storage)
            unchanged.flags.append("cached")
            keep(storage, unchanged)
            assert kept(storage, URL + "gone") is not None, "until the crawl ends"
    with opened(tmp_path) as storage:
        assert kept(storage) is not None
        assert kept(storage, URL + "gone") is None


def test_headers_of_an_answer_without_body_replace_the_older(tmp_path):
    with opened(tmp_path) as storage:
        keep(storage, page())
        first = Request(URL)
        fresh = storage.retrieve_response(SPIDER, first)
        fresh.flags.append("cached")
        fresh.headers["ETag"] = '"2"'
        keep(storage, fresh)
        again = Request(URL)
        found = storage.retrieve_response(SPIDER, again)
    assert (found.headers["ETag"], found.body, found.flags) == (b'"2"', b"<p>words</p>", [])
    assert again.meta["cache_timestamp"] == first.meta["cache_timestamp"], "the time is that of the body"


def test_an_answer_that_was_chosen_by_other_headers_is_none(tmp_path):
    with opened(tmp_path) as storage:
        german = Request(URL, headers={"Accept-Language": "de", "Accept-Encoding": "gzip"})
        keep(storage, page(Vary=["Accept-Encoding", "accept-language , Cookie"]), german)
        assert kept(storage, headers={"Accept-Language": "de"}) is not None
        assert kept(storage, headers={"Accept-Language": "fr"}) is None
        assert kept(storage) is None


def test_crawls_share_the_file(tmp_path):
    with opened(tmp_path) as one, opened(tmp_path) as other:
        keep(one, page(b"one", URL + "1"))
        keep(other, page(b"other", URL + "2"))
        assert (kept(other, URL + "1").body, kept(one, URL + "2").body) == (b"one", b"other")


def test_crawls_open_and_write_a_new_file_at_once(tmp_path, caplog):
    def write(number):
        with opened(tmp_path) as storage:
            for part in range(20):
                keep(storage, page(url=f"{URL}{number}/{part}"))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert caplog.messages == []
    with opened(tmp_path) as storage:
        assert all(kept(storage, f"{URL}{number}/{part}") for number in range(8) for part in range(20))


KILLED = """
import os, sys
from tests.downloader.test_http_cache import *
with opened(sys.argv[1]) as storage:
    for number in range(50):
        keep(storage, page(url=f"{URL}{number}"))
    os.kill(os.getpid(), 9)
"""


def test_a_crawl_that_is_killed_leaves_what_it_kept(tmp_path, caplog):
    code = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False).returncode
    assert code == -9
    with opened(tmp_path) as storage:
        assert all(kept(storage, f"{URL}{number}") for number in range(50))
    assert caplog.messages == []


def test_a_file_that_is_no_database_is_told_once(tmp_path, caplog):
    (tmp_path / FILE).write_bytes(b"words without meaning" * 100)
    with opened(tmp_path) as storage:
        keep(storage, page())
        assert kept(storage) is None
    (message,) = caplog.messages
    assert f"{FILE} cannot be used (file is not a database)" in message


def test_a_database_that_breaks_while_it_is_used_is_told_once(tmp_path, caplog):
    with opened(tmp_path) as storage:
        for number in range(300):
            keep(storage, page(os.urandom(2000), f"{URL}{number}"))
    with (tmp_path / FILE).open("r+b") as file:
        file.seek(4096)
        file.write(b"\x99" * 400_000)
    with opened(tmp_path) as storage:
        for number in range(300):
            kept(storage, f"{URL}{number}")
        keep(storage, page())
    assert len(caplog.messages) == 1


@pytest.mark.parametrize(("column", "value"), [("body", b"broken"), ("headers", "{"), ("headers", "[1]")])
def test_an_entry_that_is_damaged_is_none(tmp_path, caplog, column, value):
    with opened(tmp_path) as storage:
        keep(storage, page())
        with closing(sqlite3.connect(tmp_path / FILE)) as connection:
            connection.execute(f"UPDATE response SET {column} = ?", (value,))
            connection.commit()
        assert kept(storage) is None
        keep(storage, page())
        assert kept(storage) is not None
    assert caplog.messages == []


def test_a_file_of_another_version_begins_anew(tmp_path):
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("CREATE TABLE response (something TEXT)")
        connection.execute("PRAGMA user_version = 99")
        connection.commit()
    with opened(tmp_path) as storage:
        keep(storage, page())
        assert kept(storage) is not None


def test_a_folder_that_cannot_be_made_is_told_once(tmp_path, caplog):
    (tmp_path / "file").touch()
    with caplog.at_level(logging.WARNING), opened(tmp_path / "file") as storage:
        keep(storage, page())
        assert kept(storage) is None
    (message,) = caplog.messages
    assert "cannot be used" in message


def test_a_file_that_may_not_be_written_is_told_once(tmp_path, caplog):
    (tmp_path / FILE).mkdir()
    with opened(tmp_path) as storage:
        keep(storage, page())
        assert kept(storage) is None
    assert len(caplog.messages) == 1
