"""What a crawl learns from: the pages of entries that are known to be posts."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from blogcrawler.crawl.blocked_site import are_one, without_content
from blogcrawler.crawl.browser_need import is_shell, shows, tree_of
from blogcrawler.crawl.classifier import HEADINGS, PostClassifier, menu, targets_of, trusts_canonical
from blogcrawler.crawl.feed_discovery import REFUSALS
from blogcrawler.crawl.reasons import LEADS_AWAY
from blogcrawler.dom import inline_text, parse_page, versions
from blogcrawler.downloader.reasons import NOT_SHOWN, is_gone, is_unanswered, reason_of, status_reason
from blogcrawler.errors import NotAWebPage
from blogcrawler.routes import is_routed
from blogcrawler.similarity import fold
from blogcrawler.spiders.base import page_of
from blogcrawler.spiders.shown import ShownPages
from blogcrawler.time_limit import in_time
from blogcrawler.urls import Scope, canonicalise, identity
from blogcrawler.wrapper import CORRECTABLE, Corrected, Correction, Example, Wrapper, learn_corrected, learn_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.backend import KeptCorrection
    from blogcrawler.items import Entry, Page

__all__ = ["TRAINING_PAGES", "TrainingSpider", "is_bare", "learned", "only_in_menu"]

TRAINING_PAGES = 30
"""Pages of the newest entries that the wrapper is learned from; more teach nothing new and cost requests before it."""

UNANSWERED_AT_FIRST = 8
"""Pages of entries after which, if none has an answer, nobody is there."""


class TrainingSpider(ShownPages):
    """Fetches the pages of entries, and makes the reader of what was learned from them."""

    _scope: Scope
    #: pages that the wrapper was learned from
    _training: list[tuple[Page, Entry]]

    async def _fetch_pages(self, wanted: Sequence[Entry], kept: dict[str, Page]) -> list[tuple[Page, Entry]]:
        """The pages that the first of some entries lead to, as many as are learned from; those `kept` are at hand."""
        limit = self.stop_rules.page_limit
        count = TRAINING_PAGES if limit is None else max(1, min(TRAINING_PAGES, limit - self.tally.pages))
        entries = [entry for entry in wanted if self._scope.covers(entry.url)][:count]
        first = await self._fetch_part(entries[:UNANSWERED_AT_FIRST], kept)
        if not first and all(map(is_unanswered, self.tally.failures)):  # nobody is there
            return []
        return [*first, *await self._fetch_part(entries[UNANSWERED_AT_FIRST:], kept)]

    async def _fetch_part(self, entries: Sequence[Entry], kept: dict[str, Page]) -> list[tuple[Page, Entry]]:
        """The pages that some entries lead to."""
        tasks = {asyncio.ensure_future(self._fetch_entry(entry, kept)): entry for entry in entries}
        if tasks:
            await asyncio.wait(tasks, timeout=self._time_left_s())
        for task in tasks:
            task.cancel()
        return [
            (page, entry)
            for task, entry in tasks.items()
            if task.done() and not task.cancelled() and (page := task.result()) is not None
        ]

    async def _fetch_entry(self, entry: Entry, kept: dict[str, Page]) -> Page | None:
        """The page that an entry leads to; None where it cannot be had."""
        self._add_entry(entry)
        url = canonicalise(entry.url)
        page = kept.get(identity(url))
        if page is None:
            try:
                response = await self._fetch_post(url)
            except Exception as error:  # noqa: BLE001  one page never ends a crawl
                self._give_up(url, reason_of(error))
                return None
            self.tally.page()
            page = page_of(response)
        if page.status in REFUSALS and tree_of(page) is None:
            page = without_content(page)
        if not is_gone(reason := status_reason(page.status)):
            self._answers[identity(url)] = page, entry
        if page.status != 200:
            self._give_up(url, reason)
            return None
        if is_routed(url) and not page.is_rendered:
            self._give_up(url, NOT_SHOWN)
            return None
        self.archive.save_training_page(self.home, page, entry)
        return page

    def _own_pages(self, pages: list[tuple[Page, Entry]], no_posts: set[str]) -> list[tuple[Page, Entry]]:
        """Without the pages of other things: the home page, one page for several entries, one of another site."""
        unique = {identity(entry.url): (page, entry) for page, entry in reversed(pages)}
        led = Counter(identity(page.url) for page, _ in unique.values())
        scope = Scope.of(self.home, [page.url for page, _ in unique.values() if led[identity(page.url)] == 1])
        if not self._is_blocked():
            no_posts = no_posts | _same_pages(unique.values())
        own: list[tuple[Page, Entry]] = []
        for page, entry in reversed(unique.values()):
            key = identity(page.url)
            if led[key] == 1 and key not in no_posts and scope.covers(page.url):
                self.frontier.redirected(entry.url, page.url)
                self._entries[key] = entry
                own.append((page, entry))
            else:
                self.archive.forget_training_pages(self.home, url=page.url)
                self._entries.pop(identity(entry.url), None)
                self._give_up(canonicalise(entry.url), LEADS_AWAY)
        return own

    def _without_lists(self, pages: list[tuple[Page, Entry]]) -> tuple[list[tuple[Page, Entry]], list[Page]]:
        """The pages of entries, and apart those whose headings lead to others of them, unless most are such."""
        posts = {identity(page.url) for page, _ in pages}
        return self._without([page for page, _ in pages if _heads_others(page, posts)], pages)

    def _without(self, odd: list[Page], pages: list[tuple[Page, Entry]]) -> tuple[list[tuple[Page, Entry]], list[Page]]:
        """The pages of entries without the odd ones, and these, set aside; all as they are where most are odd."""
        if not 0 < 2 * len(odd) < len(pages):
            return pages, []
        return [one for one in pages if all(one[0] is not page for page in odd)], self._set_aside(odd)

    def _set_aside(self, pages: list[Page]) -> list[Page]:
        """Pages that turned out not to be what entries are about: they are read as all pages are."""
        for page in pages:
            self._entries.pop(identity(page.url), None)
            self.archive.forget_training_pages(self.home, url=page.url)
        return pages

    def _keep_rules(
        self,
        wrapper: Wrapper,
        entries: list[tuple[Page, Entry]],
        no_posts: set[str],
        since: str | None,
        more_posts: Iterable[str] = (),
    ) -> None:
        """Make the reader, and keep it.

        `no_posts` are pages as `urls.identity` writes them; of `more_posts` the pages are not at hand.
        """
        posts = list(dict.fromkeys([*(page.url for page, _ in entries), *more_posts]))
        others = no_posts - set(map(identity, posts))
        canonical = trusts_canonical((page.tree, page.url) for page, _ in entries if page.tree is not None)
        others_of = [url for page, _ in entries if page.tree is not None for url in versions(page.tree, page.url)]
        self.reader = PostClassifier(
            Scope.of(self.home, posts, others_of), wrapper, posts, frozenset(others), canonical
        )
        self.reader.feed_since = since
        linked = [self.reader.links(page.tree, page.url) for page, _ in entries if page.tree is not None]
        self.reader.menu = menu(linked)
        self.archive.save_wrapper(self.home, wrapper.to_dict())
        self._save_state()

    def _add_entry(self, entry: Entry) -> None:
        """Take in the address of an entry's post, as one that is certain."""
        if self._scope.covers(entry.url) and self.frontier.status(entry.url) != "failed":
            self._entries.setdefault(identity(entry.url), entry)
            self.frontier.add(entry.url, is_post=True)

    def _time_left_s(self) -> float | None:
        """Seconds until the time limit; None where there is none."""
        limit = self.stop_rules.time_limit_s
        return None if limit is None else max(1.0, limit - self.elapsed_s())


