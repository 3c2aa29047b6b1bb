"""Choose the pages that are fetched to check that a source lists all posts.

A listing source, such as a sitemap, is complete if a sample of the blog's other pages leads to no unlisted post. The
sample is taken from the pages that wait in the frontier: pages that look like posts or are linked among posts, further
pages of lists, and one page of each address form, so that every part of the blog is sampled. An unlisted post restarts
the check.

Pages that were fetched for other reasons are evidence without cost: fewer pages are needed if posts link to nearly all
posts, or if one page does. (One such page alone may hold the newest posts only, as the source may.)
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from dataclasses import astuple, dataclass, field
from functools import cached_property
from itertools import zip_longest
from math import ceil
from typing import TYPE_CHECKING, Any

from blogcrawler.frontier.shapes import kind_of
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

MORE_FOR_LIKELY, MANY_LIKELY = 3, 0.1
"""Number of additional pages if many pages look like unlisted posts, and the share of the listed posts that counts as
many."""
FIRST_LISTS = 2
"""Number of lists with a name instead of a number that are fetched before all other pages."""
TRIES = 3
"""Maximum number of requests for each page that the check needs, since some pages fail."""
OF_A_FORM = 2
"""Number of pages that are fetched of a form with an unlisted post or a page that could not be judged."""
SEVERAL = 5
"""Minimum number of links of one form that make a page a list."""
MOST_NEW_FORMS = 3
"""Maximum number of URL forms, first seen on pages of the check, that are checked with a page."""
FEWEST_POSTS = 12
"""Number of posts below which links are no evidence."""
LINKED, WHOLE = 0.8, 0.95
"""Share of the posts that must be linked from other posts; share that must be linked from one page."""
FREQUENT = 0.5
"""A post is linked from boilerplate if more than this share of the posts link to it."""
FEW = 3
"""Number of posts on a list page below which it does not show how many pages the list has."""
_YEAR = re.compile(r"(?:19|20)\d\d(?:\d\d){0,2}")
"""Years, months and days: 2014, 201405, 20140502."""
_PAGED = re.compile(r"([/=]|page[-_]?)(\d+)((?:\.[a-z]{2,5})?/?)$", re.IGNORECASE)
"""Addresses that end in a number, as those of the further pages of a list."""
_NUMBER = re.compile(r"\d+")
_EXTENSION = re.compile(r"\.[a-z]{2,5}$", re.IGNORECASE)


@dataclass(frozen=True)
class PendingPage:
    """A page that waits in the frontier, and where it is linked."""

    url: str
    #: it looks like a post and the source does not list it
    is_likely: bool = False
    #: it is linked at places where most judged pages are posts
    is_among_posts: bool = False
    #: it is linked elsewhere than in running text
    is_linked: bool = False
    #: its links name it a list of posts, or its name in the menu has a number, like "Before 2010"
    is_list: bool = False

    @cached_property
    def form(self) -> str:
        """The form of its address, see `form_of`."""
        return form_of(self.url)

    @cached_property
    def number(self) -> str:
        """The number at the end of its address, as of a further list page; empty if there is none."""
        match = _PAGED.search(self.url)
        return match[2] if match else ""


@dataclass
class Evidence:
    """Links to listed posts on pages that were fetched for other reasons. Posts are identified by keys."""

    #: posts that were read, and how many of them link to each post
    _pages: set[str] = field(default_factory=set)
    _linked: Counter[str] = field(default_factory=Counter)
    #: the largest set of posts that one page links to
    _longest: frozenset[str] = frozenset()

    def note(self, page: str, linked: Iterable[str], *, is_post: bool) -> None:
        """Record the posts that a page links to; each post counts once as a linking page."""
        posts = frozenset(linked)
        if is_post and page not in self._pages:
            self._pages.add(page)
            self._linked.update(posts)
        self._longest = max(self._longest, posts, key=len)

    def has_list_of(self, posts: Collection[str]) -> bool:
        """True if one page links to nearly all `posts`. O(posts)."""
        return len(posts) >= FEWEST_POSTS and sum(key in self._longest for key in posts) >= WHOLE * len(posts)

    def connects(self, posts: Collection[str]) -> bool:
        """True if posts, apart from their boilerplate, link to nearly all `posts`. O(posts)."""
        counts = [self._linked[key] for key in posts if self._linked[key] <= FREQUENT * len(self._pages)]
        linked = sum(map(bool, counts))
        return 2 * len(counts) > len(posts) and linked >= max(FEWEST_POSTS, LINKED * len(counts))


@dataclass
class _Count:
    """Number of pages that the check needs, and of pages requested since it began."""

    #: pages needed, and additional pages for signs of unlisted posts
    wanted: int = 0
    more: int = 0
    #: pages that the server delivered, and pages requested
    given: int = 0
    asked: int = 0
    #: requested pages that were first seen on other pages of the check
    shown: int = 0

    @property
    def total(self) -> int:
        return self.wanted + self.more

    @property
    def left(self) -> int:
        return self.total - self.given


@dataclass
class _Lists:
    """The lists of posts among the pages of the check."""

    #: known posts that these lists contain
    posts: set[str] = field(default_factory=set)
    #: forms of the lists' addresses; form of the latest list, until the pages are ordered again
    forms: set[str] = field(default_factory=set)
    last_form: str = ""
    #: the page behind the last one that the latest list needs for all known posts; identities of all such pages
    end: str | None = None
    ends: set[str] = field(default_factory=set)


class CompletenessCheck:
    """Choose the pages of the check, and record what they show.

    `found`: posts that the crawl has found and the source lists. `folders`: folders of all listed posts. `others`:
    forms of listed addresses that do not look like posts. `hinted`: forms among `others` with a page that was a post.
    All four grow during the crawl.
    """

    def __init__(
        self, found: Collection[str], folders: Collection[str], others: Collection[str], hinted: Collection[str]
    ) -> None:
        self._found, self._folders, self._others, self._hinted = found, folders, others, hinted
        self._count = _Count()
        #: pages to fetch, best first; None if they must be ordered again
        self._order: deque[str] | None = None
        #: pages that stay first whenever the pages are ordered again
        self._first: set[str] = set()
        #: pages that look like posts and that the crawl has seen since the check began
        self._shown: deque[str] = deque()
        #: identities of the requested pages, and of those that are not gone
        self._asked: set[str] = set()
        self._given: set[str] = set()
        self._lists = _Lists()
        #: forms of all pages that have waited, and forms that `take_state` has not returned yet
        self._forms: set[str] = set()
        self._unsaved_forms: set[str] = set()
        #: forms of pages that may be posts
        self._likely_forms: set[str] = set()
        #: forms that only pages of the check have shown
        self._new_forms: list[str] = []
        #: number of fruitless pages by form, and forms that need another page
        self._in_vain: Counter[str] = Counter()
        self._wanted_forms: dict[str, None] = {}
        #: number of permanently gone pages by form
        self._gone: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._given)

    @property
    def is_over(self) -> bool:
        """True if all pages of the check were fetched, or no further page exists."""
        has_begun = self._order is not None or self._count.asked > 0
        return has_begun and self._count.left <= 0 and not self._next_shown()

    def restart(self) -> None:
        """Restart the check after an unlisted post was found."""
        self._count = _Count(self._count.wanted)
        self._order = self._lists.end = None
        self._new_forms.clear()

    # ------------------------------------------------------------------------------------------- which page is fetched

    def next(self, pending: Callable[[], Iterable[PendingPage]], wanted: int, posts: int) -> str | None:
        """The next page to fetch; None if all were fetched. O(n) in the waiting pages that `pending` returns.

        `wanted`: number of pages that the check needs. `posts`: number of posts that the source lists.
        """
        count = self._count
        count.wanted = wanted
        if self._order is None and (count.left > 0 or not count.asked):
            self._put_in_order([page for page in pending() if identity(page.url) not in self._asked], posts)
        if (url := self._next_shown()) is not None:
            count.shown += 1
            count.more += 1
        elif count.left > 0 and count.asked < TRIES * count.total:
            url = self._first_new(self._order)
        if url is None:
            self._order, count.given = deque(), count.total
        else:
            self._ask(url)
        return url

    def _next_shown(self) -> str | None:
        """The first possible post that pages of the check have shown, until `MORE_FOR_LIKELY` such pages
        were fetched."""
        return self._first_new(self._shown) if self._count.shown < MORE_FOR_LIKELY else None

    def _first_new(self, pages: deque[str] | None) -> str | None:
        """The first page that was not requested yet; requested pages before it are removed."""
        while pages and identity(pages[0]) in self._asked:
            pages.popleft()
        return pages[0] if pages else None

    def _ask(self, url: str) -> None:
        self._count.asked += 1
        self._count.given += 1
        self._given.add(identity(url))
        self._asked.add(identity(url))
        self._wanted_forms.pop(form_of(url), None)

    def take_state(self) -> list[Any]:
        """State that changed since the last call, as JSON types: forms that were seen, and counts."""
        new, self._unsaved_forms = sorted(self._unsaved_forms), set()
        return [new, *astuple(self._count)]

    def note_asked(self, url: str, state: Sequence[Any]) -> None:
        """Restore a request made by an earlier run of the crawl; `state` is what `take_state` returned then."""
        self._lists.last_form = ""
        self._ask(url)
        forms, *counts = state
        self._count = _Count(*counts)
        self._forms.update(forms)

    # ------------------------------------------------------------------------------------------------ what pages show

    def note_gone(self, url: str, *, is_permanent: bool = False) -> None:
        """Do not count a page that could not be fetched, unless it was the page behind the end of a list.

        After several pages of a form that are permanently gone, further ones count: unlisted links of this form are
        dead, so the source lacks no posts there.
        """
        if (key := identity(url)) not in self._given:
            return
        if (form := form_of(url)) in self._likely_forms:
            self._try_another(url)
        if not (is_permanent and self._gone[form] >= OF_A_FORM):
            self._given.remove(key)
            self._count.given -= key not in self._lists.ends
        self._gone[form] += is_permanent

    def is_behind_list(self, url: str) -> bool:
        """True if the check derived the address of this list page, which exists only if there are further posts."""
        return identity(url) in self._lists.ends

    def note_list(self, url: str, listed: Iterable[str]) -> None:
        """Note which known posts a page lists. If some of them are new, the next pages of its form are fetched.

        The best page is the one behind the last page that all known posts need: it can show further posts only.
        """
        lists = self._lists
        new = set(listed) - lists.posts
        if identity(url) not in self._given or not new:
            return
        lists.posts |= new
        lists.last_form = form_of(url)
        lists.forms.add(lists.last_form)
        self._order = None
        end = _page_behind(url, len(self._found) / len(new)) if len(new) >= FEW else None
        if end is not None and identity(end) not in self._asked:
            lists.end = end
            lists.ends.add(identity(end))

    def note_links(self, url: str, links: Iterable[str]) -> None:
        """Fetch one page of each new form that a page of the check links to with a number or several times."""
        if identity(url) not in self._given or len(self._new_forms) >= MOST_NEW_FORMS:
            return
        counts: Counter[str] = Counter()
        for link in map(PendingPage, links):
            counts[link.form] += SEVERAL if link.number else 1
        frequent = {form for form, count in counts.items() if count >= SEVERAL}
        if new := frequent - self._forms - set(self._new_forms):
            self._new_forms += sorted(new)[:MOST_NEW_FORMS]
            self._count.more += 1
            self._order = None

    def note_doubtful(self, url: str) -> None:
        """Fetch another page of the same form if a page cannot be judged yet."""
        self._count.more += self._try_another(url)

    def note_likely(self, urls: Iterable[str]) -> None:
        """Note pages that look like posts and are not listed, the strongest sign that the source is incomplete."""
        if self._count.asked:
            self._shown.extend(urls)
        else:
            self._order = None

    def _try_another(self, url: str) -> bool:
        """Choose another page of the same form next; False if the page is not of the check or enough of its form were
        fetched."""
        form = form_of(url)
        if identity(url) not in self._given or self._in_vain[form] >= OF_A_FORM:
            return False
        self._in_vain[form] += 1
        self._wanted_forms[form] = None
        self._order = None
        return True

    # --------------------------------------------------------------------------------------------- the order of pages

    def _put_in_order(self, pending: list[PendingPage], posts: int) -> None:
        """Order the pages: first those with signs of unlisted posts, then one of each kind in turn."""
        forms, count = _by_form(pending), self._count
        likely = [page for page in pending if page.is_likely or page.is_among_posts]
        likeliest = [page for page in likely if page.is_likely and page.is_among_posts]
        suspected = [pages[0] for pages in forms.values() if self._is_suspected(pages[0])]
        suspected.sort(key=lambda page: folder_of(page.url) not in self._folders)
        first = [
            *(pages[0] for pages in _by_form(likeliest).values()),
            *(page for form in self._hinted for page in forms.get(form, ())[:OF_A_FORM]),
            *(pages[len(pages) // 2] for form in self._wanted_forms if (pages := forms.get(form))),
        ]
        if not count.asked:
            unlisted = sum(page.is_likely or page.form in self._others for page in likely)
            more_for_likely = MORE_FOR_LIKELY * (unlisted > MANY_LIKELY * posts)
            count.more = bool(suspected) + len(first) + more_for_likely
        first += self._next_of_chain(forms)
        if not count.asked:  # also true again after `_next_of_chain` discounted the first page
            named = _first_named(pending)
            count.more += len(named)
            self._first = {page.url for page in (*suspected[:1], *named)}
        first += [page for page in pending if page.url in self._first]
        self._likely_forms = {page.form for page in likely}
        self._unsaved_forms |= forms.keys() - self._forms
        self._forms |= forms.keys()
        new = [_from_both_ends(forms.get(form, ())) for form in self._new_forms]
        kinds = [suspected, *self._kinds(pending, likely, forms)]
        turn = count.asked % len(kinds)
        chosen = (*first, *_in_turn(*new), *_in_turn(*kinds[turn:], *kinds[:turn]))
        behind = filter(None, [self._lists.end])
        self._order = deque(dict.fromkeys((*behind, *(page.url for page in chosen))))

    def _next_of_chain(self, forms: dict[str, list[PendingPage]]) -> list[PendingPage]:
        """The next list, if each list links only to the next one. Pages of such a chain do not count while
        it goes on."""
        pages, self._lists.last_form = forms.get(self._lists.last_form, []), ""
        if len(pages) != 1 or self._lists.ends:
            return []
        self._count.given -= 1
        self._count.asked -= 1
        return pages

    def _is_suspected(self, page: PendingPage) -> bool:
        """True if the source lists the page among non-posts, though it is in a folder of posts or no page
        links to it."""
        return page.form in self._others and (folder_of(page.url) in self._folders or not page.is_linked)

    def _kinds(
        self, pending: list[PendingPage], likely: list[PendingPage], forms: dict[str, list[PendingPage]]
    ) -> Iterator[Iterable[PendingPage]]:
        """The pages of each kind: possible posts, further list pages, pages named as lists, and pages of all other
        forms."""
        further = [page for form in self._lists.forms for page in forms.get(form, ()) if page.number]
        known = {page.form for page in further}
        yield _in_turn(*(_spread(pages, self._count.total) for pages in _by_form(likely).values()))
        yield [*(page for page in pending if page.number == "2"), *_from_both_ends(further)]
        yield [page for page in pending if page.is_list]
        rest = (pages for form, pages in forms.items() if form not in known)
        yield _in_turn(*(_from_both_ends(pages) if pages[0].number else pages for pages in rest))


def _first_named(pending: list[PendingPage]) -> list[PendingPage]:
    """Pages with a name that may lead to further posts: the first page linked among posts, and the first lists."""
    named = [page for page in pending if not page.number]
    among = [page for page in named if page.is_among_posts][:1]
    return [*among, *[page for page in named if page.is_list and page not in among][:FIRST_LISTS]]


def _by_form(pages: Iterable[PendingPage]) -> dict[str, list[PendingPage]]:
    """The pages by form, the most frequent form first."""
    forms: defaultdict[str, list[PendingPage]] = defaultdict(list)
    for page in pages:
        forms[page.form].append(page)
    return dict(sorted(forms.items(), key=lambda form: len(form[1]), reverse=True))


def _from_both_ends(pages: Sequence[PendingPage]) -> Iterator[PendingPage]:
    """Pages by number, taken from both ends in turn. The end of the oldest posts, with the smallest year or the largest
    page number, comes first."""
    numbers = {page.url: _NUMBER.findall(page.url.partition("//")[2].partition("/")[2]) for page in pages}
    ordered = sorted(pages, key=lambda page: list(map(int, numbers[page.url])))
    is_dated = bool(ordered) and any(map(_YEAR.fullmatch, numbers[ordered[0].url]))
    return _in_turn(ordered, reversed(ordered)) if is_dated else _in_turn(reversed(ordered), ordered)


def _spread(pages: list[PendingPage], most: int) -> list[PendingPage]:
    """About `most` pages at equal distances from the first to the last, followed by as many pages from the gaps between
    them."""
    step = max(1, len(pages) // most)
    return [*pages[::step], *pages[step // 2 :: step]]


def _in_turn(*rows: Iterable[PendingPage]) -> Iterator[PendingPage]:
    """The first item of each row, then the second item of each row, and so on."""
    return (page for column in zip_longest(*rows) for page in column if page is not None)


# ------------------------------------------------------------------------------------------------------- addresses


def _page_behind(url: str, pages: float) -> str | None:
    """The address of the list page that follows `pages` pages, if `url` is the second page of a list; else None."""
    match, number = _PAGED.search(url), ceil(pages) + 1
    is_second = match is not None and match[2] == "2"
    return _PAGED.sub(rf"\g<1>{number}\g<3>", url) if is_second and number > 2 else None


def form_of(url: str) -> str:
    """The parts that addresses of one kind of page share: folder, kind of name, extension, and parameter names."""
    address, _, query = url.partition("?")
    last = address.rstrip("/").rpartition("/")[2] if address.count("/") > 3 else ""
    extension = _EXTENSION.search(last)
    stem = last[: extension.start()] if extension else last
    names = "&".join(sorted(part.partition("=")[0] for part in query.split("&"))) if query else ""
    return f"{folder_of(url)} {kind_of(stem) if stem else ''} {extension[0] if extension else ''}?{names}"


def folder_of(url: str) -> str:
    """The folder of a page, with numbers replaced by 0. The page's own name, also before a trailing slash,
    is left out."""
    return _NUMBER.sub("0", identity(url).partition("?")[0].rstrip("/").rpartition("/")[0])
