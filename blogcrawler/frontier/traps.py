"""Bounds that keep a crawl out of endless spaces of URLs: calendars, filters, paths that grow, tags without end.

No names of sites, folders or parameters: a URL is refused for its form, and a shape of URL for what its pages have
(not) brought.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.frontier.features import form_of
from blogcrawler.urls import MAX_URL_LENGTH

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["BarrenShapes", "Brought", "TrapBounds", "area_of", "is_numbered", "shape_of"]

EMPTY = 2
"""What a page tells of others of its kind that lists no post and leads to nothing but its like, as all of them did."""
AT_END = 3
"""What a page of a list tells that is empty, or shows what others have shown: there the list ends."""
MOST_PAGED = 1990
"""Numbers from which on they may be years, or begin with one."""
GONE, GONE_POST = 0.25, 0.1
"""What a page that is gone tells of others of its shape, and at posts' addresses, beside one that is there."""
KNOWN_ALONE = 0.5
"""What a page of a kind that has led to new posts tells that lists known ones alone, if no page of its area has."""
AREA = 2
"""Times as many pages show that an area brings nothing, since they are of several shapes."""
MOST_ROOT = 4
"""Folders of a path at which an area may begin."""
FEWEST, SHARE = 10, 0.1
"""Pages in vain after which a kind is given up, at least, and as a share of the posts that were found …"""
FRUITFUL = 4
"""… and how many times as many for a kind that has led to new posts: a tag may list a post that nothing else does. So
it is for pages that are linked where posts are."""
ALONE = "//**"  # ends the area of a page that is no folder: without parameters, the page is alone in it
_DIGITS = re.compile(r"[0-9]+")
_BEHIND_HOST = re.compile(r"[/?]")
_NUMBERS = re.compile(r"(?:p|page)?[-_]?#[#._-]*(?:\.[a-z]{2,5})?", re.IGNORECASE)
"""Of a URL in which # stands for digits: what tells a page by its number or date."""


@dataclass(frozen=True)
class TrapBounds:
    """Bounds on the form of a URL."""

    #: segments of the path
    max_depth: int = 12
    #: how often the same segment may stand in a path, numbers apart
    max_repeats: int = 2
    max_parameters: int = 6
    #: characters
    max_length: int = MAX_URL_LENGTH

    def refusal(self, url: str) -> str | None:
        """Why a canonical URL is out of bounds; None for what may be fetched. Linear."""
        if len(url) > self.max_length:
            return f"longer than {self.max_length} characters"
        address, _, query = url.partition("?")
        segments = [segment for segment in address.split("/")[3:] if segment]
        if len(segments) > self.max_depth:
            return f"deeper than {self.max_depth} folders"
        folders = Counter(segment for segment in segments if not segment.isdigit())
        if folders and max(folders.values()) > self.max_repeats:
            return f"a folder more than {self.max_repeats} times in the path"
        if query.count("&") >= self.max_parameters:
            return f"more than {self.max_parameters} parameters"
        return None


def shape_of(url: str) -> str:
    """What the URLs of one endless space share: the first folder, the form of what follows, the parameters.

    /tag/anything, /2014/05 and /2015/06, ?page=2 and ?page=3 are one shape each; pages at the root are one each by
    their names. Parts that are nothing but numbers keep the form in which these are written.
    """
    address, _, query = url.partition("?")
    segments = [_DIGITS.sub("#", segment) for segment in address.rstrip("/").split("/")[2:]]
    forms = [segment if _NUMBERS.fullmatch(segment) else "*" for segment in segments[2:]]
    names = sorted({_parameter(one) for one in query.split("&")}) if query else []
    return "/".join([*segments[:2], *forms]) + (f"?{'&'.join(names)}" if query else "")


def _parameter(text: str) -> str:
    name, _, value = _DIGITS.sub("#", text).partition("=")
    return f"{name}=#" if _NUMBERS.fullmatch(value) else name


def is_numbered(shape: str) -> bool:
    """Are URLs of a shape told by numbers alone?"""
    path, mark, query = shape.partition("?")
    if mark:
        return all(one.endswith("=#") for one in query.split("&"))
    return path.count("/") > 0 and _NUMBERS.fullmatch(path.rpartition("/")[2]) is not None


def is_told_by_numbers(url: str) -> bool:
    """Is a page told by numbers alone, as a list's pages and days are?"""
    return is_numbered(shape_of(url))


