"""The spiders that work on one blog: one alone, or several that share its frontier, in one Redis.

Of several the first one finds the feed and learns; the others wait until there is something to share, and go on from
there, as from a crawl that was cut short. From then on each tells the others what it has done and learned (see
`frontier.journal`), so that all know what one alone would, and the last one to leave writes down how the crawl ended.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime, timedelta
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

from blogcrawler.backend import Holder
from blogcrawler.crawl.duplicates import Shown
from blogcrawler.crawl.shared_settings import terms
from blogcrawler.errors import LeftBehind, RedisUnavailable
from blogcrawler.frontier import Frontier, Journal, JournalledStore, Observation, SharedFrontier, Stop
from blogcrawler.shared import Haste, Redis, RedisFrontierStore, place_of
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from scrapy.settings import BaseSettings

    from blogcrawler.backend import Archive
    from blogcrawler.frontier import Command

STATE = "shared"
"""Under which name the archive keeps that a crawl's frontier is elsewhere."""
AT_A_TIME = 100
"""Commands that were told before, after which others have a turn."""
OBSERVATION = ["frontier", "lesson"]
"""How a page's is told."""
TOLD_BY_ROWS = frozenset({"frontier", "group"})
"""Of which whoever goes on with a crawl knows the outcome, by rows and observations."""
POLL_S = 0.05
"""Seconds between looks at what the others have told, for one that waits for them."""
ASK_S = 0.5
"""Seconds between looks at whether there is something to share."""
BEATS, BEAT_S = 5, 5.0
"""Times that a spider tells that it lives, in the time after which it is taken for dead; seconds between, at most."""
LIMITS = frozenset({"page_limit", "time_limit"})
"""Rules that end the crawl for all of its spiders."""
FIRST = "first"
"""The lock of the spider that finds the feed."""
REFINING = "refining"
"""That of one that makes the wrapper better."""

logger = logging.getLogger(__name__)


def _journal() -> Journal:
    journal = Journal()
    journal.teach(Shown, "shown", Shown.to_dict, Shown.from_dict)
    journal.teach(Observation, "lesson", Observation.to_dict, Observation.from_dict)
    return journal


def _observations(told: Iterable[Command]) -> Iterator[Observation]:
    """What pages have taught the frontier, of all that was told."""
    for command in told:
        if command[:2] == OBSERVATION:
            with suppress(TypeError, KeyError, ValueError, AttributeError, IndexError):  # what another version has told
                yield Observation.from_dict(command[2][0]["lesson"])


