"""Records that a crawl hands on besides those that it makes of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.items import Record


def recalled(ctx: CrawlContext, urls: Iterable[str]) -> Iterator[Record]:
    """The records of posts, from the archive: for an output that begins anew."""
    for record in _archived(ctx, urls):
        ctx.tally.recalled()
        yield record


def lacking_media(ctx: CrawlContext, urls: Iterable[str]) -> Iterator[Record]:
    """The records of posts, files of which are to be asked for again."""
    for record in _archived(ctx, urls):
        record.lacks_media = True
        yield record


def _archived(ctx: CrawlContext, urls: Iterable[str]) -> Iterator[Record]:
    records = (ctx.archive.record(ctx.home, url) for url in urls)
    return (record for record in records if record is not None)
