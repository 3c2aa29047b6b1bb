"""Session tokens in the addresses of a site: found on the start page, checked on a post, kept out of all that is read.

What comes in loses its token before anything else is done with it, and what is asked for gets one where the site wants
it. Within the crawl an address is the same on every page, and in every crawl. Routes (`routes`) are paths within it.
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
"""Under which name the archive keeps what was found of them."""
SAME = 0.9
"""Share of the words of two pages that both have, from which they show the same."""
PROOFS = 2
"""Pages that are tried as a proof."""
_ROUTE = re.compile(rb"""(\shref=)(["'])([^"'#<>\s]{0,2000}#!?[^"'#<>\s]{1,2000})""")

Answers = Literal["directly", "elsewhere", "never"]
"""How the site answers to an address without a token: with the page, by a redirect to one with a token, or without."""


@dataclass
class Sessions:
    """What is known of the tokens of a site, and how its addresses lose and get them."""

    #: None where it has none
    place: SessionPlace | None = None
    answers: Answers = "directly"
    #: the first token that was met, which stays in the addresses of a site that does not answer without; else empty
    kept: str = ""
    #: the last token that was met
    newest: str = ""

    @classmethod
    def kept_of(cls, archive: Archive, home: str) -> Self:
        """What an earlier crawl has found of a blog's tokens; none where another version kept it."""
        with suppress(KeyError, TypeError, ValueError):
            return load(cls, archive.load_source_state(home, SESSIONS))
        return cls()

    def keep(self, archive: Archive, home: str) -> None:
        """Keep what was found for later crawls, if anything was."""
        if self.place is not None:
            archive.save_source_state(home, SESSIONS, dump(self))

    @property
    def _asked_place(self) -> SessionPlace | None:
        """Where a token is put into what is asked for; None where the site wants none."""
        return self.place if self.answers != "directly" and self.newest else None

    def address(self, url: str) -> str:
        """What to ask for, for a page's address."""
        url = out_of_path(url)
        return url if self._asked_place is None else self._asked_place.with_token(url, self.newest)

    def renewed(self, url: str) -> str:
        """What to ask for, for the address of what may be no page: a token is put in the place of a token only."""
        return self.address(url) if self.place is not None and self.place.token_of(url) else out_of_path(url)

    def own(self, url: str, asked: str) -> str:
        """The address of what `asked` led to, as it is the same in all crawls."""
        url = led_to(url, asked)
        token = None if self.place is None else self.place.token_of(url)
        if self.place is None or token is None or token in asked:
            return url
        return self.place.with_token(url, self.kept) if self.kept else self.place.without(url)

    def outward(self, page: Page) -> Page:
        """A page that was received, as the site sends it to those who ask now: for the browser to show it. O(n)."""
        if (place := self._asked_place) is None:
            return replace(page, url=self.address(page.url)) if is_routed(page.url) else page
        body = place.cleaned(page.body, [self.kept], self.newest) if self.kept else page.body
        return replace(page, url=self.address(page.url), body=body, tree=None)

    def inward(self, page: Page, asked: str) -> Page:
        """A page that was fetched, or that the browser showed, for the address `asked`, without tokens. O(n)."""
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


# ------------------------------------------------------------------------------------------------------------- routes


def led_to(url: str, asked: str) -> str:
    """The address of what `asked` led to: servers are not told the route, so that it is missing in what they say."""
    if not is_routed(asked):
        return url
    page, _, route = out_of_path(asked).partition("#")
    return routed(f"{url}#{route}" if "#" not in url and identity(url) == identity(page) else url)


def links_as_paths(body: bytes, url: str) -> bytes:
    """A page at a route, as the browser wrote it down, whose links to routes are like those to any other page. O(n).

    So all that reads a page finds in its links the folders that tell posts, tags and authors from one another.
    """
    return _ROUTE.sub(partial(_as_path, url), body) if is_routed(url) else body


def _as_path(url: str, found: re.Match[bytes]) -> bytes:
    target = resolve(found[3].decode("utf-8", "replace"), url)
    if target is None or (path := into_path(target)) == target:
        return found[0]
    return found[1] + found[2] + path.encode()


NO_SESSIONS = Sessions()
"""Of a site whose addresses carry no tokens."""


async def find_sessions(start: Page, start_url: str, fetch: Fetch, known: Sessions = NO_SESSIONS) -> Sessions:
    """The tokens in the links of the page that a crawl begins with; `known` is what an earlier crawl found.

    Nothing is fetched where no token is in all links. Else the page is fetched again, and a page that it links to, with
    the token and without. A folder that stays the same is no token, unless the linked page is also there without it.
    """
    carried = carried_by_all(_links(start), start.url)
    tokens = [one for one in carried if is_token(one.text) and one.text not in start_url]
    again = await page_at(start_url, fetch) if tokens else None
    if again is None:
        return Sessions()
    later = {one[:3]: one for one in carried_by_all(_links(again), again.url)}
    pairs = [(one, later[one[:3]]) for one in tokens if one[:3] in later]
    for first, second in sorted(pairs, key=lambda pair: pair[0] == pair[1]):
        place = SessionPlace.of(first, second)
        if place is not None and (sessions := await _proven(place, again, fetch, known, changes=first != second)):
            return sessions
    return Sessions()


async def _proven(place: SessionPlace, page: Page, fetch: Fetch, known: Sessions, *, changes: bool) -> Sessions | None:
    """How the site answers without a token; None where the place is a folder like others."""
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
    """What a page links to, or a feed's entries, as they write it."""
    try:
        if looks_like_feed(page.body, page.content_type):
            return [entry.url for entry in parse_feed(page.body, page.url, page.content_type).entries]
        return [link.url for link in links(parse_page(page), page.url) if link.kind == "a"]
    except (NotAFeed, NotAWebPage):
        return []


def _is_same(one: Page, other: Page) -> bool:
    """True if two pages show the same title and text."""
    (title, words), (other_title, other_words) = map(_shown, (one, other))
    return title == other_title and 2 * (words & other_words).total() > SAME * (words.total() + other_words.total())


def _shown(page: Page) -> tuple[str, Counter[str]]:
    """The title and the words of a page."""
    try:
        tree = parse_page(page)
    except NotAWebPage:
        return "", Counter()
    title = tree.find(".//title")
    return inline_text(title) if title is not None else "", Counter(inline_text(tree).split())
