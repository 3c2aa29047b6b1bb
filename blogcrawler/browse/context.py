"""What each page is made with, and what it is asked for: numbers, pages and months of requests."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from starlette.exceptions import HTTPException

from blogcrawler.browse.remembered import Remembered
from blogcrawler.browse.renewals import Renewals

if TYPE_CHECKING:
    from starlette.requests import Request

    from blogcrawler.backend import BlogRow, KeptPost, Numbers
    from blogcrawler.browse.holdings import Holdings
    from blogcrawler.browse.pages import Pages
    from blogcrawler.browse.slots import Slots
    from blogcrawler.gaps import Alike

_NUMBER = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)
_MOST = (1 << 31) - 1
"""The largest number of a row that all databases know."""
_LAST_PAGE = 1_000_000


@dataclass(frozen=True)
class Context:
    """What the application has for all requests."""

    holdings: Holdings
    pages: Pages
    #: of downloads
    slots: Slots
    numbers: Remembered[dict[int, Numbers]] = field(default_factory=Remembered)
    gaps: Remembered[list[Alike]] = field(default_factory=Remembered)
    renewals: Renewals = field(default_factory=Renewals)


def context_of(request: Request) -> Context:
    """The context of the application that was asked. Raises BackendUnavailable where the archive has gone."""
    context = cast("Context", request.app.state.context)
    context.holdings.check()
    return context


def number_in(text: str) -> int | None:
    """A number of a blog, a post or a version; None for what is none."""
    return int(text) if _NUMBER.fullmatch(text) and int(text) <= _MOST else None


def blog_asked_for(request: Request) -> BlogRow:
    """The blog that a path names. Raises HTTPException."""
    archive = context_of(request).holdings.archive
    number = number_in(request.path_params["blog"])
    home = archive.shelf.blog(number) if number is not None else None
    if home is None:
        raise HTTPException(404, "The archive has no blog of this number.")
    return archive.blog(home)


def post_asked_for(request: Request) -> tuple[BlogRow, KeptPost]:
    """The post that a path names, and its blog. Raises HTTPException."""
    archive = context_of(request).holdings.archive
    number = number_in(request.path_params["post"])
    place = archive.shelf.place(number) if number is not None else None
    home = archive.shelf.blog(place[0]) if place is not None else None
    post = archive.post(home, place[1]) if home is not None and place is not None else None
    if home is None or post is None:
        raise HTTPException(404, "The archive has no post of this number.")
    return archive.blog(home), post


def asked_page(request: Request) -> int:
    """The page of a list, from 1. Raises HTTPException."""
    number = number_in(request.query_params.get("page", "1"))
    if number is None or number > _LAST_PAGE:
        raise HTTPException(400, "A page of a list is a number, from 1 on.")
    return number
