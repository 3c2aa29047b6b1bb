"""Where memory runs out, a crawl says so, and goes on later; and it takes little more for a large blog."""

from __future__ import annotations

import resource
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from selectolax.lexbor import SelectolaxError

from blogcrawler.errors import is_lack_of_memory
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import command, crawl, environment, start

pytestmark = pytest.mark.slow

BYTES_A_POST = 8000
"""By which a crawl may grow while its caches fill."""
EARLY, LATE = 400, 1200
"""Pages that were asked for when its memory is measured."""


@pytest.mark.skipif(sys.platform != "linux", reason="limits address space")
@pytest.mark.parametrize("megabytes", [150, 180, 270, 450, 600])
def test_too_little_memory(tmp_path, megabytes):
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    with serve(Blog(make_posts(6))) as site:
        done = subprocess.run(
            command(f"{site.url}/"), cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=90,
            preexec_fn=limit, check=False,
        )  # fmt: skip
    assert done.returncode == 75, done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith("blogcrawler: There is not enough memory")


def test_nothing_comes_after_the_sentence():
    """An ordinary end needs memory, and tells in words of its own that there is none."""
    ending = """
import atexit
from blogcrawler.errors import OutOfMemory
from blogcrawler.reporting import exit_on_error

@atexit.register
def end():
    raise MemoryError

with exit_on_error(temporary=75):
    raise OutOfMemory
"""
    done = subprocess.run([sys.executable, "-c", ending], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 75
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("blogcrawler: There is not enough memory")


class NoThreads:
    """Lets no look-up of a name have a thread."""

    @classmethod
    def update_pre_crawler_settings(cls, _settings):
        start = threading.Thread.start

        def start_others(thread):
            if "PoolThread" in thread.name:
                raise RuntimeError("can't start new thread")
            start(thread)

        threading.Thread.start = start_others


def test_a_name_that_no_thread_can_look_up_is_no_fault_of_its_server(tmp_path):
    with serve(Blog(make_posts(6))) as site:
        done = crawl(tmp_path, f"{site.url}/", ADDONS=f'{{"{__name__}.NoThreads": 0}}')
    assert done.code == 75, done.stderr
    assert done.stderr.splitlines()[-1].startswith("blogcrawler: There is not enough memory")


def test_a_lack_of_memory_has_several_names():
    assert is_lack_of_memory(MemoryError())
    assert is_lack_of_memory(SystemError("error return without exception set"))
    assert is_lack_of_memory(RuntimeError("can't start new thread"))
    assert is_lack_of_memory(SelectolaxError("Can't parse HTML."))
    assert is_lack_of_memory(ImportError("a.so: failed to map segment from shared object"))
    assert not is_lack_of_memory(ImportError("No module named 'a'"))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_hardly_grows_with_the_blog(tmp_path):
    begin = datetime(2003, 1, 5, 9, 30, tzinfo=UTC)
    posts = [replace(post, published=begin - timedelta(hours=7 * at)) for at, post in enumerate(make_posts(LATE))]
    with serve(Blog(posts, in_feed=10, per_page=10)) as site:
        crawl = start(tmp_path, command(f"{site.url}/", "-s", "RENDER=never"), anew=True)
        try:
            taken = []
            for pages in (EARLY, LATE):
                while len(site.log) < pages:
                    assert crawl.poll() is None, (tmp_path / "stderr").read_text()
                    time.sleep(0.02)
                taken.append(_memory(crawl.pid))
        finally:
            crawl.kill()
            crawl.wait()
    assert (taken[1] - taken[0]) / (LATE - EARLY) <= BYTES_A_POST, taken


def _memory(pid: int) -> int:
    """Bytes that a process has in memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
