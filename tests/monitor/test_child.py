"""A crawl that dies with the process that has started it, however that dies."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

#: starts what a worker starts, a process in a session of its own, tells its number, and waits to be killed
PARENT = """
import subprocess, sys, time
from blogcrawler.monitor import child
bind = child._dying_with_parent()
process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True, preexec_fn=bind)
print(process.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent has died")
def test_it_dies_with_its_parent():
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        pid = int(parent.stdout.readline())
        os.kill(pid, 0)
        parent.kill()
    deadline = time.monotonic() + 5
    while is_alive(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