def is_paged(url: str) -> bool:
    """Is a page told by one small number, as those of a list are? Those that are told by dates go on after a pause."""
    shape = shape_of(url)
    if not is_numbered(shape) or _BEHIND_HOST.split(shape, maxsplit=1)[1].count("#") != 1:
        return False
    return int(_DIGITS.findall(url)[-1]) < MOST_PAGED


def _series_of(url: str) -> str:
    """What the pages of one list share: all but the last number."""
    start, _, end = url.rpartition(_DIGITS.findall(url)[-1])
    return f"{start}#{end}"


def _is_emptiness_telling(family: str, shape: str) -> bool:
    """Does an empty page of a shape say more of a kind? Dates without posts and static pages tell little of others."""
    is_folder = family.endswith("/**") and not family.endswith(ALONE)
    return not is_numbered(shape) and (family == shape or is_folder or "/" not in family)


def area_of(url: str, root: int = 0) -> str:
    """What a shape is a part of: all below a folder, all under one path, or names of one form.

    `root` is how many of the first folders are taken as one with the host.
    """
    address, _, query = url.partition("?")
    host, *segments = [_DIGITS.sub("#", segment) for segment in address.split("/")[2:]]
    above, below = "/".join([host, *segments[:root]]), segments[root:]
    if len(below) > 1 or query or not below:
        return f"{above}/{below[0] if below else ''}/**"
    form = form_of(address.rpartition("/")[2])
    return f"{above}/{below[0]}/**" if form.startswith("word") and not form.startswith("words") else f"{above}/{form}"


@dataclass(frozen=True)
class Brought:
    """What a page brought that was asked for."""

    #: posts that nobody knew
    new_posts: int = 0
    was_post: bool = False
    #: it may turn out to be a post
    is_undecided: bool = False
    #: known posts that it lists; None where that was not kept
    listed: Collection[str] | None = None
    is_gone: bool = False
    #: does it lead to other pages that nobody knew?
    leads_on: bool = True
    #: redirects that led to no page
    detours: int = 0


