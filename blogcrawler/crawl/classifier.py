"""Decide what a fetched page is to a crawl: whether it is a post, where it leads, and which other addresses it has."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from blogcrawler.crawl.duplicates import Copies
from blogcrawler.crawl.link_places import Places
from blogcrawler.dates import Moment, date_in_url
from blogcrawler.dom import inline_text, links
from blogcrawler.feeds.synthetic import is_called_list
from blogcrawler.frontier import MOST_MARKS, Link, PermalinkPattern, is_filter, is_numbered_url, marks_of
from blogcrawler.frontier.address_differences import names_language
from blogcrawler.frontier.completeness import form_of
from blogcrawler.routes import is_routed
from blogcrawler.serialise import dump
from blogcrawler.urls import Scope, identity, is_page_like, resolve, same_site, slashless
from blogcrawler.wrapper.fallback.head_titles import Ends, Heads

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.crawl.journal import Journal
    from blogcrawler.crawl.read_page import Outline, ReadPage
    from blogcrawler.items import Entry
    from blogcrawler.wrapper import Wrapper

FOLLOWED = frozenset({"next", "prev", "previous", "first", "last", "start", "up", "archives", "index", "contents"})
"""Relations of link elements that lead to further pages of a blog (HTML link types)."""
LIST_BONUS = 0.25
"""Added to the expected yield of a page that its links name a list of posts."""
RELEARN = 3
"""Number of posts at addresses of an unknown form after which the permalink pattern is learned again."""
HEADINGS = frozenset({"h1", "h2", "h3", "h4"})
MENU = 0.8
"""Share of the posts' pages that must link to a page of the site's menu."""
FEW = 3
"""Number of pages below which a menu cannot be distinguished from links between neighbours."""
ROOT_SLASHES = 1
"""Number of slashes in the result of `_folder` for the top of a site."""
STORED = ("posts", "no_posts", "trusts_canonical", "lists", "menu", "feed_since")
"""Fields of a classifier that are stored, besides its scope."""


@dataclass
class PostClassifier:
    """Classifies the pages of one blog."""

    scope: Scope
    wrapper: Wrapper
    #: permalinks of known posts
    posts: list[str]
    #: pages that are never posts, even if they look like posts, by `urls.identity`
    no_posts: frozenset[str] = frozenset()
    #: whether posts name their own address as canonical; some themes name the home page everywhere
    trusts_canonical: bool = False
    #: forms of addresses where lists of posts were found
    lists: set[str] = field(default_factory=set)
    #: pages that most posts link to, written as by `urls.identity`
    menu: frozenset[str] = frozenset()
    #: day since which the feed has every post, as ISO 8601; None if the feed does not show it
    feed_since: str | None = None

    def __post_init__(self) -> None:
        self.places = Places()
        self._heads = Heads()
        self._known: set[str] = set()
        #: pages that could not be classified, as `_known`
        self._doubted: set[str] = set()
        #: titles and dates of pages that may be posts judging by their template alone, by form of address
        self._alike: defaultdict[str, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
        #: the first post with each name
        self._named: dict[str, str] = {}
        #: whether posts are routes, so that the part after "#" names a page
        self.has_routes = any(map(is_routed, self.posts))
        self._learn_pattern()
        self.add_known_posts(self.posts)
        for key in self.no_posts:
            self.places.judge(key, is_post=False)
        self.copies = Copies()

    def keep_in(self, journal: Journal) -> None:
        """Let a journal record what is learned beyond `to_dict`, for a resumed crawl."""
        journal.follow("reader", self, "add_known_posts", "add_permalink", "add_list", "doubt", "note_alike")
        journal.on("reader", "know", self.add_known_posts)  # the method's name in journals of earlier versions
        journal.follow("places", self.places, "note", "judge")
        journal.follow("copies", self.copies, "note_page", "note_post")

    def is_permalink(self, url: str) -> bool:
        """True if an unfetched URL looks like a post's."""
        return self.pattern.matches(url) and identity(url) not in self.no_posts

    def add_known_posts(self, urls: Iterable[str]) -> None:
        """Add known posts, which help to classify other pages."""
        for key in map(identity, urls):
            self._known.add(key.rstrip("/"))
            if name := _name(key):
                self._named.setdefault(name, key)
            self.places.judge(key, is_post=True)

    @property
    def known_posts(self) -> int:
        """Number of known posts."""
        return len(self._known)

    def is_known_post(self, url: str) -> bool:
        """True if there is a known post at this address."""
        return slashless(url) in self._known

    def links(self, outline: Outline) -> list[str]:
        """The addresses that `found_links` returns."""
        return [link.url for link in self.found_links(outline)]

    def found_links(self, outline: Outline) -> list[Link]:
        """The pages of the blog that a page links to, in order and without duplicates.

        Remembers the places of the links, and the title in the page's head.
        """
        if self._heads.note(outline.title) and (ends := self._heads.ends()) not in (self.wrapper.ends, Ends()):
            self.wrapper = self.wrapper.each(lambda one: replace(one, ends=ends))
        url, linked = outline.url, list[tuple[str, int, tuple[str, ...], str]]()
        for link in outline.links:
            if link.kind == "iframe" or (link.kind == "link" and FOLLOWED.isdisjoint(link.rel)):
                continue
            target = resolve(url, link.url, has_routes=self.has_routes)
            if target and self.scope.covers(target) and is_page_like(target):
                linked.append((target, link.place, link.rel, link.text))
        named = (resolve(url, target, has_routes=self.has_routes) for target in outline.versions)
        linked += [(target, 0, ("alternate",), "") for target in named if target and self.scope.covers(target)]
        own, name = self._own_post(url) or "/", _name(identity(url)) or None
        keyed = ((target, place, identity(target)) for target, place, _, _ in linked)
        self.places.note([one[:2] for one in keyed if _name(one[2]) != name and not one[2].startswith(own)], url)
        return self.to_follow(linked)

    def to_follow(self, linked: Iterable[tuple[str, int, tuple[str, ...], str]]) -> list[Link]:
        """Links for the frontier, from their addresses, places, relations and texts. O(n)."""
        marks: dict[str, dict[str, None]] = {}
        lists: set[str] = set()
        for target, place, rel, text in linked:
            marks.setdefault(target, {}).update(dict.fromkeys(_marks_of(place, tuple(rel), text)))
            if target not in lists and is_called_list(target, text, rel):
                lists.add(target)
        return [
            Link(
                target,
                self.is_permalink(target),
                LIST_BONUS if target in lists else 0.0,
                marks=tuple(of)[:MOST_MARKS],
                in_menu=identity(target) in self.menu,
                is_variant=is_filter(target, self.is_permalink),
            )
            for target, of in marks.items()
        ]

    def canonical(self, outline: Outline) -> str | None:
        """Another address of the blog that a page declares as its canonical address.

        None if it declares no other address or a wrong one: a post's address is not a part of itself, such as a page of
        its comments, which some software declares when it shows the newest comments first.
        """
        target, url = self._canonical(outline), outline.url
        is_near = target is not None and (same_site(target, url) or self.scope.covers(target))
        if target is None or not is_near or identity(target) == identity(url):
            return None
        is_part = urlsplit(target).path.startswith(urlsplit(url).path.rstrip("/") + "/") and self.is_permalink(url)
        return None if is_part and not self.is_permalink(target) else target

    def spelled(self, outline: Outline) -> str:
        """A page's address in the spelling that the page declares: with http or https, with or without "www."."""
        target, url = self._canonical(outline), outline.url
        return target if target is not None and identity(target) == identity(url) else url

    def _canonical(self, outline: Outline) -> str | None:
        named = outline.canonical if self.trusts_canonical else None
        return resolve(outline.url, named) if named else None

    def verdict(self, page: ReadPage, *, is_last: bool = False) -> bool | None:
        """True if a page is a post; None if more pages must be read to decide, unless this `is_last`.

        A page at a post's address is judged by its content, with exceptions: a page that is in the menu, is linked
        among other pages, or is newer than the feed's oldest entry but neither in the feed nor known, must also be
        linked among posts.

        A page at an address of another form is a post if it is in the posts' folder, has its own date in the URL, or is
        linked among posts, and if neither it nor a page of its form is a list of posts. A page that is linked in
        running text only, or at unknown places, is a post if several pages of its form have the posts' template, each
        with its own title and date.

        A page with another template than the newest posts (old posts often keep theirs) must show in other ways that it
        is a post. A page below a post's address is a part of the post, unless other pages link to it among posts.
        """
        verdict = self._verdict(page, is_last=is_last)
        if verdict is None and page.key.rstrip("/") not in self._doubted:
            self.doubt(page.key)
        if verdict is False or (verdict is None and is_last):
            self.places.judge(page.key, is_post=False, is_permalink=self.is_permalink(page.url))
            return False
        return verdict

    def _verdict(self, page: ReadPage, *, is_last: bool) -> bool | None:
        if page.key in self.no_posts:
            return False
        is_permalink = self.pattern.matches(page.url)
        fits = page.is_post_at_permalink if is_permalink else page.is_post
        if is_permalink:
            return self._at_permalink(page, fits=fits)
        is_part = self._is_part(page.key) and not self._is_other_version(page)
        if (is_part and self.places.is_among_posts(page.key) is not True) or _form(page.url) in self.lists:
            return False
        verdict = self._elsewhere(page, fits=fits)
        is_day = verdict is True and is_numbered_url(page.url)  # perhaps the list of a day with one post
        return None if is_day and not is_last else verdict

    def _at_permalink(self, page: ReadPage, *, fits: bool) -> bool | None:
        """The verdict on a page at a post's address."""
        among_posts = self.places.is_among_posts(page.key, is_permalink=True)
        is_linked = among_posts is True
        is_other = None if fits else page.wrapper.is_other_post(page.tree, page.url, is_linked=is_linked)
        if not fits and (not is_other or self._is_copy(page)):
            return None if is_other is None else False
        if among_posts is None and (page.key in self.menu or self._is_missing_in_feed(page)):
            among_posts = False
        is_known = self.is_known_post(page.url)  # updates read known posts without their entries
        if among_posts is False and not is_known and not self._is_other_version(page):
            return None
        return not self._is_post_again(page, is_linked=is_linked)

    def _is_post_again(self, page: ReadPage, *, is_linked: bool) -> bool:
        """True if a page is a known post at another address. Some posts were published twice, under another name."""
        other = self.copies.same_post(page.shown, page.key)
        return other is not None and (not is_linked or _adds_to(page.key, other) or _adds_to(other, page.key))

    def _elsewhere(self, page: ReadPage, *, fits: bool) -> bool | None:
        """The verdict on a page at an address of another form."""
        among_posts, in_menu = self.places.is_among_posts(page.key), page.key in self.menu
        if not fits:
            is_linked = among_posts is True and not in_menu
            is_other = page.wrapper.is_other_post(page.tree, page.url, is_linked=is_linked)
            if not is_other:
                return None if is_other is None and among_posts is not False else False
        is_near = fits and (_folder(page.url) in self._folders or _is_dated_post(page) or self._is_other_version(page))
        is_told = not in_menu and (among_posts or (among_posts is None and fits and self._has_alike(page)))
        if not is_near and not is_told:
            return None
        if self._shows_another(page):
            return False
        if page.wrapper.holds_several(page.tree) or self._is_copy(page):
            self.add_list(page.url)
            return False
        return True

    def _has_alike(self, page: ReadPage) -> bool:
        """True if this page and others of its form outside the menu have the posts' template, each with its own title
        and date."""
        title, published = page.extraction.title, page.extraction.published
        if not title or not published or self._is_part(page.key, self._doubted):
            return False
        titles, dates = self._alike[form_of(page.url)]
        if min(len(titles), len(dates)) < FEW and (title not in titles or published not in dates):
            self.note_alike(form_of(page.url), title, published)
        return min(len(titles), len(dates)) >= FEW

    def note_alike(self, form: str, title: str, published: str) -> None:
        """Record a page that may be a post judging by its template alone, with the form of its address."""
        titles, dates = self._alike[form]
        titles.add(title)
        dates.add(published)

    def doubt(self, key: str) -> None:
        """Note that a page, written as by `urls.identity`, could not be classified."""
        self._doubted.add(key.rstrip("/"))

    def _shows_another(self, page: ReadPage) -> bool:
        """True if the page shows another post, as lists do: its title, or a heading at the start of the article, links
        to one.

        Also true if any heading has the title of the post that it links to, and the page has that post's date.
        """
        title, published = page.extraction.title, page.extraction.published
        if any(
            self.copies.is_post(inline_text(heading), published, identity(target))
            for heading in page.tree.iter(*HEADINGS)
            for target in self._others_in(heading, page.url)
        ):
            return True
        titled = (link.url for link in page.outline.links if title is not None and link.text == title)
        if any(
            self._is_another_post(target, page.url) and not self.copies.differs_from(page.shown, identity(target))
            for target in filter(None, (resolve(page.url, url) for url in titled))
        ):
            return True
        located = page.wrapper.article.locate(page.tree)
        heading = _first_heading(located[0]) if located else None
        return heading is not None and any(self._others_in(heading, page.url))

    def _others_in(self, heading: HtmlElement, url: str) -> Iterator[str]:
        """The other posts that a heading links to."""
        return (target for target in targets_of(heading, url) if self._is_another_post(target, url))

    def _is_another_post(self, target: str, url: str) -> bool:
        """True if a link leads to a known or likely post other than the page itself."""
        is_post = self.is_known_post(target) or self.is_permalink(target)
        return is_post and identity(target) != identity(url)

    def _is_other_version(self, page: ReadPage) -> bool:
        """True if the page is another version of a known post with another text, such as a translation.

        Its address has the post's name, or an additional parameter or language, or it declares the post as a version of
        itself.
        """
        named = filter(None, (resolve(page.url, target) for target in page.outline.versions))
        bases = [*map(identity, named), self._named.get(_name(page.key), "")]
        if names_language(page.key.removeprefix(folder := _folder(page.url)).rstrip("/")):
            bases += [folder, folder.rstrip("/")]
        if not is_numbered_url(page.url):  # numbers identify further pages of a post
            bases.append(page.key.partition("?")[0])
        return any(self.copies.differs_from(page.shown, key) for key in bases if key != page.key)

    def repeats_post(self, page: ReadPage) -> bool:
        """True if a page whose address extends a post's shows this post, such as a printable copy."""
        other = self.repeated(page)
        return other is not None and _adds_to(page.key, identity(other))

    def _is_part(self, key: str, pages: Collection[str] | None = None) -> bool:
        """True if a page's address is below that of a post, or of one of `pages`, as that of a picture in it may be."""
        return self._base(key.partition("?")[0].rstrip("/").rpartition("/")[0], pages) is not None

    def _base(self, path: str, pages: Collection[str] | None = None) -> str | None:
        """The known post, or the page of `pages`, at this address or the nearest address above it."""
        known = self._known if pages is None else pages
        while "/" in path:
            if path in known:
                return path
            path = path.rpartition("/")[0]
        return None

    def _own_post(self, url: str) -> str | None:
        """The start of the addresses of a post's parts, for the page of the post or of a part; None for other pages."""
        key = identity(url).partition("?")[0].rstrip("/")
        base = key if self.pattern.matches(url) else self._base(key)
        return None if base is None else f"{base}/"

    def _is_missing_in_feed(self, page: ReadPage) -> bool:
        """True if a page that the feed lacks is newer than entries of the feed, which has the newest posts."""
        published = page.extraction.published
        return self.feed_since is not None and published is not None and published[:10] > self.feed_since[:10]

    def add_post(self, page: ReadPage) -> bool:
        """Add a post; True if its address has changed the permalink pattern."""
        self.copies.note_post(page.shown, page.key)
        return self.add_permalink(page.url)

    def add_permalink(self, url: str) -> bool:
        """Add the address of a post; True if it has changed the permalink pattern."""
        self.add_known_posts([url])
        if self.pattern.matches(url) or url in self.posts:
            return False
        self.posts.append(url)
        self._unknown += 1
        if self._unknown < RELEARN:
            return False
        self._learn_pattern()
        return True

    def add_list(self, url: str) -> None:
        """Note that there is a list of posts at this address, so that other addresses of its form have lists, too."""
        self.lists.add(_form(url))

    def _learn_pattern(self) -> None:
        self._unknown = 0
        self.pattern = PermalinkPattern.learn(self.posts, negatives=[f"http://{url}" for url in self.no_posts])
        folders = Counter(_folder(url) for url in self.posts)
        self._folders = {
            folder
            for folder, count in folders.items()
            if 2 * count >= len(self.posts) and folder.count("/") > ROOT_SLASHES
        }

    def _is_copy(self, page: ReadPage) -> bool:
        """True if another page, post or not, has shown the same content; the page is remembered, too."""
        other = self.copies.page_like(page.shown, page.key)
        self.copies.note_page(page.shown, page.key)
        return other is not None

    def repeated(self, page: ReadPage) -> str | None:
        """The address of a post with the same content as this page; None if no such post is known."""
        key = self.copies.post_like(page.shown, page.key)
        return None if key is None else f"http://{key}"

    def to_dict(self) -> dict[str, Any]:
        """The stored fields, without the wrapper, as JSON types."""
        return {"sites": dump(self.scope.sites), **{name: dump(getattr(self, name)) for name in STORED}}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], wrapper: Wrapper) -> Self:
        """Restore a classifier from `to_dict`."""
        stored = {name: data[name] for name in STORED if name in data}
        for name in ("no_posts", "menu"):
            stored[name] = frozenset(stored.get(name, ()))
        return cls(Scope(tuple(data["sites"])), wrapper, **{**stored, "lists": set(data["lists"])})


