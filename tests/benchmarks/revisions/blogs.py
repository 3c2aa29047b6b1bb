"""The blogs that are crawled: frozen ones of the corpus, the demonstration blog, generated ones, and any that is served.

Each of them can hold its newest posts back, so that there is something new for an update crawl.
"""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote, urlsplit

from blogcrawler.demo import build
from blogcrawler.demo.content import load
from blogcrawler.demo.site import NOT_FOUND as NOT_FOUND_PAGE
from blogcrawler.demo.site import redirects
from tests.benchmarks.replayed import CORPUS, member
from tests.benchmarks.revisions.hiding import Hiding, newest_permalinks
from tests.benchmarks.revisions.messages import NOT_FOUND, Answer, Request
from tests.benchmarks.revisions.proxy import forward
from tests.crawl.blog import Blog as GeneratedPosts
from tests.crawl.blog import make_posts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from tests.crawl.blog import Post

HELD_BACK = 3
"""The newest posts that a blog does not have yet in the first crawl."""
_REPLAY = Path("tools", "replay.py")
_SUFFIX = ".tar.xz"
_GENERATED_POSTS = {"generated": 12, "generated-long": 40}


@dataclass
class Served:
    """A blog while it is served."""

    home: str
    answer: Callable[[Request], Answer]
    #: whether the newest posts are not there yet
    hold_back: Callable[[bool], None]
    #: show the blog as it was on a day (ISO 8601), or as it is now ("")
    set_day: Callable[[str], None] = lambda day: None


class Blog(Protocol):
    """A blog that can be crawled again and again, always the same."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str | None:
        """Changes when the blog's content does; None if that is not known, so that no result of it can be kept."""

    def serve(self) -> AbstractContextManager[Served]:
        """Serve it inside a `with` block, with all its posts."""


# ------------------------------------------------------------------------------------------------ blogs in memory


@dataclass
class Pages:
    """Answers from resources in memory, with validators."""

    resources: Mapping[str, tuple[str, bytes]]
    moved: Mapping[str, str]
    modified: datetime

    def answer(self, request: Request) -> Answer:
        """As a web server does."""
        parts = urlsplit(request.url)
        target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        if place := self.moved.get(target) or self.moved.get(parts.path):
            return Answer(301, {"Location": place})
        if parts.path not in self.resources and f"{parts.path}/" in self.resources:
            return Answer(301, {"Location": f"{parts.path}/"})
        if (parts.path or "/") not in self.resources:
            return NOT_FOUND
        kind, body = self.resources[parts.path or "/"]
        validators = {
            "ETag": f'"{hashlib.sha256(body).hexdigest()[:16]}"',
            "Last-Modified": format_datetime(self.modified, usegmt=True),
        }
        if request.headers.get("If-None-Match") == validators["ETag"]:
            return Answer(304, validators)
        return Answer(200, {"Content-Type": kind, **validators}, body)


@dataclass(frozen=True)
class BlogInMemory:
    """The demonstration blog, or a generated one: `stages` are it without its newest posts, and with them."""

    name: str
    stages: Callable[[str], tuple[Pages, Pages]]

    @property
    def home(self) -> str:
        return f"http://{self.name}.example/"

    @property
    def version(self) -> str:
        found = hashlib.sha256()
        for stage in self.stages(self.home.rstrip("/")):
            for path, (_, body) in sorted(stage.resources.items()):
                found.update(path.encode() + b"\0" + hashlib.sha256(body).digest())
        return found.hexdigest()

    @contextmanager
    def serve(self) -> Iterator[Served]:
        """Serve all of it until it is told to hold posts back."""
        earlier, whole = self.stages(self.home.rstrip("/"))
        served = Served(self.home, whole.answer, lambda held: None)

        def hold_back(held: bool) -> None:
            served.answer = (earlier if held else whole).answer

        served.hold_back = hold_back
        yield served


def _demo(base: str) -> tuple[Pages, Pages]:
    posts = load()
    last_day = posts[HELD_BACK].published.date()
    resources = [build(base, until=until) for until in (last_day, None)]
    moved = [redirects(until=until) for until in (last_day, None)]
    for each in resources:
        each.pop(NOT_FOUND_PAGE, None)
    days = posts[HELD_BACK].published, posts[0].published
    earlier, whole = (Pages(*made) for made in zip(resources, moved, map(_utc, days), strict=True))
    return earlier, whole


def _generated(base: str, count: int) -> tuple[Pages, Pages]:
    posts = make_posts(count)
    return (
        generated_pages(base, posts[HELD_BACK:], in_feed=HELD_BACK + 3),
        generated_pages(base, posts, in_feed=HELD_BACK + 3),
    )


