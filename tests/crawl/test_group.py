"""Several spiders on one blog: the same records as one alone, each once, whoever dies meanwhile."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import threading
import time
from collections import Counter
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from blogcrawler.backend import Archive
from blogcrawler.crawl.refinement import SIZE
from blogcrawler.shared import Redis, RedisFrontierStore
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.commented import CommentedBlog
from tests.crawl.running import DATABASE, Outcome, command, crawl, kept, outcome, query, start
from tests.crawl.test_errors import closed_port
from tests.crawl.test_page_comments import chat
from tests.crawl.test_several_pages import SpreadBlog
from tests.shared.server import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.crawl.blog import Site
    from tests.crawl.running import Process

POSTS = 40
DEADLINE_S = 120
ROBOTS = "/robots.txt"
AGAIN = 75
"""Exit code of a crawl that could not go on for no fault of its blog, EX_TEMPFAIL."""
pytestmark = pytest.mark.slow


class Spiders:
    """Processes that crawl one blog, each in a folder of its own, on one archive."""

    def __init__(self, folder: Path, site: Site, **settings: object) -> None:
        self.folder, self.site = folder, site
        given = {"DATABASE_URL": f"sqlite:///{folder}/{DATABASE}", "ARCHIVE": folder / "archive", **settings}
        self._arguments = command(f"{site.url}/", **given)
        self.processes: list[Process] = []

    def add(self, count: int = 1, **settings: object) -> Process:
        given = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        for _ in range(count):
            place = self.folder / f"{len(self.processes)}"
            place.mkdir()
            self.processes.append(start(place, [*self._arguments, *given]))
        return self.processes[-1]

    def add_one_that_is_killed(self, *, after: int) -> None:
        """Once so many pages were asked for."""
        only = self.add()
        self.until(self.asked(after))
        only.kill()
        only.wait()

    def wait(self) -> list[Outcome]:
        for process in self.processes:
            process.wait(DEADLINE_S)
        return [
            outcome(self.folder / f"{number}", process.returncode, server=None)
            for number, process in enumerate(self.processes)
        ]

    def until(self, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + DEADLINE_S
        while not is_so():
            assert time.monotonic() < deadline, "what the test waits for does not happen"
            assert any(process.poll() is None for process in self.processes), "all have ended before"
            time.sleep(0.005)

    def asked(self, pages: int) -> Callable[[], bool]:
        return lambda: len(self.site.targets) >= pages


@contextmanager
def spiders(folder: Path, site: Site, server: Server, **settings: object) -> Iterator[Spiders]:
    given = {"FRONTIER_URL": server.url, "GATE_SERVER_DELAY": 0, "FRONTIER_LEASE": 10, **settings}
    group = Spiders(folder, site, **given)
    try:
        yield group
    finally:
        for process in group.processes:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> tuple[dict[str, Any], Counter[str]]:
    """What one spider keeps of the blog, but for its host, and what it asks for."""
    folder = tmp_path_factory.mktemp("alone")
    with serve(Blog(make_posts(POSTS))) as site:
        found = crawl(folder, f"{site.url}/", server=site)
        assert found.code == 0, found.stderr
        return texts(folder, site), Counter(found.requests)


def texts(folder: Path, site: Site) -> dict[str, Any]:
    """What was kept of each post: a hash of what it says."""
    assert len(kept(folder)) == POSTS
    rows = query(folder, "SELECT url, title, authors, published, tags, content_text FROM post")
    return {row[0].removeprefix(site.url): row[1:] for row in rows}


def ended_well(folder: Path) -> bool:
    return query(folder, "SELECT crawl_complete FROM blog") == [(True,)]


def is_soon_empty(server: Server) -> bool:
    """Locks of those that were killed, and moments of hosts, run out by themselves."""
    deadline = time.monotonic() + 15
    while server.size and time.monotonic() < deadline:
        time.sleep(0.05)
    return server.size == 0


def make_older(server: Server) -> None:
    """Let the spiders that are, or were, at work be of another version."""
    redis = Redis(server.url).client
    (name,) = redis.scan_iter("*:terms")
    redis.set(name, json.dumps({**json.loads(redis.get(name)), "version": "0.0.1"}))


@contextmanager
def another_joined(folder: Path, site: Site, server: Server, lease_s: float = 5) -> Iterator[RedisFrontierStore]:
    """Meanwhile another spider has joined the crawl, as the only one, and has done nothing else yet; then it is dead."""
    redis = Redis(server.url)
    with Archive.open(f"sqlite:///{folder}/{DATABASE}") as archive:
        store = RedisFrontierStore(redis, f"{site.url}/ {archive.blog(f'{site.url}/').crawl_started}", lease_s=lease_s)
    (crawl,), (terms,) = (
        list(map(redis.client.get, redis.client.scan_iter(f"*:{part}"))) for part in ("ready", "terms")
    )
    assert store.join(crawl, json.loads(terms)).spiders == 1
    is_over = threading.Event()

    def live() -> None:
        while not is_over.wait(0.2):
            store.beat()

    thread = threading.Thread(target=live)
    thread.start()
    try:
        yield store
    finally:
        is_over.set()
        thread.join()


def at_work(server: Server) -> int:
    """How many spiders have joined a crawl."""
    redis = Redis(server.url).client
    return sum(redis.zcard(key) for key in redis.scan_iter("*:spiders"))


def lives(server: Server) -> list[int]:
    """After how many milliseconds each key is gone; -1 where it stays."""
    redis = Redis(server.url).client
    return [redis.pttl(key) for key in redis.scan_iter()]


@pytest.mark.parametrize("count", [1, 3])
def test_they_find_what_one_finds_and_ask_for_each_page_once(tmp_path, redis_server, alone, count):
    records, requests = alone
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server) as group:
        group.add(count)
        found = group.wait()
        assert [one.code for one in found] == [0] * count, found[-1].stderr
        assert texts(tmp_path, site) == records
        asked = Counter(target for target in site.targets if target != ROBOTS)
        assert asked == Counter({target: 1 for target in requests if target != ROBOTS})
    urls = [url for one in found for url in one.urls]
    assert sorted(urls) == sorted(kept(tmp_path)), "each record is in one output"
    assert ended_well(tmp_path)
    assert is_soon_empty(redis_server)
    assert not any("Traceback" in one.stderr for one in found)


def test_comments_that_have_pages_of_their_own_hold_nobody_up(tmp_path, redis_server):
    """Spiders fetch these with the post, and wait for no other spider to do that."""
    blog = CommentedBlog(
        make_posts(24), comments=lambda at: chat(10 + at % 3, at), shows_talk=True, talk_size=4, entry_counts=False,
        entry_names_feed=False,
    )  # fmt: skip
    with serve(blog) as site, spiders(tmp_path, site, redis_server) as group:
        group.add(2)
        found = group.wait()
        assert [one.code for one in found] == [0, 0], found[0].stderr + found[1].stderr
        told = {record["url"]: len(record["comments"]) for one in found for record in one.records}
        assert told == {f"{site.url}{blog.path(post)}": 10 + at % 3 for at, post in enumerate(blog.posts)}
        assert max(Counter(target for target in site.targets if target != ROBOTS).values()) == 1
    assert ended_well(tmp_path)
    assert is_soon_empty(redis_server)


@pytest.mark.parametrize("count", [1, 3])
def test_comments_that_only_pages_show_are_found_on_all_posts(tmp_path, redis_server, count):
    """Few of the first posts have some, and where comments are all learn together, also those of several spiders."""
    blog = CommentedBlog(
        make_posts(POSTS), comments=lambda at: chat(3, at) if at in (0, 7, 8) or (at > 9 and at % 2) else [],
        shows_talk=True, entry_counts=False, entry_names_feed=False, in_feed=10,
    )  # fmt: skip
    with serve(blog) as site, spiders(tmp_path, site, redis_server) as group:
        group.add(count)
        found = group.wait()
        assert [one.code for one in found] == [0] * count, found[0].stderr
        records = [record for one in found for record in one.records]
        expected = {f"{site.url}{blog.path(post)}": len(blog.comments(at)) for at, post in enumerate(blog.posts)}
        assert {record["url"]: len(record["comments"]) for record in records} == expected
        told = {record["url"]: record["comment_count"] for record in records}
        if count > 1:  # which of several spiders has seen enough comments first, hangs on the machine's load
            told = {url: number or 0 for url, number in told.items()}
        assert told == expected


def test_articles_of_several_pages_are_whole_when_one_dies_of_them(tmp_path, redis_server):
    blog = SpreadBlog(make_posts(24), in_feed=5, spread=set(range(1, 24, 2)))
    with (
        serve(blog) as site,
        spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.02, FRONTIER_LEASE=3) as group,
    ):
        first = group.add()
        group.add()
        group.until(group.asked(45))
        first.kill()
        found = group.wait()
        assert found[1].code == 0, found[1].stderr
        told = dict(query(tmp_path, "SELECT url, content_text FROM post"))
        assert told == {site.url + blog.path(post): post.text for post in blog.posts}
    assert ended_well(tmp_path)
    assert is_soon_empty(redis_server)


def test_one_that_waits_for_the_first_can_be_stopped(tmp_path, redis_server, alone):
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.2) as group:
        group.add()
        group.until(group.asked(3))
        waiting, log_file = group.add(), tmp_path / "1" / "stderr"
        group.until(lambda: "Waiting for another spider" in log_file.read_text())
        waiting.send_signal(signal.SIGTERM)
        waiting.wait(15)
        log = log_file.read_text()
        assert log.count("Waiting for another spider to find the feed and learn") == 1
        assert "if it was killed, for 10 seconds at most" in log
        assert group.processes[0].poll() is None, "the first one is at work"
        found = group.wait()
        assert [one.code for one in found] == [0, 0], found[1].stderr
        assert texts(tmp_path, site) == alone[0]
    assert ended_well(tmp_path)


def test_another_one_takes_the_place_of_the_first_when_that_sleeps(tmp_path, redis_server, alone):
    with (
        serve(Blog(make_posts(POSTS))) as site,
        spiders(tmp_path, site, redis_server, FRONTIER_LEASE=2, DOWNLOAD_DELAY=0.3) as group,
    ):
        sleeping = group.add()
        group.until(group.asked(5))
        time.sleep(0.15)  # it waits for its host, and writes nothing
        sleeping.send_signal(signal.SIGSTOP)
        group.add()
        group.processes[1].wait(DEADLINE_S)
        sleeping.send_signal(signal.SIGCONT)
        found = group.wait()
        assert [one.code for one in found] == [AGAIN, 0], found[0].stderr + found[1].stderr
        assert "another one may have crawled the blog meanwhile" in found[0].stderr
        assert texts(tmp_path, site) == alone[0]
    assert ended_well(tmp_path)


def test_each_has_a_share_of_the_work(tmp_path, redis_server):
    """Where the host's delay is what takes time."""
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.25) as group:
        group.add(2)
        found = group.wait()
    shares = [len(one.records) for one in found]
    assert sum(shares) == POSTS
    assert min(shares) >= POSTS // 8, shares  # the first one has those of the feed


