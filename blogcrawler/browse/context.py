"""The shared state of the application, and the parsing of requests: path parameters, page numbers, forms."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar, cast
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException

from blogcrawler.browse.renewals import Renewals

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from starlette.requests import Request

    from blogcrawler.backend import BlogRow, KeptPost, Numbers
    from blogcrawler.browse.holdings import Holdings
    from blogcrawler.browse.pages import Pages
    from blogcrawler.gaps import Alike

_NUMBER = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)
_MOST = (1 << 31) - 1
"""Largest row ID that all databases accept."""
_LAST_PAGE = 1_000_000
_FACTOR = 20
"""Lifetime of a cached value, as a multiple of the time that computing it took. So at most a twentieth of the time is
spent on it."""
_MOST_REMEMBERED = 256
_MOST_BYTES, _MOST_FIELDS = 1 << 20, 1000

T = TypeVar("T")


class Cache(Generic[T]):
    """A cache. The longer a value takes to compute, the longer it is cached."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        #: expiry time and value by key
        self._values: dict[Hashable, tuple[float, T]] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the cached value of a key, or compute it with `make`."""
        begun = self._clock()
        known = self._values.get(key)
        if known is not None and begun < known[0]:
            return known[1]
        value = make()
        ended = self._clock()
        if len(self._values) >= _MOST_REMEMBERED:
            self._values.clear()
        self._values[key] = (ended + _FACTOR * (ended - begun), value)
        return value


class Slots:
    """A limit on concurrent downloads, since each takes time and disk space."""

    def __init__(self, most: int = 2) -> None:
        self._most = most
        self._free = threading.BoundedSemaphore(most)

    def take(self) -> None:
        """Take a slot. Raises HTTPException if none is free."""
        if not self._free.acquire(blocking=False):
            raise HTTPException(
                503, f"{self._most} downloads are in progress. Try again when one is done.", {"Retry-After": "10"}
            )

    def give_back(self) -> None:
        self._free.release()


@dataclass(frozen=True)
class Context:
    """The shared state of the application."""

    holdings: Holdings
    pages: Pages
    #: the slots for downloads
    slots: Slots
    numbers: Cache[dict[int, Numbers]] = field(default_factory=Cache)
    gaps: Cache[list[Alike]] = field(default_factory=Cache)
    renewals: Renewals = field(default_factory=Renewals)


def context_of(request: Request) -> Context:
    """Return the context of the application. Raises BackendUnavailable if the archive is gone."""
    context = cast("Context", request.app.state.context)
    context.holdings.check()
    return context


def number_in(text: str) -> int | None:
    """Parse the number of a blog, a post or a version; None if it is not a number."""
    return int(text) if _NUMBER.fullmatch(text) and int(text) <= _MOST else None


def blog_of_number(context: Context, text: str) -> BlogRow:
    """Return a blog by its number. Raises HTTPException."""
    archive, number = context.holdings.archive, number_in(text)
    home = archive.queries.blog(number) if number is not None else None
    if home is None:
        raise HTTPException(404, "The archive has no blog with this number.")
    return archive.blog(home)


def requested_blog(request: Request) -> BlogRow:
    """Return the blog of the request's path. Raises HTTPException."""
    return blog_of_number(context_of(request), request.path_params["blog"])


def requested_post(request: Request) -> tuple[BlogRow, KeptPost]:
    """Return the post of the request's path, and its blog. Raises HTTPException."""
    archive = context_of(request).holdings.archive
    number = number_in(request.path_params["post"])
    place = archive.queries.place(number) if number is not None else None
    home = archive.queries.blog(place[0]) if place is not None else None
    post = archive.post(home, place[1]) if home is not None and place is not None else None
    if home is None or post is None:
        raise HTTPException(404, "The archive has no post with this number.")
    return archive.blog(home), post


def requested_page_number(request: Request) -> int:
    """Return the page number of a list, from 1. Raises HTTPException."""
    number = number_in(request.query_params.get("page", "1"))
    if number is None or number > _LAST_PAGE:
        raise HTTPException(400, "Page numbers start at 1.")
    return number


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a form; the last one wins if a name is repeated. Raises HTTPException."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415, "A form must be sent as application/x-www-form-urlencoded.")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > _MOST_BYTES:
            raise HTTPException(413, "The form is too large.")
    try:
        fields = parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise HTTPException(400, "The form cannot be read.") from error
    return dict(fields)
