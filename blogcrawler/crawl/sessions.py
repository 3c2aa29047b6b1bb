"""Session tokens in the addresses of a site: found on the start page, checked on a post, removed from all that is read.

Received pages lose their tokens before they are processed, and requested addresses get one if the site needs it. Within
a crawl and between crawls, an address is thus the same on every page. Routes (`routes`) are treated as paths here.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, Self

from blogcrawler.dom import inline_text, links, parse_page, resolve
from blogcrawler.errors import NotAFeed, NotAWebPage
from blogcrawler.feeds import looks_like_feed, parse_feed
from blogcrawler.feeds.fetch import page_at
from blogcrawler.frontier.token_place import SessionPlace, carried_by_all, is_token
from blogcrawler.routes import into_path, is_routed, out_of_path
from blogcrawler.serialise import dump, load
from blogcrawler.urls import canonicalise, identity, is_page_like, routed

if TYPE_CHECKING:
    from blogcrawler.backend import Archive
    from blogcrawler.feeds.fetch import Fetch
    from blogcrawler.items import Page

SESSIONS = "sessions"
"""Name under which the archive keeps a site's sessions."""
SAME = 0.9
"""Share of the words of two pages that must be in both for the pages to be the same."""
PROOFS = 2
"""Maximum number of pages that are fetched to check a token."""
_ROUTE = re.compile(rb"""(\shref=)(["'])([^"'#<>\s]{0,2000}#!?[^"'#<>\s]{1,2000})""")

Answers = Literal["directly", "elsewhere", "never"]
"""The site's response to an address without a token: the page, a redirect to an address with a token, or nothing."""


@dataclass
class Sessions:
    """What is known about the tokens of a site; removes tokens from addresses and adds them."""

    #: None if the site has no tokens
    place: SessionPlace | None = None
    answers: Answers = "directly"
    #: the first token seen, if the site does not respond without one: it stays in the site's addresses; else empty
    kept: str = ""
    #: the latest token seen
    newest: str = ""

    @classmethod
    def kept_of(cls, archive: Archive, home: str) -> Self:
        """The sessions that an earlier crawl stored for a blog; empty ones if another version stored them."""
        with suppress(KeyError, TypeError, ValueError):
            return load(cls, archive.load_source_state(home, SESSIONS))
        return cls()

    def keep(self, archive: Archive, home: str) -> None:
        """Store the sessions for later crawls, if the site has tokens."""
        if self.place is not None:
            archive.save_source_state(home, SESSIONS, dump(self))

    @property
    def _asked_place(self) -> SessionPlace | None:
        """The place where requested addresses get a token; None if the site needs no token."""
        return self.place if self.answers != "directly" and self.newest else None

    def address(self, url: str) -> str:
        """The address to request for a page's address."""
        url = out_of_path(url)
        return url if self._asked_place is None else self._asked_place.with_token(url, self.newest)

    def renewed(self, url: str) -> str:
        """The address to request for an address that may not be a page, such as a feed: a token is replaced, but never
        added."""
        return self.address(url) if self.place is not None and self.place.token_of(url) else out_of_path(url)

    def own(self, url: str, asked: str) -> str:
        """The address of the page that `asked` led to, in the form that is the same in all crawls."""
        url = led_to(url, asked)
        token = None if self.place is None else self.place.token_of(url)
        if self.place is None or token is None or token in asked:
            return url
        return self.place.with_token(url, self.kept) if self.kept else self.place.without(url)

    def outward(self, page: Page) -> Page:
        """A page in the form that the site sends to present visitors, for the browser to render. O(n)."""
        if (place := self._asked_place) is None:
            return replace(page, url=self.address(page.url)) if is_routed(page.url) else page
        body = place.cleaned(page.body, [self.kept], self.newest) if self.kept else page.body
        return replace(page, url=self.address(page.url), body=body, tree=None)

    def inward(self, page: Page, asked: str) -> Page:
        """A page that was fetched or rendered for the address `asked`, without tokens. O(n)."""
        if self.place is None and not is_routed(asked):
            return page
        url = self.own(page.url, asked)
        return replace(page, url=url, body=self._cleaned(page.body, url), tree=None)

    def _cleaned(self, body: bytes, url: str) -> bytes:
        body = links_as_paths(body, url)
        if self.place is None:
            return body
        tokens = self.place.tokens_in(body)
        self.newest = tokens[0] if tokens else self.newest
        return self.place.cleaned(body, tokens, self.kept)


