"""The proof that a source has all posts: a few other pages that lead to no further one.

What the pages that were fetched link to is looked at first, since it costs nothing: less proof is needed where posts
lead to next to all others, or one page lists all, and nothing looks like a post that the source does not list. (Such a
page may hold the newest posts alone, as the source may.) The proof is what looks like a post, is linked where posts
are, is a further page of a list, what the source lists in the folders of posts, or lists and nobody links to, what is
called a list of posts, and pages of different forms. If one of them leads to a further post, more have to prove it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from itertools import zip_longest
from math import ceil
from typing import TYPE_CHECKING, Any

from blogcrawler.frontier.generalise import kind_of
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

PROOFS_OF_LIKELY = 3
"""Pages that it takes beyond the usual where many pages are linked that look like posts and are not listed, …"""
MANY_LIKELY = 0.1
"""… as a share of those that are."""
CALLED = 2
"""Lists that are looked at before all others, and that are told by a name and not by a number."""
TRIES = 3
"""Pages that are tried for one that is there."""
HINTED = 2
"""Pages of a form of which a post was found that the source does not list, which come first."""
SEVERAL = 5
"""Links of one form that a list has at least."""
MOST_NEW_FORMS = 3
"""Forms that proofs have shown, of which pages are tried."""
LINKED = 0.8
"""Share of the posts that must be linked from others."""
WHOLE = 0.95
"""Share of the posts that one page must list."""
SAMPLE = 12
"""Posts, below which links tell nothing."""
FREQUENT = 0.5
"""Share of the pages above which what they link to is their frame."""
_YEAR = re.compile(r"(?:19|20)\d\d(?:\d\d){0,2}")
"""Years, months and days: 2014, 201405, 20140502."""
_NUMBERED = re.compile(r"(?:[/=]|page[-_]?)\d+(?:\.[a-z]{2,5})?/?$", re.IGNORECASE)
"""Addresses of pages that are told by a number."""
_NUMBER = re.compile(r"\d+")
_SECOND = re.compile(r"([/=]|page[-_]?)2((?:\.[a-z]{2,5})?/?)$", re.IGNORECASE)
"""Addresses of the second page of a list."""
FEW = 3
"""Posts on one page of a list, below which their number does not tell how many pages there are."""
_EXTENSION = re.compile(r"\.[a-z]{2,5}$", re.IGNORECASE)


@dataclass(frozen=True)
class Waiting:
    """A page that may be fetched as a proof, and what is known of where it is linked."""

    url: str
    #: does it look like a post that the source does not list?
    is_likely: bool = False
    #: is it linked where most of the pages that were judged are posts?
    is_among_posts: bool = False
    #: is it linked anywhere but in running text?
    is_linked: bool = False
    #: is it called a list of posts, or has its name in the menu a number, as "Before 2010"?
    is_list: bool = False


class Evidence:
    """What the pages that were fetched for other reasons tell: which posts they link to. Posts are named by keys."""

    def __init__(self) -> None:
        #: of posts
        self._pages: set[str] = set()
        self._linked: Counter[str] = Counter()
        self._longest: frozenset[str] = frozenset()

    def note(self, page: str, linked: Iterable[str], *, is_post: bool) -> None:
        """Take in the posts that a page links to, a post's or another; it counts once."""
        posts = frozenset(linked)
        if is_post and page not in self._pages:
            self._pages.add(page)
            self._linked.update(posts)
        if len(posts) > len(self._longest):
            self._longest = posts

    def has_list_of(self, posts: Collection[str]) -> bool:
        """True if one page links to nearly all of these. O(posts)."""
        return len(posts) >= SAMPLE and sum(key in self._longest for key in posts) >= WHOLE * len(posts)

    def connects(self, posts: Collection[str]) -> bool:
        """True if posts' pages, without the frame of all pages, link to nearly all of these. O(posts)."""
        counts = [self._linked[key] for key in posts if self._linked[key] <= FREQUENT * len(self._pages)]
        linked = sum(map(bool, counts))
        return 2 * len(counts) > len(posts) and linked >= max(SAMPLE, LINKED * len(counts))