@pytest.mark.parametrize("pages", [4, 14, 30])
def test_what_one_was_at_when_it_was_killed_others_do(tmp_path, redis_server, alone, pages):
    """Whether it was finding the feed, learning, or crawling with the others."""
    with (
        serve(Blog(make_posts(POSTS))) as site,
        spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.02, FRONTIER_LEASE=2) as group,
    ):
        first = group.add()
        group.until(group.asked(1))
        group.add(2)
        group.until(group.asked(pages))
        first.kill()
        found = group.wait()
        assert [one.code for one in found[1:]] == [0, 0], found[1].stderr + found[2].stderr
        assert texts(tmp_path, site) == alone[0]
    assert ended_well(tmp_path)
    assert is_soon_empty(redis_server)


def test_spiders_on_postgresql_find_the_same_when_one_is_killed(tmp_path, redis_server, postgresql_url, alone):
    """As on several machines; what is claimed and told is in Redis, and records are in one database."""
    given = {"DATABASE_URL": postgresql_url, "DOWNLOAD_DELAY": 0.02, "FRONTIER_LEASE": 2}
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, **given) as group:
        first = group.add()
        group.until(group.asked(1))
        group.add(2)
        group.until(group.asked(25))
        first.kill()
        found = group.wait()
        assert [one.code for one in found[1:]] == [0, 0], found[1].stderr + found[2].stderr
        with Archive.open(postgresql_url) as archive:
            (blog,) = archive.blogs()
            posts = [post.record for post in archive.posts(blog.home)]
        said = {one.url.removeprefix(site.url): (one.title, one.published, one.content_text) for one in posts}
        assert said == {path: (title, day, text) for path, (title, _, day, _, text) in alone[0].items()}
    assert len(posts) == POSTS
    assert blog.crawl_complete
    assert is_soon_empty(redis_server)


