"""A process that has imported all of one copy of the package, and runs the program in copies of itself.

Imports take most of the time of a small crawl; so they are done once for all crawls of a revision. It is run by its path,
with the package first on Python's path and a socket's number as argument, and imports nothing else of this checkout.
Each request for a run is answered as `tests.crawl.copies` expects it: with the process id, then with the exit code.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import random
import runpy
import socket
import struct
import sys
import time
from contextlib import suppress

NUMBER = struct.Struct("!i")


def preload(package: str) -> None:
    """Import every module of the package, as far as what it needs is installed."""
    paths = importlib.import_module(package).__path__
    for module in pkgutil.walk_packages(paths, f"{package}.", onerror=lambda name: None):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):
                importlib.import_module(module.name)
    gc.freeze()  # copies need not look through what they share


def serve(requests: socket.socket) -> tuple[socket.socket, list[int]]:
    """Make copies until the other end is closed; only copies return, with the socket that tells what to run."""
    while True:
        message, descriptors, *_ = socket.recv_fds(requests, 1, 4)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not message:
            raise SystemExit
        if os.fork() == 0:
            talk = socket.socket(fileno=descriptors[0])
            if (pid := os.fork()) == 0:
                requests.close()
                return talk, descriptors[1:]
            watch(pid, talk)
        for descriptor in descriptors:
            os.close(descriptor)


def watch(pid: int, talk: socket.socket) -> None:
    """Send the process id of a copy, and its exit code when it ends."""
    try:
        talk.sendall(NUMBER.pack(pid))
        talk.sendall(NUMBER.pack(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])))
    finally:
        os._exit(0)


def become(package: str, talk: socket.socket, files: list[int]) -> None:
    """Go on as `python -m PACKAGE`, with seeds that are the same each time."""
    with talk, talk.makefile(encoding="utf-8") as lines:
        request = json.loads(lines.readline())
    for number, descriptor in enumerate(files):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.chdir(request["folder"])
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    sys.argv[1:] = request["arguments"]
    runpy.run_module(package, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    sys.path.pop(0)  # this folder
    program = sys.argv[2]
    with socket.socket(fileno=int(sys.argv[1])) as asked:
        preload(program)
        origin = serve(asked)
    become(program, *origin)
