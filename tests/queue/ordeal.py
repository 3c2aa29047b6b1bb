"""A fleet at work while machines, networks and servers fail: what it keeps must be what an undisturbed one keeps."""

from __future__ import annotations

import random
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from blogcrawler.backend import Archive
from blogcrawler.errors import BlogcrawlerError
from blogcrawler.queue import enqueue_due, open_jobs
from tests.crawl.running import PROGRAM, SETTINGS
from tests.queue.crew import Crew, children, processes
from tests.queue.link import Link

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
    from pathlib import Path

    from tests.backend.postgresql import Cluster
    from tests.shared.server import Server

LOOK_S = 0.2
#: what is told of each
KILL = "kill -9 of a worker with its crawl"
#: what of a record tells when it was crawled, and where its page was written to
OF_THE_TIME = ("fetched", "warc")
#: what of a field depends on the order in which pages came in, as rules get surer with each page
OF_THE_ORDER = ("confidence",)


@dataclass
class Scene:
    """What may fail: workers, the servers, and the links by which workers reach them."""

    crew: Crew
    postgresql: Cluster
    redis: Server
    to_postgresql: Link
    to_redis: Link
    source: random.Random
    began: float = field(default_factory=time.monotonic)
    #: what was done until now
    done: list[str] = field(default_factory=list)
    #: workers that sleep, by number
    asleep: set[int] = field(default_factory=set)

    def tell(self, what: str) -> None:
        """Keep what is done, and tell it the one who looks on."""
        self.done.append(what)
        print(f"{time.monotonic() - self.began:6.1f} s  {what}", flush=True)


#: does things, and yields seconds to wait between them
Fault = Iterator[float] if TYPE_CHECKING else Any


@dataclass(frozen=True)
class Fleet:
    """Blogs, by the addresses of their home pages, and workers with their settings."""

    homes: Sequence[str]
    settings: Mapping[str, object]
    #: of the workers' environment
    variables: Mapping[str, str] = field(default_factory=dict)
    size: int = 3
    most_s: float = 120


@dataclass(frozen=True)
class Outcome:
    """What a fleet has kept, and what it said."""

    #: records by the home page of the blog and the permalink, without what tells of the time
    records: Mapping[tuple[str, str], Mapping[str, Any]]
    #: by the home page of the blog: records whose page or guid another of its records has at another permalink
    twice: Mapping[str, int]
    #: why pages could not be had, by the home page of the blog and the address
    failed: Mapping[tuple[str, str], str]
    #: blogs that were not crawled to their end, or have failed
    unfinished: Sequence[str]
    sentences: Sequence[str]
    codes: Sequence[int]
    left_behind: Mapping[int, Sequence[str]]
    seconds: float
    #: what faults have done, in order
    done: Sequence[str] = ()


def crawl_all(
    folder: Path,
    fleet: Fleet,
    postgresql: Cluster,
    redis: Server,
    faults: Sequence[Callable[[Scene], Iterator[float]]] = (),
    *,
    seed: int = 1,
) -> Outcome:
    """Have a fleet crawl all its blogs, with such faults meanwhile, into a new database. Raises TimeoutError.

    The time of faults begins with the first crawl, so that they hit crawls also where workers are long in starting.
    """
    redis.empty()
    with (
        postgresql.database() as url,
        Link(postgresql.port) as to_postgresql,
        Link(redis.port) as to_redis,
    ):
        settings = {
            **SETTINGS,
            "ARCHIVE": folder / "archive",
            "DATABASE_URL": to_postgresql.address(url),
            "GATE_URL": to_redis.address(redis.url),
            **fleet.settings,
        }
        given = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        arguments = [*PROGRAM, "worker", "--queue", to_postgresql.address(url), "--jobs", "1", *given]
        enqueue(url, fleet.homes)
        with Crew(folder / "workers", arguments, fleet.size, variables=fleet.variables) as crew:
            began = time.monotonic()
            _wait_for_a_crawl(crew, fleet.most_s)
            scene = Scene(crew, postgresql, redis, to_postgresql, to_redis, random.Random(seed))
            _wait(scene, url, [fault(scene) for fault in faults], fleet.most_s)
            seconds = time.monotonic() - began
            crew.stop()
        left = processes(str(folder / "archive"))
        with open_jobs(url) as jobs:
            given_up = [f"{job.url}: {job.reason}" for job in jobs.given_up()]
        found = kept(url)
        unfinished = [*found.unfinished, *given_up]
        return replace(
            found,
            unfinished=unfinished,
            sentences=crew.sentences(),
            codes=crew.codes,
            left_behind=left,
            seconds=seconds,
            done=scene.done,
        )