def test_all_may_be_killed_and_one_goes_on(tmp_path, redis_server, alone):
    with (
        serve(Blog(make_posts(POSTS))) as site,
        spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.02, FRONTIER_LEASE=2) as group,
    ):
        group.add(2)
        group.until(group.asked(30))
        for process in group.processes:
            process.kill()
            process.wait()
        before = len(site.targets)
        group.add()
        found = group.wait()
        assert found[-1].code == 0, found[-1].stderr
        assert texts(tmp_path, site) == alone[0]
        assert len(site.targets) - before < len(alone[1]) - 10, "it begins where they were"
    assert ended_well(tmp_path)


def test_one_that_dies_while_it_ends_the_crawl_is_waited_for_as_long_as_it_lives(tmp_path, redis_server, alone):
    with (
        serve(Blog(make_posts(POSTS))) as site,
        spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.02, FRONTIER_LEASE=2) as group,
    ):
        group.add_one_that_is_killed(after=30)
        time.sleep(2)
        with another_joined(tmp_path, site, redis_server, lease_s=2) as last:
            assert last.leave() == 0
            late = group.add()
            log = tmp_path / "1" / "stderr"
            group.until(lambda: "to write down how the crawl ended" in log.read_text())
            asked = len(site.targets)
            time.sleep(3)
            assert (late.poll(), len(site.targets)) == (None, asked)
        found = group.wait()[1]
        assert found.code == 0, found.stderr
        assert texts(tmp_path, site) == alone[0]
    assert ended_well(tmp_path)
    assert is_soon_empty(redis_server)


