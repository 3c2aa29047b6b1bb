"""Which requests and records of a crawl are in flight, derived from the state of Scrapy's engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from blogcrawler.downloader.foreign import is_beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy.core.engine import ExecutionEngine
    from scrapy.core.scraper import Slot

T = TypeVar("T")
READ = "is_read"
"""Key of a request's meta: its page was read, even if records made from it are still in the pipeline."""


def noting_read(meta: dict[str, Any], outcome: Iterable[T]) -> Iterator[T]:
    """Mark the request with this `meta` as read when its page yields something, since its links have been added by
    then."""
    for result in outcome:
        meta[READ] = True
        yield result
    meta[READ] = True


def is_reading(engine: ExecutionEngine | None) -> bool:
    """True if a page is in flight that may lead to other pages; a page that was read has added all its links."""
    return _is_asking(engine) or not _are_read(_slot(engine))


def is_stuck(engine: ExecutionEngine | None) -> bool:
    """True if nothing more happens until records leave the pipeline.

    All requested pages have arrived and were read; further requests, if any, wait because too much is in progress.
    """
    assert engine is not None
    assert engine.scheduler is not None
    can_ask = engine.scheduler.has_pending_requests() and not engine.needs_backout()
    return not _is_downloading(engine) and not can_ask and _are_read(_slot(engine))


def is_fetching(engine: ExecutionEngine | None, aside: int = 0) -> bool:
    """True if a page is in flight, or more than `aside` records are in the pipeline."""
    slot = _slot(engine)
    is_reading_one = not (_are_read(slot) if aside else slot.is_idle())
    return _is_asking(engine) or is_reading_one or slot.itemproc_size > aside


def _is_asking(engine: ExecutionEngine | None) -> bool:
    assert engine is not None
    assert engine.scheduler is not None
    return _is_downloading(engine) or engine.scheduler.has_pending_requests()


def _is_downloading(engine: ExecutionEngine) -> bool:
    return any(not is_beside(request, engine.spider) for request in engine.downloader.active)


def _are_read(slot: Slot) -> bool:
    answered = [*slot.active, *(request for _, request, _ in slot.queue)]
    return all(READ in request.meta for request in answered)


def _slot(engine: ExecutionEngine | None) -> Slot:
    assert engine is not None
    assert engine.scraper.slot is not None
    return engine.scraper.slot
