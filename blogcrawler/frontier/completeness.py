"""Which pages are fetched to check that a source lists all posts.

A source of posts, as a sitemap, is complete if some other pages of the blog lead to no post that it lacks. They are
chosen from the pages that wait in the frontier: those that look like posts or are linked where posts are, further pages
of lists, and one page of each form of address, so that each part of the blog is looked at. A post that the source lacks
makes the check begin anew.

What the crawl has fetched for other reasons is evidence that costs nothing: fewer pages are needed where the posts link
to nearly all posts, or one page does. (That page may hold the newest posts alone, as the source may.)
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from dataclasses import astuple, dataclass
from itertools import zip_longest
from math import ceil
from typing import TYPE_CHECKING, Any

from blogcrawler.frontier.shapes import kind_of
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

MORE_FOR_LIKELY, MANY_LIKELY = 3, 0.1
"""Pages more where many look like posts and are not listed, and what share of the listed posts is many."""
FIRST_LISTS = 2
"""Lists with a name, not a number, that are fetched before all other pages."""
TRIES = 3
"""Pages that may be asked for to get one that the server gives."""
OF_A_FORM = 2
"""Pages that are fetched of a form of which a page was a post that is not listed, or could not be judged."""
SEVERAL = 5
"""Links of one form that a list has at least."""
MOST_NEW_FORMS = 3
"""Forms that only the pages of the check have shown, and of which pages are fetched."""
FEWEST_POSTS = 12
"""Posts, below which links are no evidence."""
LINKED, WHOLE = 0.8, 0.95
"""Share of the posts that must be linked from other posts, or from one page."""
FREQUENT = 0.5
"""Share of the posts above which what they link to is their frame."""
FEW = 3
"""Posts on one page of a list, below which their number does not tell how many pages there are."""
_YEAR = re.compile(r"(?:19|20)\d\d(?:\d\d){0,2}")
"""Years, months and days: 2014, 201405, 20140502."""
_NUMBERED = re.compile(r"(?:[/=]|page[-_]?)\d+(?:\.[a-z]{2,5})?/?$", re.IGNORECASE)
_SECOND = re.compile(r"([/=]|page[-_]?)2((?:\.[a-z]{2,5})?/?)$", re.IGNORECASE)
"""Addresses of the second page of a list."""
_NUMBER = re.compile(r"\d+")
_EXTENSION = re.compile(r"\.[a-z]{2,5}$", re.IGNORECASE)


@dataclass(frozen=True)
class Waiting:
    """A page that waits in the frontier, and what is known of where it is linked."""

    url: str
    #: it looks like a post that the source does not list
    is_likely: bool = False
    #: it is linked where most of the pages that were judged are posts
    is_among_posts: bool = False
    #: it is linked elsewhere than in running text
    is_linked: bool = False
    #: it is called a list of posts, or its name in the menu has a number, as "Before 2010"
    is_list: bool = False


class Evidence:
    """Which posts are linked from the pages that were fetched for other reasons. Posts are named by keys."""

    def __init__(self) -> None:
        #: posts that were read
        self._pages: set[str] = set()
        #: how many of them link to a post
        self._linked: Counter[str] = Counter()
        #: the posts that the page with most of them links to
        self._longest: frozenset[str] = frozenset()

    def note(self, page: str, linked: Iterable[str], *, is_post: bool) -> None:
        """Take in the posts that a page links to; a post counts once."""
        posts = frozenset(linked)
        if is_post and page not in self._pages:
            self._pages.add(page)
            self._linked.update(posts)
        self._longest = max(self._longest, posts, key=len)

    def has_list_of(self, posts: Collection[str]) -> bool:
        """True if one page links to nearly all of these. O(posts)."""
        return len(posts) >= FEWEST_POSTS and sum(key in self._longest for key in posts) >= WHOLE * len(posts)

    def connects(self, posts: Collection[str]) -> bool:
        """True if posts, without the frame of their pages, link to nearly all of these. O(posts)."""
        counts = [self._linked[key] for key in posts if self._linked[key] <= FREQUENT * len(self._pages)]
        linked = sum(map(bool, counts))
        return 2 * len(counts) > len(posts) and linked >= max(FEWEST_POSTS, LINKED * len(counts))


@dataclass
class Count:
    """How many pages the check takes, and how many it has had since it began."""

    #: pages that it takes, and how many more for signs of further posts
    wanted: int = 0
    more: int = 0
    #: pages that the server gave, and that were asked for
    given: int = 0
    asked: int = 0
    #: of these, what other pages of the check have shown
    shown: int = 0

    @property
    def left(self) -> int:
        """How many pages are still to be fetched."""
        return self.wanted + self.more - self.given


class Proof:
    """Chooses the pages of the check, and notes what they show.

    `hinted` are forms of addresses of which a post was found that the source does not list as one, `others` those of
    pages that it lists and that do not look like posts, `folders` those of the posts. All of them may grow.
    """

    def __init__(self, hinted: Collection[str], others: Collection[str], folders: Collection[str]) -> None:
        self._hinted, self._others, self._folders = hinted, others, folders
        self._count = Count()
        #: pages to fetch, the best first; None while they are to be chosen
        self._chosen: deque[str] | None = None
        #: pages that stay the first, however often they are chosen anew
        self._first: set[str] = set()
        #: pages that may be posts, which pages of the check have shown
        self._shown: deque[str] = deque()
        #: all that were asked for, and those of them that are not gone
        self._asked: set[str] = set()
        self._tried: set[str] = set()
        #: forms of the pages that waited; those that others know of; those that only pages of the check have shown
        self._forms: set[str] = set()
        self._told: set[str] = set()
        self._new_forms: dict[str, None] = {}
        #: forms of pages that may be posts
        self._likely_forms: set[str] = set()
        #: pages in vain, by form, and forms of which another page is wanted for that
        self._in_vain: Counter[str] = Counter()
        self._wanted_forms: dict[str, None] = {}
        #: posts that pages of the check have listed; forms of lists that go on; the last one's
        self._listed: set[str] = set()
        self._list_forms: set[str] = set()
        self._last_form: str | None = None
        #: the page behind the last that a list needs for all posts, before it is asked for; all such
        self._behind: str | None = None
        self._all_behind: set[str] = set()

    def __len__(self) -> int:
        return len(self._tried)

    @property
    def is_over(self) -> bool:
        """True if all pages of the check were fetched, as far as there are any."""
        has_shown = bool(self._shown) and self._count.shown < MORE_FOR_LIKELY
        return (self._chosen is not None or self._count.asked > 0) and self._count.left <= 0 and not has_shown

    def restart(self) -> None:
        """Begin anew, since a post was found that was not expected."""
        self._count = Count(self._count.wanted)
        self._chosen = self._behind = None
        self._new_forms.clear()

    def next(self, pending: Callable[[], Iterable[Waiting]], wanted: int, posts: int) -> str | None:
        """The next page to fetch; None when all were fetched. O(n) in the pages that wait, where these are asked for.

        `pending` gives them, `wanted` is how many pages the check takes, `posts` how many the source lists.
        """
        count = self._count
        count.wanted = wanted
        if self._chosen is None and (count.left > 0 or not count.asked):
            self._choose([page for page in pending() if identity(page.url) not in self._asked], posts)
        url = self._take_shown() or self._take_chosen()
        if url is None:
            self._chosen, count.given = deque(), wanted + count.more
        else:
            self._note_asked(url)
        return url

    def _take_shown(self) -> str | None:
        """The first page that others have shown and that may be a post, unless some such were none."""
        while self._shown and self._count.shown < MORE_FOR_LIKELY:
            url = self._shown.popleft()
            if identity(url) not in self._asked:
                self._count.shown += 1
                self._count.more += 1
                return url
        return None

    def _take_chosen(self) -> str | None:
        """The best page, unless enough were fetched."""
        count = self._count
        if count.left <= 0 or count.asked >= TRIES * (count.wanted + count.more):
            return None
        if self._behind is not None:
            url, self._behind = self._behind, None
            return url
        return self._chosen.popleft() if self._chosen else None

    def _note_asked(self, url: str) -> None:
        self._count.asked += 1
        self._count.given += 1
        self._tried.add(identity(url))
        self._asked.add(identity(url))
        self._wanted_forms.pop(form_of(url), None)

    def take_state(self) -> list[Any]:
        """What choosing pages has changed, as JSON types: forms that were seen since the last time, and counts."""
        new, self._told = sorted(self._forms - self._told), set(self._forms)
        return [new, *astuple(self._count)]

    def note_asked(self, url: str, state: Sequence[Any]) -> None:
        """Note that a page is fetched elsewhere, or was in an earlier part of the crawl; its `state` is this then."""
        if self._chosen is not None:
            self._chosen = deque(one for one in self._chosen if identity(one) != identity(url))
        if url in self._shown:
            self._shown.remove(url)
        self._behind = None if self._behind == url else self._behind
        self._last_form = None
        self._note_asked(url)
        forms, *counts = state
        self._count = Count(*counts)
        self._forms.update(forms)

    # ------------------------------------------------------------------------------------------------ what pages show

    def note_gone(self, url: str) -> None:
        """Count a page as none, since it could not be fetched, but for one that would be there for further posts."""
        if identity(url) in self._tried:
            if form_of(url) in self._likely_forms:
                self._try_another(url)
            self._tried.discard(identity(url))
            self._count.given -= identity(url) not in self._all_behind

    def note_list(self, url: str, listed: Iterable[str], posts: int) -> None:
        """Note which posts, of so many, a page lists. If they are new, the next pages of its form are good proofs.

        The best is the page behind the last that is needed for all: it is there only for further posts.
        """
        new = set(listed) - self._listed
        if identity(url) not in self._tried or not new:
            return
        self._listed |= new
        self._last_form = form_of(url)
        self._list_forms.add(self._last_form)
        self._chosen = None
        behind = _behind(url, posts / len(new)) if len(new) >= FEW else None
        if behind is not None and identity(behind) not in self._asked:
            self._behind = behind
            self._all_behind.add(identity(behind))

    def note_links(self, url: str, links: Iterable[str]) -> None:
        """Have a page fetched of each form that nobody has seen and that a page of the check links to.

        It counts if its pages are numbered, as in a list of lists, or if there are several.
        """
        if identity(url) not in self._tried or len(self._new_forms) >= MOST_NEW_FORMS:
            return
        counts: Counter[str] = Counter()
        for link in links:
            counts[form_of(link)] += SEVERAL if _is_numbered(link) else 1
        found = {form for form, count in counts.items() if count >= SEVERAL}
        if new := found - self._forms - self._new_forms.keys():
            self._new_forms.update(dict.fromkeys(sorted(new)[:MOST_NEW_FORMS]))
            self._count.more += 1
            self._chosen = None

    def note_doubtful(self, url: str) -> None:
        """Have another page of its form fetched where nobody can tell whether a page is a post: it may link to it."""
        self._count.more += self._try_another(url)

    def note_likely(self, urls: Iterable[str]) -> None:
        """Note pages that look like posts and are not listed: nothing is better proof."""
        if self._count.asked:
            self._shown.extend(urls)
        else:
            self._chosen = None

    def _try_another(self, url: str) -> bool:
        """Choose a page of the same form next; False if the page is not of the check, or enough of its form were."""
        form = form_of(url)
        if identity(url) not in self._tried or self._in_vain[form] >= OF_A_FORM:
            return False
        self._in_vain[form] += 1
        self._wanted_forms[form] = None
        self._chosen = None
        return True

    # --------------------------------------------------------------------------------------------------- which is next

    def _choose(self, pending: list[Waiting], posts: int) -> None:
        """Put pages in order: first those with signs of further posts, then one of each of `_rows` in turn."""
        forms, count = _by_form(pending), self._count
        first = [
            pages[0] for pages in _by_size(_by_form(page for page in pending if page.is_likely and page.is_among_posts))
        ]
        first += [page for form in self._hinted for page in forms.get(form, ())[:OF_A_FORM]]
        first += [pages[len(pages) // 2] for form in self._wanted_forms if (pages := forms.get(form))]
        likely = [page for page in pending if page.is_likely or page.is_among_posts]
        self._likely_forms = {form_of(page.url) for page in likely}
        suspected = [pages[0] for pages in _by_size(forms) if self._is_suspected(pages[0])]
        if not count.asked:
            unlisted = sum(page.is_likely or form_of(page.url) in self._others for page in likely)
            count.more = bool(suspected) + len(first) + MORE_FOR_LIKELY * (unlisted > MANY_LIKELY * posts)
        if self._is_one_by_one(forms):  # as long as lists go on, that is no proof
            count.given -= 1
            count.asked -= 1
            first += forms[str(self._last_form)]
        self._last_form = None
        if not count.asked:
            named = _first_of_all(pending)
            self._first = {page.url for page in (*suspected[:1], *named)}
            count.more += len(named)
        first += [page for page in pending if page.url in self._first]
        self._forms |= forms.keys()
        new = _in_turn(*(_from_both_ends(forms.get(form, ())) for form in self._new_forms))
        rows = [suspected, *self._rows(pending, likely, forms)]
        turn = count.asked % len(rows)
        chosen = (*first, *new, *_in_turn(*rows[turn:], *rows[:turn]))
        self._chosen = deque(dict.fromkeys(page.url for page in chosen))

    def _is_suspected(self, page: Waiting) -> bool:
        """True if the source lists a page as no post that is in the posts' folder, or linked nowhere."""
        return form_of(page.url) in self._others and (folder_of(page.url) in self._folders or not page.is_linked)

    def _is_one_by_one(self, forms: Mapping[str, list[Waiting]]) -> bool:
        """True if each list leads to the next alone, by an address that does not show how many there are."""
        return self._last_form is not None and len(forms.get(self._last_form, ())) == 1 and not self._all_behind

    def _rows(
        self, pending: list[Waiting], likely: list[Waiting], forms: dict[str, list[Waiting]]
    ) -> Iterator[Iterable[Waiting]]:
        """Pages that may be posts, further pages of lists, pages that are called lists, and pages of all forms."""
        going_on = [page for form in self._list_forms for page in forms.get(form, ()) if _is_numbered(page.url)]
        wanted = self._count.wanted + self._count.more
        yield _in_turn(*(_spread(pages, wanted) for pages in _by_size(_by_form(likely))))
        yield [*(page for page in pending if _SECOND.search(page.url)), *_from_both_ends(going_on)]
        yield [page for page in pending if page.is_list]
        known = {form_of(page.url) for page in going_on}
        rest = (pages for pages in _by_size(forms) if form_of(pages[0].url) not in known)
        yield _in_turn(*(_from_both_ends(pages) if _is_numbered(pages[0].url) else pages for pages in rest))


def _first_of_all(pending: list[Waiting]) -> list[Waiting]:
    """Pages with a name that may lead to further posts: one among links to posts, and lists."""
    named = [page for page in pending if not _is_numbered(page.url)]
    among = [page for page in named if page.is_among_posts][:1]
    return [*among, *[page for page in named if page.is_list and page not in among][:FIRST_LISTS]]


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
    return (page for column in zip_longest(*rows) for page in column if page is not None)


def form_of(url: str) -> str:
    """What addresses of pages of one kind share: folder and extension, the kind of name, the names of parameters."""
    address, _, query = url.partition("?")
    last = address.rstrip("/").rpartition("/")[2] if address.count("/") > 3 else ""
    extension = _EXTENSION.search(last)
    stem = last[: extension.start()] if extension else last
    names = "&".join(sorted(part.partition("=")[0] for part in query.split("&"))) if query else ""
    return f"{folder_of(url)} {kind_of(stem) if stem else ''} {extension[0] if extension else ''}?{names}"


def folder_of(url: str) -> str:
    """The folder that a page stands in, numbers alike; a page's own name, also with a slash behind it, is left out."""
    return _NUMBER.sub("0", identity(url).partition("?")[0].rstrip("/").rpartition("/")[0])
