"""Workers, servers and networks that fail under a fleet at work; `tests.benchmarks.faults` is the same with more."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace

import pytest

from tests.backend import postgresql
from tests.crawl.blog import Blog, make_posts
from tests.queue.ordeal import Fleet, crawl_all, cutting, differences, killing, restarting, sleeping
from tests.shared.server import Server
from tests.site import LocalSite

pytestmark = pytest.mark.slow

BLOGS, POSTS = 6, 10
SETTINGS = {"WORKER_LOST_AFTER": 4, "DOWNLOAD_DELAY": 0.15}


@pytest.fixture
def server():
    """A PostgreSQL that may be stopped."""
    if postgresql.programs() is None:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    with postgresql.cluster() as made:
        yield made


@pytest.fixture
def homes():
    """The home pages of some blogs, each on a host of its own."""
    with ExitStack() as stack:
        found = []
        for number in range(BLOGS):
            site = stack.enter_context(LocalSite({}, host=f"127.0.0.{number + 2}"))
            site.routes = Blog(make_posts(POSTS, seed=number)).routes(site.url)
            found.append(f"{site.url}/")
        yield found


def test_what_fails_under_a_fleet_changes_nothing_of_what_it_keeps(tmp_path, server, redis_of_session, homes):
    fleet = Fleet(homes, SETTINGS)
    faults = [
        killing(every_s=4, times=4),
        restarting("postgresql", at_s=5, down_s=3),
        restarting("redis", at_s=11, down_s=2),
        cutting("postgresql", at_s=14, cut_s=6),
        cutting("redis", at_s=9, cut_s=5),
        sleeping(at_s=3, sleep_s=10),
    ]
    with Server() as redis:
        undisturbed = crawl_all(tmp_path / "undisturbed", replace(fleet, settings={}), server, redis)
        disturbed = crawl_all(tmp_path / "disturbed", fleet, server, redis, faults)
    assert len(undisturbed.records) == BLOGS * POSTS
    for outcome in (undisturbed, disturbed):
        print(outcome.seconds, outcome.codes, *outcome.sentences, sep="\n")
        assert (outcome.twice, outcome.unfinished, outcome.left_behind) == ([], [], {})
    assert differences(undisturbed, disturbed) == []
