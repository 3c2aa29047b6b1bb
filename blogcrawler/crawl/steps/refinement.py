"""Refine the wrapper by posts that the feed does not have.

The first of these posts wait until there are enough of them to show which parts of pages recur. Later posts that no
rule fits also wait, until there are enough to learn the rules of their template.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.crawl.pages import save_state
from blogcrawler.crawl.sample import SIZE, refined
from blogcrawler.crawl.tasks import HandOn
from blogcrawler.items import Entry
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.frontier import Stop
    from blogcrawler.items import Record
    from blogcrawler.wrapper import Wrapper


class Refinement:
    """Holds records until the wrapper is refined by their pages, then sends them on."""

    def __init__(self, ctx: CrawlContext) -> None:
        self._ctx = ctx

    def prepare(self, record: Record) -> Iterator[Record]:
        """The records that are sent on after this record has come."""
        ctx = self._ctx
        if not ctx.sample.wants(record, ctx.classifier.wrapper):
            yield _with_current_wrapper(record, ctx.classifier.wrapper)
            return
        ctx.sample.held.append(record)
        if record.material is not None:  # so that a resumed crawl does not fetch it again
            page = record.material.page
            ctx.archive.save_training_page(ctx.home, page, Entry(page.url))
        if len(ctx.sample.held) >= SIZE and ctx.sample.is_complete(self._may_be_held()):
            yield from self._refine()

    def release_last(self, stop: Stop | None) -> HandOn | None:  # noqa: ARG002 - whatever ends the crawl
        """Send on all held records when nothing else is left to fetch."""
        return HandOn(lambda: self._refine(is_last=True)) if self._ctx.sample.held else None

    def _may_be_held(self) -> list[str]:
        """The pages that are held, or may be when they have arrived, in order of discovery."""
        ctx = self._ctx
        held = {identity(record.page_url) for record in ctx.sample.held}
        read = set(map(identity, (*ctx.in_work, *(page.url for page in ctx.undecided)))) - held
        pages = [(identity(candidate.url), candidate.is_post) for candidate in ctx.frontier.unfinished()]
        return [key for key, is_post in pages if key in held or (is_post and key not in read)]

    def _refine(self, *, is_last: bool = False) -> list[Record]:
        """Refine the wrapper by the held records; returns the records to send on afterwards."""
        ctx = self._ctx
        held = ctx.sample.take(self._may_be_held())
        sample = held if is_last else held[:SIZE]
        stored = ctx.archive.load_training_pages(ctx.home)
        training = [(page, entry) for page, entry in stored if identity(page.url) in ctx.entries]
        with ctx.tolerating("learning from older posts"):
            ctx.classifier.wrapper = refined(ctx.classifier.wrapper, training, sample, is_last=is_last)
        with ctx.archive.transaction():
            ctx.archive.save_wrapper(ctx.home, ctx.classifier.wrapper.to_dict())
            save_state(ctx)
        held = [_with_current_wrapper(record, ctx.classifier.wrapper) for record in held]
        return ctx.sample.settled(held, ctx.classifier.wrapper, is_last=is_last)


def _with_current_wrapper(record: Record, wrapper: Wrapper) -> Record:
    """The record with the present wrapper, which may have been refined while its page was in flight."""
    if record.material is not None:
        record.material = record.material.read_by(wrapper)
    return record
