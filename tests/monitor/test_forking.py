"""Crawls that are copies of a process: they begin, are told of, and end like processes that were started anew."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blogcrawler.monitor import forking
from blogcrawler.monitor.forking import ForkServer
from blogcrawler.reporting import TEMPORARY_FAILURE
from tests.crawl.blog import Blog
from tests.crawl.running import RECORDS, SETTINGS
from tests.crawl.test_monitor import waits_for
from tests.site import LocalSite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from blogcrawler.monitor.forking import Forked

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="crawls are copies of a process on Linux alone"),
]

OPTIONS = [part for name, value in SETTINGS.items() for part in ("-s", f"{name}={value}")]
#: starts what a monitor or a worker starts, tells the numbers of its processes, and waits to be killed
PARENT = """
import json, os, sys, time
from pathlib import Path
from blogcrawler.monitor.forking import ForkServer
with_us, arguments = json.loads(sys.argv[1])
starts = ForkServer([], with_us=with_us)
with open("said", "wb") as said:
    crawl = starts.start(arguments, [said.fileno()])
children = map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())
(server,) = set(children) - {crawl.pid}
print(json.dumps([server, crawl.pid]), flush=True)
time.sleep(600)
"""
#: what is in the process before a copy is made
PREPARED = """
import json, sys, threading
from blogcrawler.fork_server import preload
preload()
print(json.dumps([threading.active_count(), "twisted.internet.reactor" in sys.modules]))
"""
#: a server whose system has no process left for a copy
FULL = """
import errno, os
from blogcrawler import fork_server
def fork():
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
os.fork = fork
fork_server.main()
"""
#: one that cannot begin
BROKEN = "raise SystemExit('a library is missing')"


class Said:
    """What a crawl writes to."""

    def __init__(self, file: Path) -> None:
        self.file = file.open("wb")

    def read(self) -> str:
        return Path(self.file.name).read_text("utf-8")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What crawls write is written there."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def said(tmp_path: Path) -> Iterator[Said]:
    written = Said(tmp_path / "said")
    with written.file:
        yield written


@contextmanager
def silent() -> Iterator[LocalSite]:
    """A site that does not answer."""
    over = threading.Event()
    with LocalSite({}, default=lambda _: str(over.wait(600))) as site:
        yield site
        over.set()


def serving() -> AbstractContextManager[ForkServer]:
    return closing(ForkServer(OPTIONS, with_us=True))


def crawling(site: LocalSite, **settings: object) -> list[str]:
    given = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    return ["crawl", "newcrawl", "-a", f"url={site.url}/", "-O", RECORDS, "--allow-unknown", *OPTIONS, *given]


def begin(server: ForkServer, said: Said, arguments: list[str], *more: int) -> Forked:
    return server.start(arguments, [said.file.fileno(), *more])


def server_of(crawl: Forked) -> int:
    return next(pid for pid in servers() if pid != crawl.pid)


def servers() -> list[int]:
    """The server, and its crawls, which are copies of it."""
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return [int(pid) for pid in children if b"fork_server" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def is_importing(pid: int) -> bool:
    """True if it is a server that has begun to read the modules of crawls."""
    return b"numpy" in Path(f"/proc/{pid}/maps").read_bytes()


def end_while_it_imports() -> None:
    waits_for(lambda: any(is_importing(pid) for pid in servers()))
    os.kill(next(pid for pid in servers() if is_importing(pid)), signal.SIGTERM)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@contextmanager
def parent(folder: Path, arguments: list[str], *, with_us: bool) -> Iterator[tuple[subprocess.Popen[str], int, int]]:
    """A process that has started a crawl, with the numbers of its server and its crawl."""
    command = [sys.executable, "-c", PARENT, json.dumps([with_us, arguments])]
    with subprocess.Popen(command, cwd=folder, env=forking.environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            server, crawl = json.loads(process.stdout.readline())
            yield process, server, crawl
        finally:
            process.kill()


def test_a_crawl_has_its_output_and_its_exit_code(said: Said) -> None:
    with serving() as server:
        assert [begin(server, said, arguments).wait() for arguments in (["--version"], ["crawl"])] == [0, 2]
    first, *others = said.read().splitlines()
    assert first.startswith("blogcrawler 0.")
    assert others[-1].startswith("blogcrawler: Name one spider, ")


def test_crawls_beside_each_other_are_told_apart(said: Said) -> None:
    with silent() as site, silent() as second, serving() as server:
        slow, other = [begin(server, said, crawling(one)) for one in (site, second)]
        assert begin(server, said, ["--version"]).wait() == 0
        assert (slow.poll(), other.poll()) == (None, None)
        other.send_signal(signal.SIGKILL)
        assert other.wait() == other.poll() == other.returncode == -signal.SIGKILL
        assert slow.poll() is None
        other.send_signal(signal.SIGKILL)
        slow.send_signal(signal.SIGKILL)
        assert slow.wait() == -signal.SIGKILL


def test_a_crawl_begins_in_its_parents_folder_and_in_a_session_of_its_own(
    tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_NUMERIC", "C")
    with silent() as site, serving() as server:
        crawl = begin(server, said, crawling(site))
        waits_for(lambda: site.log)
        process = Path(f"/proc/{crawl.pid}")
        assert (process / "cwd").readlink() == tmp_path
        assert os.getsid(crawl.pid) == crawl.pid
        assert b"LC_NUMERIC=C" in (process / "environ").read_bytes().split(b"\0")
        assert b"DOWNLOAD_DELAY=0" in (process / "cmdline").read_bytes().split(b"\0")
        assert [(process / "fd" / number).readlink() for number in "012"] == [
            Path(os.devnull), tmp_path / "said", tmp_path / "said",
        ]  # fmt: skip
        assert [link.name for link in (process / "fd").iterdir() if link.readlink().name == "said"] == ["1", "2"]
        crawl.send_signal(signal.SIGKILL)
        crawl.wait()


def test_it_is_crawled_as_by_a_process_of_its_own(tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    blog, numbers = Blog(), tmp_path / "numbers"
    with LocalSite({}) as site, serving() as server, numbers.open("wb") as counting:
        site.routes = blog.routes(site.url)
        assert begin(server, said, crawling(site), counting.fileno()).wait() == 0
    kept = [json.loads(line)["title"] for line in Path(RECORDS).read_text("utf-8").splitlines()]
    assert sorted(kept) == sorted(post.title for post in blog.posts)
    assert numbers.stat().st_size


def test_a_signal_that_comes_at_once_is_not_lost(said: Said) -> None:
    with silent() as site, serving() as server:
        for _ in range(6):  # the first time before all is imported
            crawl = begin(server, said, crawling(site))
            crawl.send_signal(signal.SIGTERM)
            assert crawl.wait() in {0, -signal.SIGTERM}


def test_a_signal_that_comes_when_it_ends_does_not_hide_how_it_ended(said: Said) -> None:
    with silent() as site, serving() as server:
        crawl = begin(server, said, crawling(site))
        waits_for(lambda: site.log)
        os.kill(crawl.pid, signal.SIGKILL)
        waits_for(lambda: not is_alive(crawl.pid))
        for _ in range(2):
            crawl.send_signal(signal.SIGTERM)
        assert crawl.wait() == -signal.SIGKILL


def test_a_crawl_heeds_what_its_parent_heeds(tmp_path: Path) -> None:
    """As for a worker that was started by nohup."""
    handler = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with silent() as site, parent(tmp_path, crawling(site), with_us=True) as (_, _, crawl):
            waits_for(lambda: site.log)
            status = Path(f"/proc/{crawl}/status").read_text()
    finally:
        signal.signal(signal.SIGHUP, handler)
    ignored = re.search(r"^SigIgn:\s*(\w+)", status, re.MULTILINE)
    assert ignored is not None
    assert int(ignored[1], 16) & 1 << (signal.SIGHUP - 1)


def test_it_dies_with_its_parent(tmp_path: Path) -> None:
    with silent() as site, parent(tmp_path, crawling(site), with_us=True) as (process, server, crawl):
        waits_for(lambda: site.log)
        process.kill()
        waits_for(lambda: not is_alive(crawl) and not is_alive(server))


def test_it_comes_to_its_end_where_it_need_not_die_with_its_parent(tmp_path: Path) -> None:
    blog = Blog()
    with LocalSite({}, latency_s=0.1) as site:
        site.routes = blog.routes(site.url)
        with parent(tmp_path, crawling(site), with_us=False) as (process, server, crawl):
            waits_for(lambda: site.log)
            process.kill()
            process.wait()
            assert is_alive(crawl)
            waits_for(lambda: not is_alive(crawl) and not is_alive(server))
    assert len((tmp_path / RECORDS).read_text("utf-8").splitlines()) == len(blog.posts)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals_do_nothing_to_what_it_is_a_copy_of(said: Said, number: int) -> None:
    """Services and terminals send them to all processes at once; whoever has started it passes them on."""
    with silent() as site, serving() as server:
        crawl = begin(server, said, crawling(site))
        waits_for(lambda: site.log)
        os.kill(server_of(crawl), number)
        assert begin(server, said, ["--version"]).wait() == 0
        assert crawl.poll() is None
        crawl.send_signal(signal.SIGKILL)
        assert crawl.wait() == -signal.SIGKILL


def test_a_signal_does_nothing_to_it_while_it_imports(said: Said) -> None:
    with serving() as server, ThreadPoolExecutor(1) as pool:
        ended = pool.submit(end_while_it_imports)
        assert begin(server, said, ["--version"]).wait() == 0
        ended.result()


def test_a_new_one_is_begun_where_it_has_died_and_its_crawls_go_on(said: Said) -> None:
    with silent() as site, serving() as server:
        crawl = begin(server, said, crawling(site))
        original = server_of(crawl)
        os.kill(original, signal.SIGKILL)
        waits_for(lambda: not is_alive(original))
        assert begin(server, said, ["--version"]).wait() == 0
        assert crawl.poll() is None
        crawl.send_signal(signal.SIGKILL)
        assert crawl.wait() == -signal.SIGKILL


def other_server(folder: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    (folder / "other_server.py").write_text(program)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setattr(forking, "SERVER", "other_server")


def test_want_of_processes_is_no_fault_of_the_blog(tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    other_server(tmp_path, monkeypatch, FULL)
    with serving() as server:
        crawls = [begin(server, said, ["--version"]) for _ in range(2)]
        assert [crawl.wait() for crawl in crawls] == [TEMPORARY_FAILURE] * 2
    sentence = "blogcrawler: The crawl cannot be started: Resource temporarily unavailable."
    assert said.read().splitlines() == [sentence] * 2


def test_a_server_that_cannot_begin_is_tried_again_for_the_next_crawl(
    tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    other_server(tmp_path, monkeypatch, BROKEN)
    with serving() as server:
        for _ in range(2):
            crawl = begin(server, said, ["--version"])
            crawl.send_signal(signal.SIGTERM)
            assert crawl.wait() == TEMPORARY_FAILURE
    assert capfd.readouterr().err.split("\n")[:2] == ["a library is missing"] * 2


def test_nothing_is_left_that_a_copy_cannot_have() -> None:
    told = subprocess.run(
        [sys.executable, "-c", PREPARED], env=forking.environment(), capture_output=True, text=True, check=True
    )
    assert json.loads(told.stdout) == [1, False]


def test_a_crawl_imports_nothing_large_any_more(tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPROFILEIMPORTTIME", "1")
    with LocalSite({}) as site, serving() as server:
        site.routes = Blog().routes(site.url)
        assert begin(server, said, crawling(site, REPORTS=True)).wait() == 0
    imported = {line.rpartition("|")[2].strip() for line in said.read().splitlines() if line.startswith("import time:")}
    assert imported, "nothing was told"
    assert not {name for name in imported if name.split(".")[0] == "blogcrawler"}
    assert not imported & {"lxml.etree", "networkx", "numpy", "py3langid", "redis", "scipy", "sklearn", "sqlalchemy"}