def led_to(url: str, asked: str) -> str:
    """The address that `asked` led to, with its route, which servers do not get and so do not return."""
    if not is_routed(asked):
        return url
    page, _, route = out_of_path(asked).partition("#")
    return routed(f"{url}#{route}" if "#" not in url and identity(url) == identity(page) else url)


def links_as_paths(body: bytes, url: str) -> bytes:
    """A rendered page at a route, with its links to routes written as paths. O(n).

    So its links show the folders by which posts, tags and authors are distinguished.
    """
    return _ROUTE.sub(partial(_as_path, url), body) if is_routed(url) else body


def _as_path(url: str, match: re.Match[bytes]) -> bytes:
    target = resolve(match[3].decode("utf-8", "replace"), url)
    if target is None or (path := into_path(target)) == target:
        return match[0]
    return match[1] + match[2] + path.encode()


NO_SESSIONS = Sessions()
"""The sessions of a site whose addresses carry no tokens."""


async def find_sessions(start: Page, start_url: str, fetch: Fetch, known: Sessions = NO_SESSIONS) -> Sessions:
    """The tokens in the links of the start page; `known` are those that an earlier crawl found.

    Nothing is fetched unless all links carry a token. If they do, the page is fetched again, and a linked page is
    fetched with and without the token. A folder that stays the same is no token, unless the linked page also exists
    without it.
    """
    carried = carried_by_all(_links(start), start.url)
    tokens = [candidate for candidate in carried if is_token(candidate.text) and candidate.text not in start_url]
    again = await page_at(start_url, fetch) if tokens else None
    if again is None:
        return Sessions()
    later = {candidate[:3]: candidate for candidate in carried_by_all(_links(again), again.url)}
    pairs = [(candidate, later[candidate[:3]]) for candidate in tokens if candidate[:3] in later]
    for first, second in sorted(pairs, key=lambda pair: pair[0] == pair[1]):
        place = SessionPlace.of(first, second)
        if place is not None and (sessions := await _proven(place, again, fetch, known, changes=first != second)):
            return sessions
    return Sessions()


async def _proven(place: SessionPlace, page: Page, fetch: Fetch, known: Sessions, *, changes: bool) -> Sessions | None:
    """How the site answers without a token; None if the place is an ordinary folder."""
    tokens = place.tokens_in(page.body) or [token for url in _links(page) if (token := place.token_of(url))]
    newest = tokens[0] if tokens else ""
    is_known = known.place is not None and newest in known.place.tokens_in(page.body)
    if is_known and known.kept:
        return Sessions(known.place, "never", known.kept, newest)
    ways = [place, replace(place, has_label=True)] if place.above else [place]
    own = [url for url in dict.fromkeys(_links(page)) if place.token_of(url) and is_page_like(url)]
    home = ("/".join(page.url.split("/", 3)[:3]), place.without(page.url).rstrip("/"))
    inner = [url for url in own if place.without(url).rstrip("/") not in home]
    is_there = False
    for url in sorted(inner, key=lambda one: ("?" in place.without(one), -len(one)))[:PROOFS]:
        with_token = await page_at(url, fetch)
        if with_token is None or _is_same(with_token, page):
            continue
        is_there = True
        for way in ways:
            without = await page_at(canonicalise(way.without(url)), fetch)
            if without is not None and _is_same(without, with_token):
                is_led = way.token_of(without.url) is not None
                return Sessions(way, "elsewhere" if is_led else "directly", "", newest)
    if is_known:
        return Sessions(known.place, known.answers, "", newest)
    return Sessions(place, "never", newest, newest) if changes and is_there and newest else None


def _links(page: Page) -> list[str]:
    """The addresses that a page or a feed's entries link to, as written there."""
    try:
        if looks_like_feed(page.body, page.content_type):
            return [entry.url for entry in parse_feed(page.body, page.url, page.content_type).entries]
        return [link.url for link in links(parse_page(page), page.url) if link.kind == "a"]
    except (NotAFeed, NotAWebPage):
        return []


def _is_same(page: Page, other: Page) -> bool:
    """True if two pages show the same title and text."""
    (title, words), (other_title, other_words) = map(_shown, (page, other))
    return title == other_title and 2 * (words & other_words).total() > SAME * (words.total() + other_words.total())


def _shown(page: Page) -> tuple[str, Counter[str]]:
    """The title of a page and the counts of its words."""
    try:
        tree = parse_page(page)
    except NotAWebPage:
        return "", Counter()
    title = tree.find(".//title")
    return inline_text(title) if title is not None else "", Counter(inline_text(tree).split())
