"""The index of a place: what is read, what is not read again, and interrupted runs."""

from __future__ import annotations

import gzip
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from blogcrawler.errors import BackendUnavailable, DamagedCapture
from tests.sources.records import bodies, done, opened, page, urls, wacz, warc

HOME = "http://example.org/"
PAGES = {f"{HOME}{number}": page(number) for number in range(6)}


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "place"
    folder.mkdir()
    return folder


def offsets(content):
    return [place for place in range(len(content)) if content.startswith(b"\x1f\x8b\x08", place)][1:]


def cdx(content, filename, form="cdxj", pages=PAGES):
    """The index of a file that `warc` wrote, as other programs write it."""
    lines = [" CDX N b a m s k r M S V g"] if form == "cdx" else []
    for url, offset in zip(pages, offsets(content), strict=False):
        values = {"url": url, "mime": "text/html", "status": "200", "offset": str(offset), "filename": filename}
        fields = f"{url} text/html 200 - - - 1 {offset} {filename}" if form == "cdx" else json.dumps(values)
        lines.append(f"org,example)/{url[-1]} 20140502100000 {fields}")
    return "".join(f"{line}\n" for line in lines).encode()


# --------------------------------------------------------------------------------------------------- indexes beside


@pytest.mark.parametrize("form", ["cdx", "cdxj"])
@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("filename", ["a.warc.gz", "files/a.warc.gz", "/mnt/elsewhere/files/a.warc.gz"])
def test_an_index_saves_reading_the_files_that_it_lists(place, form, ending, filename):
    content = warc(PAGES)
    (place / "files").mkdir()
    (place / "files" / "a.warc.gz").write_bytes(content)
    (place / "other.warc.gz").write_bytes(warc({HOME + "other": b"other"}))
    index = cdx(content, filename, form, pages=list(PAGES)[:4])
    (place / f"index.{form}{ending}").write_bytes(gzip.compress(index) if ending else index)
    captures = opened(place)
    assert urls(captures) == [*list(PAGES)[:4], HOME + "other"]
    assert {url: bodies(captures, url) for url in urls(captures)[:4]} == {url: [PAGES[url]] for url in list(PAGES)[:4]}
    assert bodies(captures, HOME + "other") == [b"other"]


def test_an_index_alone_is_a_place(place):
    content = warc(PAGES)
    (place / "a.warc.gz").write_bytes(content)
    (place / "b.warc.gz").write_bytes(warc({HOME + "other": b"other"}))
    (place / "c.cdx").write_bytes(cdx(content, "a.warc.gz", "cdx"))
    captures = opened(place / "c.cdx", place.parent)
    assert {url: bodies(captures, url) for url in urls(captures)} == {url: [body] for url, body in PAGES.items()}


def test_the_index_of_a_package_names_the_files_of_this_package(place):
    for name in ("a", "b"):
        content = warc({f"http://{name}.example/": name.encode()})
        index = cdx(content, "data.warc.gz", pages=[f"http://{name}.example/"])
        wacz(place / f"{name}.wacz", {"archive/data.warc.gz": content, "indexes/index.cdxj": index})
    captures = opened(place)
    assert [bodies(captures, url) for url in urls(captures)] == [[b"a"], [b"b"]]


def test_captures_of_files_that_are_not_there_are_listed(place):
    content = warc(PAGES)
    (place / "a.cdxj").write_bytes(cdx(content, "../../a.warc.gz"))
    captures = opened(place)
    assert captures.state.missing == 1
    (capture,) = done(captures.find(HOME + "3"))
    assert capture.place.startswith(f"{place}/a.warc.gz#")
    with pytest.raises(DamagedCapture, match="No such file"):
        done(captures.read(capture))
    captures.close()
    (place / "later").mkdir()
    (place / "later" / "a.warc.gz").write_bytes(content)
    captures = opened(place)
    assert (captures.state.missing, bodies(captures, HOME + "3")) == (0, [page(3)])