class Alone:
    """One spider, whose frontier is in the archive; so is what it learns, for the one that goes on with its crawl."""

    #: a rule that ended the crawl for others
    stop: Stop | None = None
    #: pages that others have asked for
    pages = 0
    #: does another spider read a page that may lead to others?
    is_reading = False
    #: how many are at work, with this one
    spiders = 1
    #: was nobody else at work on what was joined?
    is_alone = False
    #: what the spiders that were joined agree on
    terms: Mapping[str, Any] | None = None
    #: was another spider just found to make the wrapper better?
    is_refining_elsewhere = False

    def __init__(self) -> None:
        self._journal = _journal()

    def frontier(self, archive: Archive, home: str) -> Frontier:
        """The frontier of a blog, as it was left."""
        store = archive.frontier_store(home)

        def tell(observation: Observation) -> None:
            self._journal.tell(*OBSERVATION, observation)

        return Frontier(JournalledStore(store, self._journal), observations=_observations(store.told()), tell=tell)

    async def find_place(self, archive: Archive, start_url: str) -> bool:  # noqa: ARG002
        """Is there a crawl of several spiders to join? Returns when there is, or when this spider is the first."""
        return False

    def confirm(self) -> None:
        """Make sure that nobody else has begun meanwhile. Raises LeftBehind."""

    def leave_unread(self) -> bool:
        """Leave a crawl that was joined and cannot be read. True when nobody else is at work on it: it begins anew."""
        return True

    def is_lost(self, archive: Archive, home: str) -> bool:
        """Is a crawl's frontier where this spider has no access to?"""
        return bool(archive.load_source_state(home, STATE))

    def tried_again(self, archive: Archive, home: str) -> int:
        """What the first one has told of that."""
        return int(archive.load_source_state(home, STATE).get("tried_again", 0))

    def take_up(self, archive: Archive, home: str) -> None:
        """This spider is the first one that goes on with a crawl."""

    def share(self, archive: Archive, home: str, *, asked: int, tried_again: int) -> None:
        """The first one lets others join.

        `asked`: how many pages it has asked for until now; `tried_again`: how many pages are asked for once more that
        an earlier part of the crawl could not have.
        """

    def follow(self, parts: dict[str, tuple[object, tuple[str, ...]]]) -> None:
        """Tell others, and whoever goes on with the crawl, from now on what methods of `parts` do."""
        for who, (one, methods) in parts.items():
            self._journal.follow(who, one, *methods)

    def on(self, who: str, method: str, do: Any) -> None:  # noqa: ANN401
        """What is done when others tell of something, or an earlier part of the crawl has told of it."""
        self._journal.on(who, method, do)

    def tell(self, who: str, method: str, *arguments: Any) -> None:  # noqa: ANN401
        """Tell the others something."""
        self._journal.tell(who, method, *arguments)

    async def recall(self, archive: Archive, home: str) -> bool:
        """Do what earlier parts of the crawl have told, see `follow`. O(n). Is all known now that was told?"""
        return await self._repeat(archive.frontier_store(home).told()) > 0

    async def _repeat(self, commands: Iterable[Command]) -> int:
        """Do what was told before, but for what has become of pages; how many commands these were."""
        count = 0
        for command in commands:
            if command[0] not in TOLD_BY_ROWS:
                with suppress(TypeError, KeyError, ValueError, AttributeError):  # what another version has told
                    self._journal.replay([command])
            count += 1
            if count % AT_A_TIME == 0:
                await asyncio.sleep(0)
        return count

    def end(self, stop: Stop) -> None:
        """A rule ends the crawl. What is a limit the others are told of; what was found they know themselves."""

    def repeating(self) -> AbstractContextManager[None]:
        """While this spider learns from rows what others know."""
        return nullcontext()

    def catch_up(self) -> None:
        """Do what the others have told."""

    def are_others_at_work(self) -> bool:
        """May others still lead to pages? To be asked when nothing is left here."""
        return False

    async def news(self, own: asyncio.Event) -> None:
        """Wait until something may have changed."""
        await own.wait()

    @contextmanager
    def refining(self) -> Iterator[bool]:
        """May this spider make the wrapper better now? One at a time may."""
        yield True

    def leave(self) -> bool:
        """This spider stops. Is it the one to write down how the crawl ended?"""
        return True

    def give_back(self, archive: Archive, home: str, *, is_complete: bool) -> None:
        """The last spider leaves: put what is left into the archive."""

    def note_written(self) -> None:
        """What `give_back` has put into the archive is there."""

    def close(self) -> None:
        """Close the connection."""