def test_one_that_slept_for_longer_than_its_claims_does_no_harm(tmp_path, redis_server, alone):
    with (
        serve(Blog(make_posts(POSTS))) as site,
        spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.02, FRONTIER_LEASE=2) as group,
    ):
        sleeping = group.add()
        group.add()
        group.until(group.asked(25))
        sleeping.send_signal(signal.SIGSTOP)
        time.sleep(4)
        sleeping.send_signal(signal.SIGCONT)
        found = group.wait()
        assert [one.code for one in found] == [0, 0], found[0].stderr + found[1].stderr
        assert texts(tmp_path, site) == alone[0]
    assert ended_well(tmp_path)
    assert is_soon_empty(redis_server)


def test_one_that_is_stopped_leaves_the_rest_to_the_others(tmp_path, redis_server, alone):
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.02) as group:
        first = group.add()
        group.add()
        group.until(group.asked(25))
        first.send_signal(signal.SIGTERM)
        found = group.wait()
        assert found[1].code == 0, found[1].stderr
        assert texts(tmp_path, site) == alone[0]
        repeated = Counter(target for target in site.targets if target != ROBOTS)
        assert len(repeated - Counter(alone[1])) <= SIZE, "posts that it held as a sample are asked for again"
    assert ended_well(tmp_path)


@pytest.mark.parametrize("signals", [1, 2])
def test_one_that_is_stopped_waits_for_none_that_were_killed(tmp_path, redis_server, signals):
    with (
        serve(Blog(make_posts(POSTS))) as site,
        spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.2, FRONTIER_LEASE=60) as group,
    ):
        group.add(2)
        group.until(lambda: at_work(redis_server) == 2)
        group.processes[0].kill()
        for _ in range(signals):
            group.processes[1].send_signal(signal.SIGINT)
            time.sleep(0.2)
        group.processes[1].wait(10)
        assert "Traceback" not in group.wait()[1].stderr


