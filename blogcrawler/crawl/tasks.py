"""The tasks of a crawl, from which its spider makes requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from blogcrawler.items import Page, Record, RecordSource


@dataclass(frozen=True)
class FetchPage:
    url: str


@dataclass(frozen=True)
class TakePage:
    """Process a page at hand as if it had been fetched."""

    page: Page
    #: no other page is left that could help to decide whether it is a post
    is_last: bool = False


@dataclass(frozen=True)
class FetchPart:
    """Fetch a further page of an article that has several."""

    url: str
    source: RecordSource
    #: addresses of later pages of the article, and its own
    waiting: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Probe:
    """Request a page again that existed before. `note` is called with the response, or with None if there was none."""

    url: str
    note: Callable[[Page | None], None]


@dataclass(frozen=True)
class HandOn:
    """Send records to the pipeline without fetching pages; `records` returns them when it is called."""

    records: Callable[[], Iterable[Record]]


class CrawlOver(Exception):
    """Ends the crawl for a `reason` that is no error."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


Task = FetchPage | TakePage | FetchPart | Probe | HandOn
