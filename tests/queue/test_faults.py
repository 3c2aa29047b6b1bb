"""Workers, servers and networks that fail under a fleet at work; `tests.benchmarks.faults` is the same with more."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace

import pytest

from tests.backend import postgresql
from tests.crawl.blog import Blog, make_posts
from tests.queue.ordeal import KILL, Fleet, crawl_all, cutting, differences, killing, restarting, sleeping
from tests.shared.server import Server
from tests.site import LocalSite

pytestmark = pytest.mark.slow

BLOGS, POSTS = 6, 10
KILLS = 3
#: what faults begin with
BEGINNINGS = {
    KILL,
    "postgresql is killed",
    "redis is killed",
    "the network to postgresql is cut",
    "the network to redis is cut",
    "a worker with its crawl sleeps",
}
SETTINGS = {"WORKER_LOST_AFTER": 4, "DOWNLOAD_DELAY": 0.15}


@pytest.fixture
def server():
    """A PostgreSQL that may be killed."""
    if postgresql.programs() is None:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    with postgresql.cluster(is_safe=True) as made:
        yield made


@pytest.fixture
def sites():
    """Some blogs, each on a host of its own."""
    with ExitStack() as stack:
        found = [stack.enter_context(LocalSite({}, host=f"127.0.0.{number + 2}")) for number in range(BLOGS)]
        for number, site in enumerate(found):
            site.routes = Blog(make_posts(POSTS, seed=number)).routes(site.url)
        yield found


def test_what_fails_under_a_fleet_changes_nothing_of_what_it_keeps(tmp_path, server, redis_of_session, sites):
    fleet = Fleet([f"{site.url}/" for site in sites], SETTINGS)
    faults = [
        killing(every_s=2, times=KILLS),
        restarting("postgresql", at_s=1, down_s=2, is_killed=True),
        restarting("redis", at_s=1.5, down_s=2, is_killed=True),
        cutting("postgresql", at_s=4, cut_s=5),
        cutting("redis", at_s=5, cut_s=4),
        sleeping(at_s=0.5, sleep_s=8),
    ]
    with Server(is_safe=True) as redis:
        undisturbed = crawl_all(tmp_path / "undisturbed", replace(fleet, settings={}), server, redis)
        requests = sum(len(site.log) for site in sites)
        disturbed = crawl_all(tmp_path / "disturbed", fleet, server, redis, faults)
    assert len(undisturbed.records) == BLOGS * POSTS
    assert set(disturbed.done) >= BEGINNINGS
    assert disturbed.done.count(KILL) == KILLS
    for outcome in (undisturbed, disturbed):
        print(outcome.seconds, outcome.codes, *outcome.sentences, sep="\n")
        assert (outcome.twice, outcome.failed, outcome.unfinished, outcome.left_behind) == ({}, {}, [], {})
    assert differences(undisturbed, disturbed) == []
    again = sum(len(site.log) for site in sites) - requests
    assert requests <= again <= 2 * requests
