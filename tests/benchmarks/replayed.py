"""Blogs for a fleet to crawl: real ones that were frozen, where their corpus lies beside this checkout; else made up."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import urllib.request
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.crawl.blog import Blog, make_posts
from tests.site import LocalSite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

SHARED = Path(__file__).parents[3] / "shared"
CORPUS, REPLAY = SHARED / "corpus" / "dev", SHARED / "tools" / "replay.py"
POSTS = 60
"""Posts of a blog that is made up."""


@dataclass(frozen=True)
class Blogs:
    """Home pages, and the variables of the environment with which crawls find them."""

    kind: str
    homes: list[str]
    variables: Mapping[str, str] = field(default_factory=dict)
    #: what a crawl must be told besides
    settings: Mapping[str, object] = field(default_factory=dict)
    #: how many requests were served until now
    requests: Callable[[], int] = lambda: 0


@contextmanager
def blogs(count: int, latency_ms: int) -> Iterator[Blogs]:
    """Serve so many blogs, those with the fewest posts; each answer comes after a while."""
    if CORPUS.is_dir() and REPLAY.is_file():
        chosen = sorted(CORPUS.glob("*.tar.xz"), key=_posts_of)[:count]
        assert len(chosen) == count, f"the corpus has only {len(chosen)} blogs"
        with replayed(chosen, latency_ms) as served:
            yield served
    else:
        with _made_up(count, latency_ms) as served:
            yield served


@contextmanager
def replayed(chosen: Sequence[Path], latency_ms: int) -> Iterator[Blogs]:
    """Serve the blogs of some archives of the corpus."""
    names = [file.name.removesuffix(".tar.xz") for file in chosen]
    command = [sys.executable, REPLAY, CORPUS, "--blogs", ",".join(names), "--latency", str(latency_ms)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        proxy = f"http://127.0.0.1:{int(process.stdout.readline())}"
        proxies = dict.fromkeys(("http_proxy", "https_proxy"), proxy)
        homes = [json.loads(member(file, "blog.json"))["home"] for file in chosen]
        settings = {"HTTPPROXY_ENABLED": True, "RENDER": "never"}
        yield Blogs("replayed", homes, proxies, settings, lambda: _requests_of(proxy))
    finally:
        process.terminate()
        process.wait()


@contextmanager
def _made_up(count: int, latency_ms: int) -> Iterator[Blogs]:
    with ExitStack() as stack:
        homes, sites = [], []
        for number in range(count):
            host = f"127.0.{number // 200 + 1}.{number % 200 + 2}"
            site = stack.enter_context(LocalSite({}, host=host, latency_s=latency_ms / 1000))
            site.routes = Blog(make_posts(POSTS, seed=number)).routes(site.url)
            homes.append(f"{site.url}/")
            sites.append(site)
        yield Blogs("made up", homes, requests=lambda: sum(len(site.log) for site in sites))


def _requests_of(proxy: str) -> int:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))
    with opener.open("http://replay.control/__log", timeout=60) as told:
        return len(told.read().splitlines())


def _posts_of(file: Path) -> tuple[int, str]:
    return len(member(file, "truth.jsonl").splitlines()), file.name


def member(file: Path, name: str) -> bytes:
    """A file of an archive of the corpus; raises LookupError where there is none of this name."""
    with tarfile.open(file) as archive:
        for each in archive:
            if Path(each.name).name == name and (content := archive.extractfile(each)) is not None:
                return content.read()
    raise LookupError(name)