def generated_pages(base: str, posts: list[Post], **options: Any) -> Pages:
    """What the server of a generated blog has; `options` are the blog's."""
    routes = GeneratedPosts(posts, **options).routes(base)
    resources = {path: (reply.content_type, _bytes(reply.body)) for path, reply in routes.items()}
    return Pages(resources, {}, _utc(posts[0].published))


# ------------------------------------------------------------------------------------------- blogs that are served


@dataclass(frozen=True)
class FrozenBlog:
    """A blog of the corpus; `file` is its archive, and the corpus's replay program serves it."""

    file: Path

    @property
    def name(self) -> str:
        return self.file.name.removesuffix(_SUFFIX)

    @property
    def version(self) -> str:
        return f"{self.file.stat().st_size} {self.file.stat().st_mtime_ns}"

    @contextmanager
    def serve(self) -> Iterator[Served]:
        """Serve it by the replay program, whose clock can be set."""
        home = json.loads(member(self.file, "blog.json"))["home"]
        earlier = self._day_before_the_newest()
        command = [sys.executable, str(replay_of(self.file.parent)), str(self.file)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            proxy = f"http://127.0.0.1:{int(process.stdout.readline())}"
            set_day = partial(_set_clock, proxy)
            yield Served(home, partial(forward, proxy=proxy), lambda held: set_day(earlier if held else ""), set_day)
        finally:
            process.terminate()
            process.wait()

    def _day_before_the_newest(self) -> str:
        posts = [json.loads(line) for line in member(self.file, "truth.jsonl").splitlines()]
        days = sorted(_utc(datetime.fromisoformat(day)) for post in posts if (day := post.get("published")))
        return days[-HELD_BACK - 1].isoformat() if len(days) > HELD_BACK else ""


def _set_clock(proxy: str, day: str) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))
    with opener.open(f"http://replay.control/__clock?as_of={quote(day, safe='')}", timeout=60) as answer:
        answer.read()


@dataclass(frozen=True)
class LiveBlog:
    """A blog that somebody serves."""

    home: str

    @property
    def name(self) -> str:
        return urlsplit(self.home).netloc.replace(":", "-")

    @property
    def version(self) -> None:
        return None

    @contextmanager
    def serve(self) -> Iterator[Served]:
        """Ask its server; its newest posts, by its feed, are hidden where they are to be held back."""
        hiding = Hiding(newest_permalinks(self.home, forward, HELD_BACK))
        served = Served(self.home, forward, lambda held: None)

        def hold_back(held: bool) -> None:
            served.answer = (lambda request: hiding.change(request, forward(request))) if held else forward

        served.hold_back = hold_back
        yield served


# ---------------------------------------------------------------------------------------------------------- choice


def built_in() -> list[Blog]:
    """The blogs that need no corpus."""
    generated = [BlogInMemory(name, partial(_generated, count=count)) for name, count in _GENERATED_POSTS.items()]
    return [BlogInMemory("demo", _demo), *generated]


def corpus_blogs(corpus: Path) -> list[Blog]:
    """The blogs of a corpus, by name; none where there is no corpus or nothing that could serve it."""
    if not replay_of(corpus).is_file():
        return []
    return [FrozenBlog(file) for file in sorted(corpus.glob(f"*{_SUFFIX}"))]


def replay_of(corpus: Path) -> Path:
    """The program that serves a corpus, beside its folder."""
    return corpus.resolve().parents[1] / _REPLAY


def choose(names: Sequence[str], *, corpus: Path = CORPUS, sample: int = 0, lab: Sequence[str] = ()) -> list[Blog]:
    """The blogs with these names, some of the corpus (always the same for the same number), and living ones.

    Raises LookupError for a name that no blog has.
    """
    frozen = corpus_blogs(corpus)
    known = {blog.name: blog for blog in [*built_in(), *frozen]}
    if unknown := [name for name in names if name not in {*known, "all"}]:
        raise LookupError(f"no such blog: {', '.join(unknown)}")
    chosen = list(known.values()) if "all" in names else [known[name] for name in names]
    if sample:
        chosen += random.Random(0).sample(frozen, min(sample, len(frozen)))
    return [*dict.fromkeys(chosen), *(LiveBlog(home) for home in lab)]


def _utc(moment: datetime) -> datetime:
    """A moment in UTC, to the second; one without a zone is UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).replace(microsecond=0)


def _bytes(body: str | bytes) -> bytes:
    return body.encode() if isinstance(body, str) else body
