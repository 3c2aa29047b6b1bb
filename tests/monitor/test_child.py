"""A crawl that a monitor or a worker has started: as a copy of a process, or anew, where copies cannot be made."""

from __future__ import annotations

import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogcrawler.backend import Due, Holder
from blogcrawler.monitor import Starter, child
from tests.browser.installed import needs_a_browser
from tests.crawl.blog import Blog, serve
from tests.crawl.running import SETTINGS, kept
from tests.crawl.scripted import ScriptedBlog
from tests.crawl.test_monitor import waits_for

pytestmark = pytest.mark.slow


@pytest.fixture(params=[True, False], ids=["copied", "anew"], autouse=True)
def _kind(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param and sys.platform != "linux":
        pytest.skip("crawls are copies of a process on Linux alone")
    monkeypatch.setattr(child, "FORKS", request.param)
    monkeypatch.chdir(tmp_path)


def starter(**settings: object) -> Starter:
    given = SETTINGS | {name: str(value) for name, value in settings.items()}
    return Starter("archive", [f"{name}={value}" for name, value in given.items()], with_us=True, is_counting=True)


def due(url: str) -> Due:
    return Due(url, url, "newcrawl", None, datetime.now(UTC))


def test_it_comes_to_its_end_and_is_counted(tmp_path: Path) -> None:
    blog = Blog()
    with serve(blog) as site, starter() as starts:
        started = starts.start(due(f"{site.url}/"), Holder.new())
        waits_for(started.has_ended)
        counts = started.counts()
        assert started.trouble() is None
        assert counts is not None
        assert counts.saved == {"new": len(blog.posts), "changed": 0, "same": 0}
        started.close()
    assert sorted(kept(tmp_path)) == blog.urls(site.url)
    assert "posts from" in Path(started.log).read_text("utf-8")


def test_its_trouble_is_told_in_its_sentence() -> None:
    with serve() as site, starter(RETRY_TIMES=0) as starts:
        started = starts.start(due(f"{site.url}/nowhere/"), Holder.new())
        waits_for(started.has_ended)
        assert (started.trouble() or "").startswith(f"{site.url}/nowhere/ ")
        assert not started.is_no_fault_of_the_blog()
        started.close()


def test_it_ends_in_good_order_when_it_is_told_to() -> None:
    with serve(Blog()) as site, starter(DOWNLOAD_DELAY=0.3) as starts:
        started = starts.start(due(f"{site.url}/"), Holder.new())
        waits_for(lambda: len(site.targets) > 4)
        started.stop()
        waits_for(started.has_ended)
        assert (started.process.returncode, started.trouble()) == (143, None)
        started.close()


def test_it_is_in_no_trouble_when_another_program_tells_it_to_end() -> None:
    """As systemd does, which sends the signal to all processes of a service."""
    with serve(Blog()) as site, starter(DOWNLOAD_DELAY=0.3) as starts:
        started = starts.start(due(f"{site.url}/"), Holder.new())
        waits_for(lambda: len(site.targets) > 4)
        started.process.send_signal(signal.SIGTERM)
        waits_for(started.has_ended)
        assert (started.process.returncode, started.trouble()) == (143, None)
        started.close()


def test_it_is_killed_with_a_sentence_of_how() -> None:
    with serve(Blog()) as site, starter(DOWNLOAD_DELAY=0.3) as starts:
        started = starts.start(due(f"{site.url}/"), Holder.new())
        waits_for(lambda: "/feed.xml" in site.targets)
        started.process.send_signal(signal.SIGKILL)
        waits_for(started.has_ended)
        assert "was killed by signal 9; the machine may lack memory. Its log is " in (started.trouble() or "")
        started.close()


@needs_a_browser
def test_it_has_a_browser(tmp_path: Path) -> None:
    blog = ScriptedBlog()
    with serve(blog) as site, starter(RENDER="auto") as starts:
        started = starts.start(due(f"{site.url}/"), Holder.new())
        waits_for(started.has_ended)
        assert started.trouble() is None
        started.close()
    assert sorted(kept(tmp_path)) == blog.urls(site.url)