@pytest.mark.parametrize(("signals", "seconds"), [(1, 20), (2, 5)])
def test_one_that_is_stopped_does_not_wait_long_for_a_redis_that_is_away(tmp_path, redis_of_session, signals, seconds):
    with (
        serve(Blog(make_posts(POSTS))) as site,
        Server(is_safe=True) as server,
        spiders(tmp_path, site, server, DOWNLOAD_DELAY=0.2, GATE_PATIENCE=60) as group,
    ):
        only = group.add()
        group.until(group.asked(25))
        server.kill()
        time.sleep(1)
        for _ in range(signals):
            only.send_signal(signal.SIGINT)
            time.sleep(0.5)
        only.wait(seconds)
        assert "Traceback" not in group.wait()[0].stderr


def test_a_crawl_of_which_all_were_stopped_goes_on_without_redis(tmp_path, redis_server, alone):
    """The last one puts what is left into the archive."""
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.02) as group:
        group.add(2)
        group.until(group.asked(25))
        for process in group.processes:
            process.send_signal(signal.SIGTERM)
        group.wait()
        assert is_soon_empty(redis_server)
        assert not ended_well(tmp_path)
        assert query(tmp_path, "SELECT count(*) FROM frontier_url WHERE status = 'pending'")[0][0] > 0
        found = crawl(tmp_path, f"{site.url}/", server=site)
        assert found.code == 0, found.stderr
        assert found.repeated == {}
        assert texts(tmp_path, site) == alone[0]
    assert ended_well(tmp_path)


def test_a_crawl_that_one_spider_has_begun_is_gone_on_with_by_several(tmp_path, redis_server, alone):
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server) as group:
        begun = crawl(tmp_path, f"{site.url}/", PAGE_LIMIT=20)
        assert begun.code == 0, begun.stderr
        group.add(2)
        found = group.wait()
        assert [one.code for one in found] == [0, 0], found[0].stderr + found[1].stderr
        assert texts(tmp_path, site) == alone[0]
        assert max(Counter(t for t in site.targets if t != ROBOTS).values()) <= 2  # home page and feed
    assert ended_well(tmp_path)


def test_one_that_was_started_before_the_end_and_comes_after_it_does_not_begin_anew(tmp_path, redis_server):
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.05) as group:
        group.add()
        group.until(group.asked(25))
        group.add().send_signal(signal.SIGSTOP)
        group.processes[0].wait(DEADLINE_S)
        asked = len(site.targets)
        group.processes[1].send_signal(signal.SIGCONT)
        late = group.wait()[1]
        assert late.code == 0, late.stderr
        assert "came to its end while this spider was starting" in late.stderr
        assert len(site.targets) == asked
        assert ended_well(tmp_path)
        group.add()
        assert group.wait()[2].code == 0
        assert len(site.targets) > asked + POSTS, "one that is started after the end begins anew"


def test_what_waited_in_a_redis_that_forgot_it_is_found_again(tmp_path, redis_server, alone):
    with (
        serve(Blog(make_posts(POSTS))) as site,
        spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.02, FRONTIER_LEASE=2) as group,
    ):
        group.add_one_that_is_killed(after=25)
        redis_server.empty()
        shutil.rmtree(tmp_path / "0")
        group.processes.clear()
        found = crawl(tmp_path, f"{site.url}/")
        assert found.code != 0, "the claim of the dead holds for a while"
        assert "spiders that share a frontier" in found.stderr
        group.add()
        assert group.wait()[0].code == 0
        assert texts(tmp_path, site) == alone[0]
    assert ended_well(tmp_path)


