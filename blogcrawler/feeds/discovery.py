"""From what a user typed to the blog's feed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blogcrawler.dom import links, parse, parse_page
from blogcrawler.errors import EmptyFeed, NoFeed, NotAWebPage
from blogcrawler.feeds.candidates import candidates
from blogcrawler.feeds.list_search import find_lists, home_of
from blogcrawler.feeds.model import Feed
from blogcrawler.feeds.parse import looks_like_feed, parse_feed
from blogcrawler.feeds.ranking import rank_feeds, tells_posts
from blogcrawler.routes import out_of_path
from blogcrawler.urls import canonicalise, identity, same_site

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Container, Iterable, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.feeds.fetch import Fetch
    from blogcrawler.feeds.model import FeedCandidate
    from blogcrawler.feeds.synthetic import PostList
    from blogcrawler.items import Page

    Settle = Callable[[Page], Awaitable[Page]]

ENOUGH = 2
"""Feeds of posts that are compared; the ranking of the candidates leaves little to chance."""
UNLIKELY = 100.0
"""Penalty from which a candidate is a guess, or of a part of the blog or of its comments."""
MAX_TRIES = 24
"""Requests for the feed of a blog that names none."""
BUSY = (429, 503)
REFUSALS = (401, 403, *BUSY)
"""Statuses of a start page at which the feed is asked for all the same: it may be open to all."""


class StartRefused(Exception):
    """The site does not give the `page` that a search begins with."""

    def __init__(self, page: Page) -> None:
        super().__init__(page.url)
        self.page = page


@dataclass(frozen=True)
class Discovery:
    """A blog's feed, and what was fetched to find it."""

    feed: Feed
    home: str
    #: the start page; None where the user named the feed itself
    start: Page | None
    etag: str | None
    last_modified: str | None
    #: where there is no feed: lists of what may be posts, the likeliest first; the feed is empty then
    lists: tuple[PostList, ...] = ()
    #: pages that were fetched to find them
    pages: tuple[Page, ...] = ()
    #: the feed that is there, and has no entries, or none that leads to a page
    empty_feed: str | None = None
    #: the address by which it was found
    start_url: str = ""


async def discover(start_url: str, fetch: Fetch, settle: Settle | None = None) -> Discovery:
    """Find the main feed of the blog at a URL: its home page, one of its posts, or the feed.

    Where there is none, `lists` holds what pages list in its place. `settle` is told of the first page before another
    one is fetched, and returns it as it is to be read. Raises what `fetch` does for the first page, StartRefused,
    NotAWebPage, NoFeed or EmptyFeed.
    """
    start = await _fetch_start(start_url, fetch)
    if settle is not None:
        start = await settle(start)
    if looks_like_feed(start.body, start.content_type):
        feed = parse_feed(start.body, start.url, start.content_type)
        if not feed.entries:
            raise _empty(start.url)
        return _discovery(feed, start, None, start_url)
    try:
        tree = parse_page(start)
    except NotAWebPage as error:
        if start.status not in REFUSALS:
            message = f"{start.url} is no web page ({error}); give the address of the blog's home page or feed."
            raise NotAWebPage(message, url=start.url) from error
        tree = parse(b"<p>")
    tried = await _try(_named(tree, start, start_url), start.url, fetch, start_url)
    if start.status in REFUSALS and not tried.found:
        raise StartRefused(start)
    if not tried.of_posts(start.url):
        without = await without_feed(start, tree, fetch)
        if without.lists:
            return replace(without, empty_feed=next(iter([*tried.empty, *tried.found]), None))
    if not tried.found:
        if tried.empty:
            raise _empty(tried.empty[0])
        raise NoFeed(
            f"No feed was found for {start_url}: the page names none and the usual places have none, nor does it lead "
            "to a list of posts. If the blog has a feed, give its address with -a url=.",
            url=start_url,
        )
    linked = [link.url for link in links(tree, start.url) if link.kind == "a"]
    return _main_feed(tried.found, start, start_url, linked)


async def rediscover(
    start: Page,
    fetch: Fetch,
    *,
    besides: Container[str],
    has_guesses: bool,
    is_own: Callable[[Feed], bool],
) -> tuple[Discovery | None, list[str]]:
    """Find the feed of a known blog anew, from its home page; and which addresses were tried in vain.

    `besides` are addresses, as `urls.identity` writes them, that are not tried; those where blog software puts feeds
    are tried only with `has_guesses`. A feed counts only if it is the blog's own.
    """
    try:
        tree = parse_page(start)
    except NotAWebPage:
        return None, []
    named = [one for one in _named(tree, start) if identity(one.url) not in besides]
    tried = await _try([one for one in named if has_guesses or one.how != "well-known"], start.url, fetch)
    own = {url: (feed, page) for url, (feed, page) in tried.found.items() if not feed.is_comments and is_own(feed)}
    in_vain = [*tried.in_vain, *tried.empty, *(url for url in tried.found if url not in own)]
    return _main_feed(own, start, start.url) if own else None, in_vain


def _main_feed(
    found: Mapping[str, tuple[Feed, Page]], start: Page, start_url: str, linked: Sequence[str] = ()
) -> Discovery:
    """The blog's feed among some; `linked` is what the start page links to."""
    feed = rank_feeds([feed for feed, _ in found.values()], start.url, linked)[0]
    return _discovery(feed, found[feed.url][1], start, start_url)


