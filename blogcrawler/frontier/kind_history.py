"""Record what the fetched pages of each kind of URL brought, and which kinds are not worth further requests.

A kind is given up because its pages brought nothing, not because of its name. Endless calendars, filters and tags
therefore cost a bounded number of requests.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.frontier.kinds import ALONE, MOST_ROOT, area_of, is_numbered, is_paged, series_of, shape_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from blogcrawler.frontier.store import Candidate

EMPTY = 2
"""Weight of a page that lists no post and leads only to pages like itself, if all pages of its kind did so."""
AT_END = 3
"""Weight of a list page that is empty or repeats posts of its list's other pages: the list ends there."""
GONE, GONE_POST = 0.25, 0.1
"""Weight of a missing page, and of a missing page at a post's address, relative to an existing page."""
KNOWN_ALONE = 0.5
"""Weight of a page that lists known posts only, if no page of its area listed them and its kind has led to new posts.
"""
AREA = 2
"""Factor by which more pages are needed to give up an area, since an area has several shapes."""
FEWEST, SHARE = 10, 0.1
"""Minimum number of fruitless pages, and their minimum share of the posts found, for a kind to be given up …"""
FRUITFUL = 4
"""… times this factor for a kind that has led to new posts, since a tag may list a post that nothing else lists. The
factor also applies to pages that are linked where posts are linked."""
POOR = 0.5
"""Exhaustion (see `KindHistory.exhaustion`) at or above which pages of a kind are ranked last."""

LOOKS = 5
"""Number of pages of a numbered kind, from the first to the last number, that are fetched before it is given up."""
LINKED, MOST_LINKED = 2, 20
"""A page of a kind without numbers is fetched before the kind is given up if this number of posts link to it, but at
most this number of such pages. A page that one post links to may list only this post."""
EVERYWHERE, ENOUGH = 0.5, 4
"""Links to a page are no longer counted if this share of the posts, and at least this number, link to it."""
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class PageResult:
    """What a requested page brought."""

    #: number of new posts
    new_posts: int = 0
    was_post: bool = False
    #: whether it may still turn out to be a post
    is_undecided: bool = False
    #: known posts that it lists; None if this was not recorded
    listed: Collection[str] | None = None
    is_gone: bool = False
    #: whether it leads to new pages other than posts
    leads_on: bool = True
    #: redirects before the request failed
    detours: int = 0