class Group(Alone):
    """Spiders that share a Redis. Settings: FRONTIER_URL, FRONTIER_LEASE, GATE_PATIENCE. Raises RedisUnavailable."""

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__()
        self._lease_s = settings.getfloat("FRONTIER_LEASE")
        self._own_terms = terms(settings)
        self._haste = Haste()
        patience_s = settings.getfloat("GATE_PATIENCE")
        self._redis = Redis(settings["FRONTIER_URL"], patience_s=patience_s, haste=self._haste)
        self._redis.check()
        self._first: RedisFrontierStore | None = None
        self._is_first = self._is_refining = False
        #: when it was asked for the lock of the first one last, and had it
        self._renewed = 0.0
        self._refused = 0.0
        self._store: RedisFrontierStore | None = None
        self._frontier: SharedFrontier | None = None
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="spiders", daemon=True)
        #: what was waited for last, as `_join` tells it
        self._awaited: int | None = None
        #: when those that live are to be heard of, at the latest
        self._leaves_at: float | None = None
        self._looked = 0.0
        self._are_at_work = True
        self._has_ended = False
        self.pages = 0
        self.stop = None

    @property
    def is_reading(self) -> bool:  # type: ignore[override]
        """Does another spider read a page that may lead to others?"""
        return self._frontier is not None and self._frontier.is_reading_elsewhere

    @property
    def spiders(self) -> int:  # type: ignore[override]
        """How many are at work, with this one, as was heard some seconds ago."""
        return 1 if self._store is None else self._store.spiders

    async def find_place(self, archive: Archive, start_url: str) -> bool:
        """Is there a crawl of several spiders to join? Returns when there is, or when this spider is the first."""
        self._first = self._store_of(archive.key_of(start_url))
        self._thread.start()
        while (joined := self._join(archive, start_url)) <= 0:
            if joined == 0 and self._begin_first():
                self._is_first = self._join(archive, start_url) == 0  # the one before may have done its part meanwhile
                if self._is_first:
                    return False
                self._first.unlock(FIRST)
            else:
                self._tell_waiting(joined, start_url)
                await asyncio.sleep(ASK_S)
        return True

    def _tell_waiting(self, joined: int, start_url: str) -> None:
        """Say once what this spider waits for, and for how long if that one is dead."""
        if joined == self._awaited:
            return
        self._awaited = joined
        logger.info(
            "Waiting for another spider to %s, at %s; if it was killed, for %g seconds at most.",
            "write down how the crawl ended" if joined < 0 else "find the feed and learn",
            start_url,
            self._lease_s,
        )

    def _join(self, archive: Archive, start_url: str) -> int:
        """How many spiders the crawl has with this one; see `RedisFrontierStore.join`."""
        home = archive.find_blog(start_url)
        crawl = None if home is None else _crawl_of(archive, home)
        if home is None or crawl is None:
            if home is not None:
                self._check_not_over(archive, home)
            return 0
        if self._store is not None:
            return 1
        store = self._store_of(_name_of(home, crawl))
        joined = store.join(crawl, self._own_terms)
        if joined.spiders > 0:
            self._store, self.is_alone, self.terms = store, joined.spiders == 1, joined.terms
            self.pages, self.stop = joined.asked, Stop(*joined.stop) if joined.stop else None
            others = f"{joined.spiders} spiders are" if joined.spiders > 1 else "This spider alone is"
            logger.info("%s at work on %s.", others, home)
        return joined.spiders

    def _check_not_over(self, archive: Archive, home: str) -> None:
        """Raise LeftBehind where a crawl was complete after this process was started, which was to help with it."""
        blog, began = archive.blog(home), _process_began()
        is_over = blog.crawl_complete and blog.crawl_kind == "newcrawl"
        if is_over and blog.crawl_finished is not None and blog.crawl_finished > began:
            raise LeftBehind(
                f"The crawl of {home} came to its end while this spider was starting, so nothing is left to do for it. "
                "Start it again to crawl the blog anew."
            )

    def confirm(self) -> None:
        """Make sure that nobody else has begun meanwhile.

        Raises LeftBehind where another one has, and RedisUnavailable where it may have.
        """
        if not self._is_first or self._stay_first():
            return
        self._is_first = False
        assert self._first is not None
        if self._first.lock(FIRST):
            self._first.unlock(FIRST)
            raise RedisUnavailable(
                f"This spider could do nothing for longer than {self._lease_s:g} seconds (FRONTIER_LEASE), as when its "
                "machine sleeps, and another one may have crawled the blog meanwhile. Start it again to see."
            )
        raise LeftBehind(
            "Another spider has begun the crawl, since this one could do nothing for a long time, as when its "
            "machine sleeps. Nothing is lost; start it again to help the other one."
        )

    def _begin_first(self) -> bool:
        """Become the first one; False when another one is."""
        assert self._first is not None
        self._renewed = _seconds()
        return self._first.lock(FIRST)

    def _stay_first(self) -> bool:
        """Is this still the first one, and was it all the time? A lock that has run out may have been another's."""
        assert self._first is not None
        asked = _seconds()
        is_kept = asked - self._renewed < self._lease_s and self._first.lock(FIRST)
        self._renewed = asked if is_kept else self._renewed
        return is_kept

    def leave_unread(self) -> bool:
        """Leave a crawl that was joined and cannot be read. True when nobody else is at work on it: it begins anew."""
        assert self._store is not None
        assert self._first is not None
        store, self._store = self._store, None
        is_over = store.leave() == 0
        self._is_first = is_over and self._begin_first()
        if self._is_first:
            store.clear(is_ended=True)
        elif is_over:
            store.reopen()
        return self._is_first

    def is_lost(self, archive: Archive, home: str) -> bool:
        """Is a crawl's frontier where this spider has no access to?"""
        return self._store is None and super().is_lost(archive, home)

    def take_up(self, archive: Archive, home: str) -> None:
        """This spider is the first one that goes on with a crawl."""
        self._new_store(archive, home).fill(archive.frontier_store(home).load())

    def frontier(self, archive: Archive, home: str) -> Frontier:
        """The frontier of a blog, as the others have it now."""
        store = self._store or self._new_store(archive, home)
        observations = _observations(archive.frontier_store(home).told())
        self._frontier = frontier = SharedFrontier(store, self._journal, observations=observations)

        def claimed(url: str) -> None:
            self.pages += 1
            frontier.note_claimed(url)

        self._journal.on("frontier", "claimed", claimed)
        return frontier

    def _store_of(self, name: str) -> RedisFrontierStore:
        return RedisFrontierStore(self._redis, name, lease_s=self._lease_s)

    def _new_store(self, archive: Archive, home: str) -> RedisFrontierStore:
        self.confirm()
        crawl = _crawl_of(archive, home)
        assert crawl is not None
        self._store = self._store_of(_name_of(home, crawl))
        self._store.clear()
        return self._store

    def share(self, archive: Archive, home: str, *, asked: int, tried_again: int) -> None:
        """The first one lets others join, see `Alone.share`."""
        assert self._store is not None
        assert self._frontier is not None
        self._journal.on("group", "stopped", self._note_stop)
        self._frontier.flush()
        if self._is_first:
            self.confirm()
            crawl = _crawl_of(archive, home)
            assert crawl is not None
            self._store.ready(crawl, asked, self._own_terms)
            with archive.transaction():
                archive.save_source_state(home, STATE, {"is_elsewhere": True, "tried_again": tried_again})
                archive.frontier_store(home).clear(but_told=True)
            self._let_go()

    def _let_go(self) -> None:
        """Let another one be the first."""
        if self._is_first and self._first is not None:
            self._is_first = False
            self._first.unlock(FIRST)

    def _note_stop(self, *stop: Any) -> None:  # noqa: ANN401
        self.stop = self.stop or Stop(*stop)

    def end(self, stop: Stop) -> None:
        """A rule ends the crawl. What is a limit the others are told of; what was found they know themselves."""
        if stop.rule in LIMITS and self.stop is None and self._store is not None:
            self.stop = stop
            told = list(stop)
            self._store.stop(told, [["group", "stopped", told, {}]])

    async def recall(self, archive: Archive, home: str) -> bool:
        """Do what was told before; what was told of a very large crawl is not all kept."""
        assert self._store is not None
        assert self._frontier is not None
        await self._repeat(archive.frontier_store(home).told())
        await self._repeat(self._store.earlier())
        self._frontier.forget_unsaved()
        return False

    def repeating(self) -> AbstractContextManager[None]:
        """While this spider learns from rows what others know: they need not be told."""
        return self._journal.silently()

    def catch_up(self) -> None:
        """Do what the others have told."""
        if self._frontier is not None:
            self._frontier.catch_up()

    def are_others_at_work(self) -> bool:
        """May others still lead to pages? To be asked when nothing is left here."""
        if self._frontier is not None and monotonic() - self._looked >= ASK_S:
            self._looked = monotonic()
            self._are_at_work = self._frontier.look_again()
        return self._are_at_work

    async def news(self, own: asyncio.Event) -> None:
        """Wait until something may have changed."""
        with suppress(TimeoutError):
            await asyncio.wait_for(own.wait(), POLL_S)
        self.are_others_at_work()  # what the others have claimed may be over without a word

    @contextmanager
    def refining(self) -> Iterator[bool]:
        """May this spider make the wrapper better now? One at a time may, with what the others have learned."""
        assert self._store is not None
        is_ours = self._is_refining = self._store.lock(REFINING)
        self._refused = 0.0 if is_ours else monotonic()
        if is_ours:
            self.catch_up()
        try:
            yield is_ours
            if is_ours and self._frontier is not None:
                self._journal.tell("spider", "refined")
                self._frontier.flush()
        finally:
            if is_ours:
                self._is_refining = False
                self._store.unlock(REFINING)

    @property
    def is_refining_elsewhere(self) -> bool:  # type: ignore[override]
        """Was another spider just found to make the wrapper better?"""
        return monotonic() - self._refused < ASK_S

    def leave(self) -> bool:
        """This spider stops. Is it the one to write down how the crawl ended?"""
        if self._store is None or not self._store.has_joined:
            return self._is_first
        return self._store.leave(self._await_others) == 0

    def _await_others(self) -> bool:
        """Wait a while for a sign of others that may be dead; False where the process is asked to end."""
        if self._leaves_at is None:
            self._leaves_at = monotonic() + min(self._lease_s / BEATS, BEAT_S)
        elif monotonic() > self._leaves_at:
            self._leaves_at = inf
            logger.info(
                "Another spider of the crawl is not heard of; waiting for it for %g seconds at most (FRONTIER_LEASE), "
                "since the last one writes down how it ended.",
                self._lease_s,
            )
        time.sleep(POLL_S)
        return not self._haste.signals

    def give_back(self, archive: Archive, home: str, *, is_complete: bool) -> None:
        """The last spider leaves: put what is left into the archive. Raises LeftBehind where it is not the last."""
        if self._store is None:
            return
        if self._store.has_joined and not self._store.is_last():
            raise LeftBehind(
                f"This spider could do nothing for longer than {self._lease_s:g} seconds (FRONTIER_LEASE) while it "
                "ended the crawl, as when its machine sleeps, and another one goes on with it, or Redis has forgotten "
                "the crawl. What was found is kept; start it again to see whether something is left."
            )
        store = archive.frontier_store(home)
        store.clear()  # also what was told before they shared it: the rest of that is not kept, but in the rows
        if not is_complete:
            store.save(list(self._store.load()))
        archive.save_source_state(home, STATE, {})

    def note_written(self) -> None:
        """What `give_back` has put into the archive is there."""
        self._has_ended = True

    def close(self) -> None:
        """Forget a crawl that has ended, and close the connection."""
        self._end_beats()
        try:
            self._let_go()
            if self._store is not None and self._has_ended:
                self._store.clear(is_ended=True)
            elif self._store is not None:
                self._store.reopen()
        except RedisUnavailable as error:
            logger.warning("%s", error)
        self._redis.close()

    def _end_beats(self) -> None:
        self._is_over.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(1)

    def _beat(self) -> None:
        while not self._is_over.wait(min(self._lease_s / BEATS, BEAT_S)):
            try:
                if self._is_first:
                    self._stay_first()
                store = self._store  # which the other thread may leave
                if store is not None and store.has_joined:
                    store.beat()
                    if self._is_refining:
                        store.lock(REFINING)
            except RedisUnavailable as error:
                logger.warning("%s", error)