def test_what_another_version_has_begun_and_nobody_is_at_work_on_begins_anew(tmp_path, redis_server, alone):
    with (
        serve(Blog(make_posts(POSTS))) as site,
        spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.02, FRONTIER_LEASE=2) as group,
    ):
        group.add_one_that_is_killed(after=25)
        time.sleep(2)
        with closing(sqlite3.connect(tmp_path / DATABASE)) as connection, connection:
            connection.execute("UPDATE blog SET crawl_state = '{}'")
        group.add()
        assert group.wait()[1].code == 0, group.wait()[1].stderr
        assert "This spider alone is at work on" in group.wait()[1].stderr
        assert texts(tmp_path, site) == alone[0]
    assert ended_well(tmp_path)
    assert is_soon_empty(redis_server)


def test_one_that_comes_while_another_is_about_to_begin_anew_is_to_come_again(tmp_path, redis_server):
    with (
        serve(Blog(make_posts(POSTS))) as site,
        spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.02, FRONTIER_LEASE=2) as group,
    ):
        group.add_one_that_is_killed(after=25)
        time.sleep(2)
        with closing(sqlite3.connect(tmp_path / DATABASE)) as connection, connection:
            connection.execute("UPDATE blog SET crawl_state = '{}'")
        with another_joined(tmp_path, site, redis_server):
            group.add()
            found = group.wait()[1]
        assert found.code == AGAIN, found.stderr
        assert "is about to begin the crawl" in found.stderr


def test_one_of_another_version_does_not_join_those_that_are_at_work(tmp_path, redis_server, alone):
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.25) as group:
        group.add()
        group.until(group.asked(20))
        make_older(redis_server)
        group.add().wait()
        assert group.processes[0].poll() is None, "the one of the other version goes on"
        found = group.wait()
        assert [one.code for one in found] == [0, 1], found[1].stderr
        assert "are of another version of blogcrawler" in found[1].stderr
        assert texts(tmp_path, site) == alone[0]
    assert ended_well(tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [("COMMENTS", False, "COMMENTS=True"), ("MEDIA_TYPES", "image/png", "MEDIA_TYPES=image/*,audio/*,")],
)
def test_one_with_other_settings_does_not_join(tmp_path, redis_server, alone, name, value, told):
    """What a record has must not hang on which spider happens to get its page."""
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.25) as group:
        group.add()
        group.until(group.asked(20))
        group.add(**{name: value})
        found = group.wait()
        assert [one.code for one in found] == [0, 2], found[1].stderr
        assert f"are at work on {site.url}/ have {told}" in found[1].stderr
        assert texts(tmp_path, site) == alone[0]
    assert ended_well(tmp_path)


def test_a_new_version_goes_on_where_those_of_an_old_one_were_killed(tmp_path, redis_server, alone):
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, FRONTIER_LEASE=2) as group:
        group.add_one_that_is_killed(after=40)
        time.sleep(2)
        make_older(redis_server)
        before = len(site.targets)
        group.add(2)
        found = group.wait()
        assert [one.code for one in found[1:]] == [0, 0], found[1].stderr + found[2].stderr
        assert len(site.targets) - before < len(alone[1]) - 10, "it begins where they were"
        assert texts(tmp_path, site) == alone[0]
    assert ended_well(tmp_path)


def test_they_wait_for_a_redis_that_is_started_again(tmp_path, redis_of_session, alone):
    with (
        serve(Blog(make_posts(POSTS))) as site,
        Server(is_safe=True) as server,
        spiders(tmp_path, site, server, DOWNLOAD_DELAY=0.02) as group,
    ):
        group.add(2)
        group.until(group.asked(25))
        server.kill()
        time.sleep(1)
        server.start()
        found = group.wait()
        assert [one.code for one in found] == [0, 0], found[0].stderr + found[1].stderr
        assert texts(tmp_path, site) == alone[0]
    assert ended_well(tmp_path)


def test_they_end_with_a_sentence_when_redis_stays_away_and_go_on_from_there(tmp_path, redis_of_session, alone):
    with (
        serve(Blog(make_posts(POSTS))) as site,
        Server(is_safe=True) as server,
        spiders(tmp_path, site, server, DOWNLOAD_DELAY=0.02, GATE_PATIENCE=1) as group,
    ):
        group.add(2)
        group.until(group.asked(25))
        server.kill()
        found = group.wait()
        for one in found:
            assert one.code == AGAIN, one.stderr
            assert "has not answered for 1 s" in one.stderr
            assert "Traceback" not in one.stderr
        server.start()
        group.add(2)
        found = group.wait()[2:]
        assert [one.code for one in found] == [0, 0], found[0].stderr + found[1].stderr
        assert texts(tmp_path, site) == alone[0]
    assert ended_well(tmp_path)


