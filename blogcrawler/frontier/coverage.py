"""How far a source that lists posts, as a sitemap, is believed, and when the crawl needs nothing else.

That the listed addresses are posts is believed step by step: a portion of those that look like posts is fetched first,
and each next portion is twice as large while half of the pages are posts. Addresses of one form in one document are
judged together, since shops list their goods apart from posts. Listed addresses that do not look like posts are taken
for posts when two of their form were.

That the source has all posts is believed until the crawl finds too many that it does not list. Once all that it lists
was fetched, and so were the pages that check it (see `completeness`), the crawl is over.
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
"""Addresses in the first portion, and in each after a bad one; otherwise a portion is twice as large as the last."""
GOOD = 0.5
"""Share of the last pages of a group that must be posts for the portions to grow."""
LOW = 8
"""Posts that wait, below which the next portion is taken."""
WINDOW = 20
"""Last pages of a group by which it is judged."""
TRIED, ALIVE = 10, 0.1
"""A group is dead if no larger share of its last pages, at least so many, were posts."""
HINTS = 2
"""Posts of one form after which all that the source lists in this form are posts."""
STRAYS, STRAY_SHARE = 2, 0.02
"""Posts that the source does not list, above which it has not all posts: at least two, and a share of the posts."""
PAGES, SHARE = 2, 0.04
"""Pages that check a source: at least two, and a share of the posts …"""
PAGES_IF_CONNECTED, SHARE_IF_SUPPORTED = 1, 0.01
"""… or fewer, where the posts are linked from one another; that share is also enough where one page lists all."""
PAGES_FOR_STRAY, PAGES_FOR_DEAD = 10, 3
"""So many more for each post that the source does not list, and where a group is dead."""


@dataclass
class _Group:
    """Addresses of one form that one document of the source lists as posts."""

    #: not fetched yet
    waiting: deque[str] = field(default_factory=deque)
    #: whether the last pages that were fetched were posts
    last: deque[bool] = field(default_factory=lambda: deque(maxlen=WINDOW))
    has_posts: bool = False

    @property
    def is_good(self) -> bool:
        return sum(self.last) >= GOOD * len(self.last)

    @property
    def is_dead(self) -> bool:
        return len(self.last) >= TRIED and sum(self.last) <= ALIVE * len(self.last)


class Coverage:
    """The posts that a source lists. Without a source none is listed, and nothing is believed to be whole."""

    def __init__(
        self, source: str = "", *, is_whole: bool = False, may_be_post: Callable[[str], bool] = lambda _: False
    ) -> None:
        self.source, self._may_be_post = source, may_be_post
        #: the source has all posts, as far as is known
        self.is_whole = is_whole
        #: groups by document and form; of each page that is listed as a post, by its identity
        self._groups: defaultdict[tuple[str, str], _Group] = defaultdict(_Group)
        self._group_of: dict[str, _Group] = {}
        #: the names of these pages, and their folders
        self._names: set[str] = set()
        self._folders: set[str] = set()
        #: listed addresses that do not look like posts, and how many posts were found among them, by form
        self._others: dict[str, list[str]] = {}
        self._hints: Counter[str] = Counter()
        self._portion = PORTION
        #: pages that were judged, and whether they are posts
        self._judged: set[tuple[str, bool]] = set()
        #: names of the posts that were found and are listed
        self._found: set[str] = set()
        #: how many were found and are not listed
        self._strays = 0
        #: names of pages that look like posts and are not listed
        self._likely: set[str] = set()
        self._evidence = Evidence()
        #: chooses the pages that check the source
        self.check = CompletenessCheck(self._found, self._folders, self._others, self._hints)

    def __len__(self) -> int:
        return len(self._group_of)

    # ------------------------------------------------------------------------------------------------ what is listed

    def add(self, urls: Iterable[str], document: str = "") -> None:
        """Take in posts that the source lists."""
        for url in urls:
            self._list(url, document)
            self._folders.add(folder_of(url))

    def _list(self, url: str, document: str = "") -> None:
        self._group_of.setdefault(identity(url), self._groups[document, form_of(url)])
        self._names.add(slashless(url))

    def add_likely(self, urls: Iterable[str], document: str = "") -> None:
        """Take in addresses that a document of the source lists and that look like posts; see `next_portion`."""
        for url in urls:
            if not self.lists(url):
                self.add([url], document)
                self._group_of[identity(url)].waiting.append(url)

    def add_others(self, urls: Iterable[str]) -> None:
        """Take in addresses that the source lists and that do not look like posts."""
        for url in urls:
            self._others.setdefault(form_of(url), []).append(url)

    def lists(self, url: str) -> bool:
        """True if the source lists a page as a post."""
        return identity(url) in self._group_of

    def knows(self, url: str) -> bool:
        """True if it lists a page, with or without a slash at the end."""
        return slashless(url) in self._names

    def expects(self, url: str) -> bool:
        """True if a link may lead to a post: where the source has all, if it lists the page in a group with posts."""
        if not self.is_whole:
            return True
        group = self._group_of.get(identity(url))
        return group is not None and (group.has_posts or len(group.last) < TRIED)

    def next_portion(self, pending_posts: int) -> list[str]:
        """Addresses that are to be fetched as posts now, of all groups in turn."""
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
        """Note that a page has another address."""
        if self.lists(url):
            self._list(target)

    def doubt(self, url: str) -> None:
        """Note that nobody can tell yet whether a page that was fetched is a post: until then it is none.

        Where the source does not list it, others like it may tell.
        """
        if (group := self._group_of.get(identity(url))) is not None:
            group.last.append(False)
        else:
            self.check.note_doubtful(url)

    def judge(self, url: str, *, is_post: bool) -> bool:
        """Note whether a page is a post, which counts once; True if now the source has not all posts any more."""
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
        """Count a post that is not listed, unless the source lists others of its form that do not look like posts."""
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
        """Take in what a page, a post's or another, links to."""
        links = {slashless(url): url for url in urls}
        unlisted = {name: url for name, url in links.items() if name not in self._names}
        self.check.note_links(page, unlisted.values())
        self._evidence.note(page, links.keys() & self._names, is_post=is_post)
        likely = {name: url for name, url in unlisted.items() if name not in self._likely and self._may_be_post(url)}
        if likely:
            self._likely |= likely.keys()
            self.check.note_likely(likely.values())

    def next_check_page(self, pending: Callable[[], Iterable[PendingPage]]) -> str | None:
        """A page that checks the source; None when all were fetched. `pending` gives the pages that wait. O(n)."""
        return self.check.next(pending, self._pages_wanted(), len(self))

    def _pages_wanted(self) -> int:
        """How many pages check the source, signs of further posts aside."""
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
        """True if the source has all posts, and the pages that check it were fetched."""
        is_fetched = all(not group.waiting or group.is_dead for group in self._groups.values())
        return self.is_whole and is_fetched and self.check.is_over
