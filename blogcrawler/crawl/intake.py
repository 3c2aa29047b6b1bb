"""Process a fetched page: decide whether it is a post, follow its links, and make its record.

A page's links are written to the frontier in the same transaction as its status. A post becomes a record, and its page
is done only when the record leaves the pipeline: so a crawl can be resumed however it ended.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from blogcrawler.crawl.blocked_site import without_content
from blogcrawler.crawl.pages import (
    alias,
    entry_of,
    give_up,
    is_post_link,
    judge,
    links_of,
    page_or_give_up,
    save_state,
)
from blogcrawler.crawl.read_page import ReadPage, read
from blogcrawler.crawl.reasons import COPY, NO_POST, PART, TOO_SLOW, reason_missing
from blogcrawler.crawl.tasks import FetchPart
from blogcrawler.dom import MAX_PAGES, first_page, further_pages
from blogcrawler.downloader.reasons import NOT_SHOWN
from blogcrawler.downloader.removed import REMOVED
from blogcrawler.errors import PageTooSlow
from blogcrawler.frontier import Link, is_numbered_url
from blogcrawler.items import Entry, Record, RecordSource
from blogcrawler.routes import is_routed, out_of_path
from blogcrawler.similarity import fold
from blogcrawler.urls import canonicalise, identity, slashless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.items import Page

MOST_UNDECIDED = 100
"""Maximum number of pages in memory that wait until more pages show whether they are posts."""


@dataclass(frozen=True)
class ClassifiedPage:
    """A page and the result of its classification."""

    page: ReadPage
    #: None if more pages must be read to decide
    is_post: bool | None
    links: list[Link]
    #: data about the post from the feed or another source
    entry: Entry | None = None
    #: whether its address looks like a post's, it is no post, and it declares no other address
    is_disappointing: bool = False


def classify(
    ctx: CrawlContext, page: ReadPage, entry: Entry | None = None, *, is_last: bool = False, is_apart: bool = False
) -> ClassifiedPage:
    """Classify a page, which is a post if it has an entry, and collect its links.

    `is_last`: no other page is left that could help to decide. `is_apart`: it is known to be no further page of an
    article.
    """
    links = links_of(ctx, page.outline)
    page = page.read_by(ctx.classifier.wrapper)  # the wrapper may have learned from the page's title
    other_url = ctx.classifier.canonical(page.outline)
    if other_url is not None:
        alias(ctx, page.url, other_url)
        links = [Link(other_url, is_post_link(ctx, other_url)), *links]
    if entry is not None:
        return ClassifiedPage(page, True, links, entry)
    is_own = other_url is None and (is_apart or not _is_further_page(ctx, page))
    is_post: bool | None = False
    if is_own and not ctx.is_blocked:
        is_post = _verdict(ctx, page, is_last=is_last or len(ctx.undecided) >= MOST_UNDECIDED)
    is_disappointing = is_own and is_post is False and ctx.classifier.is_permalink(page.url)
    return ClassifiedPage(page, is_post, links, is_disappointing=is_disappointing)


def _is_further_page(ctx: CrawlContext, page: ReadPage) -> bool:
    """True for the second or a later page of an article."""
    first = first_page(page.outline.links, page.url)
    return first is not None and ctx.classifier.is_permalink(first)


def _verdict(ctx: CrawlContext, page: ReadPage, *, is_last: bool) -> bool | None:
    """True if a page is a post; None if more pages must be read to decide."""
    is_post = ctx.classifier.verdict(page, is_last=is_last)
    if is_post is None and ctx.classifier.repeated(page) is not None:
        return False  # a copy, or a site's page for missing pages
    return is_post


class Intake:
    """Processes the pages of one crawl."""

    def __init__(self, ctx: CrawlContext) -> None:
        self._ctx = ctx
        #: addresses of undecided pages whose harvest was counted
        self._counted: set[str] = set()

    def process(
        self, page: Page, asked: str, *, is_last: bool, handed_in: ReadPage | None = None
    ) -> Iterator[Record | FetchPart]:
        """Process a page that was requested at the address `asked`; yields records and further pages to fetch."""
        ctx = self._ctx
        if ctx.is_blocked and entry_of(ctx, page.url):
            page, handed_in = without_content(page), None
        elif page.status != 200:
            give_up(ctx, asked, reason_missing(page))
            return
        if is_routed(asked) and not page.is_rendered:
            give_up(ctx, asked, NOT_SHOWN)
            return
        if identity(page.url) != identity(asked) and not self._moves(asked, page.url):
            return
        try:
            yield from self._read(page, asked, handed_in, is_last=is_last)
        except PageTooSlow:
            give_up(ctx, page.url, TOO_SLOW)

    def _moves(self, url: str, target: str) -> bool:
        """Note that a page has another address; return False if that page was requested already."""
        alias(self._ctx, url, target)
        is_new = self._ctx.frontier.redirected(url, target)
        if not is_new:
            self._ctx.frontier.flush()
        return is_new

    def _read(
        self, page: Page, asked: str, handed_in: ReadPage | None, *, is_last: bool
    ) -> Iterator[Record | FetchPart]:
        """Process the content of a page; raises `PageTooSlow` before anything is changed."""
        ctx, parsed = self._ctx, page_or_give_up(self._ctx, page, handed_in)
        if parsed is None:
            return
        named = ctx.classifier.canonical(parsed.outline)
        if named is not None and ctx.frontier.is_spelling(page.url, named):  # as certain as a redirect
            if not self._moves(page.url, named):
                return
            page = replace(page, url=named)
        else:
            page = replace(page, url=ctx.classifier.spelled(parsed.outline))
        if ctx.archive.removed(ctx.home).has(page.url):
            give_up(ctx, page.url, REMOVED)
            return
        read_page = read(page, ctx.classifier.wrapper, parsed)
        if not self._is_mirrored(read_page):
            entry = entry_of(ctx, page.url) or self._entry_of_redirected(asked, read_page)
            yield from self._commit(classify(ctx, read_page, entry, is_last=is_last))

    def _is_mirrored(self, page: ReadPage) -> bool:
        """True if a page is a known post at another spelling of its address; it is then done."""
        ctx = self._ctx
        if not ctx.frontier.has_twin(page.url):
            return False
        original = ctx.classifier.repeated(page)
        is_mirrored = ctx.frontier.end_if_duplicate(page.url, original)  # also learns from posts that are no copies
        if original is None or not is_mirrored:
            return False
        alias(ctx, page.url, original)
        ctx.harvest.record(0)
        ctx.frontier.flush()
        return True

    def _entry_of_redirected(self, asked: str, page: ReadPage) -> Entry | None:
        """The entry of the requested address, if the page that it redirected to is a post."""
        ctx = self._ctx
        if identity(asked) == page.key or page.key in ctx.classifier.no_posts:
            return None
        entry = entry_of(ctx, asked)
        return entry if entry is not None and page.is_post else None

    def _commit(self, classified: ClassifiedPage) -> Iterator[Record | FetchPart]:
        """Write the links of a page to the frontier; a post's record goes to the pipeline."""
        if classified.is_post is None:
            self._keep_undecided(classified)
        elif classified.is_post:
            yield from self._commit_post(classified)
        else:
            if classified.is_disappointing:
                is_copy = self._ctx.classifier.repeated(classified.page) is not None
                self._ctx.tally.failure(COPY if is_copy else NO_POST, out_of_path(classified.page.url))
            self._commit_other(classified)

    def _keep_undecided(self, classified: ClassifiedPage) -> None:
        ctx, page, links = self._ctx, classified.page, classified.links
        listed = self._known_posts_among(ctx.frontier.outside_boilerplate(links))
        ctx.frontier.add_many(links, found_on=page.url)
        ctx.frontier.undecided(page.url)
        if page.url not in self._counted:
            ctx.coverage.doubt(page.url)
            self._record_harvest(page.url, ctx.frontier.new_posts_of(page.url), self._known_posts_among(links), listed)
            self.note_counted(page.url)
        ctx.undecided.append(replace(page.page, tree=None))
        ctx.archive.save_training_page(ctx.home, page.page, Entry(page.url))  # a resumed crawl needs the page again

    def note_counted(self, url: str) -> None:
        """Note that the harvest of a page was counted before it was classified."""
        self._counted.add(url)

    def _commit_other(self, classified: ClassifiedPage) -> None:
        """Process a page that is no post."""
        ctx, page, links = self._ctx, classified.page, classified.links
        judge(ctx, page.url, is_post=False)
        shown, listed = self._known_posts_among(links), self._known_posts_among(ctx.frontier.outside_boilerplate(links))
        yield_ = 0 if ctx.harvest.is_repetition(shown) else _post_links(links)
        is_copy = ctx.classifier.repeats_post(page)
        new_posts = ctx.frontier.commit_page(
            page.url, yield_=yield_, links=links, is_post=False, is_copy=is_copy, flush=False
        )
        self._note_links(classified, is_post=False)
        ctx.tally.other_page(leads_to_posts=bool(listed) and not is_copy)
        ctx.coverage.check.note_list(page.url, listed)
        if page.url not in self._counted:
            self._record_harvest(page.url, new_posts, shown, listed)
        ctx.frontier.flush()  # with all that the page has taught
        if page.page.is_rendered and not ctx.fetcher.rendering.of_lists:
            ctx.grown_in_vain = 0 if new_posts else ctx.grown_in_vain + 1

    def _record_harvest(self, url: str, new_posts: int, linked_posts: set[str], listed: set[str]) -> None:
        """Count a page. A sorted list does not continue through all posts, so its posts are not counted as listed."""
        self._ctx.harvest.record(new_posts, linked_posts, set() if self._ctx.frontier.is_sorted(url) else listed)

    def _note_links(self, classified: ClassifiedPage, *, is_post: bool) -> None:
        """Report the links of a page to a source that is believed to have all posts."""
        coverage, url = self._ctx.coverage, classified.page.url
        if coverage.is_whole:
            coverage.note_links(url, [link.url for link in classified.links if link.url != url], is_post=is_post)

    def _known_posts_among(self, links: list[Link]) -> set[str]:
        """The known posts among the targets of these links."""
        posts = (link.url for link in links if link.is_post and self._ctx.classifier.is_known_post(link.url))
        return {slashless(url) for url in posts}

    def _commit_post(self, classified: ClassifiedPage) -> Iterator[Record | FetchPart]:
        ctx, page, links = self._ctx, classified.page, classified.links
        ctx.harvest.look(self._known_posts_among(links))
        judge(ctx, page.url, is_post=True)
        self._note_links(classified, is_post=True)
        if ctx.classifier.add_post(page):
            ctx.frontier.reclassify(lambda url: is_post_link(ctx, url))
            save_state(ctx)
        further = [url for url in further_pages(page.outline.links, page.url) if ctx.classifier.scope.covers(url)]
        for url in further:
            ctx.frontier.redirected(url, url)  # the post's record includes it, so it needs no other request
        for url in page.comment_pages:
            ctx.frontier.set_aside(url, PART)
        ctx.frontier.add_many(links, found_on=page.url)
        ctx.in_work[page.url] = _post_links(links)
        new_posts = ctx.frontier.learn(page.url, yield_=_post_links(links), is_post=True)
        is_expected = classified.entry is not None or ctx.classifier.is_permalink(page.url) or is_numbered_url(page.url)
        if new_posts or not is_expected:  # pages like it may hold further posts
            ctx.harvest.discovered()
        ctx.tally.posts += 1
        yield from self._gather(RecordSource(page.page, page.wrapper, classified.entry, read_page=page), further)

    def _gather(self, source: RecordSource, waiting: list[str]) -> Iterator[Record | FetchPart]:
        """The record of a post, or the task to fetch the article's next page."""
        ctx = self._ctx
        known = {identity(page.url) for page in (source.page, *source.more_pages)}
        url = next((url for url in waiting if identity(url) not in known), None)
        if url is not None and len(known) < MAX_PAGES:
            yield FetchPart(url, source, waiting)
            return
        for left in waiting:
            if ctx.frontier.is_under_way(left):
                ctx.frontier.set_aside(left, PART)
        record = Record(ctx.home, out_of_path(canonicalise(source.page.url)), source=source)
        yield from ctx.hooks.prepare_record(record)

    def process_part(
        self, page: Page, part: FetchPart, handed_in: ReadPage | None = None
    ) -> Iterator[Record | FetchPart]:
        """Process a further page of an article."""
        ctx, source = self._ctx, part.source
        if page.status != 200:
            give_up(ctx, part.url, reason_missing(page))
        parsed = page_or_give_up(ctx, page, handed_in) if page.status == 200 else None
        try:
            read_page = parsed and parsed.read_by(ctx.classifier.wrapper)
        except PageTooSlow:
            give_up(ctx, part.url, TOO_SLOW)
            read_page = None
        if read_page is None:
            yield from self.go_on_without(part)
            return
        if not self._goes_on(source, read_page):  # a post of its own, below the address of another post
            yield from self._commit(classify(ctx, read_page, is_last=True, is_apart=True))
            yield from self.go_on_without(part)
            return
        further = [
            url for url in further_pages(read_page.outline.links, source.page.url) if ctx.classifier.scope.covers(url)
        ]
        for url in further:
            if ctx.frontier.status(url) in (None, "pending"):
                ctx.frontier.redirected(url, url)
        ctx.frontier.commit_page(part.url, yield_=None, links=links_of(ctx, read_page.outline))
        remaining = list(dict.fromkeys([*_behind(part), *further]))
        yield from self._gather(replace(source, more_pages=(*source.more_pages, page)), remaining)

    def go_on_without(self, part: FetchPart) -> Iterator[Record | FetchPart]:
        """Make the record without a further page that could not be fetched."""
        yield from self._gather(part.source, _behind(part))

    def _goes_on(self, source: RecordSource, page: ReadPage) -> bool:
        """True if a further page has the title of the article's first page, or no title."""
        begun = read(source.page, page.wrapper, source.read_page)
        title, own = (fold(one.extraction.title or "") for one in (begun, page))
        return not title or not own or title.startswith(own) or own.startswith(title)


def _post_links(links: list[Link]) -> int:
    """Number of posts that a page links to outside of menus."""
    return sum(link.is_post and not link.in_menu for link in links)


def _behind(part: FetchPart) -> list[str]:
    return [url for url in part.waiting if identity(url) != identity(part.url)]
