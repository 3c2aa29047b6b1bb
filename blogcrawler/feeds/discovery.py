"""Finds a blog's feed from the URL that a user typed."""

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
from blogcrawler.feeds.ranking import has_posts, rank_feeds
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
"""Maximum number of candidate feeds that are compared; the ranking of candidates is reliable."""
UNLIKELY = 100.0
"""Penalties from this value on denote guessed URLs, and feeds of comments or of a part of the blog."""
MAX_TRIES = 24
"""Maximum number of requests in search of a feed that no page links to."""
BUSY = (429, 503)
REFUSALS = (401, 403, *BUSY)
"""Statuses of a start page with which the search continues, since the feed may be accessible."""


class StartRefused(Exception):
    """The server refused the start `page`."""

    def __init__(self, page: Page) -> None:
        super().__init__(page.url)
        self.page = page


@dataclass(frozen=True)
class Discovery:
    """A blog's feed, and the pages that were fetched to find it."""

    feed: Feed
    home: str
    #: the start page; None if the user gave the feed's URL
    start: Page | None
    etag: str | None
    last_modified: str | None
    #: if there is no feed (`feed` is empty then): lists of possible posts, the likeliest first
    lists: tuple[PostList, ...] = ()
    #: pages that were fetched to find the lists
    pages: tuple[Page, ...] = ()
    #: a feed without entries, or without entries that link to a page
    empty_feed: str | None = None
    #: the URL at which it was found
    start_url: str = ""
    #: True if the entries of `feed` come from several documents of many years, between which posts may be missing
    is_united: bool = False


async def discover(start_url: str, fetch: Fetch, settle: Settle | None = None) -> Discovery:
    """Find the main feed of the blog at a URL, which may be its home page, a post, or the feed.

    If there is no feed, `lists` holds the lists of possible posts. `settle` is called with the first page before
    another page is fetched, and returns the page to use. Raises the errors of `fetch` for the first page, StartRefused,
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
            message = f"{start.url} is not a web page. {error} Give the URL of the blog's home page or feed."
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
            f"No feed was found for {start_url}: neither the page nor the usual URLs have one, and no list of posts "
            "was found. If the blog has a feed, give its address with -a url=.",
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
    """Find the feed of a known blog again, from its home page; also return the URLs that were tried without success.

    `besides` are URLs (as `urls.identity`) that are skipped. Usual feed URLs are only tried with `has_guesses`. The
    feed must belong to the blog itself.
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
    feeds: Mapping[str, tuple[Feed, Page]], start: Page, start_url: str, linked: Sequence[str] = ()
) -> Discovery:
    """Choose the blog's main feed; `linked` are the URLs to which the start page links."""
    feed = rank_feeds([feed for feed, _ in feeds.values()], start.url, linked)[0]
    return _discovery(feed, feeds[feed.url][1], start, start_url)


@dataclass(frozen=True)
class _Tried:
    """Results of trying candidate URLs."""

    #: feeds with entries, by URL
    found: dict[str, tuple[Feed, Page]] = field(default_factory=dict)
    #: feeds without entries
    empty: list[str] = field(default_factory=list)
    #: URLs that are not feeds
    in_vain: list[str] = field(default_factory=list)

    def of_posts(self, start_url: str) -> list[Feed]:
        """Feeds with entries other than the page that lists the posts."""
        return [feed for feed, _ in self.found.values() if has_posts(feed, start_url)]


def _named(tree: HtmlElement, start: Page, asked_url: str | None = None) -> list[FeedCandidate]:
    return candidates(tree, start.url, start.headers.get("link", ()), asked_url)


async def _try(named: Iterable[FeedCandidate], start_url: str, fetch: Fetch, asked_url: str | None = None) -> _Tried:
    """Fetch candidates until there are enough feeds to choose from; `asked_url` is the requested URL."""
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
    """True if a guessed URL may be the feed of the whole blog, while the other feed only covers a part of it."""
    if candidate.how != "well-known" or asked_url is None or identity(asked_url) == identity(start_url):
        return False
    path, part = urlsplit(candidate.url).path, urlsplit(feed.url).path
    folder = urlsplit(asked_url).path.rpartition("/")[0]
    return path.startswith(f"{folder}/") and path != part and part.endswith(path)


async def without_feed(start: Page, tree: HtmlElement, fetch: Fetch) -> Discovery:
    """The lists of possible posts of a blog without feed.

    If the start page is a post, the page that lists it is the home page.
    """
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
        raise NotAWebPage(f"{page.url} is empty; give the URL of the blog's home page.", url=start_url)
    return page


def _empty(url: str) -> EmptyFeed:
    return EmptyFeed(f"The feed {url} has no entries with a link, so there is nothing to learn from.", url=url)


async def _fetch_feed(url: str, fetch: Fetch) -> tuple[Feed, Page] | None:
    try:
        page = await fetch(url)
        return (parse_feed(page.body, page.url, page.content_type), page) if page.status == 200 else None
    except Exception:  # noqa: BLE001  the next candidate may answer
        return None


def without_pages(feed: Feed) -> Feed:
    """Remove undated entries if most entries are dated: software adds pages that are not posts to feeds."""
    dated = tuple(entry for entry in feed.entries if entry.published)
    return replace(feed, entries=dated) if 2 * len(dated) > len(feed.entries) else feed


def _discovery(feed: Feed, page: Page, start: Page | None, start_url: str) -> Discovery:
    feed = without_pages(feed)
    home = _home(feed, start.url if start is not None else None, start_url)
    return Discovery(feed, canonicalise(home), start, page.header("etag"), page.header("last-modified"))


def _home(feed: Feed, start: str | None, start_url: str) -> str:
    """The blog's home page: the one that the feed names, if start page or entries are on its site; else the entries'
    folder."""
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
    """The deepest folder that contains all entries on the most frequent site; folders of years and days belong to
    the posts."""
    commonest, _ = Counter("/".join(url.split("/", 3)[:3]) for url in urls).most_common(1)[0]
    paths = [urlsplit(url).path.split("/")[1:-1] for url in urls if url.startswith(f"{commonest}/")]
    folder: list[str] = []
    for names in zip(*paths, strict=False):
        if len(set(names)) > 1 or names[0].isdigit():
            break
        folder.append(names[0])
    single = len(paths) == 1
    return "/".join([commonest, *([] if single else folder), ""])
