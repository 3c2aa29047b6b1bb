"""What a crawl reports of what it learns, and what is done when that is reported.

It is reported to other spiders that work on the same crawl, and to the one that goes on with it when it is cut short.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from blogcrawler.crawl.pages import is_post_link, judge
from blogcrawler.wrapper import Wrapper

if TYPE_CHECKING:
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.intake import Intake


async def share(ctx: CrawlContext, intake: Intake) -> None:
    """Let other spiders join, and report to them from now on what is learned here; learn what was reported before."""
    classifier, coverage = ctx.classifier, ctx.coverage
    parts = {
        "spider": (intake, ("tell_coverage", "note_counted")),
        "harvest": (ctx.harvest, ("record", "look", "discovered", "is_repetition")),
        "reader": (classifier, ("know", "add_permalink", "add_list")),
        "places": (classifier.places, ("note", "judge")),
        "copies": (classifier.copies, ("note_page", "note_post")),
        "coverage": (coverage, ("doubt", "alias", "judge", "note_gone", "note_list")),
    }

    def add_permalink(url: str, learn: Any = classifier.add_permalink) -> None:  # noqa: ANN401
        if learn(url):
            ctx.frontier.reclassify(lambda link: is_post_link(ctx, link))

    ctx.group.follow({name: part for name, part in parts.items() if part[0] is not None})
    ctx.group.share(ctx.archive, ctx.home, asked=ctx.tally.pages, tried_again=ctx.tried_again)
    ctx.group.on("reader", "add_permalink", add_permalink)
    ctx.group.on("coverage", "judge", lambda url, *, is_post: judge(ctx, url, is_post=is_post))
    if coverage is not None:
        ctx.group.on("coverage", "note_asked", lambda url, state: _note_proof(ctx, url, state))
    ctx.group.on("spider", "refined", lambda: _take_wrapper(ctx))
    if not await ctx.group.recall(ctx.archive, ctx.home):
        with ctx.group.repeating():
            _judge_by_rows(ctx)
    ctx.frontier.flush()


def _judge_by_rows(ctx: CrawlContext) -> None:
    """Report to the source that lists posts what has become of pages, as far as nobody has reported it."""
    for row in ctx.frontier.store.load() if ctx.coverage is not None else ():
        if row["was_post"] is not None:
            judge(ctx, row["url"], is_post=bool(row["was_post"]))


def _note_proof(ctx: CrawlContext, url: str, state: list[Any]) -> None:
    """Take in that a page was asked for as a proof; one that waits again proves nothing as yet."""
    if ctx.coverage is not None and ctx.frontier.status(url) != "pending":
        ctx.coverage.note_asked(url, state)


def _take_wrapper(ctx: CrawlContext) -> None:
    """Use the wrapper that another spider has refined."""
    kept = ctx.archive.load_wrapper(ctx.home)
    if kept is not None:
        ctx.classifier.wrapper = replace(Wrapper.from_dict(kept), ends=ctx.classifier.wrapper.ends)
