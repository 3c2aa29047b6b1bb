"""The training pages of a crawl, that is pages of entries known to be posts, and the rules learned from them."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote, urlsplit

from blogcrawler.browser.need import is_shell, shows, tree_of
from blogcrawler.choices import CORRECTABLE
from blogcrawler.crawl.blocked_site import are_same_page, without_content
from blogcrawler.crawl.classifier import HEADINGS, PostClassifier, menu, targets_of, trusts_canonical
from blogcrawler.crawl.pages import add_entry, give_up, save_state, tree_or_give_up
from blogcrawler.crawl.read_page import Outline
from blogcrawler.crawl.reasons import LEADS_AWAY, reason_missing
from blogcrawler.dom import inline_text, parse_page
from blogcrawler.downloader.reasons import NOT_SHOWN, is_gone, is_unanswered, reason_of, status_reason
from blogcrawler.errors import NotAWebPage
from blogcrawler.feeds.discovery import REFUSALS
from blogcrawler.purposes import Purpose
from blogcrawler.routes import is_routed
from blogcrawler.similarity import fold
from blogcrawler.time_limit import in_time
from blogcrawler.urls import Scope, canonicalise, identity
from blogcrawler.wrapper import Corrected, Correction, Example, Wrapper, learn_corrected, learn_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.backend import KeptCorrection
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.items import Entry, Page

    PostPages = list[tuple[Page, Entry]]

T = TypeVar("T")

TRAINING_PAGES = 30
"""Number of pages of the newest entries from which the wrapper is learned. More pages would teach nothing new and cost
requests."""
REDIRECT_PAGES = 3
"""Number of pages of entries that show how the server rewrites addresses; later entries are requested at rewritten
addresses."""
FIRST_PAGES = 8
"""Number of pages of entries after which the server counts as unavailable if none was answered."""


async def fetch_pages(ctx: CrawlContext, wanted: Sequence[Entry], at_hand: dict[str, Page]) -> PostPages:
    """Fetch the pages of the first entries, as many as are needed for learning. Pages in `at_hand` are not fetched
    again."""
    limit = ctx.options.stop_rules.page_limit
    count = TRAINING_PAGES if limit is None else max(1, min(TRAINING_PAGES, limit - ctx.tally.pages))
    entries = [entry for entry in wanted if ctx.scope.covers(entry.url)][:count]
    pages: PostPages = []
    for begin, end in pairwise((0, REDIRECT_PAGES, FIRST_PAGES, TRAINING_PAGES)):
        # the server does not answer
        if begin == FIRST_PAGES and not pages and all(map(is_unanswered, ctx.tally.failures)):
            return []
        part = await _fetch_together(ctx, entries[begin:end], at_hand)
        for page, entry in part:
            ctx.frontier.note_answer(entry.url, page.url)
        pages += part
    return pages


async def _fetch_together(ctx: CrawlContext, entries: Sequence[Entry], at_hand: dict[str, Page]) -> PostPages:
    """The pages of entries that arrive before the time limit."""
    tasks = [asyncio.ensure_future(_fetch_entry(ctx, entry, at_hand)) for entry in entries]
    if tasks:
        await asyncio.wait(tasks, timeout=ctx.time_left_s())
    for task in tasks:
        task.cancel()
    pages = [task.result() if task.done() and not task.cancelled() else None for task in tasks]
    return [(page, entry) for page, entry in zip(pages, entries, strict=True) if page is not None]


async def _fetch_entry(ctx: CrawlContext, entry: Entry, at_hand: dict[str, Page]) -> Page | None:
    """The page of an entry; None if it is missing, which is recorded."""
    add_entry(ctx, entry)
    url = canonicalise(entry.url)
    page = at_hand.get(identity(url)) or await _fetch_as_the_server_wants(ctx, url)
    if isinstance(page, str):
        give_up(ctx, url, page)
        return None
    if page.status in REFUSALS and tree_of(page) is None:
        page = without_content(page)
    if not (is_gone(reason := reason_missing(page)) or page.is_not_captured):
        ctx.answers[identity(url)] = page, entry
    if page.status == 200 and is_routed(url) and not page.is_rendered:
        reason = NOT_SHOWN
    elif page.status == 200:
        ctx.archive.save_training_page(ctx.home, page, entry)
        return page
    give_up(ctx, url, reason)
    return None


async def _fetch_as_the_server_wants(ctx: CrawlContext, url: str) -> Page | str:
    """The page of a post, requested at the rewritten address if it is known how the server rewrites addresses."""
    asked = ctx.frontier.request_url(url)
    page = await fetch_post(ctx, asked)
    is_there = not isinstance(page, str) and not is_gone(status_reason(page.status))
    return page if is_there or asked == url else await fetch_post(ctx, url)


async def fetch_post(ctx: CrawlContext, url: str) -> Page | str:
    """The page of a post, or the reason why it cannot be fetched."""
    try:
        page = await ctx.fetcher.get(url, Purpose.PAGE)
    except Exception as error:  # noqa: BLE001 - one page never ends a crawl
        return reason_of(error)
    ctx.tally.pages += 1
    return page


def own_pages(ctx: CrawlContext, pages: PostPages, no_posts: set[str]) -> PostPages:
    """The pages that are their entries' own: not the home page, a page of several entries, or a page of
    another site."""
    unique = {identity(entry.url): (page, entry) for page, entry in reversed(pages)}
    led = Counter(identity(page.url) for page, _ in unique.values())
    scope = Scope.of(ctx.home, [page.url for page, _ in unique.values() if led[identity(page.url)] == 1])
    if not ctx.is_blocked:
        no_posts = no_posts | _same_pages(unique.values())
    own: PostPages = []
    for page, entry in reversed(unique.values()):
        key = identity(page.url)
        if led[key] == 1 and key not in no_posts and scope.covers(page.url):
            ctx.frontier.redirected(entry.url, page.url)
            ctx.entries[key] = entry
            own.append((page, entry))
        else:
            ctx.archive.forget_training_pages(ctx.home, url=page.url)
            ctx.entries.pop(identity(entry.url), None)
            give_up(ctx, canonicalise(entry.url), LEADS_AWAY)
    return own


def readable(ctx: CrawlContext, pages: PostPages) -> PostPages:
    """The pages that have a tree; other pages are given up."""
    return [(page, entry) for page, entry in pages if tree_or_give_up(ctx, page) is not None]


def set_odd_aside(ctx: CrawlContext, odd: Collection[str], pages: PostPages) -> tuple[PostPages, list[Page]]:
    """Split pages into those that are not `odd` (given by `urls.identity`), and odd ones; if most are odd, none counts
    as odd."""
    apart = [page for page, _ in pages if identity(page.url) in odd]
    if not 0 < 2 * len(apart) < len(pages):
        return pages, []
    return [(page, entry) for page, entry in pages if identity(page.url) not in odd], set_aside(ctx, apart)


def set_aside(ctx: CrawlContext, pages: list[Page]) -> list[Page]:
    """Detach pages from their entries, so that they are classified like other pages."""
    for page in pages:
        ctx.entries.pop(identity(page.url), None)
        ctx.archive.forget_training_pages(ctx.home, url=page.url)
    return pages


def spread(items: Sequence[T], most: int) -> Sequence[T]:
    """At most `most` items, evenly from all of them."""
    return items[:: max(1, -(-len(items) // most))]


def headed_by_others(pages: PostPages) -> set[str]:
    """The pages, written as by `urls.identity`, whose headings link to other pages among them: lists of posts."""
    posts = {identity(page.url): page for page, _ in pages}
    lists = set()
    for key, page in posts.items():
        headings = () if (tree := tree_of(page)) is None else tree.iter(*HEADINGS)
        targets = {identity(target) for heading in headings for target in targets_of(heading, page.url)}
        lists |= {key} if targets & posts.keys() - {key} else set()
    return lists


def is_bare(page: Page, entry: Entry, wrapper: Wrapper) -> bool:
    """True if a post's record would lack a date, or have a date but no text. A date counts if a trusted feed or the
    page has it; a text, if the feed or the page has it. Lists of tags and posts are bare."""
    is_dated = entry.published and "published" not in wrapper.distrusted
    if page.tree is None or (is_dated and entry.content_html):
        return False
    extraction = wrapper.extract(page.tree, page.url, page.fetched_at)
    return extraction.published is None and (not is_dated or extraction.article is None)


def only_in_menu(pages: Sequence[tuple[Page, Entry]]) -> set[str]:
    """The entries that the menu names, written as by `urls.identity`: pages about the blog.

    Empty if another entry is as deep in the site as one of them, since posts may be in menus, too.
    """
    own = {identity(page.url): identity(page.url).rstrip("/").count("/") for page, _ in pages}
    trees = [(tree, page.url) for page, _ in pages if (tree := tree_of(page)) is not None]
    named = own.keys() & menu([targets_of(tree, url) for tree, url in trees])
    return named if {own[key] for key in named}.isdisjoint(own[key] for key in own.keys() - named) else set()


def _same_pages(pages: Collection[tuple[Page, Entry]]) -> set[str]:
    """Pages with the same text as another entry's page and without the entry's title: what a site shows for lost pages.

    A page's own address in the text is ignored, and so are small changes if all pages are alike and none is a post's.
    Pages that wait for scripts to fill them are skipped.
    """
    said: dict[str, list[str]] = {}
    lacking: list[HtmlElement] = []
    for page, entry in pages:
        tree = tree_of(page)
        if tree is None or is_shell(tree):
            continue
        lacking += [tree] if entry.title and not shows(tree, entry) else []
        text = fold(inline_text(tree))
        if not entry.title or fold(entry.title) not in text:
            for own in (page.url, urlsplit(page.url).path):
                text = text.replace(fold(own), "").replace(fold(unquote(own)), "")
            said.setdefault(text, []).append(identity(page.url))
    if len(lacking) == len(pages) and are_same_page(lacking):
        return {identity(page.url) for page, _ in pages}
    return {key for keys in said.values() if len(keys) > 1 for key in keys}


def keep_rules(
    ctx: CrawlContext,
    wrapper: Wrapper,
    entries: PostPages,
    no_posts: set[str],
    since: str | None,
    more_posts: Iterable[str] = (),
) -> None:
    """Make and store the classifier from a wrapper and the pages of entries.

    `no_posts` are written as by `urls.identity`; the pages of `more_posts` are not at hand; `since` is the day since
    which the feed has every post.
    """
    posts = list(dict.fromkeys([*(page.url for page, _ in entries), *more_posts]))
    others = no_posts - set(map(identity, posts))
    outlines = [Outline.of(page.tree, page.url) for page, _ in entries if page.tree is not None]
    scope = Scope.of(ctx.home, posts, [url for outline in outlines for url in outline.versions])
    scope = ctx.without_removed(scope, ctx.home)
    ctx.classifier = PostClassifier(scope, wrapper, posts, frozenset(others), trusts_canonical(outlines))
    ctx.classifier.feed_since = since
    ctx.classifier.menu = menu([ctx.classifier.links(outline) for outline in outlines])
    ctx.archive.save_wrapper(ctx.home, wrapper.to_dict())
    save_state(ctx)


def learn_with_corrections(ctx: CrawlContext, entries: Iterable[tuple[Page, Entry]]) -> Wrapper:
    """The wrapper learned from pages of the blog."""
    return learned(entries, ctx.archive.corrections(ctx.home).all())


def learned(entries: Iterable[tuple[Page, Entry]], corrections: Iterable[KeptCorrection] = ()) -> Wrapper:
    """The wrapper learned from parsed pages and from people's corrections.

    Pages that take too long are left out; raises `PageTooSlow` if the rest takes too long, too.
    """
    said = list(corrections)
    return in_time(list(entries), lambda pages: _learned(pages, said))


def _learned(entries: Iterable[tuple[Page, Entry]], corrections: Iterable[KeptCorrection]) -> Wrapper:
    pairs = [(page, page.tree, entry) for page, entry in entries if page.tree is not None]
    examples = [Example(tree, entry, page.url, page.fetched_at) for page, tree, entry in pairs]
    wrapper = learn_corrected(examples, list(_corrected(corrections)))
    return learn_lines(wrapper, [tree for _, tree, _ in pairs])


def _corrected(corrections: Iterable[KeptCorrection]) -> Iterator[Corrected]:
    """The pages that people have corrected, each with all its corrections."""
    pages: dict[tuple[str, str], list[KeptCorrection]] = {}
    for correction in corrections:
        pages.setdefault((correction.url, hashlib.sha256(correction.page.body).hexdigest()), []).append(correction)
    for group in pages.values():
        page = group[0].page
        with suppress(NotAWebPage):
            example = Example(parse_page(page), group[0].entry, page.url, page.fetched_at)
            said = (
                Correction(field, correction.path, correction.words)
                for correction in group
                for field in CORRECTABLE
                if field == correction.field
            )
            yield Corrected(example, tuple(said))
