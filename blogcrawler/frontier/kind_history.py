"""What the fetched pages of each kind of URL brought, and which kinds are not worth a request any more.

A kind is given up for what its pages have not brought, not for its name, so calendars, filters and tags without end
cost no more than a part of the blog.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.frontier.kinds import ALONE, MOST_ROOT, area_of, is_numbered, is_paged, series_of, shape_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from blogcrawler.frontier.store import Candidate

EMPTY = 2
"""Weight of a page that lists no post and leads to nothing but its like, as all of its kind did."""
AT_END = 3
"""Weight of a page of a list that is empty, or shows what others have shown: the list ends there."""
GONE, GONE_POST = 0.25, 0.1
"""Weight of a page that is gone, and at posts' addresses, beside one that is there."""
KNOWN_ALONE = 0.5
"""Weight of a page that lists known posts alone, if no page of its area has, and its kind has led to new posts."""
AREA = 2
"""Times as many pages show that an area brings nothing, since they are of several shapes."""
FEWEST, SHARE = 10, 0.1
"""Fruitless pages after which a kind is given up, at least, and as a share of the posts that were found …"""
FRUITFUL = 4
"""… and how many times as many for a kind that has led to new posts: a tag may list a post that nothing else does. So
it is for pages that are linked where posts are."""
POOR = 0.5
"""Exhaustion from which on pages of a kind come last, see `KindHistory.exhaustion`."""

LOOKS = 5
"""Pages of a kind, from the first to the last number, that are fetched before it is given up."""
LINKED, MOST_LINKED = 2, 20
"""Posts that must link to such a page of a kind without numbers, since one alone may be all that it lists; pages."""
EVERYWHERE, ENOUGH = 0.5, 4
"""Share of the posts that link to a page, and how many these are at least, from which no further ones are counted."""
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Brought:
    """What a requested page brought."""

    #: posts that nobody knew
    new_posts: int = 0
    was_post: bool = False
    #: whether it may turn out to be a post
    is_undecided: bool = False
    #: known posts that it lists; None where that was not kept
    listed: Collection[str] | None = None
    is_gone: bool = False
    #: whether it leads to other pages that nobody knew
    leads_on: bool = True
    #: redirects that led to no page
    detours: int = 0


class KindHistory:
    """Counts the pages in a row that led to no new post, by kind: shape of URL, area of the site, place of links.

    A kind is given up after a share of the posts that were found, and `most` pages at most, unless a page is a post or
    leads to a new one. Pages told by numbers do not count as long as they list known posts that no page of their area
    has listed: these lists go on. Others, as tags, count half then, once one has led to a new post.
    """

    def __init__(self, *, most: int = 40) -> None:
        self.most = most
        self._posts = 0
        self._fruitless: dict[str, float] = {}
        #: shapes that posts are of, and places where they are linked
        self._of_posts: set[str] = set()
        #: kinds of which a page has led to a new post
        self._fruitful: set[str] = set()
        #: kinds of which a page has listed posts, or led on
        self._showing: set[str] = set()
        #: shapes all of whose pages were posts
        self.of_posts_alone: set[str] = set()
        self._of_others: set[str] = set()
        #: fetched pages by shape; those that were gone count little
        self._fetched: dict[str, float] = {}
        #: areas that posts are in, which say nothing about the other pages there
        self._areas_of_posts: set[str] = set()
        #: posts that the pages of an area have listed, and those of one list, told by numbers
        self._listed: defaultdict[str, set[str]] = defaultdict(set)
        self._of_series: defaultdict[str, set[str]] = defaultdict(set)
        #: the most posts that one page has listed
        self.most_listed = 0

    def record(self, url: str, brought: Brought, places: Collection[str] = ()) -> bool:
        """Count a page. True when one of its kinds has just become poor, given up, or neither again."""
        before = self._state(url, places)
        shape, listed = shape_of(url), brought.listed or ()
        if brought.was_post:
            self._posts += 1
            self.note_post(url, places)
            if not is_numbered(shape):  # which a day's list is, too, and that may hold one post
                self.of_posts_alone |= {shape} - self._of_others
        elif not brought.is_undecided:
            self._of_others.add(shape)
            self.of_posts_alone.discard(shape)
        self._fetched[shape] = self._fetched.get(shape, 0) + (GONE_POST if brought.is_gone else 1)
        area, goes_on = self._area(url), self.goes_on(url, listed)
        if listed:
            self._listed[area].update(listed)
        self.most_listed = max(self.most_listed, len(listed))
        is_empty = not (listed or brought.leads_on or brought.is_gone)
        is_end = is_paged(url) and (self._repeats_series(url, listed) or is_empty)
        weight = 0 if goes_on and is_numbered(shape) else max(GONE, brought.detours) if brought.is_gone else 1
        for kind in {shape, area, *places}:
            more = weight * (KNOWN_ALONE if goes_on and kind in self._fruitful else 1)
            if is_end and kind == shape:
                more = AT_END * (FRUITFUL if shape in self._fruitful else 1)
            elif is_empty and kind not in self._showing and _is_emptiness_telling(kind, shape):
                more = EMPTY
            if not (is_empty or brought.is_gone or kind.endswith(ALONE)):
                self._showing.add(kind)
            self._count(kind, more, brought)
        return self._state(url, places) != before

    def _count(self, kind: str, weight: float, brought: Brought) -> None:
        fruitless = 0 if brought.new_posts or brought.was_post else self._fruitless.get(kind, 0) + weight
        if fruitless:
            self._fruitless[kind] = fruitless
        else:
            self._fruitless.pop(kind, None)
        if brought.new_posts:
            self._fruitful.add(kind)

    def _repeats_series(self, url: str, listed: Collection[str]) -> bool:
        """Take in the posts on a page of a list. True if other pages of that list have all of them."""
        known = self._of_series[series_of(url)]
        is_again = bool(listed) and known.issuperset(listed)
        known.update(listed)
        return is_again

    def note_post(self, url: str, places: Collection[str] = ()) -> None:
        """Note that a URL, which is linked at some places, is that of a post, or leads to one."""
        self._of_posts.add(shape_of(url))
        self.note_places(places)
        areas = (area_of(url, root) for root in range(MOST_ROOT))
        self._areas_of_posts.update(area for area in areas if "?" in url or not area.endswith(ALONE))

    def note_places(self, places: Collection[str]) -> None:
        """Note that posts are linked at some places."""
        self._of_posts.update(places)

    def goes_on(self, url: str, listed: Collection[str]) -> bool:
        """True if a page lists known posts that no page of its area has listed yet."""
        return not set(listed) <= self._listed.get(self._area(url), set())

    def exhaustion(self, url: str, places: Collection[str] = ()) -> float:
        """Fruitless pages of its kinds, as a share of those after which they are given up: 1 and more is given up."""
        of_url = max(self._fruitless_of(shape_of(url)), self._fruitless_of(self._area(url)) / AREA)
        if not self._of_posts.isdisjoint(places):
            of_url /= FRUITFUL
        return max(of_url, self._at_places(places) / AREA) / self._enough

    def is_given_up(self, url: str, places: Collection[str] = (), *, is_post: bool = False) -> bool:
        """True if so many pages of one of its kinds led to no new post that the next will not either.

        Pages with a post's address (`is_post`) are given up later, since older posts may come after many that are gone;
        and never among pages of its kind that were posts.
        """
        if not is_post:
            return self.exhaustion(url, places) >= 1
        shape = shape_of(url)
        if shape not in self._of_posts and self.samples(url) >= self.most:
            return True
        return self._at_places(places) >= self._enough

    def samples(self, url: str) -> float:
        """Fetched pages of its shape; those that were gone count little."""
        return self._fetched.get(shape_of(url), 0)

    def fruitful(self) -> Iterator[str]:
        """Kinds that have led to new posts, and are not given up since, but for endless ones told by numbers."""
        alive = (kind for kind in self._fruitful if self._fruitless.get(kind, 0) < self._enough)
        return (kind for kind in alive if not is_numbered(kind))

    def _area(self, url: str) -> str:
        """The widest area that has no posts of its own: where a blog is in a folder, that is a part of the folder."""
        area = ""
        for root in range(MOST_ROOT):
            area = area_of(url, root)
            if area not in self._areas_of_posts:
                break
        return area

    @property
    def _enough(self) -> float:
        return min(self.most, max(FEWEST, SHARE * self._posts))

    def _at_places(self, places: Collection[str]) -> float:
        """The fruitless pages at that place of a URL where they are fewest; none where posts are linked."""
        return min((0 if place in self._of_posts else self._fruitless_of(place) for place in places), default=0)

    def _fruitless_of(self, kind: str) -> float:
        """The fruitless pages of a kind, as those of one that never led to a post would be counted."""
        return self._fruitless.get(kind, 0) / (FRUITFUL if kind in self._fruitful else 1)

    def _state(self, url: str, places: Collection[str]) -> tuple[bool, bool]:
        exhaustion = self.exhaustion(url, places)
        return exhaustion >= POOR, exhaustion >= 1