def enqueue(url: str, homes: Sequence[str]) -> None:
    """Have blogs taken in, in an archive and a queue at one address."""
    now = datetime.now(UTC)
    with Archive.open(url) as archive, open_jobs(url) as jobs:
        archive.register.want({archive.key_of(home): home for home in homes}, now=now)
        assert enqueue_due(archive, jobs, now=now) == len(homes)


def _wait_for_a_crawl(crew: Crew, most_s: float) -> None:
    until = time.monotonic() + most_s
    while not any(children(worker.pid) for worker in crew.workers):
        if time.monotonic() > until:
            raise TimeoutError(f"No crawl has begun; {crew.sentences()[-20:]}")
        time.sleep(LOOK_S)


def _wait(scene: Scene, url: str, faults: list[Iterator[float]], most_s: float) -> None:
    """Tend the crew, and let faults happen, until no job is left and no server is down."""
    due = [(scene.began + next(fault), fault) for fault in faults]
    jobs = open_jobs(url)
    try:
        while True:
            time.sleep(LOOK_S)
            scene.crew.tend()
            now = time.monotonic()
            due = [one for at, fault in due if (one := _go_on(at, fault, now)) is not None]
            with suppress(BlogcrawlerError):
                depths = jobs.depths()
                if not (depths.waiting or depths.later or depths.running):
                    break
            if now - scene.began > most_s:
                raise TimeoutError(f"After {most_s:.0f} s there is {jobs.depths()}; {scene.crew.sentences()[-20:]}")
    finally:
        jobs.__exit__()
    for _, fault in due:
        fault.close()  # type: ignore[attr-defined] # a generator, whose finally clauses mend what is broken


def _go_on(at: float, fault: Iterator[float], now: float) -> tuple[float, Iterator[float]] | None:
    """The next moment of a fault."""
    if now < at:
        return at, fault
    wait_s = next(fault, None)
    return None if wait_s is None else (time.monotonic() + wait_s, fault)


def kept(url: str) -> Outcome:
    """What is in an archive."""
    records: dict[tuple[str, str], Mapping[str, Any]] = {}
    twice: dict[str, int] = {}
    failed: dict[tuple[str, str], str] = {}
    unfinished = []
    with Archive.open(url) as archive:
        unfinished += [f"{one.url}: {one.reason}" for one in archive.register.wanted()]
        for blog in archive.blogs():
            if not blog.crawl_complete or blog.failures:
                unfinished.append(f"{blog.home}: {blog.crawl_reason}, {blog.failures} failures")
            found = [post.record.to_dict() for post in archive.posts(blog.home)]
            records |= {(blog.home, record["url"]): _timeless(record) for record in found}
            if again := _again(found):
                twice[blog.home] = again
            failed |= {(blog.home, one.url): one.reason for one in archive.failures(blog.home).all()}
    return Outcome(records, twice, failed, unfinished, (), (), {}, 0)


def _again(records: Sequence[Mapping[str, Any]]) -> int:
    """How many of a blog's records are of a page, or have a guid, that one before them has."""
    seen: set[tuple[str, str]] = set()
    again = 0
    for record in records:
        told = {("page", record["provenance"]["sha256"]), ("guid", record["guid"])}
        own = {(kind, value) for kind, value in told if value is not None}
        again += not own.isdisjoint(seen)
        seen |= own
    return again


def _timeless(record: dict[str, Any]) -> dict[str, Any]:
    kept = {name: told for name, told in record["provenance"].items() if name not in OF_THE_TIME}
    kept["fields"] = {
        field: {name: value for name, value in told.items() if name not in OF_THE_ORDER}
        for field, told in kept["fields"].items()
    }
    return {**record, "provenance": kept}


