"""Decide how far a listing source, such as a sitemap, is trusted, and when the crawl needs no other source.

Listed addresses are trusted step by step. A portion of those that look like posts is fetched first, and each next
portion is twice as large while at least half of the pages are posts. Addresses of one form in one document are judged
together, since shops list their goods apart from posts. Listed addresses that do not look like posts are treated as
posts after two of their form were posts.

The source is believed complete until the crawl finds too many unlisted posts. The crawl ends when all listed posts and
all pages that check the source (see `completeness`) were fetched.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blogcrawler.frontier.completeness import CompletenessCheck, Evidence, folder_of, form_of
from blogcrawler.urls import identity, slashless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from blogcrawler.frontier.completeness import PendingPage

PORTION = 20
"""Number of addresses in the first portion and in each portion after a bad one; otherwise a portion is twice as large
as the last."""
GOOD = 0.5
"""Share of a group's latest pages that must be posts for the portions to grow."""
LOW = 8
"""The next portion is taken when fewer posts than this wait."""
WINDOW = 20
"""Number of a group's latest pages by which it is judged."""
TRIED, ALIVE = 10, 0.1
"""A group is dead if at least this many pages were fetched and at most this share of the latest ones were posts."""
HINTS = 2
"""Number of posts of one form after which all listed addresses of this form are treated as posts."""
STRAYS, STRAY_SHARE = 2, 0.02
"""A source is incomplete if more unlisted posts are found than this number and this share of the listed posts."""
PAGES, SHARE = 2, 0.04
"""Number of pages that check a source: this number, plus this share of the listed posts …"""
PAGES_IF_CONNECTED, SHARE_IF_SUPPORTED = 1, 0.01
"""… or fewer if posts link to one another; the smaller share is also enough if one page lists all posts."""
PAGES_FOR_STRAY, PAGES_FOR_DEAD = 10, 3
"""Number of additional pages for each unlisted post, and if a group is dead."""


@dataclass
class _Group:
    """Addresses of one form that one document of the source lists as posts."""

    #: addresses that were not fetched yet
    waiting: deque[str] = field(default_factory=deque)
    #: whether the latest fetched pages were posts
    last: deque[bool] = field(default_factory=lambda: deque(maxlen=WINDOW))
    has_posts: bool = False

    @property
    def is_good(self) -> bool:
        return sum(self.last) >= GOOD * len(self.last)

    @property
    def is_dead(self) -> bool:
        return len(self.last) >= TRIED and sum(self.last) <= ALIVE * len(self.last)