def test_a_redis_that_forgets_the_crawl_ends_it_with_a_sentence(tmp_path, redis_server, alone):
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.02) as group:
        group.add(2)
        group.until(group.asked(25))
        group.until(lambda: redis_server.size > 5)
        redis_server.empty()
        for one in group.wait():
            assert one.code == AGAIN, one.stderr
            assert "has forgotten what was left to fetch" in one.stderr
            assert "Traceback" not in one.stderr
        group.add(2)
        found = group.wait()[2:]
        assert [one.code for one in found] == [0, 0], found[0].stderr + found[1].stderr
        assert texts(tmp_path, site) == alone[0]
    assert ended_well(tmp_path)


def test_crawls_of_one_blog_for_two_archives_leave_each_other_alone(tmp_path, redis_server, alone):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with (
        serve(Blog(make_posts(POSTS))) as site,
        spiders(tmp_path / "a", site, redis_server, DOWNLOAD_DELAY=0.2) as one,
        spiders(tmp_path / "b", site, redis_server, DOWNLOAD_DELAY=0.2) as other,
    ):
        one.add()
        one.until(one.asked(20))
        other.add()
        for group in (one, other):
            found = group.wait()[0]
            assert found.code == 0, found.stderr
            assert texts(group.folder, site) == alone[0]
            assert ended_well(group.folder)
    assert is_soon_empty(redis_server)


def test_redis_forgets_in_time_what_spiders_have_left_that_were_killed(tmp_path, redis_server):
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.2) as group:
        group.add_one_that_is_killed(after=25)
        assert redis_server.size > 5
        assert min(lives(redis_server)) > 0


def test_a_limit_of_pages_is_that_of_all_together(tmp_path, redis_server):
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, PAGE_LIMIT=30) as group:
        group.add(2)
        group.until(group.asked(20))
        group.add()
        found = group.wait()
        assert [one.code for one in found] == [0, 0, 0], found[-1].stderr
        assert 25 <= len([target for target in site.targets if target != ROBOTS]) <= 36
    assert not ended_well(tmp_path)
    assert is_soon_empty(redis_server)


def test_a_crawl_without_their_redis_is_refused_while_they_are_at_work(tmp_path, redis_server):
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.05) as group:
        group.add()
        group.until(group.asked(15))
        refused = crawl(tmp_path, f"{site.url}/")
        assert refused.code == AGAIN
        assert "the same FRONTIER_URL and the same address of the blog as they joins them" in refused.stderr
        assert group.wait()[0].code == 0


def test_a_redis_that_is_away_claims_no_blog(tmp_path):
    """The command whose address was corrected, or that does without, is not refused."""
    with serve(Blog(make_posts(3))) as site:
        away = f"redis://127.0.0.1:{closed_port()}/0"
        (tmp_path / "away").mkdir()
        given = {"DATABASE_URL": f"sqlite:///{tmp_path}/{DATABASE}", "ARCHIVE": tmp_path / "archive"}
        found = crawl(tmp_path / "away", f"{site.url}/", FRONTIER_URL=away, GATE_PATIENCE=1, **given)
        assert found.code == AGAIN, found.stderr
        assert site.targets == []
        again = crawl(tmp_path, f"{site.url}/", **given)
        assert again.code == 0, again.stderr


def test_an_address_with_an_option_that_redis_lacks_is_wrong_usage(tmp_path, redis_server):
    with serve(Blog(make_posts(3))) as site:
        for name in ("FRONTIER_URL", "GATE_URL"):
            found = crawl(tmp_path, f"{site.url}/", **{name: f"{redis_server.url}?foo=bar"})
            assert found.code == 2, found.stderr
            assert found.sentences == [
                f"blogcrawler: {name} is no address of a Redis; it has the form redis://host:6379/0."
            ]