class BarrenShapes:
    """Counts the pages in a row that led to no new post, for each kind: shape of URL, area of the site, place of links.

    What is barren goes to the end of the queue (`is_poor`), later out of it (`is_barren`), unless a page brings
    something: is a post, or leads to a new one. How many pages that takes is a share of the posts that were found, and
    `most` at most: a trap must not cost more than a part of the blog. Pages that are told by numbers do not count as
    long as they list known posts that no page of their area has listed: these lists go on. Others, as tags,
    count half then, once one has led to a new post.

    Places are any marks of where on pages a URL is linked, see `features.marks_of`; a URL is of the kind of its places
    when it was met with some.
    """

    def __init__(self, *, most: int = 40) -> None:
        self.most = most
        self._posts = 0
        self._in_vain: dict[str, float] = {}
        #: shapes that posts are of, and places where they are linked
        self._of_posts: set[str] = set()
        #: kinds of which a page has led to a new post
        self._fruitful: set[str] = set()
        #: kinds of which a page has listed posts, or led on
        self._showing: set[str] = set()
        #: shapes all of whose pages were posts
        self.of_posts_alone: set[str] = set()
        self._of_others: set[str] = set()
        #: pages that were no posts; those that were gone count little
        self._no_posts: dict[str, float] = {}
        #: areas that posts are in, which say nothing of the other pages there
        self._areas_of_posts: set[str] = set()
        #: what the pages of an area have listed
        self._listed: defaultdict[str, set[str]] = defaultdict(set)
        #: what the pages of one list, told by numbers, have listed
        self._of_series: defaultdict[str, set[str]] = defaultdict(set)
        #: the most posts that one page has listed
        self.most_listed = 0

    def record(self, url: str, brought: Brought, places: Collection[str] = ()) -> bool:
        """Count a page. True when one of its kinds has just become poor, barren, or neither again."""
        before = self._state(url, places)
        shape, is_gone, listed = shape_of(url), brought.is_gone, brought.listed or ()
        if brought.was_post:
            self._posts += 1
            self.note_post(url, places)
            if not is_numbered(shape):  # which a day's list is, too, and that may hold one post
                self.of_posts_alone |= {shape} - self._of_others
        elif not brought.is_undecided:
            self._of_others.add(shape)
            self.of_posts_alone.discard(shape)
        self._no_posts[shape] = self._no_posts.get(shape, 0) + (GONE_POST if is_gone else 1)
        area = self._area(url)
        goes_on = self.goes_on(url, listed)
        if listed:
            self._listed[area].update(listed)
        self.most_listed = max(self.most_listed, len(listed))
        is_empty = not (listed or brought.leads_on or is_gone)
        is_end = is_paged(url) and (self._note_in_series(url, listed) or is_empty)
        weight = 0 if goes_on and is_numbered(shape) else max(GONE, brought.detours) if is_gone else 1
        for family in {shape, area, *places}:
            more = weight * (KNOWN_ALONE if goes_on and family in self._fruitful else 1)
            if is_end and family == shape:
                more = self._at_end_of(shape)
            elif is_empty and family not in self._showing and _is_emptiness_telling(family, shape):
                more = EMPTY
            if not (is_empty or is_gone or family.endswith(ALONE)):
                self._showing.add(family)
            is_fruitful = brought.new_posts or brought.was_post
            self._in_vain[family] = 0 if is_fruitful else self._in_vain.get(family, 0) + more
            if not self._in_vain[family]:
                del self._in_vain[family]
            if brought.new_posts:
                self._fruitful.add(family)
        return self._state(url, places) != before

    def _note_in_series(self, url: str, listed: Collection[str]) -> bool:
        """Take in what a page of a list has listed. True for nothing but what others of that list have."""
        known = self._of_series[_series_of(url)]
        is_again = bool(listed) and known.issuperset(listed)
        known.update(listed)
        return is_again

    def _at_end_of(self, shape: str) -> float:
        """How much a page tells that is behind the end of a list, however much the list has brought."""
        return AT_END * (FRUITFUL if shape in self._fruitful else 1)

    def note_post(self, url: str, places: Collection[str] = ()) -> None:
        """A URL, which is linked at some places, is that of a post, or leads to one."""
        self._of_posts.add(shape_of(url))
        self.note_places(places)
        areas = (area_of(url, root) for root in range(MOST_ROOT))
        self._areas_of_posts.update(area for area in areas if "?" in url or not area.endswith(ALONE))

    def note_places(self, places: Collection[str]) -> None:
        """Posts are linked at some places."""
        self._of_posts.update(places)

    def goes_on(self, url: str, listed: Collection[str]) -> bool:
        """Does a page list known posts that no page of its area has listed yet?"""
        return not set(listed) <= self._listed.get(self._area(url), set())

    def is_poor(self, url: str, places: Collection[str] = ()) -> bool:
        """Have half as many pages of one of its kinds in a row led to no new post as make it barren?"""
        return self._state(url, places)[0]

    def is_barren(self, url: str, places: Collection[str] = (), *, is_post: bool = False) -> bool:
        """Have so many pages of one of its kinds in a row led to no new post that the next will not either?

        `is_post`: a page with a post's address is not given up as fast as others, since older posts may come after
        many that are gone; and never among pages of its kind that were posts.
        """
        if not is_post:
            return self._state(url, places)[1]
        shape = shape_of(url)
        if shape not in self._of_posts and self._no_posts.get(shape, 0) >= self.most:
            return True
        return self._at_places(places) >= self._enough

    def fruitful(self) -> Iterator[str]:
        """Kinds that have led to new posts, and to none since on fewer pages than make others barren.

        Without those that are told by numbers, as calendars are: these go on for ever.
        """
        alive = (family for family in self._fruitful if self._in_vain.get(family, 0) < self._enough)
        return (family for family in alive if not is_numbered(family))

    def is_tried(self, url: str) -> bool:
        """Was a page of this shape fetched?"""
        return shape_of(url) in self._no_posts

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
        """The pages in vain at that place of a URL where they are fewest; none where posts are linked."""
        return min((0 if place in self._of_posts else self._in_vain_of(place) for place in places), default=0)

    def _in_vain_of(self, family: str) -> float:
        """The pages in vain of a kind, as those of one that never led to a post would be counted."""
        return self._in_vain.get(family, 0) / (FRUITFUL if family in self._fruitful else 1)

    def _state(self, url: str, places: Collection[str]) -> tuple[bool, bool]:
        of_url = max(self._in_vain_of(shape_of(url)), self._in_vain_of(self._area(url)) / AREA)
        if not self._of_posts.isdisjoint(places):
            of_url /= FRUITFUL
        in_vain = max(of_url, self._at_places(places) / AREA)
        return 2 * in_vain >= self._enough, in_vain >= self._enough
