"""`blogcrawler browse`: where it listens, what it says, and how it ends."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
import requests

from tests.crawl.running import DATABASE, PROGRAM, environment, has_traceback, run
from tests.export.archives import filled

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("browse")
    with filled(made):
        return made


@contextmanager
def started(folder, *options, **variables):
    """The command, and the address that it prints."""
    with subprocess.Popen(
        [*PROGRAM, "browse", "-s", f"DATABASE_URL=sqlite:///{DATABASE}", "-s", "ARCHIVE=.", *options],
        cwd=folder,
        env={**environment(), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://\S+/", line)
            assert found, line
            yield process, found[0]
        finally:
            process.kill()


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_it_serves_until_a_signal_comes(folder, sign):
    with started(folder, "--port", "0", "--no-open") as (process, url):
        answer = requests.get(url, timeout=20, proxies={"http": ""})
        assert "The archive" in answer.text
        process.send_signal(sign)
        stdout, stderr = process.communicate(timeout=20)
    assert (process.returncode, stdout, stderr) == (0, "", "")
    with pytest.raises(requests.ConnectionError):
        requests.get(url, timeout=5, proxies={"http": ""})


def test_the_web_browser_is_opened(folder, tmp_path):
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}.part && mv {opened}.part {opened}\n')
    browser.chmod(0o755)
    with started(folder, "--port", "0", BROWSER=str(browser)) as (process, url):
        deadline = time.monotonic() + 20
        while not opened.exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    assert opened.read_text() == url


def test_another_address_is_warned_of(folder):
    with started(folder, "--host", "0.0.0.0", "--port", "0", "--no-open") as (process, url):
        assert requests.get(url, timeout=20, proxies={"http": ""}).status_code == 200
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=20)
    assert process.returncode == 0
    assert stderr == f"blogcrawler: Anyone who can connect to {url} can read and correct the whole archive.\n"


def browse(folder, *options):
    return run(folder, [*PROGRAM, "browse", "--no-open", "-s", f"DATABASE_URL=sqlite:///{DATABASE}", *options])


def test_a_port_that_is_taken_is_told(folder):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        outcome = browse(folder, "--port", str(port))
    assert outcome.code == 1
    assert f"127.0.0.1, port {port}" in outcome.sentences[0]
    assert not has_traceback(outcome)


def test_an_address_that_is_not_of_this_machine_is_told(folder):
    for host in ("192.0.2.1", "no-such-host.invalid", "no..host"):
        outcome = browse(folder, "--host", host, "--port", "0")
        assert outcome.code == 1
        assert host in outcome.sentences[0]
        assert not has_traceback(outcome)


@pytest.mark.parametrize("options", [["--port", "65536"], ["--port", "-1"], ["--port", "x"], ["argument"]])
def test_wrong_usage(folder, options):
    outcome = browse(folder, *options)
    assert outcome.code == 2
    assert not has_traceback(outcome)


def test_a_port_that_there_is_none_is_told_in_a_sentence(folder):
    outcome = browse(folder, "--port", "65536")
    assert outcome.stderr == "blogcrawler: --port must be a number from 0 to 65535, not 65536.\n"


def test_without_an_archive(tmp_path):
    outcome = browse(tmp_path, "--port", "0")
    assert outcome.code == 1
    assert f"no archive at {DATABASE}" in outcome.sentences[0]
    assert not (tmp_path / DATABASE).exists()


def test_other_commands_do_not_wait_for_it(tmp_path):
    code = "import sys, blogcrawler.commands.gaps; assert not {'starlette', 'uvicorn'} & {*sys.modules}"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