class KindHistory:
    """Counts the consecutive pages that led to no new post, for each kind: URL shape, area of the site, place of links.

    A kind is given up after a share of the posts found, and after `most` pages at the latest, unless one of its pages
    is a post or leads to a new post. Numbered pages do not count while they list known posts that no page of their area
    has listed, since these lists go on. Other pages, such as tags, count half in this case, once a page of their kind
    has led to a new post.
    """

    def __init__(self, *, most: int = 40) -> None:
        self.most = most
        self._posts = 0
        self._fruitless: dict[str, float] = {}
        #: shapes of posts, and places where posts are linked
        self._of_posts: set[str] = set()
        #: kinds with a page that led to a new post
        self._fruitful: set[str] = set()
        #: kinds with a page that listed posts or led to other pages
        self._showing: set[str] = set()
        #: shapes whose pages were all posts, and shapes of other pages
        self.of_posts_alone: set[str] = set()
        self._of_others: set[str] = set()
        #: number of fetched pages by shape; missing pages count little
        self._fetched: dict[str, float] = {}
        #: areas that contain posts, which say nothing about the other pages there
        self._areas_of_posts: set[str] = set()
        #: posts that the pages of each area have listed, and posts that the pages of each numbered list have listed
        self._listed: defaultdict[str, set[str]] = defaultdict(set)
        self._of_series: defaultdict[str, set[str]] = defaultdict(set)
        #: maximum number of posts that one page has listed
        self.most_listed = 0

    def record(self, url: str, result: PageResult, places: Collection[str] = ()) -> bool:
        """Count a page. True if one of its kinds has just become poor, was given up, or has recovered."""
        before = self._state(url, places)
        shape, listed = shape_of(url), result.listed or ()
        if result.was_post:
            self._posts += 1
            self.note_post(url, places)
            if not is_numbered(shape):  # a list of one day has such a shape, too, and may hold a single post
                self.of_posts_alone |= {shape} - self._of_others
        elif not result.is_undecided:
            self._of_others.add(shape)
            self.of_posts_alone.discard(shape)
        self._fetched[shape] = self._fetched.get(shape, 0) + (GONE_POST if result.is_gone else 1)
        area, goes_on = self._area(url), self.goes_on(url, listed)
        if listed:
            self._listed[area].update(listed)
        self.most_listed = max(self.most_listed, len(listed))
        is_empty = not (listed or result.leads_on or result.is_gone)
        is_end = is_paged(url) and (self._repeats_series(url, listed) or is_empty)
        weight = 0 if goes_on and is_numbered(shape) else max(GONE, result.detours) if result.is_gone else 1
        for kind in {shape, area, *places}:
            more = weight * (KNOWN_ALONE if goes_on and kind in self._fruitful else 1)
            if is_end and kind == shape:
                more = AT_END * (FRUITFUL if shape in self._fruitful else 1)
            elif is_empty and kind not in self._showing and _is_emptiness_evidence(kind, shape):
                more = EMPTY
            if not (is_empty or result.is_gone or kind.endswith(ALONE)):
                self._showing.add(kind)
            self._count(kind, more, result)
        return self._state(url, places) != before

    def _count(self, kind: str, weight: float, result: PageResult) -> None:
        fruitless = 0 if result.new_posts or result.was_post else self._fruitless.get(kind, 0) + weight
        if fruitless:
            self._fruitless[kind] = fruitless
        else:
            self._fruitless.pop(kind, None)
        if result.new_posts:
            self._fruitful.add(kind)

    def _repeats_series(self, url: str, listed: Collection[str]) -> bool:
        """Add the posts on a page of a list. True if other pages of this list have shown all of them."""
        known = self._of_series[series_of(url)]
        is_again = bool(listed) and known.issuperset(listed)
        known.update(listed)
        return is_again

    def note_post(self, url: str, places: Collection[str] = ()) -> None:
        """Note the URL of a post, or one that redirects to a post, and the places where it is linked."""
        self._of_posts.add(shape_of(url))
        self.note_places(places)
        areas = (area_of(url, root) for root in range(MOST_ROOT))
        self._areas_of_posts.update(area for area in areas if "?" in url or not area.endswith(ALONE))

    def note_places(self, places: Collection[str]) -> None:
        """Note places where posts are linked."""
        self._of_posts.update(places)

    def goes_on(self, url: str, listed: Collection[str]) -> bool:
        """True if a page lists known posts that no page of its area has listed yet."""
        return not set(listed) <= self._listed.get(self._area(url), set())

    def exhaustion(self, url: str, places: Collection[str] = ()) -> float:
        """Fruitless pages of the URL's kinds, as a share of the number after which they are given up: from 1 on, given
        up."""
        of_url = max(self._fruitless_of(shape_of(url)), self._fruitless_of(self._area(url)) / AREA)
        if not self._of_posts.isdisjoint(places):
            of_url /= FRUITFUL
        return max(of_url, self._at_places(places) / AREA) / self._enough

    def is_given_up(self, url: str, places: Collection[str] = (), *, is_post: bool = False) -> bool:
        """True if so many pages of one of its kinds led to no new post that the next page is not worth a request.

        Pages with a post's address (`is_post`) are given up later, since older posts may come after many missing ones.
        If posts have their shape, only the places of their links count.
        """
        if not is_post:
            return self.exhaustion(url, places) >= 1
        shape = shape_of(url)
        if shape not in self._of_posts and self.samples(url) >= self.most:
            return True
        return self._at_places(places) >= self._enough

    def samples(self, url: str) -> float:
        """Number of fetched pages of its shape; missing pages count little."""
        return self._fetched.get(shape_of(url), 0)

    def is_fruitful(self, kind: str) -> bool:
        """True if a kind has led to new posts and was not given up since; never for numbered kinds, which may be
        endless."""
        is_alive = kind in self._fruitful and self._fruitless.get(kind, 0) < self._enough
        return is_alive and not is_numbered(kind)

    def _area(self, url: str) -> str:
        """The widest area around the URL that holds no posts. For a blog in a folder, this is a part of the folder."""
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
        """Number of fruitless pages at one of the places that link to the URL: the place with fewest; 0 if posts are
        linked there."""
        return min((0 if place in self._of_posts else self._fruitless_of(place) for place in places), default=0)

    def _fruitless_of(self, kind: str) -> float:
        """Number of fruitless pages of a kind, divided by `FRUITFUL` if the kind has led to posts."""
        return self._fruitless.get(kind, 0) / (FRUITFUL if kind in self._fruitful else 1)

    def _state(self, url: str, places: Collection[str]) -> tuple[bool, bool]:
        exhaustion = self.exhaustion(url, places)
        return exhaustion >= POOR, exhaustion >= 1


class LastLook:
    """Chooses, once for each shape, waiting pages that are fetched before the shape is given up.

    Of numbered pages, some are chosen from the first to the last, since a blog may have paused for years. Of named
    pages, such as tags, those that most posts link to are chosen, since they list most posts.
    """

    def __init__(self) -> None:
        self._done: set[str] = set()
        self._posts = 0
        #: number of posts that link to each page
        self._links: Counter[str] = Counter()

    def without_menus(self, linked: Iterable[str]) -> tuple[str, ...]:
        """The pages that a post links to, without those of menus, which all posts link to."""
        most = max(ENOUGH, EVERYWHERE * self._posts)
        return tuple(key for key in linked if self._links[key] < most)

    def note(self, linked: Iterable[str]) -> None:
        """Count the links of a post to the pages that `without_menus` returned."""
        self._posts += 1
        self._links.update(linked)

    def choose(self, url: str, waiting: Iterable[Candidate]) -> list[str]:
        """Keys of the pages to fetch before pages of the shape of `url` are given up; [] if they were chosen before.
        O(n)."""
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
        """Note that a page brought something, so that pages of its shape may be chosen again."""
        self._done.discard(shape_of(url))


def _spread(pages: list[Candidate]) -> list[str]:
    """Some pages, evenly from the first to the last number."""
    numbered = sorted(([int(number) for number in _NUMBER.findall(page.url)], page.key) for page in pages)
    last = len(numbered) - 1
    places = range(len(numbered)) if last < LOOKS else (round(at * last / (LOOKS - 1)) for at in range(LOOKS))
    return [numbered[at][1] for at in places]


def _is_emptiness_evidence(kind: str, shape: str) -> bool:
    """True if an empty page of a shape counts more against a kind; dates without posts and static pages say little."""
    is_folder = kind.endswith("/**") and not kind.endswith(ALONE)
    return not is_numbered(shape) and (kind == shape or is_folder or "/" not in kind)