class LastLook:
    """Chooses, once for each shape, waiting pages to fetch before others like them are given up.

    Pages that differ by numbers are chosen from the first to the last: a blog may have paused for years. Of those with
    names, as tags, the ones that most posts link to list most posts.
    """

    def __init__(self) -> None:
        self._done: set[str] = set()
        self._posts = 0
        #: posts that link to a page
        self._links: Counter[str] = Counter()

    def telling(self, linked: Iterable[str]) -> tuple[str, ...]:
        """The pages that a post links to, without those of menus, which all posts link to."""
        most = max(ENOUGH, EVERYWHERE * self._posts)
        return tuple(key for key in linked if self._links[key] < most)

    def note(self, linked: Iterable[str]) -> None:
        """Count the links of a post to pages, see `telling`."""
        self._posts += 1
        self._links.update(linked)

    def choose(self, url: str, waiting: Iterable[Candidate]) -> list[str]:
        """Keys of the pages to fetch before `url` and its like are given up; none where that was done. O(n)."""
        shape = shape_of(url)
        if shape in self._done:
            return []
        self._done.add(shape)
        alike = [page for page in waiting if shape_of(page.url) == shape]
        return _spread(alike) if is_numbered(shape) else self._most_linked(alike)

    def _most_linked(self, pages: list[Candidate]) -> list[str]:
        linked = [(-self._links[page.key], page.position, page.key) for page in pages]
        return [key for count, _, key in sorted(linked)[:MOST_LINKED] if -count >= LINKED]

    def forget(self, url: str) -> None:
        """Note that a page brought something: others like it deserve another look."""
        self._done.discard(shape_of(url))


def _spread(pages: list[Candidate]) -> list[str]:
    """Some from the first to the last number."""
    found = sorted(([int(number) for number in _NUMBER.findall(page.url)], page.key) for page in pages)
    last = len(found) - 1
    places = range(len(found)) if last < LOOKS else (round(at * last / (LOOKS - 1)) for at in range(LOOKS))
    return [found[at][1] for at in places]


def _is_emptiness_telling(kind: str, shape: str) -> bool:
    """True if an empty page of a shape says more about a kind; dates without posts and static pages say little."""
    is_folder = kind.endswith("/**") and not kind.endswith(ALONE)
    return not is_numbered(shape) and (kind == shape or is_folder or "/" not in kind)
