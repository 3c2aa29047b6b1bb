"""Read a blog's lists from the newest post back to the posts that are known."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blogcrawler.frontier.features import marks_of, names_a_time
from blogcrawler.frontier.kinds import is_numbered_url, is_paged
from blogcrawler.urls import slashless

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from blogcrawler.frontier.features import Link

MOST_PAGES = 200
"""Maximum number of lists that are read."""
STALE = 10
"""Number of consecutive lists without a post that is new to the walk, after which the walk ends …"""
EMPTY = 4
"""… where this many lists that show only posts of all lists, such as the months of a pause, count as one."""
MOST, NEARLY_ALL = 0.5, 0.9
"""Share of the news that the lists must have shown before a list may end the walk; share to end it when no list is
left."""
IN_A_ROW = 3
"""Number of consecutive known posts that distinguish a list of all posts from a list of some posts."""
FEW = 2
"""Number of links to posts at one place, at or above which all links at this place may lead to posts."""
IN_TEXT = marks_of(0)
"""The place of links in running text."""
_DIGITS = re.compile(r"\d{1,18}")

Rank = tuple[int, tuple[int, ...]]
"""Sort key of the lists to read: further pages of one list in order, then other lists, then months or years, latest
first."""
FIRST: Rank = (0, ())
OF_SOME = 2
"""Rank of lists that may hold only some posts, such as tags: such a list without new posts proves nothing."""


@dataclass(frozen=True)
class _ListPage:
    """The posts that a list shows, by key."""

    known: set[str]
    unknown: set[str]
    #: unknown posts that no other list has shown
    fresh: set[str]
    #: the posts at each place of the page, in order of appearance
    places: list[list[str]]
    #: whether the list may hold all posts
    is_whole: bool

    @property
    def shown(self) -> set[str]:
        return self.known | self.unknown


class ListWalk:
    """Chooses which lists to read until they have reached the newest known posts.

    `starts` are read first: the home page and other lists of all posts. Each page leads to further lists. The walk ends
    with a page that shows, at one place, unknown posts directly followed by some of the `newest` known posts. After one
    of the newest was met, it also ends with a page of known posts, or after several pages without posts that are new to
    the walk.

    `news` are posts that another source announces. They show how far the lists reach: lists without new posts are
    outdated as long as no other list has shown any. No list ends the walk before most of the news were shown, since it
    may hold selected posts only.

    `is_known` is true for the address of a post that was known before; pages in `no_posts` are known to be no posts.
    `newest`, `news` and `no_posts` are written as by `urls.identity`; trailing slashes make no difference. Without
    `newest`, every known post counts as one of the newest.
    """

    def __init__(
        self,
        starts: Sequence[str],
        is_known: Callable[[str], bool],
        *,
        newest: Collection[str] = (),
        no_posts: Collection[str] = (),
        news: Collection[str] = (),
    ) -> None:
        self._is_known = is_known
        self._newest, self._no_posts, self._news = (
            {key.rstrip("/") for key in keys} for keys in (newest, no_posts, news)
        )
        self._others = set(starts[1:])
        self._waiting: dict[str, Rank] = {url: (0, (at,)) for at, url in enumerate(starts)}
        self._seen = set(map(slashless, starts))
        self._pages = 0
        #: posts that all lists have shown besides posts of their own
        self._on_all_lists: set[str] | None = None
        self._has_met = False
        self._is_done = False
        self._stale = 0.0
        #: unknown posts by key, in order of discovery
        self.posts: dict[str, str] = {}
        #: unknown posts that a list has shown outside of running text
        self._shown: set[str] = set()

    @property
    def is_back(self) -> bool:
        """True if the walk has reached the known posts; if no list is left, the lists must have shown
        nearly all news."""
        return self._is_done or (self._has_met and not self._waiting and self._has_shown_news(NEARLY_ALL))

    @property
    def next_url(self) -> str | None:
        """The next list to fetch; None at the end of the walk."""
        if self._is_done or self._pages >= MOST_PAGES or not self._waiting:
            return None
        return min(self._waiting, key=lambda url: self._waiting[url])

    def take(self, url: str, links: Sequence[Link]) -> None:
        """Read the links of a fetched list. O(n)."""
        kind, _ = self._waiting.pop(url, FIRST)
        self._pages += 1
        posts = {slashless(link.url): link.url for link in _posts_among(links)}
        news = {key: post for key, post in posts.items() if not self._is_known(post) and key not in self._no_posts}
        listed = {slashless(link.url) for link in links if link.places != IN_TEXT} & posts.keys() or posts.keys()
        known, unknown = {key for key in listed if self._is_known(posts[key])}, listed & news.keys()
        page = _ListPage(known, unknown, unknown - self._shown, _by_place(links, known | unknown), kind != OF_SOME)
        self.posts |= news
        self._shown |= unknown
        if page.shown:
            self._on_all_lists = page.shown if self._on_all_lists is None else self._on_all_lists & page.shown
        self._has_met |= bool(self._newest_among(known))
        if url not in self._others or not self.posts:
            self._judge(page)
        for link in filter(_is_list, links):
            if (key := slashless(link.url)) not in self._seen:
                self._seen.add(key)
                self._waiting[link.url] = _rank(link)

    def _judge(self, page: _ListPage) -> None:
        """Decide whether a page is the last one of the walk."""
        is_home, on_all_lists, has_shown_news = self._pages == 1, self._on_all_lists or set(), self._has_shown_news()
        own = page.shown - on_all_lists
        has_news = not page.unknown <= (set() if is_home else on_all_lists)
        is_old = page.is_whole and not has_news and (self._begins_with_newest(page) if is_home else bool(own))
        if page.fresh or (self._news and not self.posts):
            self._stale = 0.0
        elif is_old and has_shown_news:
            self._stale = STALE
        elif page.shown:
            self._stale += 1 if own else 1 / EMPTY
        is_stale = self._has_met and self._stale >= STALE
        self._is_done = is_stale or (has_shown_news and self._goes_over(page))

    def _has_shown_news(self, share: float = MOST) -> bool:
        """True if the lists have shown at least this share of the news."""
        return len(self._shown & self._news) >= share * len(self._news)

    def _goes_over(self, page: _ListPage) -> bool:
        """True if a list at one place goes from unknown posts to the newest known posts, and not back.

        A list that lacks fresh posts of its page is beside another list, and may hold selected posts only.
        """
        fresh = page.fresh.intersection(chain.from_iterable(page.places))
        for posts in page.places if fresh else ():
            first = next((at for at, key in enumerate(posts) if key in page.known), 0)
            before, behind = posts[:first], posts[first:]
            least = min(len(self._newest), len(behind[:IN_A_ROW]) if page.is_whole else IN_A_ROW)
            has_newest = len(self._newest_among(behind[:IN_A_ROW])) >= least
            if has_newest and fresh.issubset(before) and page.known.issuperset(behind):
                return True
        return False

    def _begins_with_newest(self, page: _ListPage) -> bool:
        """True if a list at one place begins with the newest known posts, apart from one pinned post.

        A list of popular posts does not.
        """
        for posts in page.places:
            first = [key for key in posts if key in page.known][: IN_A_ROW + 1]
            least = min(len(first) - (len(first) >= IN_A_ROW), len(self._newest) or len(first))
            if first and len(self._newest_among(first)) >= least:
                return True
        return False

    def _newest_among(self, known: Iterable[str]) -> list[str]:
        """The newest among some known posts; all of them if no newest posts are given."""
        return [key for key in known if key in self._newest or not self._newest]


def _by_place(links: Sequence[Link], posts: Collection[str]) -> list[list[str]]:
    """The given posts at each place, in order of appearance; running text is left out."""
    places: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for link in links:
        if link.places != IN_TEXT and (key := slashless(link.url)) in posts:
            for place in link.places:
                places[place][key] = None
    return list(map(list, places.values()))


def _posts_among(links: Sequence[Link]) -> list[Link]:
    """Links with a post's address, and links at the same places, since posts may have other addresses."""
    posts = [link for link in links if link.is_post and not link.is_variant]
    places = Counter(place for link in posts for place in link.places)
    beside = [
        link
        for link in links
        if not (link.is_post or link.is_variant or link.in_menu or _is_list(link))
        and any(places[place] >= FEW for place in link.places)
    ]
    return [*posts, *beside]


def _is_list(link: Link) -> bool:
    is_called = link.bonus > 0 or is_numbered_url(link.url)
    return is_called and not link.is_post and not link.is_variant


def _rank(link: Link) -> Rank:
    numbers = tuple(map(int, _DIGITS.findall(urlsplit(link.url).path)))
    if is_paged(link.url):
        return 1, numbers
    if names_a_time(link.marks) or is_numbered_url(link.url):
        return 3, tuple(-number for number in numbers)
    return OF_SOME, ()
