"""Downloads: the same as exports write, and nothing left behind."""

from __future__ import annotations

import io
import json
import socket
import sys
import tempfile
import threading
import time
import zipfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from blogcrawler.backend import Archive, FileStore
from blogcrawler.browse.context import Slots
from blogcrawler.browse.zipping import zipped
from blogcrawler.errors import BlogcrawlerError
from blogcrawler.export import FORMATS, FolderFormat, Selection
from tests.archives import save_records
from tests.browse.serving import browsing
from tests.export.archives import ANN, BO, NOW, a_record, address, captured

NAME = "1-ann.example.org"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("downloads")
    with captured(folder) as archive, browsing(archive, folder) as served:
        served.archive, served.folder = archive, folder
        yield served


@pytest.fixture
def emptied(monkeypatch, tmp_path):
    """The folder for temporary files, which is empty behind a test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    _until(lambda: not [*folder.iterdir()])


def _until(is_so, seconds=20):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def export(site, name, target):
    archive, folder = site.archive, site.folder
    blog = next(blog for blog in archive.blogs() if blog.home == ANN)
    FORMATS[name].export(Selection(archive, (blog,), files=FileStore(folder), warcs=folder / "warc"), str(target))


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_what_an_export_writes(site, name, emptied, tmp_path):
    answer = site.ask(f"/blogs/1/export/{name}")
    assert answer.status_code == 200, answer.text
    target = tmp_path / "export"
    export(site, name, target)
    disposition = answer.headers["content-disposition"]
    assert disposition.startswith(f'attachment; filename="{NAME}.')
    if isinstance(FORMATS[name], FolderFormat):
        assert disposition.endswith('.zip"')
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            assert archive.testzip() is None
            names = {file for file in archive.namelist() if not file.endswith("/")}
            written = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
            assert {file.partition("/")[2] for file in names} == written
            assert {file.partition("/")[0] for file in names} == {f"{NAME}.{name}"}
    else:
        assert answer.content == target.read_bytes()
        assert answer.headers["content-length"] == str(target.stat().st_size)


def test_a_download_has_the_posts_of_its_blog_alone(site):
    lines = site.ask("/blogs/2/export/jsonl").content.decode().splitlines()
    assert {json.loads(line)["blog"] for line in lines} == {BO}


def test_nothing_is_made_for_a_look_at_the_headers(site, emptied):
    assert site.ask("/blogs/1/export/jsonl", "HEAD").status_code == 405


def test_the_record_of_a_post(site):
    answer = site.ask("/posts/1.json")
    assert answer.headers["content-disposition"] == f'attachment; filename="{NAME}-1.json"'
    assert answer.json() == site.archive.record(ANN, f"{ANN}a").to_dict()


def test_a_format_whose_package_lacks_says_so(site, emptied, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    answer = site.ask("/blogs/1/export/parquet")
    assert answer.status_code == 500
    assert "pip install" in answer.text
    monkeypatch.setitem(FORMATS, "parquet", replace(FORMATS["parquet"], needs="no_such_package"))
    assert "pip install no_such_package" in site.page("/blogs/1")


@contextmanager
def writing(monkeypatch, write):
    """A format that does what a test wants."""
    monkeypatch.setitem(FORMATS, "jsonl", replace(FORMATS["jsonl"], write=write))
    yield


def test_what_fails_is_told_and_nothing_is_left(site, emptied, monkeypatch):
    def refuse(_selection, stream):
        stream.write(b"some")
        raise BlogcrawlerError("The disk is on fire.")

    def run_out(_selection, stream):
        raise OSError(28, "No space left on device")

    def break_down(_selection, stream):
        raise ValueError("a mistake")

    for write, said in (
        (refuse, "on fire"),
        (run_out, "No space left on device"),
        (break_down, "could not be created"),
    ):
        with writing(monkeypatch, write):
            answer = site.ask("/blogs/1/export/jsonl")
            assert answer.status_code == 500
            assert said in answer.text
            assert "Traceback" not in answer.text
    assert site.ask("/blogs/1/export/csv").status_code == 200


def test_some_downloads_at_once_and_no_more(site, emptied, monkeypatch):
    begun, go_on = threading.Semaphore(0), threading.Event()

    def wait(_selection, stream):
        begun.release()
        assert go_on.wait(20)
        stream.write(b"done")

    with writing(monkeypatch, wait):
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(site.ask("/blogs/1/export/jsonl"))) for _ in range(2)]
        for thread in threads:
            thread.start()
            assert begun.acquire(timeout=20)
        refused = site.ask("/blogs/1/export/csv")
        assert refused.status_code == 503
        assert "Try again" in refused.text
        assert refused.headers["retry-after"]
        assert site.ask("/blogs/1").status_code == 200, "pages are answered meanwhile"
        go_on.set()
        for thread in threads:
            thread.join(20)
    assert [answer.content for answer in answers] == [b"done", b"done"]
    _until(lambda: site.ask("/blogs/1/export/csv").status_code == 200)


def test_a_download_that_nobody_waits_for_ends_at_the_next_post(site, emptied, monkeypatch):
    begun, ended = threading.Event(), threading.Event()

    def go_round(selection, stream):
        try:
            while True:
                for _ in selection.posts():
                    stream.write(b"post\n")
                    begun.set()
        finally:
            ended.set()

    with writing(monkeypatch, go_round):
        host, port = site.url.removeprefix("http://").rstrip("/").split(":")
        with socket.create_connection((host, int(port))) as asking:
            asking.sendall(f"GET /blogs/1/export/jsonl HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            assert begun.wait(20)
            assert [*emptied.iterdir()]
        assert ended.wait(20)
    _until(lambda: not [*emptied.iterdir()])


def test_a_download_that_is_broken_off_leaves_nothing(site, emptied, monkeypatch):
    def write_much(_selection, stream):
        for _ in range(200):
            stream.write(bytes(1 << 20))

    with writing(monkeypatch, write_much):
        host, port = site.url.removeprefix("http://").rstrip("/").split(":")
        with socket.create_connection((host, int(port))) as asking:
            asking.sendall(f"GET /blogs/1/export/jsonl HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            assert asking.recv(100).startswith(b"HTTP/1.1 200")
            assert [*emptied.iterdir()]
    _until(lambda: not [*emptied.iterdir()])


def test_a_folder_is_zipped_part_by_part(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "ä.txt").write_text("one")
    (tmp_path / "large").write_bytes(bytes(3_000_000))
    parts = list(zipped(tmp_path, "name"))
    assert len(parts) > 10
    with zipfile.ZipFile(io.BytesIO(b"".join(parts))) as archive:
        assert archive.testzip() is None
        assert sorted(archive.namelist()) == ["name/b/ä.txt", "name/large"]


def test_slots_come_back():
    slots = Slots(1)
    slots.take()
    with pytest.raises(Exception, match="Try again"):
        slots.take()
    slots.give_back()
    slots.take()


def test_a_download_of_many_posts_keeps_no_page_waiting(tmp_path):
    with Archive.open(address(tmp_path)) as archive:
        save_records(archive, [a_record(str(number)) for number in range(300)], now=NOW)
        with browsing(archive, tmp_path) as site:
            thread = threading.Thread(target=site.ask, args=("/blogs/1/export/site",))
            thread.start()
            begun = time.monotonic()
            assert site.ask("/static/style.css").status_code == 200
            assert time.monotonic() - begun < 5
            thread.join(60)
    assert Path(tmp_path / "archive.db").exists()
