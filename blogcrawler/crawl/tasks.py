"""What a crawl has its spider do: values, which the spider makes requests of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from blogcrawler.items import Page, Record, RecordSource


@dataclass(frozen=True)
class FetchPage:
    """Fetch a page of the frontier."""

    url: str


@dataclass(frozen=True)
class TakePage:
    """Take in a page that is at hand, as if it had been fetched."""

    page: Page
    #: nothing else is left that could tell whether it is a post
    is_last: bool = False


@dataclass(frozen=True)
class FetchPart:
    """Fetch a further page of an article that has several."""

    url: str
    source: RecordSource
    #: addresses of pages that come after it, and its own
    waiting: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Probe:
    """Ask again for a page that was there; `note` is called with what comes, or with None where nothing does."""

    url: str
    note: Callable[[Page | None], None]


@dataclass(frozen=True)
class HandOn:
    """Give records to the pipeline that are made without fetching a page; `records` is called when it is time."""

    records: Callable[[], Iterable[Record]]


class CrawlOver(Exception):
    """The crawl ends for a `reason` that is no fault."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


Task = FetchPage | TakePage | FetchPart | Probe | HandOn