def is_bare(page: Page, entry: Entry, wrapper: Wrapper) -> bool:
    """True if a post's record would have no date, from the feed none that is believed and from the page none; or one
    from the feed, and neither it nor the page any text: lists of tags and posts are such.
    """
    is_dated = entry.published and "published" not in wrapper.distrusted
    if page.tree is None or (is_dated and entry.content_html):
        return False
    shown = wrapper.extract(page.tree, page.url, page.fetched_at)
    return shown.published is None and (not is_dated or shown.article is None)


def only_in_menu(pages: Sequence[tuple[Page, Entry]]) -> set[str]:
    """The entries that the menu names, as `urls.identity` writes them: pages about the blog.

    None where another entry is as deep in the site as one of them: posts may stand in menus, too.
    """
    own = {identity(page.url): identity(page.url).rstrip("/").count("/") for page, _ in pages}
    trees = [(tree, page.url) for page, _ in pages if (tree := tree_of(page)) is not None]
    named = own.keys() & menu([targets_of(tree, url) for tree, url in trees])
    return named if {own[key] for key in named}.isdisjoint(own[key] for key in own.keys() - named) else set()


def _heads_others(page: Page, posts: set[str]) -> bool:
    """True if a heading of a page leads to one of some other pages."""
    headings = () if (tree := tree_of(page)) is None else tree.iter(*HEADINGS)
    keys = {identity(target) for heading in headings for target in targets_of(heading, page.url)}
    return not keys.isdisjoint(posts - {identity(page.url)})


def _same_pages(pages: Collection[tuple[Page, Entry]]) -> set[str]:
    """Pages that say the same as that of another entry, and not the entry's title: what a site shows for lost pages.

    What a page says of its own address does not count, nor what else changes where all are alike and no post's. Pages
    that wait for scripts are the same as they are sent.
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
    if len(lacking) == len(pages) and are_one(lacking):
        return {identity(page.url) for page, _ in pages}
    return {key for keys in said.values() if len(keys) > 1 for key in keys}


def learned(entries: Iterable[tuple[Page, Entry]], corrections: Iterable[KeptCorrection] = ()) -> Wrapper:
    """The wrapper of pages whose trees are there, and of what people have corrected.

    Pages that take too long are left out; raises `PageTooSlow` where the rest takes too long, too.
    """
    said = list(corrections)
    return in_time(list(entries), lambda pages: _learned(pages, said))


def _learned(entries: Iterable[tuple[Page, Entry]], corrections: Iterable[KeptCorrection]) -> Wrapper:
    pairs = [(page, page.tree, entry) for page, entry in entries if page.tree is not None]
    examples = [Example(tree, entry, page.url, page.fetched_at) for page, tree, entry in pairs]
    wrapper = learn_corrected(examples, list(_corrected(corrections)))
    return learn_lines(wrapper, [tree for _, tree, _ in pairs])


def _corrected(corrections: Iterable[KeptCorrection]) -> Iterator[Corrected]:
    """The pages that people have corrected, each with all that they said of it."""
    pages: dict[tuple[str, str], list[KeptCorrection]] = {}
    for one in corrections:
        pages.setdefault((one.url, hashlib.sha256(one.page.body).hexdigest()), []).append(one)
    for found in pages.values():
        page = found[0].page
        with suppress(NotAWebPage):
            example = Example(parse_page(page), found[0].entry, page.url, page.fetched_at)
            said = (
                Correction(field, one.path, one.words) for one in found for field in CORRECTABLE if field == one.field
            )
            yield Corrected(example, tuple(said))
