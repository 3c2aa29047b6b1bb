"""Start a crawl: from the beginning, or from the state of a crawl that was cut short."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from blogcrawler.backend import FeedState
from blogcrawler.browser.need import Rendering
from blogcrawler.crawl.classifier import PostClassifier
from blogcrawler.crawl.journal import open_frontier
from blogcrawler.crawl.pages import is_post_link, judge
from blogcrawler.crawl.records import archived_records, late_files
from blogcrawler.crawl.sample import Sample
from blogcrawler.crawl.steps import StepResult
from blogcrawler.crawl.update.update_memory import AFTER_THE_FIRST_CRAWL, LOST_FEED, LostFeed, today
from blogcrawler.errors import UnreadableRules
from blogcrawler.items import Entry
from blogcrawler.serialise import dump, load
from blogcrawler.urls import Scope, identity, routed
from blogcrawler.wrapper import Wrapper

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.intake import Intake
    from blogcrawler.feeds.discovery import Discovery

FRONTIER_IN_REDIS = "shared"
"""Name of a state by which an earlier version noted that the frontier is in Redis."""

START = "start"
"""Name of the state with the address at which a crawl began."""

logger = logging.getLogger(__name__)


def is_cut_short(ctx: CrawlContext, home: str) -> bool:
    """True if the last crawl of a blog was a new crawl and is not complete."""
    blog = ctx.archive.blog(home)
    return not blog.crawl_complete and blog.crawl_kind in (None, ctx.options.kind)


def resume(ctx: CrawlContext) -> bool:
    """Resume a crawl that was cut short after its wrapper was learned; False if there is none."""
    home = ctx.archive.find_blog(ctx.start_url)
    if home is None or not is_cut_short(ctx, home) or not _load(ctx, home):
        return False
    ctx.home = home
    if any(entry.is_synthetic for entry in ctx.entries.values()):
        ctx.tally.has_no_feed = True
    archived = list(_archived_urls(ctx))
    ctx.classifier.add_known_posts(archived)
    ctx.tally.archived_before = len(archived)
    if (started := ctx.archive.blog(home).crawl_started) is not None:
        ctx.tally.goes_on_since = started
    ctx.archive.start_crawl(home, now=datetime.now(UTC))
    ctx.frontier = open_frontier(ctx.archive, home, ctx.journal)
    ctx.tried_again = ctx.frontier.unavailable
    again = ctx.frontier.resume(retry_failed=True)
    logger.info(
        "Resuming the crawl of %s: %d URLs are waiting, %d of them for the second time.", home, len(ctx.frontier), again
    )
    return True


def _load(ctx: CrawlContext, home: str) -> bool:
    """Load what a crawl has learned; False if it has learned nothing, or that cannot be read."""
    if ctx.archive.load_crawl_state(home) is None:
        return False
    if ctx.archive.load_source_state(home, FRONTIER_IN_REDIS):
        logger.info("The frontier of %s was in a Redis; starting again.", home)
        return False
    try:
        load_state(ctx, home)
    except UnreadableRules:
        logger.info("The crawl of %s was started by another version; starting again.", home)
        return False
    return True


def load_state(ctx: CrawlContext, home: str) -> None:
    """Load the wrapper and what `save_state` has stored. Raises UnreadableRules, also if nothing was stored."""
    state, stored_wrapper = ctx.archive.load_crawl_state(home), ctx.archive.load_wrapper(home)
    try:
        assert state is not None
        assert stored_wrapper is not None
        ctx.classifier = PostClassifier.from_dict(state["reader"], Wrapper.from_dict(stored_wrapper))
        ctx.entries = load(dict[str, Entry], state["entries"])
        ctx.fetcher.rendering = load(Rendering, state.get("rendering", {}))
        ctx.sample = Sample(state.get("samples", 0))
    except (AssertionError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableRules(f"The stored state of {home} is from another version.", url=home) from error
    ctx.scope = ctx.classifier.scope = ctx.without_removed(ctx.classifier.scope, home)


def _archived_urls(ctx: CrawlContext) -> Iterator[str]:
    """The addresses of the posts that this crawl has archived, as it names their pages."""
    started = ctx.archive.blog(ctx.home).crawl_started
    return map(routed, ctx.archive.urls(ctx.home, since=started) if started else ())


async def recall_records(ctx: CrawlContext) -> StepResult:
    """Send on records of the crawl's earlier runs: those that lack files, and all if outputs are written again."""
    urls = _archived_urls(ctx) if ctx.options.outputs_begin_anew else ()
    done = [url for url in urls if ctx.frontier.status(url) == "done"]
    return StepResult(records=archived_records(ctx, done, lacking=late_files(ctx)))