def _is_dated_post(page: ReadPage) -> bool:
    """True for a page with its own date in its URL before a name; the list of a day has no name behind the date."""
    day, (folder, _, name) = date_in_url(page.url), page.url.rstrip("/").rpartition("/")
    if day is None or not (any(map(str.isalpha, name)) or date_in_url(folder) == day):
        return False
    moment = Moment.parse_iso(page.extraction.published)
    return moment is not None and moment.same_day(day)


def targets_of(heading: HtmlElement, url: str) -> Iterator[str]:
    """The addresses that a heading links to: by links inside it, or by a link around it."""
    around = next(heading.iterancestors("a"), None)
    hrefs = [around.get("href") or ""] if around is not None else []
    hrefs += [link.url for link in links(heading, url) if link.kind == "a"]
    yield from filter(None, (resolve(url, href) for href in hrefs))


def _first_heading(article: HtmlElement) -> HtmlElement | None:
    """The heading at the very start of an article; None if text comes first."""
    for element in article.iter():
        if element.tag in HEADINGS:
            return element
        if (element.text or "").strip():
            return None
    return None


def menu(pages: Sequence[Iterable[str]]) -> frozenset[str]:
    """The pages that most posts link to, written as by `urls.identity`; `pages` holds the links of each post. O(n) in
    the links."""
    if len(pages) < FEW:
        return frozenset()
    counts = Counter(key for targets in pages for key in {identity(target) for target in targets})
    return frozenset(key for key, count in counts.items() if count >= MENU * len(pages))