class Coverage:
    """The posts that a source lists. Without a source no post is listed and nothing is believed complete."""

    def __init__(
        self, source: str = "", *, is_whole: bool = False, may_be_post: Callable[[str], bool] = lambda _: False
    ) -> None:
        self.source, self._may_be_post = source, may_be_post
        #: whether the source is believed to list all posts
        self.is_whole = is_whole
        #: groups by document and form; group of each page that is listed as a post, by its identity
        self._groups: defaultdict[tuple[str, str], _Group] = defaultdict(_Group)
        self._group_of: dict[str, _Group] = {}
        #: names and folders of these pages
        self._names: set[str] = set()
        self._folders: set[str] = set()
        #: listed addresses that do not look like posts, and number of posts found among them, by form
        self._others: dict[str, list[str]] = {}
        self._hints: Counter[str] = Counter()
        self._portion = PORTION
        #: judged pages, each with whether it is a post
        self._judged: set[tuple[str, bool]] = set()
        #: names of the listed posts that were found
        self._found: set[str] = set()
        #: number of unlisted posts that were found
        self._strays = 0
        #: names of unlisted pages that look like posts
        self._likely: set[str] = set()
        self._evidence = Evidence()
        #: chooses the pages that check the source
        self.check = CompletenessCheck(self._found, self._folders, self._others, self._hints)

    def __len__(self) -> int:
        return len(self._group_of)

    # ------------------------------------------------------------------------------------------------ what is listed

    def add(self, urls: Iterable[str], document: str = "") -> None:
        """Add posts that the source lists."""
        for url in urls:
            self._list(url, document)
            self._folders.add(folder_of(url))

    def _list(self, url: str, document: str = "") -> None:
        self._group_of.setdefault(identity(url), self._groups[document, form_of(url)])
        self._names.add(slashless(url))

    def add_likely(self, urls: Iterable[str], document: str = "") -> None:
        """Add listed addresses that look like posts; `next_portion` returns them to be fetched."""
        for url in urls:
            if not self.lists(url):
                self.add([url], document)
                self._group_of[identity(url)].waiting.append(url)

    def add_others(self, urls: Iterable[str]) -> None:
        """Add listed addresses that do not look like posts."""
        for url in urls:
            self._others.setdefault(form_of(url), []).append(url)

    def lists(self, url: str) -> bool:
        """True if the source lists a page as a post."""
        return identity(url) in self._group_of

    def knows(self, url: str) -> bool:
        """True if the source lists a page, with or without a trailing slash."""
        return slashless(url) in self._names

    def expects(self, url: str) -> bool:
        """True if a link may lead to a post. If the source is complete, only pages of listed groups with posts may."""
        if not self.is_whole:
            return True
        group = self._group_of.get(identity(url))
        return group is not None and (group.has_posts or len(group.last) < TRIED)

    def next_portion(self, pending_posts: int) -> list[str]:
        """Addresses to fetch as posts now, from all groups in turn."""
        if pending_posts >= LOW:
            return []
        groups = [group for group in self._groups.values() if group.waiting and not group.is_dead]
        if not all(group.is_good for group in groups):
            self._portion = PORTION
        taken: list[str] = []
        while groups and len(taken) < self._portion:
            taken += [group.waiting.popleft() for group in groups[: self._portion - len(taken)]]
            groups = [group for group in groups if group.waiting]
        if taken:
            self._portion *= 2
        return taken

    # ------------------------------------------------------------------------------------------------- what pages are

    def alias(self, url: str, target: str) -> None:
        """Note another address of a listed page."""
        if self.lists(url):
            self._list(target)

    def doubt(self, url: str) -> None:
        """Note that a fetched page cannot be judged yet; until then it counts as no post.

        If the source does not list it, another page of its form is fetched.
        """
        if (group := self._group_of.get(identity(url))) is not None:
            group.last.append(False)
        else:
            self.check.note_doubtful(url)

    def judge(self, url: str, *, is_post: bool) -> bool:
        """Note once whether a page is a post; True if this shows that the source is incomplete."""
        key = identity(url)
        group = self._group_of.get(key)
        if (key, is_post) in self._judged or (group is None and not is_post):
            return False
        self._judged.add((key, is_post))
        if group is None:
            return self._judge_unlisted_post(url)
        group.last.append(is_post)
        if is_post:
            group.has_posts = True
            self._found.add(slashless(url))
        return False

    def _judge_unlisted_post(self, url: str) -> bool:
        """Count an unlisted post, unless the source lists addresses of its form that do not look like posts."""
        self.check.restart()
        if (form := form_of(url)) in self._others:
            self._hints[form] += 1
            if self._hints[form] >= HINTS:
                self._portion = PORTION
                self.add_likely([url, *self._others.pop(form)])
            return False
        self._strays += 1
        is_disproof = self.is_whole and self._strays > max(STRAYS, STRAY_SHARE * len(self))
        if is_disproof:
            self.is_whole = False
        return is_disproof

    # ------------------------------------------------------------------------------------------------------ the check

    def note_links(self, page: str, urls: Iterable[str], *, is_post: bool) -> None:
        """Record the links of a page."""
        links = {slashless(url): url for url in urls}
        unlisted = {name: url for name, url in links.items() if name not in self._names}
        self.check.note_links(page, unlisted.values())
        self._evidence.note(page, links.keys() & self._names, is_post=is_post)
        likely = {name: url for name, url in unlisted.items() if name not in self._likely and self._may_be_post(url)}
        if likely:
            self._likely |= likely.keys()
            self.check.note_likely(likely.values())

    def next_check_page(self, pending: Callable[[], Iterable[PendingPage]]) -> str | None:
        """The next page that checks the source; None if all were fetched. `pending` returns the waiting pages. O(n)."""
        return self.check.next(pending, self._pages_wanted(), len(self))

    def _pages_wanted(self) -> int:
        """Number of pages that check the source, without those for signs of unlisted posts."""
        if self._evidence.connects(self._found):
            usual = PAGES_IF_CONNECTED + int(SHARE_IF_SUPPORTED * len(self))
        elif self._evidence.has_list_of(self._found):
            usual = PAGES + int(SHARE_IF_SUPPORTED * len(self))
        else:
            has_dead = any(group.is_dead for group in self._groups.values())
            usual = PAGES + int(SHARE * len(self)) + PAGES_FOR_DEAD * has_dead
        return usual + PAGES_FOR_STRAY * self._strays

    @property
    def is_proven(self) -> bool:
        """True if the source is believed complete and all its posts and all pages that check it were fetched."""
        is_fetched = all(not group.waiting or group.is_dead for group in self._groups.values())
        return self.is_whole and is_fetched and self.check.is_over