async def unprocessed_pages(ctx: CrawlContext) -> StepResult:
    """The training pages that the last crawl has not processed."""
    pages = [page for page, _ in ctx.archive.load_training_pages(ctx.home)]
    waiting = [page for page in pages if ctx.frontier.status(page.url) == "pending"]
    for page in waiting:
        ctx.frontier.redirected(page.url, page.url)
    return StepResult(waiting)


def begin_anew(ctx: CrawlContext, discovery: Discovery) -> None:
    """Make the discovered blog the blog of this crawl, and delete the state of an earlier crawl."""
    feed, archive = discovery.feed, ctx.archive
    known = archive.find_blog(discovery.home)  # the blog may have moved to https since
    home = known if known is not None and identity(known) == identity(discovery.home) else discovery.home
    ctx.lease.enter_home(home, discovery.start_url, feed.url)
    ctx.home, ctx.discovery = home, discovery
    with archive.transaction():
        if not archive.start_crawl(home, now=datetime.now(UTC)):
            archive.forget_training_pages(home)
        archive.reset_frontier(home)
        archive.save_addresses(home, [discovery.start_url, home, feed.url])
        archive.save_blog(home, title=feed.title, language=feed.language)
        if not discovery.lists:
            archive.save_feed_state(home, FeedState(feed.url, discovery.etag, discovery.last_modified))
        archive.save_crawl_state(home, None)
        archive.forget_sources(home)
        if discovery.empty_feed is not None:
            archive.save_feed_state(home, FeedState(discovery.empty_feed))
            archive.save_source_state(home, LOST_FEED, dump(LostFeed(today(), AFTER_THE_FIRST_CRAWL)))
        ctx.fetcher.sessions.keep(archive, home)
        archive.save_source_state(home, START, {"url": discovery.start_url})
    ctx.frontier = open_frontier(archive, home, ctx.journal)
    listed = [entry.url for post_list in discovery.lists for entry in post_list.entries]
    ctx.scope = ctx.without_removed(Scope.of(home, [entry.url for entry in feed.entries] or listed), home)
    ctx.entries = {}
    for _ in filter(None, (discovery.start, *discovery.pages)):
        ctx.tally.pages += 1


async def keep_journal(ctx: CrawlContext, intake: Intake) -> None:
    """Repeat what an earlier run of the crawl recorded, and record from now on what this run learns."""
    journal, classifier, coverage = ctx.journal, ctx.classifier, ctx.coverage

    def add_permalink(url: str, learn: Any = classifier.add_permalink) -> None:  # noqa: ANN401
        if learn(url):
            ctx.frontier.reclassify(lambda link: is_post_link(ctx, link))

    journal.follow("spider", intake, "note_counted")
    journal.follow("harvest", ctx.harvest, "record", "look", "discovered", "is_repetition")
    classifier.keep_in(journal)
    if coverage.source:
        journal.follow("coverage", coverage, "doubt", "alias", "judge", "note_links")
        journal.follow("coverage", coverage.check, "note_gone", "note_list")
    journal.on("reader", "add_permalink", add_permalink)
    journal.on("coverage", "judge", lambda url, *, is_post: judge(ctx, url, is_post=is_post))
    journal.on("spider", "tell_coverage", coverage.note_links)  # name of the method in older archives
    journal.on("coverage", "note_asked", lambda url, state: _note_check_page(ctx, url, state))
    await journal.repeat(ctx.archive.frontier_store(ctx.home).observations())
    ctx.frontier.flush()


def _note_check_page(ctx: CrawlContext, url: str, state: list[Any]) -> None:
    """Restore the request of a check page; a page that waits again has shown nothing yet."""
    if ctx.frontier.status(url) != "pending":
        ctx.coverage.check.note_asked(url, state)
