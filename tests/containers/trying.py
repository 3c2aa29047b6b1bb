"""Tries an image that `tests.containers.rootfs` has made, as compose.yaml has it run."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

from tests.containers.dockerfile import ROOT, stages
from tests.containers.rootfs import Image
from tests.crawl.blog import make_posts, serve
from tests.crawl.scripted import ScriptedBlog

__all__ = ["try_image"]

BROWSER = "chromium-headless"
SERVICE = {
    "HOME": "/tmp",
    "BLOGCRAWLER_DATABASE_URL": "sqlite:////archive/archive.db",
    "BLOGCRAWLER_ARCHIVE": "/archive",
    "BLOGCRAWLER_METRICS_PORT": "9464",
}
FAST = ["-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "HTTPPROXY_ENABLED=False"]


def try_image(image: Image) -> None:
    """Crawl a blog that only scripts show, and ask for the health of metrics. Raises AssertionError."""
    blog, last = ScriptedBlog(make_posts(6)), stages()[-1]
    program = last.last("ENTRYPOINT").words
    with serve(blog) as site:
        arguments = [*program, "crawl", "newcrawl", "-a", f"url={site.url}/", "-O", "/archive/posts.jsonl", *FAST]
        crawl = subprocess.Popen(image.command(arguments, as_service=True, **SERVICE), cwd=ROOT)
        browsers: dict[int, tuple[str, int, str]] = {}
        while crawl.poll() is None:
            browsers |= _browsers(image.root)
            time.sleep(0.05)
    assert crawl.returncode == 0
    records = (image.root / "archive/posts.jsonl").read_text().splitlines()
    assert len(records) == 6, f"{len(records)} of 6 posts"
    assert all('"rendered": true' in record for record in records)
    assert browsers, "no browser was seen"
    assert not any("--no-sandbox" in words for words, _, _ in browsers.values())
    assert {user for _, user, _ in browsers.values()} == {10001}
    spaces = {space for words, _, space in browsers.values() if space}
    print(
        f"6 posts by {len(browsers)} processes of the browser, none without sandbox, in {len(spaces)} user namespaces"
    )
    assert len(spaces) > 1, "the browser has no user namespace of its own"
    _try_health(image, program, last.last("HEALTHCHECK").text)


def _browsers(root: Path) -> dict[int, tuple[str, int, str]]:
    """Processes of the browser in the image: what they were started with, by whom, in which user namespace."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            if BROWSER not in words or (process / "root").resolve() not in (root, Path("/")):
                continue
            owner = int((process / "status").read_text().split("Uid:")[1].split()[0])
            space = str((process / "ns/user").readlink())
        except (OSError, IndexError):
            continue
        if owner == 10001:
            found[int(process.name)] = (words, owner, space)
    return found


def _try_health(image: Image, program: list[str], check: str) -> None:

    command = json.loads(check[check.index("CMD ") + 4 :])
    metrics = subprocess.Popen(image.command([*program, "metrics"], as_service=True, **SERVICE), cwd=ROOT)
    try:
        deadline = time.monotonic() + 60
        while subprocess.run(image.command(command, as_service=True), cwd=ROOT, capture_output=True).returncode:
            assert metrics.poll() is None
            assert time.monotonic() < deadline, "it is not healthy"
            time.sleep(0.5)
    finally:
        metrics.terminate()
    assert metrics.wait(20) == 0
    assert subprocess.run(image.command(command), cwd=ROOT, capture_output=True).returncode == 1
    print("The health check says yes while metrics are served, and no when they are not.")
