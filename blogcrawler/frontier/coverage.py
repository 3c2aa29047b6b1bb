"""What a source lists: how far it is believed, and when nothing else needs to be fetched.

The source is believed little by little: of its addresses that look like posts' a few are fetched first, and more while
some are posts. Addresses of one form in one document are of one sort, since shops list their goods apart from posts.
Of the other addresses, all of one form are taken for posts when two are.

That the source has all posts is believed until too many are found that it does not list. Once all that it lists are
fetched, and so are the pages that check it (see `completeness`), the crawl is over.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from blogcrawler.frontier.completeness import Evidence, Proof, folder_of, form_of
from blogcrawler.frontier.stop_rules import Stop, StopReason
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from blogcrawler.frontier.completeness import Waiting

PORTION = 20
"""Addresses that are fetched as posts before a source is believed; each next portion is twice that …"""
GOOD = 0.5
"""… while so many of the last ones of a sort are posts."""
LOW = 8
"""Posts that wait, below which the next portion is taken."""
WINDOW = 20
TRIED = 10
ALIVE = 0.1
"""Share of the last addresses of one sort, of ten at least, that must be posts for the rest to be fetched unlinked."""
PROOFS, PROOF_SHARE = 2, 0.04
"""Pages that check a source, at least, and more as a share of the posts …"""
CONNECTED, SUPPORTED_SHARE = 1, 0.01
"""… and where the posts are linked from one another; that share is also enough where one page lists all."""
PROOFS_FOR_STRAYS, PROOFS_FOR_DEAD = 10, 3
"""So many more for each post that the source does not list, and where much of what it lists is not there."""
HINTS = 2
"""Posts of one form after which all that the source lists in this form are posts."""
STRAYS, STRAY_SHARE = 2, 0.02
"""Posts that the source does not list, above which it is disproved: at least two, and a share of the posts."""

_Sort = tuple[str, str]


@dataclass
class _Results:
    """What became of the addresses of one sort."""

    #: whether the last ones that were fetched were posts
    last: deque[bool] = field(default_factory=lambda: deque(maxlen=WINDOW))
    has_posts: bool = False

    @property
    def is_dead(self) -> bool:
        """True if hardly any of the last ones were posts."""
        return len(self.last) >= TRIED and sum(self.last) <= ALIVE * len(self.last)


class Coverage:
    """Posts that a source lists."""

    def __init__(self, source: str, *, is_whole: bool) -> None:
        self.source = source
        #: the source has all posts, as far as is known
        self.is_whole = is_whole
        #: pages that it lists as posts; their names without a slash at the end; their folders
        self._listed: set[str] = set()
        self._names: set[str] = set()
        self._folders: set[str] = set()
        #: in which document an address that looks like a post's is listed
        self._documents: dict[str, str] = {}
        #: addresses that were not tried yet, and what became of the others, by sort
        self._waiting: defaultdict[_Sort, deque[str]] = defaultdict(deque)
        self._results: defaultdict[_Sort, _Results] = defaultdict(_Results)
        self._portion = PORTION
        #: what the source lists and does not look like a post, and how many posts were found there, by form
        self._others: dict[str, list[str]] = {}
        self._hints: Counter[str] = Counter()
        #: pages that were judged, and whether they are posts; names of the posts that are listed
        self._judged: set[tuple[str, bool]] = set()
        self._posts: set[str] = set()
        #: how many posts are not listed; names of pages that look like posts and are not listed
        self._strays = 0
        self._likely: set[str] = set()
        self._evidence = Evidence()
        self._proof = Proof(self._hints, self._others, self._folders)

    def __len__(self) -> int:
        return len(self._listed)

    def add(self, urls: Iterable[str]) -> None:
        """Take in posts that the source lists."""
        for url in urls:
            self._list(url)
            self._folders.add(folder_of(url))

    def _list(self, url: str) -> None:
        self._listed.add(identity(url))
        self._names.add(_name(url))

    def add_doubtful(self, urls: Iterable[str], document: str = "") -> None:
        """Take in pages that a document of the source lists and that look like posts; see `next_portion`."""
        for url in urls:
            if not self.lists(url):
                self.add([url])
                self._documents[identity(url)] = document
                self._waiting[self._sort_of(url)].append(url)

    def _sort_of(self, url: str) -> _Sort:
        return self._documents.get(identity(url), ""), form_of(url)

    def add_others(self, urls: Iterable[str]) -> None:
        """Take in pages that the source lists and that do not look like posts."""
        for url in urls:
            self._others.setdefault(form_of(url), []).append(url)

    def lists(self, url: str) -> bool:
        """True if the source lists a page as a post."""
        return identity(url) in self._listed

    def knows(self, url: str) -> bool:
        """True if it lists a page, with or without a slash at the end."""
        return _name(url) in self._names

    def expects(self, url: str) -> bool:
        """True if a link is followed as one to a post: the source lists it, and its sort has posts."""
        if not self.lists(url):
            return False
        results = self._results[self._sort_of(url)]
        return results.has_posts or len(results.last) < TRIED

    # ------------------------------------------------------------------------------------------------- what pages are

    def doubt(self, url: str) -> None:
        """Note that nobody can tell yet whether a page that was fetched is a post: until then it is none.

        Where the source does not list it, others like it may tell.
        """
        if self.lists(url):
            self._results[self._sort_of(url)].last.append(False)
        else:
            self._proof.note_doubtful(url)

    def alias(self, url: str, target: str) -> None:
        """Note that a page has another address."""
        if self.lists(url):
            self._list(target)

    def judge(self, url: str, *, is_post: bool) -> bool:
        """Note whether a page is a post; True if that disproves the source. It counts once."""
        if (judged := (identity(url), is_post)) in self._judged:
            return False
        self._judged.add(judged)
        if self.lists(url):
            results = self._results[self._sort_of(url)]
            results.last.append(is_post)
            if is_post:
                results.has_posts = True
                self._posts.add(_name(url))
            return False
        if not is_post:
            return False
        if (form := form_of(url)) in self._others:  # where the source lists what does not look like posts
            self._hints[form] += 1
            self._proof.restart()
            if self._hints[form] >= HINTS:
                self._portion = PORTION
                self.add_doubtful([url, *self._others.pop(form)])
            return False
        if not self.is_whole:
            return False
        self._strays += 1
        self._proof.restart()
        self.is_whole = self._strays <= max(STRAYS, STRAY_SHARE * len(self))
        return not self.is_whole

    def next_portion(self, pending_posts: int) -> list[str]:
        """Pages that are to be fetched as posts now, of all sorts in turn."""
        if pending_posts >= LOW:
            return []
        sorts = [sort for sort, queue in self._waiting.items() if queue and not self._results[sort].is_dead]
        queues = [self._waiting[sort] for sort in sorts]
        if any(sum(last := self._results[sort].last) < GOOD * len(last) for sort in sorts):
            self._portion = PORTION
        taken: list[str] = []
        while queues and len(taken) < self._portion:
            taken += [queue.popleft() for queue in queues[: self._portion - len(taken)]]
            queues = [queue for queue in queues if queue]
        self._portion *= 2 if taken else 1
        return taken

    # ------------------------------------------------------------------------------------------------------ the check

    def note_links(self, page: str, urls: Iterable[str], is_likely: Callable[[str], bool], *, is_post: bool) -> None:
        """Take in what a page, a post's or another, links to; `is_likely` tells whether a page looks like a post."""
        links = {_name(url): url for url in urls}
        self._proof.note_links(page, [url for name, url in links.items() if name not in self._names])
        self._evidence.note(page, links.keys() & self._names, is_post=is_post)
        new = {name: links[name] for name in links.keys() - self._names - self._likely if is_likely(links[name])}
        if new:
            self._likely.update(new)
            self._proof.note_likely(new.values())

    def next_proof(self, pending: Callable[[], Iterable[Waiting]]) -> str | None:
        """A page that checks the source; None when all were fetched. `pending` gives the pages that wait. O(n)."""
        return self._proof.next(pending, self._proofs_wanted(), len(self))

    def take_proof_state(self) -> list[Any]:
        """What choosing pages of the check has changed, for others, see `Proof.take_state`."""
        return self._proof.take_state()

    def note_asked(self, url: str, state: Sequence[Any]) -> None:
        """Note that a page of the check is fetched elsewhere, or was in an earlier part of the crawl."""
        self._proof.note_asked(url, state)

    def note_gone(self, url: str) -> None:
        """Note that a page could not be fetched."""
        self._proof.note_gone(url)

    def note_list(self, url: str, listed: Iterable[str]) -> None:
        """Note which known posts a page lists."""
        self._proof.note_list(url, listed, len(self._posts))

    def _proofs_wanted(self) -> int:
        if self._evidence.connects(self._posts):
            usual = CONNECTED + int(SUPPORTED_SHARE * len(self))
        elif self._evidence.has_list_of(self._posts):
            usual = PROOFS + int(SUPPORTED_SHARE * len(self))
        else:
            is_dead = any(results.is_dead for results in self._results.values())
            usual = PROOFS + int(PROOF_SHARE * len(self)) + PROOFS_FOR_DEAD * is_dead
        return usual + PROOFS_FOR_STRAYS * self._strays

    @property
    def is_proven(self) -> bool:
        """True if the source has all posts, and the pages that check it were fetched."""
        is_tried = all(not queue or self._results[sort].is_dead for sort, queue in self._waiting.items())
        return self.is_whole and is_tried and self._proof.is_over

    @property
    def stop(self) -> Stop:
        """The end of a crawl that fetched all posts that the source lists, and the pages that check it."""
        return Stop(StopReason.SOURCE_COMPLETE, pages=len(self._proof), source=self.source)


def _name(url: str) -> str:
    """A page's name, whether its address has a slash at the end or not."""
    return identity(url).rstrip("/")
