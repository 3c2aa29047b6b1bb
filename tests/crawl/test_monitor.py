"""`blogcrawler monitor`, and crawls beside each other: no blog is crawled twice at once, none is forgotten."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from blogcrawler.backend import Archive, Holder
from tests.commands.terminal import run_on_terminal
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import DATABASE, PROGRAM, SETTINGS, command, crawl, has_traceback, kept, outcome, run, start
from tests.crawl.test_errors import closed_port
from tests.site import Reply

pytestmark = pytest.mark.slow

POSTS = make_posts(8)
#: so that a test can do something while a crawl runs
SLOW = {"DOWNLOAD_DELAY": 0.2}
LEAST, MOST = 3600, 7 * 24 * 3600


def waits_for(condition, most_s=90):
    deadline = time.monotonic() + most_s
    while not condition():
        assert time.monotonic() < deadline, "what the test waits for does not happen"
        time.sleep(0.02)


def monitoring(**settings):
    given = SETTINGS | {name: str(value) for name, value in settings.items()}
    return [*PROGRAM, "monitor", *(part for name, value in given.items() for part in ("-s", f"{name}={value}"))]


def monitor(folder, *, server=None, anew=False, **settings):
    done = run(folder, monitoring(**settings), server=server, anew=anew)
    assert not has_traceback(done), done.stderr
    return done


def is_silent(done):
    assert (done.code, done.stdout, done.stderr) == (0, "", "")


@contextmanager
def archive(folder):
    with Archive.open(f"sqlite:///{folder / DATABASE}") as opened:
        yield opened


def want(folder, *urls):
    with archive(folder) as opened:
        opened.register.want({opened.key_of(url): url for url in urls}, now=datetime.now(UTC))


def make_due(folder):
    """All blogs are due, as if time had passed."""
    past = datetime.now(UTC) - timedelta(minutes=1)
    with archive(folder) as opened:
        for blog in opened.blogs():
            opened.register.set_due(blog.home, past)
        for one in opened.register.wanted():
            opened.register.postpone(one.key, past)


def blogs(folder):
    with archive(folder) as opened:
        return opened.blogs()


def crawlers(folder):
    """The processes that hold claims."""
    with archive(folder) as opened:
        return {Holder.parse(row.owner).pid for row in opened.leases.live(now=datetime.now(UTC)).values()}


def wait_s(blog):
    return (blog.due - blog.crawl_finished).total_seconds()


@contextmanager
def running(folder, arguments):
    process = start(folder, arguments)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def holding(site, path):
    """A page is answered only when this is left, so that no crawl comes to its end before."""
    page, is_over = site.routes[path], threading.Event()

    async def answer(_):
        while not is_over.is_set():
            await asyncio.sleep(0.02)
        return page

    site.routes[path] = answer
    try:
        yield
    finally:
        is_over.set()


# ------------------------------------------------------------------------------------------------- what is due is done


def test_what_is_wanted_is_crawled_and_then_brought_up_to_date(tmp_path):
    with serve() as site:
        ann, bo = Blog(POSTS[2:], folder="/ann"), Blog(make_posts(4, seed=2), folder="/bo")
        site.reset(ann, bo)
        want(tmp_path, f"{site.url}/ann/", f"{site.url}/bo/feed.xml")
        files = {"records/%(name)s-%(time)s.jsonl": {"format": "jsonlines"}}
        is_silent(monitor(tmp_path, anew=True, FEEDS=json.dumps(files)))
        assert sorted(kept(tmp_path)) == sorted([*ann.urls(site.url), *bo.urls(site.url)])
        lines = "".join(file.read_text() for file in (tmp_path / "records").iterdir()).splitlines()
        assert sorted(json.loads(line)["url"] for line in lines) == sorted(kept(tmp_path))
        assert [blog.crawl_complete for blog in blogs(tmp_path)] == [True, True]
        assert len(list((tmp_path / "archive" / "logs").glob("newcrawl-*.log"))) == 2
        again = monitor(tmp_path, server=site)
        is_silent(again)
        assert again.requests == []
        make_due(tmp_path)
        site.reset(Blog(POSTS, folder="/ann"), bo)
        is_silent(monitor(tmp_path))
        assert len(kept(tmp_path)) == 12
        assert {blog.crawl_kind for blog in blogs(tmp_path)} == {"updatecrawl"}
        assert crawlers(tmp_path) == set()


def test_a_terminal_is_told_of_each_blog(tmp_path):
    with serve() as site:
        site.reset(Blog(POSTS[:6], folder="/ann"))
        want(tmp_path, f"{site.url}/ann/")
        shown = run_on_terminal(tmp_path, monitoring())
        assert shown.code == 0
        assert f"{site.url}/ann/: 6 posts new or changed, next crawl " in shown.text
        assert "No blog is due" in run_on_terminal(tmp_path, monitoring()).text


def test_dues_follow_the_rhythm(tmp_path):
    """The posts are 23 days apart, and the last is long ago: as late as may be; a limit: soon."""
    with serve(Blog(POSTS)) as site:
        crawl(tmp_path, f"{site.url}/", PAGE_LIMIT=5)
        (blog,) = blogs(tmp_path)
        assert not blog.crawl_complete
        assert abs(wait_s(blog) - LEAST) < 60
        crawl(tmp_path, f"{site.url}/")
        (blog,) = blogs(tmp_path)
        assert blog.crawl_complete
        assert abs(wait_s(blog) - MOST) < 60
        crawl(tmp_path, f"{site.url}/", spider="updatecrawl", UPDATE_INTERVAL_MIN=10, UPDATE_INTERVAL_MAX=20)
        (blog,) = blogs(tmp_path)
        assert abs(wait_s(blog) - 20) < 10


def test_a_blog_that_fails_is_told_and_put_off_and_hides_no_other(tmp_path):
    gone, port = "http://127.0.0.1:{}/", closed_port()
    with serve() as site:
        site.reset(Blog(POSTS[:6], folder="/ann"))
        want(tmp_path, gone.format(port), f"{site.url}/nothing/", f"{site.url}/ann/")
        for hours in (1, 2):
            done = monitor(tmp_path, RETRY_TIMES=0, BACKOFF_TIMES=0)
            assert (done.code, done.stdout) == (1, "")
            assert len(done.sentences) == len(done.stderr.splitlines()) == 2
            assert any(gone.format(port) in line and "refused" in line for line in done.sentences)
            assert any(f"{site.url}/nothing/" in line and "404" in line for line in done.sentences)
            assert len(kept(tmp_path)) == 6
            with archive(tmp_path) as opened:
                for one in opened.register.wanted():
                    assert one.due - one.tried == timedelta(hours=hours)
                    opened.register.postpone(one.key, datetime.now(UTC))


def test_a_blog_of_the_archive_that_does_not_answer_is_put_off_until_it_does(tmp_path):
    with serve(Blog(POSTS[:6])) as site:
        crawl(tmp_path, f"{site.url}/")
        routes, site.routes = site.routes, {"/feed.xml": Reply("later", 500)}
        for hours in (1, 2):
            make = datetime.now(UTC) - timedelta(minutes=1)
            with archive(tmp_path) as opened, opened.transaction() as connection:
                connection.exec_driver_sql("UPDATE blog SET due = ?", (make.isoformat(),))
            done = monitor(tmp_path, RETRY_TIMES=0, BACKOFF_TIMES=0)
            assert (done.code, len(done.sentences)) == (1, 1)
            (blog,) = blogs(tmp_path)
            assert blog.failures == hours
            assert abs((blog.due - make).total_seconds() - 3600 * hours) < 600
        site.routes = routes
        make_due(tmp_path)
        is_silent(monitor(tmp_path))
        (blog,) = blogs(tmp_path)
        assert (blog.failures, blog.crawl_complete) == (0, True)
        assert wait_s(blog) > 24 * 3600


def test_a_first_crawl_that_was_cut_short_is_gone_on_with(tmp_path):
    blog = Blog(POSTS)
    with serve(blog) as site:
        crawl(tmp_path, f"{site.url}/", PAGE_LIMIT=6)
        make_due(tmp_path)
        done = monitor(tmp_path, server=site)
        is_silent(done)
        assert sorted(kept(tmp_path)) == blog.urls(site.url)
        assert "/feed.xml" not in done.requests


def test_what_is_wanted_and_turns_out_to_be_known_is_not_crawled_again(tmp_path):
    with serve(Blog(POSTS[:6])) as site:
        crawl(tmp_path, f"{site.url}/")
        before = blogs(tmp_path)
        want(tmp_path, f"{site.url}/about/")
        done = monitor(tmp_path, server=site)
        is_silent(done)
        assert set(done.requests) <= {"/robots.txt", "/about/", "/feed.xml", "/"}
        assert blogs(tmp_path) == before
        with archive(tmp_path) as opened:
            assert opened.register.wanted() == []
            assert opened.find_blog(f"{site.url}/about/") == f"{site.url}/"


# -------------------------------------------------------------------------------------------------- beside each other


def test_two_monitors_never_crawl_a_blog_twice(tmp_path):
    folders = [f"/blog{number}" for number in range(4)]
    places = [tmp_path / name for name in "ab"]
    shared = {"DATABASE_URL": f"sqlite:///{tmp_path / DATABASE}", "ARCHIVE": tmp_path / "archive", "MONITOR_CRAWLS": 3}
    with serve() as site:
        site.reset(*(Blog(make_posts(3, seed=n + 1), folder=folder) for n, folder in enumerate(folders)))
        want(tmp_path, *(f"{site.url}{folder}/" for folder in folders))
        for place in places:
            place.mkdir()
        with running(places[0], monitoring(**shared)) as one, running(places[1], monitoring(**shared)) as other:
            assert (one.wait(120), other.wait(120)) == (0, 0)
        assert [(place / "stderr").read_text() for place in places] == ["", ""]
        for folder in folders:
            assert site.targets.count(f"{folder}/") == 1
            assert site.targets.count(f"{folder}/feed.xml") == 1
        assert len(kept(tmp_path)) == 12
        assert [blog.crawl_complete for blog in blogs(tmp_path)] == [True] * 4


def test_a_second_monitor_leaves_the_rest_to_the_first_where_that_has_all_places(tmp_path):
    with serve() as site:
        ann = Blog(POSTS, folder="/ann")
        site.reset(ann, Blog(make_posts(3, seed=2), folder="/bo"))
        want(tmp_path, f"{site.url}/ann/", f"{site.url}/bo/")
        other = tmp_path / "other"
        other.mkdir()
        shared = {"DATABASE_URL": f"sqlite:///{tmp_path / DATABASE}", "MONITOR_CRAWLS": 1}
        with running(tmp_path, monitoring(**shared)) as first:
            with holding(site, ann.path(POSTS[0])):
                waits_for(lambda: site.targets)
                done = monitor(other, **shared)
                is_silent(done)
                assert first.poll() is None
            assert first.wait(120) == 0
        assert len(kept(tmp_path)) == 11


def test_a_crawl_by_hand_waits_for_none_and_a_monitor_passes_it_over(tmp_path):
    """By hand or by a monitor, to a blog that is known or not: the second one ends before it asks the server."""
    mine = tmp_path / "mine"
    mine.mkdir()
    place = {"DATABASE_URL": f"sqlite:///{tmp_path / DATABASE}"}
    blog = Blog(POSTS)
    with serve(blog) as site:
        want(tmp_path, f"{site.url}/")
        with running(tmp_path, monitoring()) as first:
            with holding(site, blog.path(POSTS[0])):
                waits_for(lambda: "/feed.xml" in site.targets)
                (mine / "posts.jsonl").write_text("")
                for spider in ("newcrawl", "updatecrawl"):
                    by_hand = crawl(mine, f"{site.url}/", spider=spider, **place)
                    assert by_hand.code == 75
                    assert len(by_hand.sentences) == 1
                    assert f"{site.url}/ is being crawled by another process since" in by_hand.sentences[0]
                    assert "try again when it is done" in by_hand.sentences[0]
            assert first.wait(120) == 0
        assert site.targets.count("/feed.xml") == 1
        assert blogs(tmp_path)[0].failures == 0
        make_due(tmp_path)
        with running(tmp_path, command(f"{site.url}/")) as first:
            with holding(site, blog.path(POSTS[0])):
                waits_for(lambda: crawlers(tmp_path))
                is_silent(monitor(mine, **place))
            assert first.wait(120) == 0
        assert blogs(tmp_path)[0].crawl_kind == "newcrawl"


def test_a_crawl_that_finds_the_home_page_of_one_under_way_ends(tmp_path):
    """Its address told nothing of that; what the other one writes stays as it is."""
    mine = tmp_path / "mine"
    mine.mkdir()
    blog = Blog(POSTS)
    with serve(blog) as site:
        with running(tmp_path, command(f"{site.url}/")) as first:
            with holding(site, blog.path(POSTS[0])):
                waits_for(lambda: site.targets.count("/feed.xml"))
                place = {"DATABASE_URL": f"sqlite:///{tmp_path / DATABASE}"}
                done = crawl(mine, f"{site.url}/about/", **place)
                assert (done.code, len(done.sentences)) == (75, 1)
                assert f"{site.url}/ is being crawled by another process" in done.sentences[0]
                assert done.records == []
                want(tmp_path, f"{site.url}/about/")
                is_silent(monitor(mine, **place))
            assert first.wait(120) == 0
        assert len(kept(tmp_path)) == len(POSTS)
        with archive(tmp_path) as opened:
            (one,) = opened.register.wanted()
            assert one.due > datetime.now(UTC)
            assert one.reason is None


def test_a_crawl_whose_blog_another_one_has_got_ends_and_says_so(tmp_path):
    with serve(Blog(make_posts(30))) as site, running(tmp_path, command(f"{site.url}/", DOWNLOAD_DELAY=1)) as process:
        waits_for(lambda: crawlers(tmp_path) and blogs(tmp_path))
        other = str(Holder.new())
        with archive(tmp_path) as opened:
            with opened.transaction() as connection:
                connection.exec_driver_sql("UPDATE claim SET who = ?", (other,))
            assert process.wait(90) == 75
            done = outcome(tmp_path, 75, server=site)
            assert not has_traceback(done)
            assert "is being crawled by another process now" in done.sentences[0]
            assert {row.owner for row in opened.leases.live(now=datetime.now(UTC)).values()} == {other}
            assert opened.blog(f"{site.url}/").crawl_finished is None, "the other one goes on"


# ------------------------------------------------------------------------------------------------------ ends of all sorts


def test_killed_with_its_crawls_the_next_monitor_takes_over(tmp_path):
    ann, bo = Blog(POSTS, folder="/ann"), Blog(make_posts(8, seed=2), folder="/bo")
    with serve() as site:
        site.reset(ann, bo)
        want(tmp_path, f"{site.url}/ann/", f"{site.url}/bo/")
        with running(tmp_path, monitoring(**SLOW)) as first:
            waits_for(lambda: min(site.targets.count(f"/{name}/feed.xml") for name in ("ann", "bo")))
            first.kill()
            children = crawlers(tmp_path)
            assert len(children) == 2
            for pid in children:
                os.kill(pid, signal.SIGKILL)
            first.wait()
        is_silent(monitor(tmp_path))
        assert sorted(kept(tmp_path)) == sorted([*ann.urls(site.url), *bo.urls(site.url)])
        assert [blog.crawl_complete for blog in blogs(tmp_path)] == [True, True]


def test_killed_alone_its_crawls_go_on_and_the_next_monitor_leaves_them_alone(tmp_path):
    with serve(Blog(POSTS)) as site:
        want(tmp_path, f"{site.url}/")
        with running(tmp_path, monitoring(**SLOW)) as first:
            waits_for(lambda: "/feed.xml" in site.targets)
            first.kill()
            first.wait()
        is_silent(monitor(tmp_path))
        waits_for(lambda: not crawlers(tmp_path))
        assert site.targets.count("/feed.xml") == 1
        assert blogs(tmp_path)[0].crawl_complete
        assert len(kept(tmp_path)) == len(POSTS)


@pytest.mark.parametrize("is_known", [False, True])
def test_a_crawl_that_dies_without_a_word_is_told_and_put_off(tmp_path, is_known):
    with serve(Blog(POSTS)) as site:
        want(tmp_path, f"{site.url}/")
        with running(tmp_path, monitoring(**SLOW)) as process:
            waits_for(lambda: process.pid not in crawlers(tmp_path) and (blogs(tmp_path) or not is_known))
            waits_for(lambda: "/" in site.targets and crawlers(tmp_path) - {process.pid})
            (child,) = crawlers(tmp_path)
            os.kill(child, signal.SIGKILL)
            assert process.wait(60) == 1
        done = outcome(tmp_path, 1, server=site)
        assert len(done.sentences) == 1
        assert f"The crawl of {site.url}/ was killed by signal 9; the machine may lack memory" in done.sentences[0]
        with archive(tmp_path) as opened:
            (due,) = [one.due for one in (*opened.register.wanted(), *opened.blogs())]
        assert due > datetime.now(UTC) + timedelta(minutes=50)
        make_due(tmp_path)
        is_silent(monitor(tmp_path))
        assert len(kept(tmp_path)) == len(POSTS)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_monitor_that_is_stopped_stops_its_crawls_in_good_order(tmp_path, number):
    blog = Blog(make_posts(60))
    with serve(blog) as site:
        want(tmp_path, f"{site.url}/")
        with running(tmp_path, monitoring(**SLOW)) as process:
            waits_for(lambda: len(site.targets) > 8)
            process.send_signal(number)
            assert process.wait(60) == 0
        said = outcome(tmp_path, 0, server=site).stderr.splitlines()
        assert len(said) == 1
        assert said[0].startswith("Stopping after ")
        assert crawlers(tmp_path) == set()
        (row,) = blogs(tmp_path)
        assert (row.crawl_complete, row.crawl_reason, row.failures) == (False, "shutdown", 0)
        assert 0 < len(kept(tmp_path)) < 60
        is_silent(monitor(tmp_path))
        assert sorted(kept(tmp_path)) == blog.urls(site.url)
        assert site.targets.count("/feed.xml") == 1


def test_a_crawl_that_was_killed_goes_on_at_once(tmp_path):
    """Its claim does not stand in the way of the same command."""
    with serve(Blog(POSTS)) as site:
        with running(tmp_path, command(f"{site.url}/", **SLOW)) as first:
            waits_for(lambda: "/feed.xml" in site.targets)
            first.kill()
            first.wait()
        assert crawl(tmp_path, f"{site.url}/").code == 0
        assert len(kept(tmp_path)) == len(POSTS)


# ---------------------------------------------------------------------------------------------------------- wrong usage


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["now"], "takes no arguments"),
        (["-s", "MONITOR_CRAWLS=0"], "MONITOR_CRAWLS"),
        (["-s", "MONITOR_CRAWLS=few"], "MONITOR_CRAWLS"),
        (["-s", "UPDATE_INTERVAL_MIN=10", "-s", "UPDATE_INTERVAL_MAX=9"], "UPDATE_INTERVAL_MIN"),
        (
            ["-s", f"UPDATE_INTERVAL_MAX={10**12}"],
            "UPDATE_INTERVAL_MAX must be a number of seconds from 0 to 3153600000",
        ),
        (
            ["-s", f"UPDATE_INTERVAL_MAX={10**30}"],
            "UPDATE_INTERVAL_MAX must be a number of seconds from 0 to 3153600000",
        ),
    ],
)
def test_wrong_usage(tmp_path, more, said):
    done = run(tmp_path, [*monitoring(), *more])
    assert (done.code, done.stdout, len(done.sentences)) == (2, "", 1)
    assert said in done.sentences[0]
    assert not (tmp_path / DATABASE).exists()


def test_without_an_archive_it_says_so(tmp_path):
    done = monitor(tmp_path)
    assert done.code == 1
    assert f"There is no archive at {DATABASE} yet" in done.sentences[0]
    assert "blogs add http://blog.example.org/" in done.sentences[0]
