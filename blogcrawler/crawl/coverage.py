"""What a source lists: how far it is believed, and when nothing else needs to be fetched.

A source is believed by and by: of its addresses that look like posts' a few are fetched first, and more as long as some
of them are there; those of one form in one document are of one sort, since shops list their goods apart from posts. Of
the others, those of one form are posts when two of them turned out to be.

That the source has all posts is believed until too many are found that it does not list. Once all are fetched and it is
proven (see `proof`), the crawl is over.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from typing import TYPE_CHECKING, Any

from blogcrawler.crawl.completeness import Evidence, Proof, Suspects, folder_of, form_of
from blogcrawler.frontier import Stop, StopReason
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from blogcrawler.crawl.completeness import Waiting

PORTION = 20
"""Addresses of a source that are fetched as posts before it has proven anything; each next portion is twice that …"""
GOOD = 0.5
"""… while so many of the last ones of a sort are posts."""
LOW = 8
"""Posts that wait, below which the next portion is taken."""
WINDOW = 20
TRIED = 10
ALIVE = 0.1
"""Share of the last addresses of one sort, of ten at least, that must be posts for the rest to be fetched unlinked."""
PROOFS, PROOF_SHARE = 2, 0.04
"""Pages that are fetched as a proof, at least, and more as a share of the posts …"""
CONNECTED, SUPPORTED_SHARE = 1, 0.01
"""… and where the posts are linked from one another; that share is also enough where one page lists all."""
PROOFS_FOR_STRAYS, PROOFS_FOR_DEAD = 10, 3
"""So many more for each post that the source does not list, and where much of what it lists is not there."""
HINTS = 2
"""Posts of one form after which all that the source lists in this form are posts; as many are fetched for the first."""
STRAYS = 2
STRAY_SHARE = 0.02
"""Posts that the source does not list, above which it is disproved: at least two, and a share of the posts."""


_Sort = tuple[str, str]


class Coverage:
    """Posts that a source lists."""

    def __init__(self, source: str, *, is_whole: bool) -> None:
        self.source = source
        #: has the source all posts, as far as is known?
        self.is_whole = is_whole
        self._listed: set[str] = set()
        #: the same, whether with a slash at the end or without
        self._names: set[str] = set()
        self._folders: set[str] = set()
        #: in which document an address that looks like a post's is listed
        self._documents: dict[str, str] = {}
        #: addresses that were not tried yet, by sort
        self._waiting: defaultdict[_Sort, deque[str]] = defaultdict(deque)
        #: what the source lists and does not look like a post, by form
        self._others: dict[str, list[str]] = {}
        self._portion = PORTION
        #: whether the last ones that were fetched were posts, by sort
        self._last: defaultdict[_Sort, deque[bool]] = defaultdict(lambda: deque(maxlen=WINDOW))
        #: sorts of which a post was found
        self._found: set[_Sort] = set()
        #: posts that were found in a form of `_others`
        self._hints: Counter[str] = Counter()
        self._strays = 0
        #: pages, and whether these are posts
        self._judged: set[tuple[str, bool]] = set()
        #: posts that were found and are listed
        self._posts: set[str] = set()
        #: pages that look like posts and are not listed
        self._likely: set[str] = set()
        self._evidence = Evidence()
        self._proof = Proof()

    def __len__(self) -> int:
        return len(self._listed)

    def add(self, urls: Iterable[str]) -> None:
        """Posts that the source lists."""
        for url in urls:
            self._list(url)
            self._folders.add(folder_of(url))

    def _list(self, url: str) -> None:
        self._listed.add(identity(url))
        self._names.add(identity(url).rstrip("/"))

    def add_doubtful(self, urls: Iterable[str], document: str = "") -> None:
        """Pages that a document of the source lists and that look like posts; see `next_portion`."""
        for url in urls:
            if identity(url) not in self._listed:
                self.add([url])
                self._documents[identity(url)] = document
                self._waiting[self._sort_of(url)].append(url)

    def _sort_of(self, url: str) -> _Sort:
        return self._documents.get(identity(url), ""), form_of(url)

    def add_others(self, urls: Iterable[str]) -> None:
        """Pages that the source lists and that do not look like posts."""
        for url in urls:
            self._others.setdefault(form_of(url), []).append(url)

    def lists(self, url: str) -> bool:
        """True if the source lists a page as a post."""
        return identity(url) in self._listed

    def knows(self, url: str) -> bool:
        """True if it lists a page, with or without a slash at the end."""
        return identity(url).rstrip("/") in self._names

    def expects(self, url: str) -> bool:
        """True if a link is followed as one to a post: the source lists it, and its form has posts."""
        sort = self._sort_of(url)
        return self.lists(url) and (sort in self._found or len(self._last.get(sort, ())) < TRIED)

    def doubt(self, url: str) -> None:
        """A page was fetched, and nobody can tell yet whether it is a post: until then it is none.

        Where the source does not list it, others like it are to tell.
        """
        if self.lists(url):
            self._last[self._sort_of(url)].append(False)
        else:
            self._proof.note_doubtful(url)

    def alias(self, url: str, target: str) -> None:
        """A page turned out to have another address."""
        if self.lists(url):
            self._list(target)

    def judge(self, url: str, *, is_post: bool) -> bool:
        """A page turned out to be a post or none. True when that disproves the source; it counts once."""
        if (judged := (identity(url), is_post)) in self._judged:
            return False
        self._judged.add(judged)
        if self.lists(url):
            sort = self._sort_of(url)
            self._last[sort].append(is_post)
            if is_post:
                self._found.add(sort)
                self._posts.add(identity(url).rstrip("/"))
            return False
        if not is_post:
            return False
        form = form_of(url)
        if form in self._others:
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

    def _is_dead(self, sort: _Sort) -> bool:
        last = self._last.get(sort, ())
        return len(last) >= TRIED and sum(last) <= ALIVE * len(last)

    def next_portion(self, pending_posts: int) -> list[str]:
        """Pages that are to be fetched as posts now, of all sorts in turn."""
        if pending_posts >= LOW:
            return []
        sorts = [sort for sort, queue in self._waiting.items() if queue and not self._is_dead(sort)]
        alive = [self._waiting[sort] for sort in sorts]
        if any(sum(self._last[sort]) < GOOD * len(self._last[sort]) for sort in sorts):
            self._portion = PORTION
        taken: list[str] = []
        while alive and len(taken) < self._portion:
            taken += [queue.popleft() for queue in alive[: self._portion - len(taken)]]
            alive = [queue for queue in alive if queue]
        self._portion *= 2 if taken else 1
        return taken

    # ----------------------------------------------------------------------------------------------------------- proof

    def note_links(self, page: str, urls: Iterable[str], is_likely: Callable[[str], bool], *, is_post: bool) -> None:
        """What a page, a post's or another, links to; `is_likely`: does a page look like a post?"""
        links = {identity(url).rstrip("/"): url for url in urls}
        self._proof.note_links(page, [url for name, url in links.items() if name not in self._names])
        self._evidence.note(page, links.keys() & self._names, is_post=is_post)
        new = [links[name] for name in links.keys() - self._names - self._likely if is_likely(links[name])]
        if new:
            self._likely.update(identity(url).rstrip("/") for url in new)
            self._proof.note_likely(new)

    def next_proof(self, pending: Callable[[], Iterable[Waiting]]) -> str | None:
        """A page to fetch as a proof; None when all was fetched. `pending` gives the pages that wait. O(n) in them."""
        suspects = Suspects(self._hints, self._others, self._folders)
        return self._proof.next(pending, self._most_proofs(), len(self), suspects)

    def take_proof_state(self) -> list[Any]:
        """What choosing pages of the proof has changed, for others, see `Proof.take_state`."""
        return self._proof.take_state()

    def note_asked(self, url: str, state: Sequence[Any]) -> None:
        """Another spider, or an earlier part of the crawl, fetches a page as a proof; its state is this."""
        self._proof.note_asked(url, state)

    def note_gone(self, url: str) -> None:
        """A page could not be fetched: it proves nothing."""
        self._proof.note_gone(url)

    def note_list(self, url: str, listed: Iterable[str]) -> None:
        """A page lists known posts."""
        self._proof.note_list(url, listed, len(self._posts))

    def _most_proofs(self) -> int:
        if self._evidence.connects(self._posts):
            usual = CONNECTED + int(SUPPORTED_SHARE * len(self))
        elif self._evidence.has_list_of(self._posts):
            usual = PROOFS + int(SUPPORTED_SHARE * len(self))
        else:
            is_dead = any(map(self._is_dead, self._last))
            usual = PROOFS + int(PROOF_SHARE * len(self)) + PROOFS_FOR_DEAD * is_dead
        return usual + PROOFS_FOR_STRAYS * self._strays

    @property
    def is_proven(self) -> bool:
        """True if the source has all posts and the proof was fetched."""
        is_tried = all(not queue or self._is_dead(sort) for sort, queue in self._waiting.items())
        return self.is_whole and is_tried and self._proof.is_over

    @property
    def stop(self) -> Stop:
        """The end of a crawl that fetched all posts that the source lists, and the proof."""
        return Stop(StopReason.SOURCE_COMPLETE, pages=len(self._proof), source=self.source)