def test_an_index_of_an_earlier_version_of_a_file(place):
    (place / "a.warc.gz").write_bytes(warc(dict(reversed(PAGES.items()))))
    (place / "a.cdxj").write_bytes(cdx(warc(PAGES), "a.warc.gz"))
    captures = opened(place)
    for url in urls(captures):
        (capture,) = done(captures.find(url))
        with pytest.raises(DamagedCapture, match="cannot be read"):
            assert done(captures.read(capture)).body == b"of another page"


def test_a_damaged_index(place):
    index = gzip.compress(b"junk\n" + b"x" * 200_000 + b"\n" + cdx(warc(PAGES), "a.warc.gz"))
    (place / "a.cdxj.gz").write_bytes(index[:-20])
    captures = opened(place)
    assert captures.state.damaged == 1
    assert len(urls(captures)) >= 1
    captures.close()
    opened(place).close()
    assert opened(place).state.damaged == 1
    (place / "a.cdxj.gz").write_bytes(index)
    captures = opened(place)
    assert (captures.state.damaged, urls(captures)) == (0, list(PAGES))


# ------------------------------------------------------------------------------------------- later runs


def test_files_are_read_once_and_again_when_they_change(place):
    steps = []
    (place / "a.warc.gz").write_bytes(warc(PAGES))
    opened(place, on_progress=steps.append).close()
    assert [(one.path, one.files, one.files_done, one.captures) for one in steps] == [("a.warc.gz", 1, 0, 6)]
    opened(place, on_progress=steps.append).close()
    assert len(steps) == 1
    (place / "b.warc.gz").write_bytes(warc({HOME + "b": b"b"}))
    captures = opened(place, on_progress=steps.append)
    assert [one.path for one in steps[1:]] == ["b.warc.gz"]
    assert urls(captures) == [*PAGES, HOME + "b"]
    captures.close()
    (place / "a.warc.gz").write_bytes(warc({HOME + "a": b"a"}))
    captures = opened(place, on_progress=steps.append)
    assert [one.path for one in steps[2:]] == ["a.warc.gz"]
    assert urls(captures) == [HOME + "a", HOME + "b"]


def test_a_package_that_changes_is_unpacked_again(place):
    for body in (b"first", b"second"):
        wacz(
            place / "a.wacz",
            {"archive/a.warc.gz": gzip.compress(warc({HOME: body}, is_compressed=False))},
            compression=8,
        )
        os.utime(place / "a.wacz", ns=(1, len(body)))
        captures = opened(place)
        assert bodies(captures, HOME) == [body]
        captures.close()
    assert len(list((place.parent / "index" / "unpacked").iterdir())) == 2


def test_a_file_that_cannot_be_opened_is_tried_again(place):
    (place / "a.warc.gz").symlink_to(place / "files" / "a.warc.gz")
    captures = opened(place)
    assert (captures.state.damaged, urls(captures)) == (1, [])
    captures.close()
    (place / "files").mkdir()
    (place / "files" / "a.warc.gz").write_bytes(warc({HOME: b"home"}))
    captures = opened(place)
    assert (captures.state.damaged, bodies(captures, HOME)[0]) == (0, b"home")


def test_an_index_that_cannot_be_written(place):
    (place / "a.warc.gz").write_bytes(warc(PAGES))
    opened(place).close()
    (index,) = (place.parent / "index").glob("*.sqlite")
    index.write_bytes(b"junk" * 2000)
    with pytest.raises(BackendUnavailable, match="delete it"):
        opened(place)
    index.unlink()
    assert urls(opened(place)) == list(PAGES)
    with pytest.raises(BackendUnavailable, match="disk space"):
        opened(place, index / "x")


