"""pywb replays what a crawl has kept. It is a program of its own here, with a licence and requirements of its own.

It is looked for on the PATH, and in the folder that the variable PYWB names: where `wayback` and `wb-manager` are.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from urllib.error import HTTPError

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import crawl
from tests.crawl.test_warc import archived, put

POSTS = make_posts(6)
PATH = os.pathsep.join(filter(None, [os.environ.get("PYWB"), os.environ.get("PATH")]))
MANAGER, SERVER = (shutil.which(name, path=PATH) for name in ("wb-manager", "wayback"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (MANAGER and SERVER), reason="there is no pywb: pip install it somewhere, and set PYWB"),
]


@contextmanager
def replayed(folder, files):
    """A server that replays WARC files; what it answers for a time (14 digits) and an address."""
    subprocess.run([MANAGER, "init", "all"], cwd=folder, check=True, capture_output=True)
    subprocess.run([MANAGER, "add", "all", *map(str, files)], cwd=folder, check=True, capture_output=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [SERVER, "-b", "127.0.0.1", "-p", str(port)], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for(port, server)
        yield lambda at, url: get(f"http://127.0.0.1:{port}/all/{at}id_/{url}")
    finally:
        server.kill()
        server.wait()


def wait_for(port, server):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("pywb does not start")


def get(url):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=30) as response:
            return response.status, response.read()
    except HTTPError as error:
        return error.code, error.read()


def time_of(header):
    return "".join(filter(str.isdigit, header("WARC-Date")))[:14]


def test_pages_are_replayed_and_what_has_not_changed(tmp_path):
    (tmp_path / "crawl").mkdir()
    (tmp_path / "replay").mkdir()
    with serve() as site:
        put(site, Blog(POSTS[1:], in_feed=3))
        first = crawl(tmp_path / "crawl", f"{site.url}/", WARC=True)
        time.sleep(1.1)  # addresses of replays have seconds
        put(site, Blog(POSTS, in_feed=3))
        second = crawl(tmp_path / "crawl", f"{site.url}/", spider="updatecrawl", WARC=True)
        time.sleep(1.1)
        crawl(tmp_path / "crawl", f"{site.url}/", spider="updatecrawl", WARC=True)
        feed = Blog(POSTS, in_feed=3).feed(site.url)
    files = sorted((tmp_path / "crawl" / "archive" / "warc").glob("*.warc.gz"))
    revisits = [header for kind, header in archived(tmp_path / "crawl") if kind == "revisit"]
    assert f"{site.url}/feed.xml" in {header("WARC-Target-URI") for header in revisits}
    with replayed(tmp_path / "replay", files) as answer:
        for record in first.records + second.records:
            status, body = answer("".join(filter(str.isdigit, record["provenance"]["fetched"]))[:14], record["url"])
            assert (status, hashlib.sha256(body).hexdigest()) == (200, record["provenance"]["sha256"])
        for header in revisits:
            status, body = answer(time_of(header), header("WARC-Target-URI"))
            assert (status, bool(body)) == (200, True)
            if header("WARC-Target-URI").endswith("/feed.xml") and "not-modified" in header("WARC-Profile"):
                assert body.decode() == feed
