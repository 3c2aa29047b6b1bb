"""A copy of a process that has the imports done is what a program is that was started anew (tests/crawl/original.py)."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.crawl.running import PROGRAM, environment, run, start
from tests.site import LocalSite

pytestmark = pytest.mark.slow

#: a file of spiders that is read before the crawl begins, and writes down the state of its process
STATE = """
import asyncio, atexit, json, locale, logging, os, random, signal, sys, tempfile, threading, time, warnings
import numpy

warnings.warn("something old", DeprecationWarning)
numbers = [random.random(), numpy.random.random()]
state = {
    "arguments": sys.argv,
    "environment": dict(os.environ),
    "files": [file.partition("[")[0] for number in map(str, range(30))
              if os.path.exists(f"/proc/self/fd/{number}")
              and not (file := os.readlink(f"/proc/self/fd/{number}")).endswith(".npy")],  # the model of languages
    "folder": [os.getcwd(), tempfile.tempdir],
    "group": [os.getpgid(0), os.getsid(0)],
    "language": locale.setlocale(locale.LC_ALL),
    "log": [logging.root.level, [str(type(handler)) for handler in logging.root.handlers], logging.raiseExceptions],
    "loop": str(type(asyncio.get_event_loop_policy())),
    "main": [sys.modules["__main__"].__spec__.name, sys.modules["__main__"].__file__],
    "reactor": "twisted.internet.reactor" in sys.modules,
    "path": sys.path,
    "python": [str(sys.flags), sys.warnoptions],
    "signals": [str(signal.getsignal(number)).partition(" at 0x")[0] for number in sorted(signal.valid_signals())],
    "streams": [[stream.encoding, stream.errors, stream.line_buffering, stream.isatty()]
                for stream in (sys.stdin, sys.stdout, sys.stderr)],
    "time": time.tzname,
    "threads": threading.active_count(),
    "typed": sys.stdin.read(),
}
print(json.dumps([state, numbers]))
atexit.register(print, "at the end")
threading.Timer(0.1, print, ["of a thread"]).start()
left_open = [open(os.devnull)]
left_open.append(left_open)
del left_open
"""
#: starts a copy, and dies with no time to end anything; says which processes it had begun
DIES = """
import os
from pathlib import Path
from tests.crawl.running import PROGRAM, run
run(Path("."), [*PROGRAM, "--help"])
print(Path(f"/proc/self/task/{os.getpid()}/children").read_text(), flush=True)
os.kill(os.getpid(), 9)
"""


def state(folder: Path, *, anew: bool) -> tuple[dict[str, object], list[float]]:
    """The state of a process that was started in one way or the other, with its warnings, and its random numbers."""
    outcome = run(folder, [*PROGRAM, "runspider", "state.py"], anew=anew)
    found, numbers = json.loads(outcome.stdout.splitlines()[0])
    warned = re.findall(r"\w+Warning: .*", outcome.stderr)
    return found | {"code": outcome.code, "warned": warned, "said": outcome.stdout.splitlines()[1:]}, numbers


def test_a_copy_is_what_a_start_is(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    (tmp_path / "state.py").write_text(STATE)
    with LocalSite({}):
        began = state(tmp_path, anew=True)
        copies = [state(tmp_path, anew=False) for _ in range(2)]
    assert [line.partition(":")[0] for line in began[0]["warned"]][:2] == ["DeprecationWarning", "ResourceWarning"]
    assert began[0]["said"] == ["of a thread", "at the end"]
    assert began[0]["time"] == ["JST", "JST"]
    assert began[0] == copies[0][0] == copies[1][0]
    assert len({number for _, numbers in (began, *copies) for number in numbers}) == 6


def test_a_copy_is_waited_for_and_ended_like_a_process(tmp_path):
    with LocalSite({}, default=lambda _: time.sleep(1) or "") as site:
        process = start(tmp_path, [*PROGRAM, "crawl", "newcrawl", "-a", f"url={site.url}/"])
        try:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.1)
            assert process.poll() is None
        finally:
            process.kill()
        assert process.wait(10) == process.poll() == process.returncode == -signal.SIGKILL
        process.kill()


def test_what_makes_copies_ends_with_the_tests(tmp_path):
    root = str(Path(__file__).parents[2])
    variables = environment() | {"PYTHONPATH": root}
    ran = subprocess.run([sys.executable, "-c", DIES], cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    (maker,) = ran.stdout.split()
    deadline = time.monotonic() + 20
    while is_running(maker):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_running(process: str) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