def test_a_place_by_a_relative_path(place, monkeypatch):
    (place / "a.warc.gz").write_bytes(warc(PAGES))
    monkeypatch.chdir(place)
    for name in ("a.warc.gz", ".", "../place", "../place/a.warc.gz"):
        captures = opened(Path(name), place.parent)
        assert {url: bodies(captures, url) for url in urls(captures)} == {url: [body] for url, body in PAGES.items()}


KILLED = """
import sys
from pathlib import Path
import blogcrawler.sources.index as index
from blogcrawler.sources.local_captures import LocalCaptures

index._BATCH = 50
LocalCaptures.open(Path(sys.argv[1]), Path(sys.argv[2]), lambda progress: print(progress.captures, flush=True))
"""


def test_runs_that_are_killed_lose_and_double_nothing(place, tmp_path):
    pages = {f"{HOME}{number}": b"<p>%d</p>" % number for number in range(1000)}
    items = list(pages.items())
    content = warc(dict(items[:500]))
    damaged = offsets(content)[100] + 40
    (place / "a.warc.gz").write_bytes(content[:damaged] + bytes(20) + content[damaged + 20 :])
    (place / "b.warc").write_bytes(warc(dict(items[500:900]), is_compressed=False))
    rest = warc(dict(items[900:]))
    (place / "c.warc.gz").write_bytes(rest)
    (place / "c.cdxj").write_bytes(cdx(rest, "c.warc.gz", pages=dict(items[900:])))
    killed = 0
    for _ in range(60):
        command = [sys.executable, "-c", KILLED, place, tmp_path / "index"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            seen = process.stdout.readline()
            time.sleep(0.002 * (killed % 4))
            process.send_signal(signal.SIGKILL)
        killed += process.returncode == -signal.SIGKILL and bool(seen)
        if not seen:
            break
    assert killed >= 3
    captures = opened(place)
    assert captures.state.damaged == 1
    found = urls(captures)
    assert len(found) == len(set(found)) == 999
    assert set(found) == set(pages) - {f"{HOME}100"}
    assert all(bodies(captures, url) == [pages[url]] for url in found[::50])


def test_two_processes_make_an_index_together(place, tmp_path):
    (place / "a.warc.gz").write_bytes(warc({f"{HOME}{number}": b"x" for number in range(500)}))
    command = [sys.executable, "-c", KILLED, place, tmp_path / "index"]
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert len(urls(opened(place))) == 500


# ------------------------------------------------------------------------------------------------- wget


class Site(http.server.BaseHTTPRequestHandler):
    """Two pages and a picture, one chunked, one compressed if a client can read it."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = {"/": b'<a href="/post">Post</a>', "/post": b"<p>Post</p>"}.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", "text/html")
        if self.path == "/post":
            self.send_header("Transfer-Encoding", "chunked")
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        else:
            self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *arguments):
        pass


@pytest.mark.skipif(shutil.which("wget") is None, reason="wget is not installed")
@pytest.mark.parametrize("options", [["--no-warc-compression"], ["--warc-cdx"], []])
def test_captures_of_wget(place, options):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        home = f"http://127.0.0.1:{server.server_port}/"
        first = ["wget", "-q", "-r", "--warc-file=a", "-P", "pages", *options, home]
        assert subprocess.run(first, cwd=place, check=False).returncode in (0, 8)
        if options == ["--warc-cdx"]:  # a second run stores what is unchanged as revisits
            again = ["wget", "-q", "-r", "--warc-file=b", "--warc-dedup=a.cdx", "-P", "again", *options, home]
            assert subprocess.run(again, cwd=place, check=False).returncode in (0, 8)
        server.shutdown()
    shutil.rmtree(place / "pages")
    captures = opened(place)
    count = 2 if options == ["--warc-cdx"] else 1
    assert bodies(captures, home) == [b'<a href="/post">Post</a>'] * count
    assert bodies(captures, home + "post") == [b"<p>Post</p>"] * count
    assert [one.status for one in done(captures.find(home + "robots.txt"))] == [404] * count
