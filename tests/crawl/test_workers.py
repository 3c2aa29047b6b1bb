"""Several processes on one blog: the same records as one makes, each page once, whichever of them dies meanwhile."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from blogcrawler.backend import Archive
from tests.browser.installed import needs_a_browser
from tests.crawl.blog import Blog, Site, make_posts, serve
from tests.crawl.breaking import SAID, broken_by
from tests.crawl.commented import CommentedBlog
from tests.crawl.routed import RoutedBlog
from tests.crawl.running import DATABASE, Outcome, command, crawl, kept, outcome, query, start
from tests.crawl.test_errors import closed_port
from tests.crawl.test_page_comments import chat
from tests.crawl.test_several_pages import SpreadBlog
from tests.shared.server import Server
from tests.site import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tests.crawl.running import Process

POSTS = 40
DEADLINE_S = 120
ROBOTS = "/robots.txt"
CONCURRENT = 4
"""Pages that a process has at once."""
AGAIN = 75
"""Exit code of a crawl that could not go on for no fault of its blog, EX_TEMPFAIL."""
pytestmark = pytest.mark.slow


class Spiders:
    """Processes that crawl one blog, each in a folder of its own, on one archive."""

    def __init__(self, folder: Path, site: Site, **settings: object) -> None:
        self.folder, self.site = folder, site
        self.archive = {"DATABASE_URL": f"sqlite:///{folder}/{DATABASE}", "ARCHIVE": folder / "archive"}
        self._arguments = command(f"{site.url}/", **self.archive | settings)
        self.processes: list[Process] = []

    def add(self, count: int = 1, **settings: object) -> Process:
        given = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        for _ in range(count):
            place = self.folder / f"{len(self.processes)}"
            place.mkdir()
            self.processes.append(start(place, [*self._arguments, *given]))
        return self.processes[-1]

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
    given = {
        "FRONTIER_URL": server.url,
        "GATE_SERVER_DELAY": 0,
        "WORKER_LOST_AFTER": 10,
        "BACKEND_PATIENCE": 9,
        **settings,
    }
    group = Spiders(folder, site, **given)
    try:
        yield group
    finally:
        for process in group.processes:
            process.kill()
            process.wait()


@dataclass(frozen=True)
class Alone:
    """What one process makes of the blog, but for its host, and what it asks for."""

    records: dict[str, Any]
    requests: Counter[str]


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> Alone:
    folder = tmp_path_factory.mktemp("alone")
    with serve(Blog(make_posts(POSTS))) as site:
        found = crawl(folder, f"{site.url}/", server=site)
        assert found.code == 0, found.stderr
        return Alone(texts(folder, site), pages(found.requests))


def pages(targets: Iterable[str]) -> Counter[str]:
    return Counter(target for target in targets if target != ROBOTS)


def texts(folder: Path, site: Site) -> dict[str, Any]:
    """What was kept of each post."""
    assert len(kept(folder)) == POSTS
    rows = query(folder, "SELECT url, title, authors, published, tags, content_text FROM post")
    return {row[0].removeprefix(site.url): row[1:] for row in rows}


def whole(found: Outcome, site: Site) -> dict[str, Any]:
    """The records that were written, whole but for the host and the time."""
    records = [json.loads(json.dumps(record).replace(site.url, "")) for record in found.records]
    for record in records:
        record["provenance"] |= {"fetched": None, "sha256": None}  # a page names its host
    return {record["url"]: record for record in records}


def ended_well(folder: Path) -> bool:
    return query(folder, "SELECT crawl_complete FROM blog") == [(True,)]


def is_soon_empty(server: Server) -> bool:
    """Moments of hosts run out by themselves."""
    deadline = time.monotonic() + 15
    while server.size and time.monotonic() < deadline:
        time.sleep(0.05)
    return server.size == 0


def works(folder: Path, number: int) -> Callable[[], bool]:
    return lambda: "fetches and reads pages for it" in (folder / f"{number}" / "stderr").read_text()


def test_three_make_the_records_of_one_with_the_same_requests(tmp_path, redis_server):
    """Of a blog whose pages show comments, and lists lead to posts that the feed lacks."""

    def blog() -> CommentedBlog:
        return CommentedBlog(
            make_posts(POSTS), comments=lambda at: chat(at % 4, at), shows_talk=True, entry_counts=False,
            entry_names_feed=False, in_feed=10,
        )  # fmt: skip

    (tmp_path / "alone").mkdir()
    with serve(blog()) as site:
        one = crawl(tmp_path / "alone", f"{site.url}/", server=site)
        expected, requests = whole(one, site), pages(one.requests)
    with serve(blog()) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.3) as group:
        group.add()
        group.until(group.asked(1))
        group.add(2, USER_AGENT="worker")
        group.until(works(tmp_path, 2))
        found = group.wait()
        assert [one.code for one in found] == [0, 0, 0], found[0].stderr
        assert sum(visit.headers["User-Agent"] == "worker" for visit in site.log) >= POSTS / 3
        assert whole(found[0], site) == expected
        assert [one.records for one in found[1:]] == [[], []], "one writes them"
        assert pages(site.targets) == requests
    assert all("has ended" in one.stderr for one in found[1:])
    assert not any("Traceback" in one.stderr for one in found)
    assert ended_well(tmp_path)
    assert is_soon_empty(redis_server)


def test_articles_of_several_pages_are_whole(tmp_path, redis_server):
    blog = SpreadBlog(make_posts(24), in_feed=5, spread=set(range(1, 24, 2)))
    with serve(blog) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.3) as group:
        group.add(2)
        found = group.wait()
        assert [one.code for one in found] == [0, 0], found[0].stderr
        told = dict(query(tmp_path, "SELECT url, content_text FROM post"))
        assert told == {site.url + blog.path(post): post.text for post in blog.posts}
        assert set(pages(site.targets).values()) == {1}


@needs_a_browser
def test_posts_that_are_routes_are_those_of_one(tmp_path, redis_server):
    found = {}
    for count in (1, 2):
        (folder := tmp_path / f"{count}").mkdir()
        given = {"RENDER": "auto", "DOWNLOAD_DELAY": 0.2 * (count - 1)}
        with (
            serve(RoutedBlog(make_posts(16), in_feed=4)) as site,
            spiders(folder, site, redis_server, **given) as group,
        ):
            group.add(count)
            ended = group.wait()
            assert [one.code for one in ended] == [0] * count, ended[0].stderr
            (decided,) = [one for one in ended if one.records]  # whichever began first
            found[count] = whole(decided, site)
        redis_server.empty()
    assert found[1] == found[2]
    assert len(found[1]) == 16


def test_of_a_site_that_shows_one_page_in_place_of_all_posts_they_tell_what_one_does(tmp_path, redis_server):
    consent = Reply("<html lang='fr'><title>Before you go on</title><p>We and 714 partners use cookies.</p>")
    found = {}
    for count in (1, 2):
        (folder := tmp_path / f"{count}").mkdir()
        blog = Blog(make_posts(POSTS), in_feed=POSTS)
        with serve(blog) as site, spiders(folder, site, redis_server, DOWNLOAD_DELAY=0.1) as group:
            site.routes |= dict.fromkeys(map(blog.path, blog.posts), consent)
            group.add(count)
            (decided,) = [one for one in group.wait() if one.records]
            found[count] = whole(decided, site)
        redis_server.empty()
    assert found[1] == found[2]
    assert len(found[1]) == POSTS


def test_redirects_are_judged_by_the_one_that_decides(tmp_path, redis_server):
    """Of posts that were moved the new address is fetched once, and none that leads away."""
    blog = Blog(make_posts(POSTS))

    def routes(url: str) -> dict[str, Any]:
        served = blog.routes(url)
        for post in blog.posts[12:20]:
            path = blog.path(post)
            served[f"{path}moved"] = served[path]
            served[path] = Reply("", status=301, headers={"Location": f"{url}{path}moved"})
        served[blog.path(blog.posts[20])] = Reply("", status=302, headers={"Location": "http://other.invalid/"})
        return served

    requests, urls = [], []
    for count in (1, 2):
        (folder := tmp_path / f"{count}").mkdir()
        with Site({}) as site, spiders(folder, site, redis_server, DOWNLOAD_DELAY=0.2 * (count - 1)) as group:
            site.routes = routes(site.url)
            group.add(count)
            found = group.wait()
            assert [one.code for one in found] == [0] * count, found[0].stderr
            urls.append({url.removeprefix(site.url) for url in kept(folder)})
            requests.append(pages(site.targets))
        redis_server.empty()
    assert urls[0] == urls[1]
    assert requests[0] == requests[1]


@pytest.mark.parametrize("after", [4, 14, 30])
def test_a_worker_goes_on_where_the_one_that_decides_was_killed(tmp_path, redis_server, alone, after):
    """Whether that was finding the feed, learning, or crawling."""
    with (
        serve(Blog(make_posts(POSTS))) as site,
        spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.1, WORKER_LOST_AFTER=2, BACKEND_PATIENCE=1) as group,
    ):
        first = group.add()
        group.until(group.asked(1))
        group.add(2)
        group.until(group.asked(after))
        first.kill()
        found = group.wait()
        assert [one.code for one in found[1:]] == [0, 0], found[1].stderr + found[2].stderr
        assert texts(tmp_path, site) == alone.records
    assert ended_well(tmp_path)


@pytest.mark.parametrize("is_killed", [True, False])
def test_what_a_worker_was_at_when_it_ended_others_do(tmp_path, redis_server, alone, is_killed):
    with (
        serve(Blog(make_posts(POSTS))) as site,
        spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.1, WORKER_LOST_AFTER=2, BACKEND_PATIENCE=1) as group,
    ):
        group.add()
        group.until(group.asked(1))
        worker = group.add()
        group.until(works(tmp_path, 1))
        group.until(group.asked(25))
        worker.send_signal(signal.SIGKILL if is_killed else signal.SIGTERM)
        found = group.wait()[0]
        assert found.code == 0, found.stderr
        assert texts(tmp_path, site) == alone.records
        repeated = pages(site.targets) - alone.requests
        assert repeated.total() <= CONCURRENT, repeated
    assert ended_well(tmp_path)
    assert is_soon_empty(redis_server)


def test_a_page_on_which_a_worker_breaks_is_given_up_as_by_one_that_is_alone(tmp_path, redis_server):
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.2) as group:
        group.add()
        group.until(group.asked(1))
        group.add(**broken_by("blogcrawler.shared_crawl.worker:page_to_json", call=5))
        found = group.wait()
        assert SAID in found[1].stderr
        assert [one.code for one in found] == [1, 1], found[0].stderr + found[1].stderr
        assert all("see the log" in one.sentences[-1] for one in found)
        assert "AttributeError" not in found[1].stderr
        assert len(kept(tmp_path)) == POSTS - 1
        assert crawl(tmp_path, f"{site.url}/", **group.archive).code == 0
        assert len(kept(tmp_path)) == POSTS


def test_a_worker_that_slept_for_longer_than_its_claims_does_no_harm(tmp_path, redis_server, alone):
    with (
        serve(Blog(make_posts(POSTS))) as site,
        spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.2, WORKER_LOST_AFTER=2, BACKEND_PATIENCE=1) as group,
    ):
        group.add()
        group.until(group.asked(1))
        sleeping = group.add()
        group.until(works(tmp_path, 1))
        group.until(group.asked(25))
        sleeping.send_signal(signal.SIGSTOP)
        time.sleep(4)
        sleeping.send_signal(signal.SIGCONT)
        found = group.wait()
        assert [one.code for one in found] == [0, 0], found[0].stderr + found[1].stderr
        assert texts(tmp_path, site) == alone.records
    assert ended_well(tmp_path)


def test_all_may_be_killed_and_one_goes_on(tmp_path, redis_server, alone):
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.1) as group:
        group.add(2)
        group.until(group.asked(30))
        for process in group.processes:
            process.kill()
            process.wait()
        before = len(site.targets)
        group.add()
        found = group.wait()[-1]
        assert found.code == 0, found.stderr
        assert texts(tmp_path, site) == alone.records
        assert len(site.targets) - before < alone.requests.total() - 10, "it begins where they were"
        assert len(found.records) == POSTS, "its output begins anew"
    assert ended_well(tmp_path)


def test_a_worker_goes_on_where_the_one_that_decides_was_stopped(tmp_path, redis_server, alone):
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.1) as group:
        first = group.add()
        group.until(group.asked(1))
        group.add()
        group.until(group.asked(25))
        first.send_signal(signal.SIGTERM)
        found = group.wait()[1]
        assert found.code == 0, found.stderr
        assert texts(tmp_path, site) == alone.records
    assert ended_well(tmp_path)


@pytest.mark.parametrize("signals", [1, 2])
def test_one_that_is_stopped_waits_for_no_worker_that_was_killed(tmp_path, redis_server, signals):
    with (
        serve(Blog(make_posts(POSTS))) as site,
        spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.3, WORKER_LOST_AFTER=60) as group,
    ):
        first = group.add()
        group.until(group.asked(1))
        worker = group.add()
        group.until(works(tmp_path, 1))
        group.until(group.asked(25))
        worker.kill()
        for _ in range(signals):
            first.send_signal(signal.SIGINT)
            time.sleep(0.2)
        first.wait(20)
        assert "Traceback" not in group.wait()[0].stderr


def test_workers_on_postgresql_find_the_same_when_the_first_is_killed(tmp_path, redis_server, postgresql_url, alone):
    given = {"DATABASE_URL": postgresql_url, "DOWNLOAD_DELAY": 0.1, "WORKER_LOST_AFTER": 2, "BACKEND_PATIENCE": 1}
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
        assert said == {path: (title, day, text) for path, (title, _, day, _, text) in alone.records.items()}
    assert blog.crawl_complete


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
        assert "by another process has ended" in late.stderr
        assert len(site.targets) == asked
        group.add()
        assert group.wait()[2].code == 0
        assert len(site.targets) > asked + POSTS, "one that is started after the end begins anew"


@pytest.mark.parametrize(("name", "value"), [("COMMENTS", False), ("MEDIA_TYPES", "image/png")])
def test_one_with_other_settings_does_not_help(tmp_path, redis_server, alone, name, value):
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.25) as group:
        group.add()
        group.until(group.asked(10))
        group.add(**{name: value})
        found = group.wait()
        assert [one.code for one in found] == [0, 2], found[1].stderr
        assert "Use the same values, or wait until it has ended." in found[1].stderr
        assert texts(tmp_path, site) == alone.records


def test_they_wait_for_a_redis_that_is_started_again(tmp_path, redis_of_session, alone):
    with (
        serve(Blog(make_posts(POSTS))) as site,
        Server(is_safe=True) as server,
        spiders(tmp_path, site, server, DOWNLOAD_DELAY=0.1) as group,
    ):
        group.add(2)
        group.until(group.asked(25))
        server.kill()
        time.sleep(1)
        server.start()
        found = group.wait()
        assert [one.code for one in found] == [0, 0], found[0].stderr + found[1].stderr
        assert texts(tmp_path, site) == alone.records
    assert ended_well(tmp_path)


def test_they_end_with_a_sentence_when_redis_stays_away_and_go_on_from_there(tmp_path, redis_of_session, alone):
    with (
        serve(Blog(make_posts(POSTS))) as site,
        Server(is_safe=True) as server,
        spiders(tmp_path, site, server, DOWNLOAD_DELAY=0.1, BACKEND_PATIENCE=1) as group,
    ):
        group.add(2)
        group.until(group.asked(25))
        server.kill()
        for one in group.wait():
            assert one.code == AGAIN, one.stderr
            assert "has not answered for 1 s" in one.stderr
            assert "Traceback" not in one.stderr
        server.start()
        group.add(2)
        found = group.wait()[2:]
        assert [one.code for one in found] == [0, 0], found[0].stderr + found[1].stderr
        assert texts(tmp_path, site) == alone.records
    assert ended_well(tmp_path)


def test_a_redis_that_forgets_what_is_wanted_is_told_again(tmp_path, redis_server, alone):
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.1) as group:
        group.add(2)
        group.until(group.asked(25))
        redis_server.empty()
        found = group.wait()
        assert [one.code for one in found] == [0, 0], found[0].stderr + found[1].stderr
        assert texts(tmp_path, site) == alone.records
    assert ended_well(tmp_path)


def test_a_limit_of_pages_is_that_of_all_together(tmp_path, redis_server):
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, PAGE_LIMIT=30) as group:
        group.add(2)
        found = group.wait()
        assert [one.code for one in found] == [0, 0], found[-1].stderr
        assert 25 <= pages(site.targets).total() <= 34
    assert not ended_well(tmp_path)


@pytest.mark.parametrize("is_shared", [True, False])
def test_a_crawl_without_their_redis_is_refused_and_so_is_one_with_a_redis_that_the_crawl_lacks(
    tmp_path, redis_server, is_shared
):
    first, second = ({"FRONTIER_URL": url} for url in ((redis_server.url, "") if is_shared else ("", redis_server.url)))
    with serve(Blog(make_posts(POSTS))) as site, spiders(tmp_path, site, redis_server, DOWNLOAD_DELAY=0.1) as group:
        group.add(**first)
        group.until(group.asked(10))
        refused = crawl(tmp_path, f"{site.url}/", **second)
        assert refused.code == AGAIN
        assert "is being crawled by another process" in refused.stderr
        assert group.wait()[0].code == 0


def test_a_redis_that_is_away_claims_no_blog(tmp_path):
    """The command whose address was corrected, or that does without, is not refused."""
    with serve(Blog(make_posts(3))) as site:
        away = f"redis://127.0.0.1:{closed_port()}/0"
        (tmp_path / "away").mkdir()
        given = {"DATABASE_URL": f"sqlite:///{tmp_path}/{DATABASE}", "ARCHIVE": tmp_path / "archive"}
        found = crawl(tmp_path / "away", f"{site.url}/", FRONTIER_URL=away, BACKEND_PATIENCE=1, **given)
        assert found.code == AGAIN, found.stderr
        assert site.targets == []
        again = crawl(tmp_path, f"{site.url}/", **given)
        assert again.code == 0, again.stderr


def test_an_address_with_an_option_that_redis_lacks_is_wrong_usage(tmp_path, redis_server):
    with serve(Blog(make_posts(3))) as site:
        for name in ("FRONTIER_URL", "GATE_URL"):
            found = crawl(tmp_path, f"{site.url}/", **{name: f"{redis_server.url}?foo=bar"})
            assert found.code == 2, found.stderr
            assert found.sentences == [f"blogcrawler: {name} is not a Redis URL; use the form redis://host:6379/0."]


def test_the_archive_of_a_version_that_kept_the_frontier_in_redis_begins_anew(tmp_path, alone):
    with serve(Blog(make_posts(POSTS))) as site:
        begun = crawl(tmp_path, f"{site.url}/", PAGE_LIMIT=20)
        assert begun.code == 0, begun.stderr
        with Archive.open(f"sqlite:///{tmp_path}/{DATABASE}") as archive:
            home = f"{site.url}/"
            archive.save_source_state(home, "shared", {"is_elsewhere": True, "tried_again": 0})
            archive.frontier_store(home).clear()
        found = crawl(tmp_path, f"{site.url}/")
        assert found.code == 0, found.stderr
        assert "starting again" in found.stderr
        assert texts(tmp_path, site) == alone.records
    assert ended_well(tmp_path)