def _seconds() -> float:
    """By a clock that also goes while the machine sleeps."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)  # of Linux; elsewhere the other one may do the same
    return monotonic() if clock is None else time.clock_gettime(clock)


def _process_began() -> datetime:
    """When this process was started, or copied from another one; where the system does not tell that, now."""
    ticks = Holder.new().began
    age_s = time.clock_gettime(time.CLOCK_BOOTTIME) - int(ticks) / os.sysconf("SC_CLK_TCK") if ticks else 0.0
    return datetime.now(UTC) - timedelta(seconds=age_s)


def group_name(settings: BaseSettings, start_url: str) -> str | None:
    """What the spiders have in common that begin at an address and share a frontier; None for one alone."""
    return f"{place_of(settings['FRONTIER_URL'])} {identity(start_url)}" if settings["FRONTIER_URL"] else None


def group_of(settings: BaseSettings) -> Alone:
    """The spiders that a crawl is one of. Raises BadArgument and RedisUnavailable, before anything is claimed."""
    return Group(settings) if settings["FRONTIER_URL"] else Alone()


def _name_of(home: str, crawl: str) -> str:
    """What a frontier is called in Redis, where another archive may have one of a crawl of the same blog."""
    return f"{home} {crawl}"


def _crawl_of(archive: Archive, home: str) -> str | None:
    """A name for the crawl of a blog that is under way, or was cut short."""
    blog = archive.blog(home)
    is_under_way = blog.crawl_started is not None and not blog.crawl_complete and blog.crawl_kind in (None, "newcrawl")
    return str(blog.crawl_started) if is_under_way else None
