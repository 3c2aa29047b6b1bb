"""What a source lists: how far it is believed, and when nothing else needs to be fetched.

A source is believed by and by: of its addresses that look like posts' a few are fetched first, and more as long as some
of them are there. Of the others, those of one form are posts when two of them turned out to be.

That the source has all posts is believed until too many are found that it does not list. Once all are fetched, a few
other pages are, as a proof: what is linked where posts are, what the source lists in the folders of posts, or lists and
nobody links to, and pages of different forms. If none of them leads to a further post, the crawl is over; if one does,
more pages have to prove it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Protocol

from blogcrawler.frontier.generalise import kind_of
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["Coverage", "Links"]

PORTION = 20
"""Addresses of a source that are fetched as posts before it has proven anything; each next portion is twice that."""
LOW = 8
"""Posts that wait, below which the next portion is taken."""
WINDOW = 20
TRIED = 10
ALIVE = 0.1
"""Share of the last addresses of one form, of ten at least, that must be posts for the rest to be fetched unlinked."""
PROOFS = 2
"""Pages that are fetched as a proof, at least …"""
PROOF_SHARE = 0.04
"""… and more as a share of the posts."""
PROOFS_FOR_STRAYS, PROOFS_FOR_DEAD, PROOFS_OF_LIKELY = 10, 3, 3
"""So many more for each post that the source does not list, where much of what it lists is not there, and where many
pages are linked that look like posts and are not listed, …"""
MANY_LIKELY = 0.1
"""… as a share of those that are."""
TRIES = 3
"""Pages that are tried for one that is there."""
HINTS = 2
"""Posts of one form after which all that the source lists in this form are posts; as many are fetched for the first."""
STRAYS = 2
STRAY_SHARE = 0.02
"""Posts that the source does not list, above which it is disproved: at least two, and a share of the posts."""
_NUMBER = re.compile(r"\d+")
_EXTENSION = re.compile(r"\.[a-z]{2,5}$", re.IGNORECASE)


class Links(Protocol):
    """What is known of where pages are linked; they are named by `urls.identity`."""

    def is_among_posts(self, key: str) -> bool:
        """Is a page linked where most pages are posts?"""

    def is_linked(self, key: str) -> bool:
        """Is a page linked anywhere but in running text?"""


class Coverage:
    """Posts that a source lists."""

    def __init__(self, source: str, *, is_whole: bool) -> None:
        self.source = source
        #: has the source all posts, as far as is known?
        self.is_whole = is_whole
        self._listed: set[str] = set()
        self._folders: set[str] = set()
        #: addresses that were not tried yet, by form
        self._waiting: defaultdict[str, deque[str]] = defaultdict(deque)
        #: what the source lists and does not look like a post, by form
        self._others: dict[str, list[str]] = {}
        self._portion = PORTION
        #: whether the last ones that were fetched were posts, by form
        self._last: defaultdict[str, deque[bool]] = defaultdict(lambda: deque(maxlen=WINDOW))
        #: forms of which a post was found
        self._found: set[str] = set()
        #: posts that were found in a form of `_others`
        self._hints: Counter[str] = Counter()
        self._strays = 0
        #: pages to fetch as a proof, best first; how many are needed; those that were tried, but for those that are
        #: gone, and all that were asked for
        self._proofs: deque[str] | None = None
        self._needed = 0
        self._tried: set[str] = set()
        self._asked: set[str] = set()
        #: posts that they have listed, and the forms of those that listed others than the ones before
        self._seen: set[str] = set()
        self._going_on: set[str] = set()

    def __len__(self) -> int:
        return len(self._listed)

    def add(self, urls: Iterable[str]) -> None:
        """Posts that the source lists."""
        for url in urls:
            self._listed.add(identity(url))
            self._folders.add(_folder(url))

    def add_doubtful(self, urls: Iterable[str]) -> None:
        """Pages that the source lists and that look like posts; see `next_portion`."""
        for url in urls:
            if identity(url) not in self._listed:
                self.add([url])
                self._waiting[_form(url)].append(url)

    def add_others(self, urls: Iterable[str]) -> None:
        """Pages that the source lists and that do not look like posts."""
        for url in urls:
            self._others.setdefault(_form(url), []).append(url)

    def lists(self, url: str) -> bool:
        """Does the source list a page as a post?"""
        return identity(url) in self._listed

    def expects(self, url: str) -> bool:
        """Is a link to be followed as one to a post? It is when the source lists it, unless its form has no posts."""
        form = _form(url)
        return self.lists(url) and (form in self._found or len(self._last.get(form, ())) < TRIED)

    def alias(self, url: str, target: str) -> None:
        """A page turned out to have another address."""
        if self.lists(url):
            self._listed.add(identity(target))

    def judge(self, url: str, *, is_post: bool) -> bool:
        """A page turned out to be a post or none. True when that disproves the source."""
        if self.lists(url):
            form = _form(url)
            self._last[form].append(is_post)
            self._found |= {form} if is_post else set()
            return False
        if not is_post:
            return False
        form = _form(url)
        if form in self._others:
            self._hints[form] += 1
            self._proofs = None
            if self._hints[form] >= HINTS:
                self._portion = PORTION
                self.add_doubtful([url, *self._others.pop(form)])
            return False
        if not self.is_whole:
            return False
        self._strays += 1
        self._proofs = None
        self.is_whole = self._strays <= max(STRAYS, STRAY_SHARE * len(self))
        return not self.is_whole

    def _is_dead(self, form: str) -> bool:
        last = self._last.get(form, ())
        return len(last) >= TRIED and sum(last) <= ALIVE * len(last)

    def next_portion(self, pending_posts: int) -> list[str]:
        """Pages that are to be fetched as posts now, of all forms in turn."""
        if pending_posts >= LOW:
            return []
        alive = [queue for form, queue in self._waiting.items() if queue and not self._is_dead(form)]
        taken: list[str] = []
        while alive and len(taken) < self._portion:
            taken += [queue.popleft() for queue in alive[: self._portion - len(taken)]]
            alive = [queue for queue in alive if queue]
        self._portion *= 2 if taken else 1
        return taken

    # ----------------------------------------------------------------------------------------------------------- proof

    def next_proof(
        self, pending: Callable[[], Iterable[str]], links: Links, is_permalink: Callable[[str], bool]
    ) -> str | None:
        """A page to fetch as a proof; None when all was fetched.

        `pending` gives the pages that wait; it is called once, and again for each post of an unknown form, or that the
        source does not list. `is_permalink`: does a page look like a post? O(n) in them.
        """
        if self._proofs is None:
            self._choose(list(pending()), links, is_permalink)
        elif self._needed and not self._proofs and self._going_on:
            self._proofs = deque(islice(self._continued(pending()), TRIES * self._needed))
        if not self._proofs or not self._needed:
            self._needed = 0
            return None
        self._needed -= 1
        url = self._proofs.popleft()
        self._tried.add(identity(url))
        self._asked.add(identity(url))
        return url

    def note_gone(self, url: str) -> None:
        """A page could not be fetched: it proves nothing."""
        if identity(url) in self._tried:
            self._tried.discard(identity(url))
            self._needed += 1

    def note_list(self, url: str, listed: Iterable[str]) -> None:
        """A page lists known posts. Where it lists others than those before, the next ones of its form prove most."""
        posts = set(listed) - self._seen
        if identity(url) in self._tried and posts:
            self._seen |= posts
            self._going_on.add(_form(url))
            self._proofs = deque()

    def _continued(self, pending: Iterable[str]) -> Iterator[str]:
        """Pages like those that went on, from both ends of their numbers, where the oldest posts are; then any."""
        waiting = [url for url in pending if identity(url) not in self._asked]
        found = [url for url in waiting if _form(url) in self._going_on]
        found.sort(key=lambda url: [int(number) for number in _NUMBER.findall(url)])
        return iter(dict.fromkeys([*_in_turn(reversed(found), found), *waiting]))

    def _choose(self, pending: list[str], links: Links, is_permalink: Callable[[str], bool]) -> None:
        """What was a hint of posts; then in turn what looks like posts, is linked where they are, or may be a form of
        theirs, and all forms."""
        linked = [url for url in pending if links.is_among_posts(identity(url))]
        likely = [url for url in pending if is_permalink(url)]
        forms: defaultdict[str, list[str]] = defaultdict(list)
        for url in pending:
            forms[_form(url)].append(url)
        frequent = sorted(forms.values(), key=len, reverse=True)
        suspected = (urls[0] for urls in frequent if self._is_suspected(urls, links))
        hinted = dict.fromkeys(url for form in self._hints for url in forms.get(form, ())[:HINTS])
        most = self._most_proofs() + PROOFS_OF_LIKELY * (len(likely) > MANY_LIKELY * len(self))
        in_turn = _in_turn(_spread(likely, most), _spread(linked, most), suspected, _in_turn(*frequent))
        chosen = dict.fromkeys([*hinted, *islice(dict.fromkeys(in_turn), TRIES * most)])
        self._needed = len(hinted) + most
        self._proofs = deque(chosen)

    def _most_proofs(self) -> int:
        is_dead = any(map(self._is_dead, self._last))
        doubt = PROOFS_FOR_STRAYS * self._strays + PROOFS_FOR_DEAD * is_dead
        return PROOFS + int(PROOF_SHARE * len(self)) + doubt

    def _is_suspected(self, urls: list[str], links: Links) -> bool:
        """May pages of one form be posts? They may in the posts' folder, and where they are listed and not linked."""
        if _form(urls[0]) not in self._others:
            return False
        return _folder(urls[0]) in self._folders or not any(links.is_linked(identity(url)) for url in urls)

    @property
    def is_proven(self) -> bool:
        """Has the source all posts, and was the proof fetched?"""
        is_tried = all(not queue or self._is_dead(form) for form, queue in self._waiting.items())
        return self.is_whole and is_tried and self._proofs is not None and not self._needed

    @property
    def because(self) -> str:
        """Why the crawl is over, as a part of a sentence."""
        proofs = len(self._tried)
        pages = f"{proofs} other {'page' if proofs == 1 else 'pages'}"
        return f"all posts that the {self.source} lists were fetched, and {pages} led to no further one"


def _spread(urls: list[str], most: int) -> list[str]:
    """About so many of them from the first to the last, then as many from between."""
    step = max(1, len(urls) // most)
    return [*urls[::step], *urls[step // 2 :: step]]


def _in_turn(*rows: Iterable[str]) -> Iterator[str]:
    """The first of each, the second of each, and so on."""
    return (one for column in zip_longest(*rows) for one in column if one is not None)


def _form(url: str) -> str:
    """What addresses of pages of one sort share: folder and extension, the sort of name, the names of parameters."""
    address, _, query = url.partition("?")
    last = address.rstrip("/").rpartition("/")[2] if address.count("/") > 3 else ""
    extension = _EXTENSION.search(last)
    stem = last[: extension.start()] if extension else last
    names = "&".join(sorted(part.partition("=")[0] for part in query.split("&"))) if query else ""
    return f"{_folder(url)} {kind_of(stem) if stem else ''} {extension[0] if extension else ''}?{names}"


def _folder(url: str) -> str:
    """The folder that a page stands in, numbers alike; a page's own name, also with a slash behind it, is left out."""
    return _NUMBER.sub("0", identity(url).partition("?")[0].rstrip("/").rpartition("/")[0])
