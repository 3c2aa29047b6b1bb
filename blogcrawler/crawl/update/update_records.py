"""The records that an update sends on: those of pages, completed from feeds of comments, and those from the archive."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from blogcrawler.crawl.records import archived_records, late_files
from blogcrawler.crawl.steps import StepResult
from blogcrawler.crawl.tasks import HandOn
from blogcrawler.crawl.update.since import is_since
from blogcrawler.crawl.update.update_memory import now
from blogcrawler.items import Entry, SystemComments
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from blogcrawler.backend import KnownPost
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.update.update_state import UpdateState
    from blogcrawler.frontier import Stop
    from blogcrawler.items import Record


async def ask_comment_feed(update: UpdateState) -> None:
    """Request the blog's newest comments."""
    ctx = update.ctx
    if ctx.options.comments:
        await update.comments.ask(update.feed_state or ctx.archive.load_feed_state(ctx.home))
        update.comments.begin(update.known.by_key, now=now())


async def hand_on_comments(update: UpdateState) -> StepResult | None:
    """Send on the records whose comments have changed; fetch posts that may lack comments, or whose comments failed to
    load."""
    ctx = update.ctx
    if not ctx.options.comments:
        return None
    known = update.known.by_key
    doubtful = {known[key].url for key in update.comments.doubtful if key in known}
    posts = map(update.known.of_entry, update.news.wanted)
    records = update.comments.changed(known, doubtful.union(post.url for post in posts if post is not None))
    for url in sorted({*doubtful, *update.late_comments.take_up()}):
        ctx.frontier.add(url, is_post=True)
    return StepResult(records=records)


async def hand_on_media(ctx: CrawlContext) -> StepResult | None:
    """Send on the records of posts whose files could not be fetched, so that these are requested again."""
    return StepResult(records=archived_records(ctx, (), lacking=late_files(ctx)))


def prepare_record(update: UpdateState, record: Record) -> Iterable[Record]:
    """The record of a page, with the data that feeds have about its post and comments."""
    assert record.material is not None
    has_moved = update.permalinks.before_saving(record)
    entry = record.material.entry or _entry_of_kept(update, record.url)
    record.material = replace(record.material, is_update=not has_moved, entry=entry)
    comments = update.comments.all_comments(record.url, entry.published if entry is not None else None)
    if comments is not None and not update.late_comments.is_due(record.url):
        from_feed = SystemComments("comment feed", tuple(comments), is_own=True)
        record.material = replace(record.material, system_comments=from_feed)
    return [record]


def _entry_of_kept(update: UpdateState, url: str) -> Entry | None:
    """The entry of a known post that its feed no longer has, with only the data that does not change with the post.

    Pages may write the time in another zone, or only the day.
    """
    archived, feed = update.ctx.archive.record(update.ctx.home, url), update.late_comments.feed_of(url)
    source = archived.provenance.fields.get("published") if archived is not None else None
    is_of_feed = source is not None and source.source == "feed"
    if archived is None or not (is_of_feed or feed):
        return None
    return Entry(url, guid=archived.guid, published=archived.published if is_of_feed else None, comments_feed=feed)


def hand_on_archived(update: UpdateState, stop: Stop | None) -> HandOn | None:  # noqa: ARG001 - whatever ends the crawl
    """Send on, at the end, the requested records of the archive that were not sent on before."""
    ctx = update.ctx
    lacks_earlier = update.is_second_part and ctx.options.outputs_begin_anew
    if update.has_recalled or not (lacks_earlier or update.since is not None):
        return None
    update.has_recalled = True
    return HandOn(partial(_archived_records, update, lacks_earlier=lacks_earlier))


def _archived_records(update: UpdateState, *, lacks_earlier: bool) -> Iterator[Record]:
    """The records of the user's period and, if the outputs lack them, those of earlier runs of the update."""
    ctx, known = update.ctx, update.known
    done = set(update.permalinks.saved)
    if lacks_earlier:
        urls = [url for url in ctx.archive.changed_since(ctx.home, known.begun) if identity(url) not in done]
        done.update(map(identity, urls))
        yield from archived_records(ctx, urls)
    if update.since is None:
        return
    archived = min((post.first_seen for post in known), default=known.begun)
    found_first = datetime.fromisoformat(update.memory.first_update) if update.since < archived else None
    for record in ctx.archive.records(ctx.home):
        key = identity(record.url)
        post = known.by_key.get(key)
        if post is not None and key not in done and _is_new(post, record, update.since, found_first):
            ctx.tally.records_recalled += 1
            yield record


def _is_new(post: KnownPost, record: Record, since: datetime, found_first: datetime | None) -> bool:
    """True if an archived post, or a comment on it, is new or changed since a time.

    `found_first` is when the blog's first crawl had found all its posts, if that was after this time. Posts that this
    crawl added are not new only because they were added then.
    """
    if is_since(since, post.published, post.updated):
        return True
    is_of_first = found_first is not None and post.last_changed == post.first_seen < found_first
    if post.last_changed >= since and (not is_of_first or not post.published):
        return True
    return any(is_since(since, comment.published) for comment in record.comments)
