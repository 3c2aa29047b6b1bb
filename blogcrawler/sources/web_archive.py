"""Captures of a web archive with a CDX server: the Internet Archive, and archives that run pywb."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter, defaultdict
from functools import partial
from typing import TYPE_CHECKING

from blogcrawler.errors import DamagedCapture, ExcludedFromArchive, Unreachable
from blogcrawler.sources.capture import Capture, is_feed_type, is_page
from blogcrawler.sources.cdx import REVISIT, IndexEntry, moment_of
from blogcrawler.sources.cdx_server import CdxServer, candidates, is_cut, parse_page
from blogcrawler.sources.kept_answers import KeptAnswers
from blogcrawler.sources.playback import captured_response, shown_time
from blogcrawler.sources.polite_requests import PoliteRequests, TemporaryFailure, is_same_host
from blogcrawler.sources.surt import surt_key

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from pathlib import Path

    from blogcrawler.sources.capture import CapturedResponse
    from blogcrawler.sources.cdx_server import ListingPage
    from blogcrawler.sources.kept_answers import Answer

MOST_LISTED = 100_000
"""Number of captures of a host or folder up to which all are listed at once. Otherwise each address is searched."""
_FEW_ADDRESSES = 3
"""Number of addresses of a host that are searched each before the host is listed."""
_MOST_FAILURES = 3
_MAYBE_FEED = ".*(xml|rss|atom|rdf|feed|revisit).*"
_PORT_80 = re.compile(r"^(http://[^/]*):80(?=/)")

_ByKey = dict[str, list[IndexEntry]]


class _NoListing(Unreachable):
    """A search was answered with something else than captures."""


class WebArchive:
    """The captures of a web archive; `name` is its address, that of a collection, or that of its CDX server.

    No request reaches another host. Answers are kept in `folder`; without its file they are asked anew. `ask` makes one
    request without following redirects, and raises OSError if no complete answer arrives. Requests begin at least
    `interval_s` apart. All methods raise BackendUnavailable if the file is unusable.
    """

    def __init__(
        self,
        name: str,
        ask: Callable[[str], Awaitable[Answer]],
        folder: Path,
        *,
        interval_s: float = 1.0,
        most_listed: int = MOST_LISTED,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.name = name
        self._kept = KeptAnswers(folder)
        self._requests = PoliteRequests(ask, interval_s, sleep, clock)
        self._most_listed = most_listed
        self._server: CdxServer | None = None
        self._listings: dict[str, _ByKey | ExcludedFromArchive | None] = {}
        self._searches: Counter[str] = Counter()
        self._searching = asyncio.Lock()
        self._failures = 0

    async def find(self, url: str) -> Sequence[Capture]:
        """All captures of an address, in the order of their times; for variants that count as the same, see `surt_key`.

        Raises Unreachable, and ExcludedFromArchive, which is a kind of it.
        """
        key = surt_key(url)
        async with self._searching:
            listed = self._listed(key)
            if listed is None:
                listed = await self._list_host(f"{key.partition(')')[0]})/")
            if listed is None:
                return self._captures((await self._list("exact", url))[0])
        return self._captures(listed.get(key, ()))

    async def feeds(self, home: str) -> Sequence[Capture]:
        """The captures under an address and the addresses below it, whose media type is one of feeds or of XML, in the
        order of their times. Raises Unreachable."""
        folder = surt_key(home.partition("?")[0])
        captures = await self._below(folder)
        if captures is None:
            async with self._searching:
                captures = self._captures((await self._list("prefix", _address(folder), _MAYBE_FEED))[0])
        return [it for it in captures if is_feed_type(it.mime)]

    async def pages(self, home: str) -> Sequence[Capture]:
        """The captures of web pages at and below an address, in the order of their times; empty if there are too many
        to list. Raises Unreachable."""
        captures = await self._below(surt_key(home.partition("?")[0])) or ()
        return [it for it in captures if is_page(it.status, it.mime)]

    async def _below(self, folder: str) -> list[Capture] | None:
        """The captures of a folder in the order of their times; None if they are too many."""
        async with self._searching:
            listed = self._listed(folder)
            if listed is None:
                listed = await self._list_below(folder)
        if listed is None:
            return None
        keys = [key for key in listed if _is_below(key, folder)]
        return self._captures(sorted((it for key in keys for it in listed[key]), key=_time))

    async def read(self, capture: Capture) -> CapturedResponse:
        """The response of a capture. Raises DamagedCapture, ExcludedFromArchive and Unreachable.

        If the web archive shows a capture of another time instead, the capture of the response is that one.
        """
        if not is_same_host(capture.place, self.name):
            raise DamagedCapture(f"{capture.place} is not a capture of {self.name}.", url=capture.url)
        address, answer = self._kept.get(capture.place) or await self._shown(capture)
        return captured_response(capture, address, answer)

    def close(self) -> None:
        """Close the file of answers."""
        self._kept.close()

    def _listed(self, key: str) -> _ByKey | None:
        """The captures of a folder that was listed, and to which a key belongs; None without one."""
        listings = (
            listed for folder, listed in self._listings.items() if listed is not None and _is_below(key, folder)
        )
        listed = next(listings, None)
        if isinstance(listed, ExcludedFromArchive):
            raise listed
        return listed

    async def _list_host(self, root: str) -> _ByKey | None:
        """List a host, unless few of its addresses have been searched."""
        self._searches[root] += 1
        return await self._list_below(root) if self._searches[root] > _FEW_ADDRESSES else None

    async def _list_below(self, folder: str) -> _ByKey | None:
        """The captures of a folder, or of a whole host, by their keys; None if they are too many."""
        if folder not in self._listings:
            match = "host" if folder.endswith(")/") else "prefix"
            try:
                entries, is_complete = await self._list(match, _address(folder))
            except ExcludedFromArchive as error:
                self._listings[folder] = error
                raise
            self._listings[folder] = _by_key(entries) if is_complete else None
        return self._listed(folder)

    async def _list(self, match: str, url: str, mime: str = "") -> tuple[list[IndexEntry], bool]:
        """The captures of a search in the order of their times, and whether they are all."""
        request = partial(CdxServer.request, match=match, url=url, mime=mime, limit=self._most_listed + 1)
        self._server = self._server or await self._found_server(request)
        found: dict[IndexEntry, None] = {}
        cursor, cursors = "", {""}
        while len(found) <= self._most_listed:
            page = await self._page(request(self._server, cursor=cursor))
            found |= dict.fromkeys(page.entries)
            cursor = self._server.next_cursor(page, cursor)
            if cursor in cursors:
                break
            cursors.add(cursor)
        return sorted(found, key=_time), not cursor and len(found) <= self._most_listed

    async def _found_server(self, request: Callable[..., str]) -> CdxServer:
        """Try the addresses at which a CDX server may be."""
        failures = []
        for server in candidates(self.name):
            try:
                await self._page(request(server, cursor=""))
            except _NoListing as error:
                failures.append(str(error))
            else:
                return server
        raise Unreachable(
            f"{self.name} is no web archive. Give the address of a web archive or of one of its collections, such as "
            f"https://web.archive.org or http://localhost:8080/collection. {' '.join(failures)}",
            url=self.name,
        )

    async def _page(self, request: str) -> ListingPage:
        kept = self._kept.get(request)
        _, answer = kept or await self._requests.get(request, is_cut=lambda answer: is_cut(answer.body))
        try:
            page = parse_page(answer.body if answer.status == 200 else b"-")
        except ValueError as error:
            place = request.partition("?")[0]
            raise _NoListing(
                f"{place} answers with status {answer.status} and no captures. Check whether it is public.", url=request
            ) from error
        if kept is None:
            self._kept.add(request, request, answer)
        return page

    async def _shown(self, capture: Capture) -> tuple[str, Answer]:
        try:
            address, answer = await self._requests.get(capture.place)
        except TemporaryFailure as error:
            self._failures += 1
            if self._failures > _MOST_FAILURES:
                raise
            raise DamagedCapture(str(error), url=capture.url) from error
        self._failures = 0
        if shown_time(address, answer) is None:
            reason = f"{answer.status} {answer.header('location')}".rstrip()
            raise DamagedCapture(f"{capture.place} is listed, but not shown: {reason}", url=capture.url)
        self._kept.add(capture.place, address, answer)
        return address, answer

    def _captures(self, entries: Sequence[IndexEntry]) -> list[Capture]:
        """The captures; those of unchanged pages get the status and media type of the capture with the same body."""
        assert self._server is not None
        originals = {it.digest: it for it in reversed(entries) if it.digest and it.mime != REVISIT}
        captures = []
        for it in entries:
            known = originals.get(it.digest, it._replace(mime="")) if it.mime == REVISIT else it
            url = _PORT_80.sub(r"\1", it.url)  # in the Internet Archive's index of its first years
            place = self._server.place(it)
            captures.append(Capture(url, moment_of(it.time), known.status, known.mime, it.digest, place))
        return captures


def _by_key(entries: Iterable[IndexEntry]) -> _ByKey:
    by_key = defaultdict(list)
    for entry in entries:
        by_key[surt_key(entry.url)].append(entry)
    return by_key


def _is_below(key: str, folder: str) -> bool:
    """True for the keys of a folder, of what is in it, and of the folder with a query."""
    return key == folder or key.startswith(folder if folder.endswith(")/") else (f"{folder}/", f"{folder}?"))


def _address(key: str) -> str:
    """The address of a SURT key, without a slash at its end: with one, CDX servers leave out the folder itself."""
    host, _, path = key.partition(")")
    labels, colon, port = host.partition(":")
    return f"http://{'.'.join(reversed(labels.split(',')))}{colon}{port}{path}"


def _time(entry: IndexEntry) -> int:
    return entry.time