def differences(one: Outcome, other: Outcome) -> list[str]:
    """What an outcome has and the other has not, and what they tell otherwise; a line for each."""
    found = [f"only undisturbed: {url}" for _, url in one.records.keys() - other.records.keys()]
    found += [f"only disturbed: {url}" for _, url in other.records.keys() - one.records.keys()]
    found += [
        f"{home}: {count} records twice, undisturbed {one.twice.get(home, 0)}"
        for home, count in other.twice.items()
        if count > one.twice.get(home, 0)
    ]
    for key in one.failed.keys() | other.failed.keys():
        if (before := one.failed.get(key)) != (after := other.failed.get(key)):
            found.append(f"{key[1]}: failed: {before!r} != {after!r}")
    for key in one.records.keys() & other.records.keys():
        before, after = one.records[key], other.records[key]
        names = [name for name in before if before[name] != after[name]]
        found += [f"{key[1]}: {name}: {before[name]!r} != {after[name]!r}" for name in names]
    return sorted(found)


# ------------------------------------------------------------------------------------------------------------ faults


def _busy(scene: Scene) -> Generator[float, None, tuple[subprocess.Popen[bytes], set[int]]]:
    """A worker that has a crawl at work and does not sleep, any one, and its crawls. Waits until there is one.

    The worker is stopped, so that its crawl cannot end and be put away before something is done to it.
    """
    while True:
        awake = [worker for worker in scene.crew.workers if worker.pid not in scene.asleep]
        for worker in scene.source.sample(awake, len(awake)):
            worker.send_signal(signal.SIGSTOP)
            if crawls := children(worker.pid):
                return worker, crawls
            worker.send_signal(signal.SIGCONT)
        yield LOOK_S


def killing(every_s: float, times: int, *, may_be_idle: bool = False) -> Callable[[Scene], Iterator[float]]:
    """kill -9 of a worker, any one, about so often; of one with its crawl, unless it `may_be_idle`."""

    def fault(scene: Scene) -> Iterator[float]:
        for _ in range(times):
            yield every_s * scene.source.uniform(0.5, 1.5)
            if may_be_idle:
                worker = scene.source.choice(scene.crew.workers)
                scene.tell(KILL if children(worker.pid) else "kill -9 of an idle worker")
            else:
                worker, _ = yield from _busy(scene)
                scene.tell(KILL)
            scene.crew.kill(worker)

    return fault


def restarting(name: str, at_s: float, down_s: float, *, is_killed: bool = False) -> Callable[[Scene], Iterator[float]]:
    """A server (`postgresql` or `redis`) is killed or stopped, and started again after a while."""

    def fault(scene: Scene) -> Iterator[float]:
        yield at_s
        scene.tell(f"{name} is {'killed' if is_killed else 'stopped'}")
        server = getattr(scene, name)
        if is_killed:
            server.kill()
        else:
            server.stop()
        try:
            yield down_s
        finally:
            server.start()
            scene.tell(f"{name} runs again")

    return fault


def cutting(name: str, at_s: float, cut_s: float) -> Callable[[Scene], Iterator[float]]:
    """The network to a server is cut for a while."""

    def fault(scene: Scene) -> Iterator[float]:
        yield at_s
        scene.tell(f"the network to {name} is cut")
        link: Link = getattr(scene, f"to_{name}")
        link.cut()
        try:
            yield cut_s
        finally:
            link.mend()
            scene.tell(f"the network to {name} is back")

    return fault


def sleeping(at_s: float, sleep_s: float) -> Callable[[Scene], Iterator[float]]:
    """A worker and its crawls sleep for a while, as their machine does."""

    def fault(scene: Scene) -> Iterator[float]:
        yield at_s
        worker, crawls = yield from _busy(scene)
        scene.tell("a worker with its crawl sleeps")
        scene.asleep.add(worker.pid)
        scene.crew.send(worker, crawls, signal.SIGSTOP)
        try:
            yield sleep_s
        finally:
            scene.crew.send(worker, crawls, signal.SIGCONT)
            scene.asleep.remove(worker.pid)
            scene.tell("it wakes")

    return fault
