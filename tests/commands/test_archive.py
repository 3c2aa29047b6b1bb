"""`blogcrawler archive URL…`: one command for blogs that are new and for those that are known."""

from __future__ import annotations

import signal
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.exported import wxr
from tests.crawl.running import PROGRAM, RECORDS, SETTINGS, kept, outcome, run, start

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS = [part for name, value in SETTINGS.items() for part in ("-s", f"{name}={value}")]


@pytest.mark.slow
def test_a_new_blog_is_crawled_and_a_known_one_brought_up_to_date(tmp_path: Path) -> None:
    posts = make_posts(9)
    with serve(Blog(posts[1:])) as site:
        first = run(tmp_path, [*PROGRAM, "archive", f"{site.url}/", *OPTIONS], server=site)
        assert first.code == 0, first.stderr
        assert sorted(kept(tmp_path)) == Blog(posts[1:]).urls(site.url)
        site.reset(Blog(posts))
        second = run(tmp_path, [*PROGRAM, f"{site.url}/", "-O", RECORDS, *OPTIONS], server=site)
        assert second.code == 0, second.stderr
        assert second.urls == [f"{site.url}{posts[0].path}"]
        assert len(second.requests) < len(first.requests)


@pytest.mark.slow
def test_a_first_crawl_that_was_stopped_goes_on(tmp_path: Path) -> None:
    source = Blog(make_posts(12))
    with serve(source) as site:
        limited = ["-s", "PAGE_LIMIT=6"]
        assert run(tmp_path, [*PROGRAM, f"{site.url}/", *OPTIONS, *limited]).code == 0
        assert 0 < len(kept(tmp_path)) < 12
        done = run(tmp_path, [*PROGRAM, f"{site.url}/", *OPTIONS])
        assert done.code == 0, done.stderr
        assert sorted(kept(tmp_path)) == source.urls(site.url)


@pytest.mark.slow
def test_several_blogs_one_after_the_other(tmp_path: Path) -> None:
    sources = [Blog(make_posts(5)), Blog([replace(post, title=f"{post.title} too") for post in make_posts(6)])]
    with serve(sources[0]) as one, serve(sources[1]) as other:
        gone = "http://127.0.0.1:9/"
        done = run(
            tmp_path, [*PROGRAM, "archive", f"{one.url}/", gone, f"{other.url}/", *OPTIONS, "-s", "RETRY_TIMES=0"]
        )
        assert sorted(kept(tmp_path)) == sorted(sources[0].urls(one.url) + sources[1].urls(other.url))
    assert done.code == 1
    assert [gone in sentence for sentence in done.sentences] == [True]
    assert done.stdout.split() == [f"{one.url}/", gone, f"{other.url}/"]


@pytest.mark.slow
def test_ctrl_c_keeps_the_next_blog_from_being_begun(tmp_path: Path) -> None:
    call = [*PROGRAM, "archive", *OPTIONS, "-s", "DOWNLOAD_DELAY=0.3"]
    with serve(Blog(make_posts(30))) as one, serve(Blog(make_posts(5))) as other:
        process = start(tmp_path, [*call, f"{one.url}/", f"{other.url}/"], anew=True)
        while len(one.targets) < 4:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        done = outcome(tmp_path, process.wait(60), server=other)
    assert (done.code, done.requests) == (130, [])
    assert done.sentences == [f"blogcrawler: Not crawled yet: {other.url}/. Run the same command again."]
    assert done.stderr.count("Stopping after ") == 1


def test_all_addresses_are_looked_at_before_the_first_crawl(tmp_path: Path) -> None:
    with serve(Blog(make_posts(5))) as site:
        done = run(tmp_path, [*PROGRAM, "archive", f"{site.url}/", "ftp://example.org/", *OPTIONS], server=site)
    assert (done.code, done.requests) == (2, [])


def test_an_address_in_the_place_of_a_spider(tmp_path: Path) -> None:
    for call in (["crawl", "http://127.0.0.1:9/"], ["-s", "RETRY_TIMES=0", "127.0.0.1:9"]):
        done = run(tmp_path, [*PROGRAM, *call, *OPTIONS, "-s", "RETRY_TIMES=0"])
        assert done.code == 1
        assert done.sentences == [
            "blogcrawler: http://127.0.0.1:9/ cannot be fetched: connection refused; check the address and the connection."
        ]


@pytest.mark.slow
def test_a_known_blog_is_crawled_anew_with_an_export(tmp_path: Path) -> None:
    posts = make_posts(9)
    with serve(Blog(posts[:6], in_feed=3)) as site:
        file = wxr(tmp_path / "export.xml", posts, site.url)
        assert run(tmp_path, [*PROGRAM, f"{site.url}/", *OPTIONS]).code == 0
        done = run(tmp_path, [*PROGRAM, f"{site.url}/", "--entries", str(file), *OPTIONS], server=site)
        assert done.code == 0, done.stderr
        assert sorted(kept(tmp_path)) == sorted(site.url + post.path for post in posts)
        two = run(tmp_path, [*PROGRAM, "archive", f"{site.url}/", f"{site.url}/b/", "--entries", str(file), *OPTIONS])
    assert two.code == 2
    assert "--entries works with one blog only" in two.stderr