def feed_since(entries: Sequence[Entry]) -> str | None:
    """The day since which a feed has every post: that of its last entry if its entries are newest first, else None."""
    days = [entry.published[:10] for entry in entries if entry.published and not entry.is_synthetic]
    if len(days) < FEW or len(days) < len(entries) or days != sorted(days, reverse=True):
        return None
    return days[-1]


def _folder(url: str) -> str:
    """The folder of a page: "example.org/blog/" for a page or folder below it."""
    return identity(url).partition("?")[0].rstrip("/").rpartition("/")[0] + "/"


def _adds_to(key: str, post: str) -> bool:
    """True if an address is that of a post with added folders, name or parameters; both are written as by
    `identity`."""
    (path, _, query), (own_path, _, own_query) = key.partition("?"), post.partition("?")
    if not set(filter(None, own_query.split("&"))) <= set(query.split("&")):
        return False
    path, own_path = path.rstrip("/"), own_path.rstrip("/")
    is_named = "/" in own_path and _name(key) == _name(post)
    return is_named or path == own_path or path.startswith(f"{own_path}/")


_marks_of = lru_cache(maxsize=1 << 11)(marks_of)  # pages have mostly the same links


@lru_cache(maxsize=1 << 11)
def _name(key: str) -> str:
    """The last part of the path of an `identity`; empty if a number, language or query identifies the page."""
    _, slash, name = key.rstrip("/").rpartition("/")
    return name if slash and "?" not in key and not name.isdecimal() and not names_language(name) else ""


def _form(url: str) -> str:
    """A URL with all numbers replaced by 0: the lists of all months have the same form."""
    return re.sub(r"\d+", "0", identity(url))


def trusts_canonical(pages: Iterable[Outline]) -> bool:
    """True if the posts that declare a canonical address declare their own."""
    named = [(resolve(page.url, page.canonical), page.url) for page in pages if page.canonical]
    are_own = [identity(target) == identity(url) for target, url in named if target]
    return bool(are_own) and all(are_own)
