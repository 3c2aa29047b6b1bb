"""Processor time of start-up, over that of a bare interpreter: help, version, wrong usage, a crawl's first request.

    python -m tests.benchmarks.startup [--runs N]

Each run is a process of its own, and the kinds take turns; the times are of user and system together, medians over the
runs. A crawl is killed when a server on this machine gets its first request. Exit code 1: a ratio is above its bar.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from threading import Event, Thread

from blogcrawler.usage import USAGES
from tests.crawl.running import PROGRAM, environment

BARE = (sys.executable, "-c", "import argparse, json, pathlib")
REFUSED_BAR, CRAWL_BAR = 10, 40
RUNS = 7


class FirstRequest(ThreadingHTTPServer):
    """Tells when it is asked for anything, and answers nothing."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), BaseHTTPRequestHandler)
        self.came = Event()

    def process_request(self, request: object, client_address: object) -> None:
        self.came.set()


@contextmanager
def serving() -> Iterator[FirstRequest]:
    with FirstRequest() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def seconds(command: tuple[str, ...], folder: Path, environ: Mapping[str, str], server: FirstRequest | None) -> float:
    """Processor time of a process, until it ends or the server is asked."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, cwd=folder, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if server is not None:
        assert server.came.wait(120), "the crawl asked for nothing"
        server.came.clear()
        process.kill()
    process.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def kinds(address: str) -> dict[str, tuple[str, ...]]:
    """What is measured, by name; all but the last end by themselves."""
    told = [("--help",), ("--version",), ("krawl",), *((name, "--help") for name in USAGES)]
    refused = [("crawl",), ("crawl", "newcrawl"), ("export", "jsonl"), ("status", "--no-such-option")]
    refused += [("crawl", "newcrawl", "-a", f"url={address}", "-s", "RENDR=1"), ("completion", "bash")]
    found = {" ".join(arguments): (*PROGRAM, *arguments) for arguments in [*told, *refused]}
    return {"bare": BARE, **found, "first request": (*PROGRAM, "crawl", "newcrawl", "-a", f"url={address}")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder, serving() as server:
        environ = {**environment(), "PYTHONPYCACHEPREFIX": f"{folder}/bytecode", "PYTHONPATH": str(Path.cwd())}
        commands = kinds(f"http://127.0.0.1:{server.server_port}/")
        times: dict[str, list[float]] = {name: [] for name in commands}
        for run in range(runs + 1):  # the first writes bytecode, as an installation does
            for name, command in commands.items():
                place = Path(tempfile.mkdtemp(dir=folder))
                took = seconds(command, place, environ, server if name == "first request" else None)
                times[name] += [took] if run else []
    bare, worst = median(times.pop("bare")), 0.0
    print(f"bare interpreter: {1000 * bare:.0f} ms")
    for name, taken in times.items():
        ratio, bar = median(taken) / bare, CRAWL_BAR if name == "first request" else REFUSED_BAR
        worst = max(worst, ratio / bar)
        print(f"{name}: {1000 * median(taken):.0f} ms, {ratio:.1f} times (at most {bar})")
    return int(worst > 1)


if __name__ == "__main__":
    sys.exit(main())
