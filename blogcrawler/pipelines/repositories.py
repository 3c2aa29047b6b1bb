"""Where posts go besides the archive: the repositories of PROPAGATE_TO.

What they need is imported where there are some: most crawls have none.
"""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from blogcrawler.pipelines.file_store import file_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType

    from scrapy.settings import BaseSettings

    from blogcrawler.deposit import Outcome, Pace, Repository

ARCHIVE = "archive"
"""The archive, which is first whether it is named or not: what others lack is made up for from it."""
_LOOK_S = 0.05


def pace_of(settings: BaseSettings) -> Pace:
    """How patient deposits are."""
    from blogcrawler.deposit import Pace

    return Pace(tries=settings.getint("DEPOSIT_RETRIES") + 1)


def repositories(settings: BaseSettings) -> list[Repository]:
    """The repositories that PROPAGATE_TO names. Raises BadArgument."""
    named = [" ".join(str(one).split()) for one in settings.getlist("PROPAGATE_TO")]
    wanted = dict.fromkeys(name for name in named if name and name != ARCHIVE)
    if not wanted:
        return []
    from blogcrawler.deposit import repository_of

    return [repository_of(name, pace_of(settings)) for name in wanted]


def check_repositories(settings: BaseSettings) -> None:
    """Raise UsageError where PROPAGATE_TO names what is no repository, or one twice."""
    found = repositories(settings)
    for one in found:
        one.close()
        file_store(settings)
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise UsageError("PROPAGATE_TO names a repository twice; name each once.")


async def hand_over(
    settings: BaseSettings, homes: Iterable[str], is_going_on: Callable[[], bool] = lambda: True
) -> list[Outcome]:
    """Bring what repositories lack of some blogs' posts there, in PROPAGATE_WAIT seconds; what came of it."""
    found = repositories(settings) if is_going_on() else []
    if not found:
        return []
    from blogcrawler.deposit import Courier

    homes, files = list(homes), file_store(settings)
    couriers = [Courier(settings["DATABASE_URL"], one, files, homes) for one in found]
    end = time.monotonic() + settings.getfloat("PROPAGATE_WAIT")
    with _interruptible() as interrupted:
        for courier in couriers:
            courier.start()
        while any(courier.is_alive() for courier in couriers):
            if interrupted.is_set() or time.monotonic() > end or not is_going_on():
                break
            await asyncio.sleep(_LOOK_S)
        for courier in couriers:
            if courier.is_alive():
                await asyncio.to_thread(courier.stop)
    return [courier.outcome for courier in couriers]


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Take the first Ctrl-C as a wish to wait no longer: a crawl that is closing already would not end in order."""
    asked = threading.Event()
    is_main = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGINT, signal.SIGTERM) if is_main else ()
    earlier = {number: handler for number in numbers if callable(handler := signal.getsignal(number))}

    def note(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            earlier[signal.Signals(number)](number, frame)
        asked.set()

    for number in earlier:
        signal.signal(number, note)
    try:
        yield asked
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
