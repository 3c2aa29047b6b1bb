"""Crawls that go through a Redis: beside each other, and when it is gone."""

from __future__ import annotations

import time
from itertools import chain, pairwise

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import RECORDS, command, crawl, crawl_until, read_records, start
from tests.crawl.test_errors import TEMPORARY_FAILURE, says
from tests.shared.server import Server


@pytest.mark.slow
@pytest.mark.parametrize("requests", [1, 3, 5, 8, 12])
def test_a_crawl_ends_when_redis_is_gone_and_goes_on_when_it_is_back(tmp_path, redis_of_session, requests):
    """Whether it is finding sources, learning, or fetching posts by then."""
    blog = Blog(make_posts(12))
    with serve(blog) as site, Server() as server:
        settings = {"GATE_URL": server.url, "BACKEND_PATIENCE": 1, "GATE_SERVER_DELAY": 0.05}
        arguments = command(f"{site.url}/", **settings)
        code = crawl_until(tmp_path, arguments, lambda: len(site.targets) >= requests, lambda _: server.kill())
        stderr = (tmp_path / "stderr").read_text()
        assert code == TEMPORARY_FAILURE, stderr
        assert "Traceback" not in stderr
        assert "has not answered for 1 s" in stderr.rstrip().splitlines()[-1]
        assert server.password not in stderr
        server.start()
        outcome = crawl(tmp_path, f"{site.url}/", server=site, **settings)
        assert outcome.code == 0, outcome.stderr
        assert len(outcome.urls) == 12


@pytest.mark.slow
def test_a_redis_that_starts_again_holds_a_crawl_up(tmp_path, redis_of_session):
    blog = Blog(make_posts(12))
    with serve(blog) as site, Server() as server:
        arguments = command(f"{site.url}/", GATE_URL=server.url, GATE_SERVER_DELAY=0.05)

        def restart(_):
            server.kill()
            server.start()

        assert crawl_until(tmp_path, arguments, lambda: len(site.targets) >= 8, restart) == 0


@pytest.mark.slow
def test_processes_share_a_host_and_one_that_is_killed_holds_up_nobody(tmp_path, redis_server):
    """Each keeps its own delay; without the gate requests of the two would come at any distance from each other."""
    settings = {
        "GATE_URL": redis_server.url,
        "DOWNLOAD_DELAY": 0.2,
        "DOWNLOAD_DELAY_JITTER": 0,
        "ROBOTSTXT_OBEY": False,
    }
    with serve(Blog(make_posts(25))) as killed, serve(Blog(make_posts(25, seed=2))) as spared:
        folders = [tmp_path / name for name in ("killed", "spared")]
        for folder in folders:
            folder.mkdir()
        processes = [
            start(folder, command(f"{site.url}/", **settings))
            for folder, site in zip(folders, (killed, spared), strict=True)
        ]
        while len(killed.log) < 15 or len(spared.log) < 15:
            assert all(process.poll() is None for process in processes)
            time.sleep(0.02)
        times = [[visit.at for visit in site.log] for site in (killed, spared)]
        processes[0].kill()
        processes[0].wait()
        assert processes[1].wait(60) == 0
    both = [at for at in sorted(chain(*times)) if at >= max(of_one[0] for of_one in times)]
    close = [after - before for before, after in pairwise(both) if after - before < 0.1]
    assert len(close) <= len(both) / 6, "a machine that is busy lets some come late"
    assert len(both) > 20
    assert len(read_records(folders[1] / RECORDS)) == 25


@pytest.mark.slow
def test_an_address_that_is_none(tmp_path, redis_of_session):
    with serve(Blog()) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site, GATE_URL="localhost:6379")
    says(outcome, "GATE_URL is not a Redis URL", code=2)
    assert outcome.requests == []
