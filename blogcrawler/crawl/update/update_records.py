"""The records that an update hands on: of pages, with what feeds say of their comments, and of the archive."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from blogcrawler.backend import LATE_COMMENTS, LATE_MEDIA, LatePosts
from blogcrawler.crawl.steps import StepResult
from blogcrawler.crawl.update.comment_feed import CommentNews
from blogcrawler.crawl.update.update_state import now
from blogcrawler.errors import TEMPORARY
from blogcrawler.items import Entry, ToldComments
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.update.update_state import UpdateState
    from blogcrawler.items import Record


async def ask_comment_feed(ctx: CrawlContext) -> StepResult:
    """Ask for the blog's newest comments; keep what the feed says before that is acted upon."""
    update = ctx.update
    if ctx.options.comments:
        asker = ctx.fetcher.asker(is_unconditional=update.is_unconditional)
        update.comments = CommentNews(ctx.archive, ctx.home, asker)
        await update.comments.ask(update.feed_state or ctx.archive.load_feed_state(ctx.home))
        update.comments.begin(update.known.by_key, now=now())
    return StepResult()


async def hand_on_comments(ctx: CrawlContext) -> StepResult:
    """Hand on the records whose comments have changed; fetch posts that may lack some, or whose came late."""
    update = ctx.update
    if update.comments is None:
        return StepResult()
    known = update.known.by_key
    doubtful = {known[key].url for key in update.comments.doubtful if key in known}
    posts = map(update.known.of_entry, update.news.wanted)
    records = update.comments.changed(known, doubtful.union(post.url for post in posts if post is not None))
    update.late_comments = LatePosts(ctx.archive, ctx.home, LATE_COMMENTS)
    for url in sorted({*doubtful, *update.late_comments.take_up()}):
        ctx.frontier.add(url, is_post=True)
    return StepResult(records=records)


async def hand_on_media(ctx: CrawlContext) -> StepResult:
    """Hand on the records of posts whose files could not be fetched, so that these are asked for again."""
    if not ctx.options.media:
        return StepResult()
    late = LatePosts(ctx.archive, ctx.home, LATE_MEDIA)
    urls = late.take_up()

    def records() -> Iterator[Record]:
        for url in urls:
            if (record := ctx.archive.record(ctx.home, url)) is not None:
                record.lacks_media = True
                yield record

    def give_back(_: str, __: bool) -> None:
        if isinstance(ctx.fatal, TEMPORARY):
            late.give_back()

    ctx.hooks.at_end.append(give_back)
    return StepResult(records=records())


def prepare_record(ctx: CrawlContext, record: Record) -> Iterable[Record]:
    """The record of a page, with what feeds have said of its post and comments."""
    update = ctx.update
    assert record.material is not None
    has_moved = update.permalinks.before_saving(record)
    entry = record.material.entry or _entry_of_kept(ctx, record.url)
    record.material = replace(record.material, is_update=not has_moved, entry=entry)
    is_late = update.late_comments is not None and update.late_comments.is_due(record.url)
    if update.comments is not None and not is_late:
        comments = update.comments.all_comments(record.url, entry.published if entry is not None else None)
        if comments is not None:
            told = ToldComments("comment feed", tuple(comments), is_own=True)
            record.material = replace(record.material, told_comments=told)
    return [record]


def note_record(update: UpdateState, record: Record) -> None:
    """Take in that a record left the pipeline."""
    update.permalinks.after_saving(record)
    update.handed_on.add(identity(record.url))


def _entry_of_kept(ctx: CrawlContext, url: str) -> Entry | None:
    """What a feed has said of a known post that it no longer has, as far as that does not change with the post.

    Pages may write the time in another zone, or the day alone.
    """
    kept, late = ctx.archive.record(ctx.home, url), ctx.update.late_comments
    source = kept.provenance.fields.get("published") if kept is not None else None
    is_of_feed = source is not None and source.source == "feed"
    feed = late.feed_of(url) if late is not None else None
    if kept is None or not (is_of_feed or feed):
        return None
    return Entry(url, guid=kept.guid, published=kept.published if is_of_feed else None, comments_feed=feed)
