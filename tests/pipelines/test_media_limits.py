"""Hosts that pass for dead are spared, and looked at again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from blogcrawler.backend import KeptMedia
from blogcrawler.pipelines.media_limits import ENOUGH, REST, MediaHosts, is_spared

NOW = datetime(2026, 11, 24, tzinfo=UTC)


def failed(number, host="dead.example", **more):
    return KeptMedia(f"http://{host}/{number}.png", NOW, **({"error": "404 Not Found"} | more))


def asked(hosts, count, *, host="dead.example", now=NOW, **more):
    """The numbers of those files that are asked for, none of which is there."""
    found = []
    for number in range(count):
        one = failed(number, host, **more)
        if hosts.refusal(one.url, now) is None:
            found.append(number)
            hosts.note(one)
    return found


def test_a_host_without_files_is_asked_for_some_and_then_for_ever_fewer():
    found = asked(MediaHosts(), 1000)
    assert found == [*range(ENOUGH), 29, 49, 89, 169, 329, 649]


def test_why_a_file_is_spared_is_told():
    hosts = MediaHosts(map(failed, range(ENOUGH)))
    refusal = hosts.refusal("http://dead.example/new.png", NOW)
    assert refusal == "not asked for: no file of dead.example could be fetched"
    assert is_spared(refusal)
    assert not is_spared("404 Not Found")
    assert not is_spared(None)


def test_a_host_that_had_a_file_is_asked_for_all():
    for answer in ({"error": None}, {"error": "image/tiff is not wanted", "type": "image/tiff"}):
        hosts = MediaHosts([failed("a", **answer)])
        assert len(asked(hosts, 100)) == 100


def test_a_web_page_is_no_file():
    assert len(asked(MediaHosts(), 25, error="a web page instead of a file", type="text/html")) == ENOUGH


def test_other_hosts_are_not_concerned():
    hosts = MediaHosts(map(failed, range(ENOUGH)))
    assert asked(hosts, 3, host="other.example") == [0, 1, 2]


def test_after_a_rest_one_file_is_asked_for():
    hosts = MediaHosts(map(failed, range(ENOUGH)))
    later = NOW + REST
    assert asked(hosts, 5, now=later - timedelta(seconds=1)) == []
    assert hosts.refusal("http://dead.example/new.png", later) is None
    hosts.note(KeptMedia("http://dead.example/new.png", later, error="404 Not Found"))
    assert hosts.refusal("http://dead.example/other.png", later) is not None


def test_a_host_that_comes_back_is_asked_for_all_again():
    hosts = MediaHosts(map(failed, range(ENOUGH)))
    hosts.note(failed("back", error=None))
    assert asked(hosts, 5) == list(range(5))
