"""Crawls that go through a Redis: beside each other, and when it is gone."""

from __future__ import annotations

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import command, crawl, crawl_until
from tests.crawl.test_errors import FAILED, says
from tests.shared.server import Server


@pytest.mark.slow
def test_a_crawl_ends_when_redis_is_gone_and_goes_on_when_it_is_back(tmp_path, redis_of_session):
    blog = Blog(make_posts(12))
    with serve(blog) as site, Server() as server:
        settings = {"GATE_URL": server.url, "GATE_PATIENCE": 1, "GATE_SERVER_DELAY": 0.05}
        arguments = command(f"{site.url}/", **settings)
        code = crawl_until(tmp_path, arguments, lambda: len(site.targets) >= 8, lambda _: server.kill())
        stderr = (tmp_path / "stderr").read_text()
        assert code == FAILED, stderr
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
def test_an_address_that_is_none(tmp_path, redis_of_session):
    with serve(Blog()) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site, GATE_URL="localhost:6379")
    says(outcome, "GATE_URL is no address of a Redis", code=2)
    assert outcome.requests == []