@dataclass(frozen=True)
class Suspects:
    """Of which forms a further post may be, see `form_of`."""

    #: posts of them were found that the source does not list
    hinted: Collection[str] = ()
    #: the source lists pages of them that do not look like posts
    others: Collection[str] = ()
    #: in which posts stand, see `folder_of`
    folders: Collection[str] = ()

    def are(self, page: Waiting) -> bool:
        """True if such pages may be posts: they are listed, and in the posts' folder or linked nowhere."""
        return form_of(page.url) in self.others and (folder_of(page.url) in self.folders or not page.is_linked)


class Proof:
    """Chooses the pages of a proof."""

    def __init__(self) -> None:
        #: forms of the pages that could be chosen, and those that proofs have shown besides
        self._forms: set[str] = set()
        #: those of them that others know of
        self._told: set[str] = set()
        self._new_forms: dict[str, None] = {}
        #: pages to fetch, best first; None before they are chosen
        self._chosen: deque[str] | None = None
        #: those that come before all others, however often it is chosen anew
        self._before_all: set[str] = set()
        #: how many are needed, and how many beyond those that are asked for
        self._most = self._more = 0
        #: forms of pages that may be posts
        self._likely_forms: set[str] = set()
        #: what was shown on the way and looks like a post, and how many of these were tried
        self._shown: deque[str] = deque()
        self._likely = 0
        #: how many were fetched since a post was found, and how many of them are there
        self._fetched = self._given = 0
        #: those that were tried, but for those that are gone, and all that were asked for
        self._tried: set[str] = set()
        self._asked: set[str] = set()
        #: forms of pages that told nothing, and how many; those of which another page is wanted for that
        self._doubtful: Counter[str] = Counter()
        self._wanted: dict[str, None] = {}
        #: the page of a list behind those that hold all posts, before it is asked for, and all such
        self._behind: str | None = None
        self._all_behind: set[str] = set()
        #: posts that they have listed; the forms of those that listed others than the ones before, and the last one's
        self._seen: set[str] = set()
        self._going_on: set[str] = set()
        self._last: str | None = None

    def __len__(self) -> int:
        return len(self._tried)

    @property
    def is_over(self) -> bool:
        """True if all pages of the proof were fetched, as far as there are any."""
        has_shown = bool(self._shown) and self._likely < PROOFS_OF_LIKELY
        return (self._chosen is not None or self._fetched > 0) and self._left <= 0 and not has_shown

    @property
    def _left(self) -> int:
        return self._most + self._more - self._given

    def restart(self) -> None:
        """A post was found that was not expected: all begins anew."""
        self._chosen = None
        self._more = self._likely = self._fetched = self._given = 0
        self._behind = None
        self._new_forms.clear()

    def next(self, pending: Callable[[], Iterable[Waiting]], most: int, posts: int, suspects: Suspects) -> str | None:
        """The next page of a proof that takes `most` of them; None when all were fetched.

        `pending` gives the pages that wait; it is called for each choice. `posts`: how many the source lists. O(n) in
        the pages.
        """
        self._most = most
        if self._chosen is None and (self._left > 0 or not self._fetched):
            self._choose([page for page in pending() if identity(page.url) not in self._asked], posts, suspects)
        url = self._take_shown() or self._take_chosen()
        if url is None:
            self._chosen, self._given = deque(), most + self._more
            return None
        self._count(url)
        return url

    def take_state(self) -> list[Any]:
        """What choosing pages has changed, as JSON types: forms that were seen since the last time, and counts."""
        new, self._told = sorted(self._forms - self._told), set(self._forms)
        return [new, self._most, self._more, self._given, self._fetched, self._likely]

    def note_asked(self, url: str, state: Sequence[Any]) -> None:
        """Another spider, or an earlier part of the crawl, fetches a page as a proof; its `state` is this then."""
        if self._chosen is not None:
            self._chosen = deque(one for one in self._chosen if identity(one) != identity(url))
        if url in self._shown:
            self._shown.remove(url)
        self._behind = None if self._behind == url else self._behind
        self._last = None
        self._count(url)
        forms, self._most, self._more, self._given, self._fetched, self._likely = state
        self._forms.update(forms)

    def _count(self, url: str) -> None:
        self._fetched += 1
        self._given += 1
        self._tried.add(identity(url))
        self._asked.add(identity(url))
        self._wanted.pop(form_of(url), None)

    def _take_shown(self) -> str | None:
        """The first of what was shown on the way and looks like a post, unless some of these were none."""
        while self._shown and self._likely < PROOFS_OF_LIKELY:
            url = self._shown.popleft()
            if identity(url) not in self._asked:
                self._likely += 1
                self._more += 1
                return url
        return None

    def _take_chosen(self) -> str | None:
        """The best page, unless enough were fetched."""
        if self._left <= 0 or self._fetched >= TRIES * (self._most + self._more):
            return None
        if self._behind is not None:
            url, self._behind = self._behind, None
            return url
        return self._chosen.popleft() if self._chosen else None

    def note_gone(self, url: str) -> None:
        """A page could not be fetched: it proves nothing, unless it is the one that would hold further posts."""
        if identity(url) in self._tried:
            if form_of(url) in self._likely_forms:
                self._try_another(url)
            self._tried.discard(identity(url))
            self._given -= identity(url) not in self._all_behind

    def note_list(self, url: str, listed: Iterable[str], posts: int) -> None:
        """A page lists known posts, of so many. Where these are others than before, the next of its form prove most.

        Most of all does the one that comes behind the last that is needed for all: it is there only for further posts.
        """
        new = set(listed) - self._seen
        if identity(url) not in self._tried or not new:
            return
        self._seen |= new
        self._last = form_of(url)
        self._going_on.add(form_of(url))
        self._chosen = None
        behind = _behind(url, posts / len(new)) if len(new) >= FEW else None
        if behind is not None and identity(behind) not in self._asked:
            self._behind = behind
            self._all_behind.add(identity(behind))

    def note_links(self, url: str, links: Iterable[str]) -> None:
        """A page leads to others: where these are of a form that nobody has seen, one of them is tried.

        It does where they are numbered, for then it may be a list of lists, or where there are several.
        """
        if identity(url) not in self._tried or len(self._new_forms) >= MOST_NEW_FORMS:
            return
        counts: Counter[str] = Counter()
        for link in links:
            counts[form_of(link)] += SEVERAL if _is_numbered(link) else 1
        found = {form for form, count in counts.items() if count >= SEVERAL}
        new = found - self._forms - self._new_forms.keys()
        if new:
            self._new_forms.update(dict.fromkeys(sorted(new)[:MOST_NEW_FORMS]))
            self._more += 1
            self._chosen = None

    def note_doubtful(self, url: str) -> None:
        """Nobody can tell yet whether a page of the proof is a post: another one of its form may, which links to it."""
        self._more += self._try_another(url)

    def _try_another(self, url: str) -> bool:
        """Choose a page of the same form next; False if the page is not of the proof, or enough of its form were."""
        form = form_of(url)
        if identity(url) not in self._tried or self._doubtful[form] >= HINTED:
            return False
        self._doubtful[form] += 1
        self._wanted[form] = None
        self._chosen = None
        return True

    def note_likely(self, urls: Iterable[str]) -> None:
        """A page shows others that look like posts and are not listed: nothing is better proof."""
        if self._fetched:
            self._shown.extend(urls)
        else:
            self._chosen = None

    def _choose(self, pending: list[Waiting], posts: int, suspects: Suspects) -> None:
        """What looks like a post in two ways, what was a hint of posts; then those of each row of `_rows` in turn."""
        forms = _by_form(pending)
        first = [
            pages[0] for pages in _by_size(_by_form([one for one in pending if one.is_likely and one.is_among_posts]))
        ]
        first += [page for form in suspects.hinted for page in forms.get(form, ())[:HINTED]]
        first += [pages[len(pages) // 2] for form in self._wanted if (pages := forms.get(form))]
        likely = [page for page in pending if page.is_likely or page.is_among_posts]
        self._likely_forms = {form_of(page.url) for page in likely}
        suspected = [pages[0] for pages in _by_size(forms) if suspects.are(pages[0])]
        if not self._fetched:
            many = sum(page.is_likely or form_of(page.url) in suspects.others for page in likely) > MANY_LIKELY * posts
            self._more = int(bool(suspected)) + len(first) + PROOFS_OF_LIKELY * many
        if self._is_one_by_one(forms):  # as long as lists go on, that is no proof
            self._given -= 1
            self._fetched -= 1
            first += forms[str(self._last)]
        self._last = None
        if not self._fetched:
            named = _first_of_all(pending)
            self._before_all = {page.url for page in (*suspected[:1], *named)}
            self._more += len(named)
        first += [page for page in pending if page.url in self._before_all]
        self._forms |= forms.keys()
        new = [_from_both_ends(forms.get(form, ())) for form in self._new_forms]
        rows = [suspected, *self._rows(pending, likely, forms)]
        turn = self._fetched % len(rows)
        self._chosen = deque(
            dict.fromkeys(page.url for page in (*first, *_in_turn(*new), *_in_turn(*rows[turn:], *rows[:turn])))
        )

    def _is_one_by_one(self, forms: Mapping[str, list[Waiting]]) -> bool:
        """True if each list leads to the next alone, by an address that does not show how many there are."""
        return self._last is not None and len(forms.get(self._last, ())) == 1 and not self._all_behind

    def _rows(
        self, pending: list[Waiting], likely: list[Waiting], forms: dict[str, list[Waiting]]
    ) -> Iterator[Iterable[Waiting]]:
        """What may be a post, is a further page of a list, is called a list, and pages of all forms."""
        going_on = [page for form in self._going_on for page in forms.get(form, ()) if _is_numbered(page.url)]
        alike = _by_size(_by_form(likely))
        yield _in_turn(*(_spread(pages, self._most + self._more) for pages in alike))
        yield [*(page for page in pending if _SECOND.search(page.url)), *_from_both_ends(going_on)]
        yield [page for page in pending if page.is_list]
        known = {form_of(page.url) for page in going_on}
        rest = (pages for pages in _by_size(forms) if form_of(pages[0].url) not in known)
        yield _in_turn(*(_from_both_ends(pages) if _is_numbered(pages[0].url) else pages for pages in rest))


def _first_of_all(pending: list[Waiting]) -> list[Waiting]:
    """Pages told by a name that speak for further posts: one among links to posts, and lists of their own."""
    named = [page for page in pending if not _is_numbered(page.url)]
    among = [page for page in named if page.is_among_posts][:1]
    return [*among, *[page for page in named if page.is_list and page not in among][:CALLED]]


def _by_form(pages: Iterable[Waiting]) -> dict[str, list[Waiting]]:
    forms: defaultdict[str, list[Waiting]] = defaultdict(list)
    for page in pages:
        forms[form_of(page.url)].append(page)
    return forms


def _by_size(forms: dict[str, list[Waiting]]) -> list[list[Waiting]]:
    return sorted(forms.values(), key=len, reverse=True)


def _behind(url: str, pages: float) -> str | None:
    """The page after so many, for the second page of a list; None for other pages."""
    number = ceil(pages) + 1
    return _SECOND.sub(rf"\g<1>{number}\g<2>", url) if number > 2 and _SECOND.search(url) else None


def _is_numbered(url: str) -> bool:
    return _NUMBERED.search(url) is not None


def _from_both_ends(pages: Sequence[Waiting]) -> Iterator[Waiting]:
    """By their numbers, from both ends in turn: first from that of the oldest, the smallest year or the last number."""
    numbers = {page.url: _NUMBER.findall(page.url.partition("//")[2].partition("/")[2]) for page in pages}
    found = sorted(pages, key=lambda page: [int(number) for number in numbers[page.url]])
    is_dated = bool(found) and any(_YEAR.fullmatch(number) for number in numbers[found[0].url])
    return _in_turn(found, reversed(found)) if is_dated else _in_turn(reversed(found), found)


def _spread(pages: list[Waiting], most: int) -> list[Waiting]:
    """About so many of them from the first to the last, then as many from between."""
    step = max(1, len(pages) // most)
    return [*pages[::step], *pages[step // 2 :: step]]


def _in_turn(*rows: Iterable[Waiting]) -> Iterator[Waiting]:
    """The first of each, the second of each, and so on."""
    return (one for column in zip_longest(*rows) for one in column if one is not None)


def form_of(url: str) -> str:
    """What addresses of pages of one sort share: folder and extension, the sort of name, the names of parameters."""
    address, _, query = url.partition("?")
    last = address.rstrip("/").rpartition("/")[2] if address.count("/") > 3 else ""
    extension = _EXTENSION.search(last)
    stem = last[: extension.start()] if extension else last
    names = "&".join(sorted(part.partition("=")[0] for part in query.split("&"))) if query else ""
    return f"{folder_of(url)} {kind_of(stem) if stem else ''} {extension[0] if extension else ''}?{names}"


def folder_of(url: str) -> str:
    """The folder that a page stands in, numbers alike; a page's own name, also with a slash behind it, is left out."""
    return _NUMBER.sub("0", identity(url).partition("?")[0].rstrip("/").rpartition("/")[0])
