"""Hosts of files that are gone, hang or are slow take nothing from the crawl: neither time nor posts."""

from __future__ import annotations

import socket
import time

import pytest

from tests.crawl.blog import make_posts
from tests.crawl.constants import with_constants
from tests.crawl.running import RECORDS
from tests.crawl.test_media import Illustrated, archived, picture, png, put, served
from tests.site import LocalSite, RawSite

pytestmark = pytest.mark.slow

POSTS = make_posts(40)
"""More than may be in work at once."""


def hang(connection, _):
    connection.recv(1)


def showing(*bases):
    """A blog each post of which shows two pictures of each of some hosts."""

    def pictures(at):
        return "".join(f'<img src="{base}/{at}-{n}.png">' for base in bases for n in range(2))

    return Illustrated(POSTS, shown=pictures(0), all_shown={at: pictures(at) for at in range(1, len(POSTS))})


def test_dead_hosts_are_asked_once_and_hold_nothing_up(tmp_path):
    with RawSite(hang) as one, RawSite(hang) as two, served(showing(), {}) as site:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            refused = closed.getsockname()[1]
        dead = [one.url, two.url, f"http://127.0.0.1:{refused}", "http://nobody.invalid", "https://gone.invalid"]
        put(site, showing(*dead), {})
        ports = ",".join(f"127.0.0.1:{port}" for port in (one.port, two.port, refused))
        clock = time.time() - time.monotonic()
        wait = with_constants({"blogcrawler.downloader.foreign:FIRST_ANSWER_S": 8})
        done = archived(tmp_path, site, ALLOWED_PRIVATE_HOSTS=ports, ROBOTSTXT_OBEY="True", **wait)
        assert len(done.records) == len(POSTS)
        assert [head.split()[1] for head in one.heads + two.heads] == [b"/robots.txt"] * 2
        assert site.log[-1].at - site.log[0].at < 8, "the posts wait for no host"
        ended = (tmp_path / RECORDS).stat().st_mtime - clock
        assert ended - site.log[-1].at < 8 + 4, "and the end waits for one time-out"
        reasons = ["no answer in time", "no answer in time", "connection refused", "host not found", "host not found"]
        for base, reason in zip(dead, reasons, strict=True):
            errors = {one["error"] for r in done.records for one in r["media"] if one["url"].startswith(f"{base}/")}
            assert reason in errors
            assert all(error == reason or error.startswith("not asked for") for error in errors)
        assert any("5 hosts of files or comments could not be reached" in line for line in done.summary), done.summary


def test_a_slow_host_of_files_does_not_hold_up_the_posts(tmp_path):
    with LocalSite({}, default=picture(png(1)), latency_s=0.5) as slow, served(showing(), {}) as site:
        put(site, showing(slow.url), {})
        done = archived(tmp_path, site, ALLOWED_PRIVATE_HOSTS=f"127.0.0.1:{slow.port}")
        assert [media["error"] for record in done.records for media in record["media"]] == [None] * 80
        assert slow.log[-1].at - site.log[-1].at > 4, "80 files, 4 at a time, take 10 seconds"


def test_a_crawl_that_is_out_of_time_leaves_files_to_the_next(tmp_path):
    with LocalSite({}, default=picture(png(1)), latency_s=1) as slow, served(showing(), {}) as site:
        put(site, showing(slow.url), {})
        began = time.monotonic()
        settings = {"ALLOWED_PRIVATE_HOSTS": f"127.0.0.1:{slow.port}"}
        done = archived(tmp_path, site, TIME_LIMIT=6, **settings)
        assert time.monotonic() - began < 15
        errors = {media["error"] for record in done.records for media in record["media"]}
        assert errors == {None, "no answer in time"}
        slow._latency_s = 0
        archived(tmp_path, site, **settings)
        done = archived(tmp_path, site, spider="updatecrawl", **settings)
        assert {media["error"] for record in done.records for media in record["media"]} == {None}
