"""Signals that ask a command to end: they are answered at once, in a sentence, and never with a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blogcrawler.backend import Archive
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import PROGRAM, command, crawl, has_traceback, kept, outcome, start
from tests.site import Reply

if TYPE_CHECKING:
    from tests.crawl.running import Outcome, Process

pytestmark = pytest.mark.slow

SIGNALS = [signal.SIGINT, signal.SIGTERM]
SCRAPY = (sys.executable, "-m", "scrapy")
DATABASE = ["-s", "DATABASE_URL=sqlite:///archive.db"]


def heeds_signals(process: Process) -> bool:
    """True if a process has a handler of its own for SIGTERM, which Python itself has not."""
    status = Path(f"/proc/{process.pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    caught = next((int(line.split()[1], 16) for line in lines if line.startswith("SigCgt")), 0)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


def wait_for(condition, seconds: float = 60) -> float:
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "what the test waits for does not happen"
        time.sleep(0.01)
    return time.monotonic() - began


def stopped(folder: Path, command: list[str], number: signal.Signals, *, after_s: float, times: int = 1) -> Outcome:
    """A command that gets a signal so many seconds after it has begun to heed them, or several in a row."""
    process = start(folder, command, anew=True)
    try:
        wait_for(lambda: heeds_signals(process) or process.poll() is not None)
        time.sleep(after_s)
        process.send_signal(number)
        for _ in range(times - 1):
            time.sleep(0.05)
            process.send_signal(number)
        code = process.wait(30)
    finally:
        process.kill()
        process.wait()
    return outcome(folder, code, server=None)


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("after_s", [0, 0.2, 0.4, 0.6, 0.8])
@pytest.mark.parametrize("name", ["crawl", "export", "verify"])
def test_a_command_that_is_starting(tmp_path: Path, name: str, after_s: float, number: signal.Signals) -> None:
    Archive.open(f"sqlite:///{tmp_path}/archive.db").close()
    arguments = {
        "crawl": ["crawl", "newcrawl", "-a", "url=http://127.0.0.1:9/"],
        "export": ["export", "jsonl", "out.jsonl"],
        "verify": ["verify"],
    }
    done = stopped(tmp_path, [*PROGRAM, *arguments[name], *DATABASE], number, after_s=after_s)
    assert not has_traceback(done)
    if done.code == -number:
        assert done.sentences == ["blogcrawler: Stopped."]
    if after_s == 0:
        assert done.code == -number, "it was to be hit while it imports"


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("after_s", [0, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.3, 1.6, 2])
def test_ctrl_c_at_ten_moments_before_the_first_page(tmp_path: Path, after_s: float, times: int) -> None:
    with serve(Blog(make_posts(5))) as site:
        site.routes["/robots.txt"] = Reply(status=503)  # no page is fetched before it
        given = [*PROGRAM, "archive", f"{site.url}/", *DATABASE]
        done = stopped(tmp_path, given, signal.SIGINT, after_s=after_s, times=times)
    assert not has_traceback(done)
    if done.code == -signal.SIGINT:  # for a shell, 130
        assert done.stderr.splitlines() == ["blogcrawler: Stopped."] or "Run the same command again" in done.stderr
    else:
        assert done.code == 130
        assert "un the same command again" in done.stderr


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("after_s", [0, 0.2, 0.6, 1])
def test_scrapy_while_it_imports_the_commands(tmp_path: Path, after_s: float, number: signal.Signals) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = blogcrawler.settings\n")
    given = [*SCRAPY, "crawl", "newcrawl", "-a", "url=http://127.0.0.1:9/", *DATABASE]
    done = stopped(tmp_path, given, number, after_s=after_s)
    assert not has_traceback(done)
    if after_s == 0:
        assert done.code == -number
    if done.code == -number:
        assert done.sentences == ["blogcrawler: Stopped."]


def test_signals_are_heeded_before_anything_is_imported() -> None:
    def imported(*arguments: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-X", "importtime", *arguments], capture_output=True, text=True, check=True
        )
        return [line.rpartition("|")[2].strip() for line in done.stderr.splitlines()]

    names = imported("-m", "blogcrawler", "--version")
    first = names[: names.index("blogcrawler.cli")]
    needed = {"blogcrawler", "blogcrawler.early_signals", "__future__", "atexit", "gc", "zipimport"}
    assert set(first) <= needed | set(imported("-c", "import runpy, signal"))


def test_the_shell_of_scrapy_keeps_its_answer_to_ctrl_c(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*PROGRAM, "shell", "--nolog", "-s", "SHELL=python"],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "TERM": "dumb"},
    )  # fmt: skip
    assert process.stdin
    process.stdin.write(b"import signal\nprint(signal.getsignal(signal.SIGINT) is signal.default_int_handler)\n")
    printed = process.communicate(timeout=60)[0]
    assert b"True" in printed


@pytest.mark.parametrize("number", SIGNALS)
def test_a_crawl_answers_at_once(tmp_path: Path, number: signal.Signals) -> None:
    source = Blog(make_posts(30), in_feed=6)
    with serve(source) as site:
        process = start(tmp_path, command(f"{site.url}/", DOWNLOAD_DELAY=0.3))
        try:
            wait_for(lambda: len(site.targets) > 15)
            process.send_signal(number)
            assert wait_for(lambda: "Stopping after " in (tmp_path / "stderr").read_text()) < 1
            code = process.wait(30)
        finally:
            process.kill()
        done = outcome(tmp_path, code, server=site)
        assert done.code == 128 + number
        assert not has_traceback(done)
        assert done.stderr.count("Stopping after ") == 1
        assert crawl(tmp_path, f"{site.url}/").code == 0
        assert sorted(kept(tmp_path)) == source.urls(site.url)


def test_a_crawl_that_is_asked_twice(tmp_path: Path) -> None:
    source = Blog(make_posts(30), in_feed=6)
    with serve(source) as site:
        process = start(tmp_path, command(f"{site.url}/", DOWNLOAD_DELAY=0.3))
        try:
            wait_for(lambda: len(site.targets) > 15)
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            code = process.wait(30)
        finally:
            process.kill()
        done = outcome(tmp_path, code, server=site)
        assert not has_traceback(done)
        assert done.code == 130
        assert "Stopped. Run the same command again to continue." in done.stderr
        assert crawl(tmp_path, f"{site.url}/").code == 0
        assert sorted(kept(tmp_path)) == source.urls(site.url)
