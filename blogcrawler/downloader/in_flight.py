"""What of a crawl is under way, as its engine tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from blogcrawler.downloader.foreign import is_beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy.core.engine import ExecutionEngine
    from scrapy.core.scraper import Slot

T = TypeVar("T")
READ = "is_read"
"""In a request's meta: its page was read, even if records that were made of it are in the pipeline still."""


def noting_read(meta: dict[str, Any], outcome: Iterable[T]) -> Iterator[T]:
    """Mark the request with this `meta` as read once its page leads to something: its links are taken in before."""
    for one in outcome:
        meta[READ] = True
        yield one
    meta[READ] = True


def is_reading(engine: ExecutionEngine | None) -> bool:
    """True if a page is under way that may lead to others. One that was read has led to all of its."""
    return _is_asking(engine) or not _are_read(_slot(engine))


def is_stuck(engine: ExecutionEngine | None) -> bool:
    """True if nothing more comes until records leave the pipeline.

    All requested pages have come and were read; further ones wait, if there are any, as too much is in work.
    """
    assert engine is not None
    assert engine.scheduler is not None
    can_ask = engine.scheduler.has_pending_requests() and not engine.needs_backout()
    return not _is_downloading(engine) and not can_ask and _are_read(_slot(engine))


def is_fetching(engine: ExecutionEngine | None, aside: int = 0) -> bool:
    """True if a page is under way, or more than `aside` records are in the pipeline."""
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
