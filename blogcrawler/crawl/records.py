"""Store the record of a post, and mark the post's page as done."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from blogcrawler.backend import LATE_MEDIA, LatePosts
from blogcrawler.errors import TEMPORARY, Unchanged

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from blogcrawler.backend.archive import Saved
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.items import Record


def keep_record(ctx: CrawlContext, record: Record) -> Saved:
    """Write a record, what it teaches and the frontier's progress in one transaction.

    Fields that this record lacks are taken from an earlier record of the post. Raises `Unchanged` if an update brings
    no change, and BackendUnavailable or RedisUnavailable.
    """
    with ctx.archive.transaction():
        earlier = ctx.archive.record(record.blog, record.url)
        if earlier is not None:
            record.complete_from(earlier)
            if not ctx.options.media:
                record.keep_media(earlier)
        material = record.material
        saved = ctx.archive.save_record(record, now=datetime.now(UTC), is_read=material is not None)
        is_unchanged = saved == "same" and material is not None and material.is_update
        if not is_unchanged:
            ctx.tally.newest_title = record.title
            note_record(ctx, record)
        page_done(ctx, record)
    if is_unchanged:
        raise Unchanged(f"{record.url} has not changed.")
    return saved


def note_record(ctx: CrawlContext, record: Record) -> None:
    """Report a record that has reached the end of the pipeline."""
    with ctx.tolerating("learning from a record"):
        for note in ctx.hooks.on_record:
            note(record)


def page_done(ctx: CrawlContext, record: Record) -> None:
    """Note that nothing is left to do for a post's page."""
    post_links = ctx.in_work.pop(record.page_url, None)
    if post_links is not None:
        ctx.frontier.done(record.page_url, yield_=post_links, is_post=True)
        ctx.frontier.flush()


def archived_records(ctx: CrawlContext, urls: Iterable[str], *, lacking: Collection[str] = ()) -> Iterator[Record]:
    """The archived records of posts, for an output that is written again; and those `lacking` files, which the pipeline
    requests again."""
    for url in {**dict.fromkeys(urls), **dict.fromkeys(lacking)}:
        if (record := ctx.archive.record(ctx.home, url)) is not None:
            record.lacks_media = url in lacking
            ctx.tally.records_recalled += not record.lacks_media
            yield record


def late_files(ctx: CrawlContext) -> list[str]:
    """The posts whose files could not be fetched by an earlier crawl, and should be requested now."""
    if not ctx.options.media:
        return []
    late = LatePosts(ctx.archive, ctx.home, LATE_MEDIA)

    def give_back(_: str, __: bool) -> None:
        if isinstance(ctx.fatal, TEMPORARY):
            late.give_back()

    ctx.hooks.at_end.append(give_back)
    return late.take_up()