@dataclass(frozen=True)
class _Tried:
    """What became of addresses that may be the feed's."""

    #: feeds with entries, by their addresses
    found: dict[str, tuple[Feed, Page]] = field(default_factory=dict)
    #: feeds without
    empty: list[str] = field(default_factory=list)
    #: what answers with no feed
    in_vain: list[str] = field(default_factory=list)

    def of_posts(self, start_url: str) -> list[Feed]:
        """The feeds that have entries besides the page that lists them."""
        return [feed for feed, _ in self.found.values() if tells_posts(feed, start_url)]


def _named(tree: HtmlElement, start: Page, asked_url: str | None = None) -> list[FeedCandidate]:
    return candidates(tree, start.url, start.headers.get("link", ()), asked_url)


async def _try(named: Iterable[FeedCandidate], start_url: str, fetch: Fetch, asked_url: str | None = None) -> _Tried:
    """Ask for feeds, until there are enough to choose the main one; `asked_url` is what led to the start page."""
    tried = _Tried()
    tries = 0
    for candidate in named:
        good = [feed for feed in tried.of_posts(start_url) if not feed.is_comments]
        if tries >= MAX_TRIES or len(good) >= ENOUGH:
            break
        if good and candidate.penalty >= UNLIKELY and not _may_be_whole(candidate, good[0], start_url, asked_url):
            continue
        tries += 1
        answer = await _fetch_feed(candidate.url, fetch)
        if answer is None:
            tried.in_vain.append(candidate.url)
        elif not answer[0].entries:
            tried.empty.append(answer[0].url)
        else:
            tried.found[answer[0].url] = answer
    return tried


def _may_be_whole(candidate: FeedCandidate, feed: Feed, start_url: str, asked_url: str | None) -> bool:
    """True if a guess is where the blog that was asked for has what a feed is for the part that it led to."""
    if candidate.how != "well-known" or asked_url is None or identity(asked_url) == identity(start_url):
        return False
    path, part = urlsplit(candidate.url).path, urlsplit(feed.url).path
    folder = urlsplit(asked_url).path.rpartition("/")[0]
    return path.startswith(f"{folder}/") and path != part and part.endswith(path)


async def without_feed(start: Page, tree: HtmlElement, fetch: Fetch) -> Discovery:
    """What a blog's pages list in place of a feed. Where the start page is a post, the page that lists it is home."""
    above = await home_of(start, tree, fetch)
    top_tree, top = above or (tree, start)
    lists, pages = await find_lists(top, top_tree, fetch, datetime.now(UTC))
    fetched = pages if above is None else [top, *(page for page in pages if page.url != start.url)]
    home = canonicalise(top.url)
    return Discovery(Feed(home, "synthetic"), home, start, None, None, tuple(lists), tuple(fetched))


async def _fetch_start(start_url: str, fetch: Fetch) -> Page:
    page = await fetch(start_url)
    if page.status >= 400 and page.status not in REFUSALS:
        raise StartRefused(page)
    if not page.body.strip() and page.status < 400:
        raise NotAWebPage(f"{page.url} is empty; give the address of the blog's home page.", url=start_url)
    return page


def _empty(url: str) -> EmptyFeed:
    return EmptyFeed(f"The feed {url} has no entries with a link; there is nothing to learn from.", url=url)


async def _fetch_feed(url: str, fetch: Fetch) -> tuple[Feed, Page] | None:
    try:
        page = await fetch(url)
        return (parse_feed(page.body, page.url, page.content_type), page) if page.status == 200 else None
    except Exception:  # noqa: BLE001  the next candidate may answer
        return None


def without_pages(feed: Feed) -> Feed:
    """The feed without entries that have no date, where most have one: software adds pages that are no posts to it."""
    dated = tuple(entry for entry in feed.entries if entry.published)
    return replace(feed, entries=dated) if 2 * len(dated) > len(feed.entries) else feed


def _discovery(feed: Feed, page: Page, start: Page | None, start_url: str) -> Discovery:
    feed = without_pages(feed)
    home = _home(feed, start.url if start is not None else None, start_url)
    return Discovery(feed, canonicalise(home), start, page.header("etag"), page.header("last-modified"))


def _home(feed: Feed, start: str | None, start_url: str) -> str:
    """The blog's home page: the feed's, where start or entries are on its site; else what the entries are below."""
    urls = [out_of_path(entry.url) for entry in feed.entries]
    if feed.home and identity(feed.home) != identity(feed.url):
        there = sum(same_site(url, feed.home) for url in urls)
        if 2 * there > len(urls) or any(same_site(url, feed.home) for url in (start, start_url) if url):
            return feed.home
    root = _common_folder(urls)
    if start is not None and root.startswith(start.partition("?")[0].rstrip("/") + "/"):
        return start
    return root


def _common_folder(urls: Sequence[str]) -> str:
    """The folder of most entries' site that all entries there are below; folders of years and days are the posts'."""
    commonest, _ = Counter("/".join(url.split("/", 3)[:3]) for url in urls).most_common(1)[0]
    paths = [urlsplit(url).path.split("/")[1:-1] for url in urls if url.startswith(f"{commonest}/")]
    folder: list[str] = []
    for names in zip(*paths, strict=False):
        if len(set(names)) > 1 or names[0].isdigit():
            break
        folder.append(names[0])
    single = len(paths) == 1
    return "/".join([commonest, *([] if single else folder), ""])
