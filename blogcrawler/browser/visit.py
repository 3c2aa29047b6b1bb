"""The state of a page while it is in the browser."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urldefrag

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy import Request
    from scrapy.http import Response

    from blogcrawler.items import Page

CLOSED_ROOT = re.compile(rb"(<template\s[^<>]{0,1000}?\bshadowrootmode\s*=\s*[\"']?)closed\b", re.IGNORECASE)
"""A closed shadow root in markup, which scripts cannot read."""

MOST_KNOWN = 16 * 1024 * 1024
"""Most bytes of answers that are kept for one visit."""


@dataclass
class Visit:
    """A page that is being rendered, its requests, and its problems."""

    page: Page
    #: returns a short reason why the page must not navigate to a URL; None if it may
    check: Callable[[str], str | None] | None = None
    #: True to load all frames of other sites
    with_frames: bool = False
    #: True if it is probably a list of posts
    is_list: bool = False
    #: titles of posts without links in the list, whose URLs are to be found by clicks
    titles: tuple[str, ...] = ()
    #: True if only earlier requests may be repeated
    is_offline: bool = False
    #: responses to requests that its scripts may repeat
    known: dict[str, Response] = field(default_factory=dict)
    #: documents that its scripts tried to navigate to
    refused: list[str] = field(default_factory=list)
    #: URL of the document that is shown
    url: str = ""
    #: URLs of requests without an answer yet
    pending: list[str] = field(default_factory=list)
    #: True if a request waits for its turn before it is sent
    is_queueing: Callable[[], bool] = lambda: False
    #: requests as passed to the downloader
    under_way: list[Request] = field(default_factory=list)
    #: returns the browser's cookies for a URL, by name
    cookies: Callable[[str], Awaitable[dict[str, str]]] | None = None
    #: number of answered requests
    answered: int = 0
    #: number of answered and waiting requests
    requests: int = 0
    #: number of navigations by scripts
    led_on: int = 0
    #: True until it is read: scripts may still navigate to another document
    is_open: bool = True
    #: True if its process has crashed
    is_lost: bool = False
    #: its problems as short texts, the same for all pages
    troubles: dict[str, None] = field(default_factory=dict)
    #: the screenshot, if wanted
    screenshot: bytes | None = None
    #: hosts that failed, or must not be requested
    unanswered: set[str] = field(default_factory=set)
    #: documents that were requested at another URL than their own
    waiting: dict[str, Response] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.url = self.url or self.page.url

    @property
    def document(self) -> bytes:
        """The page as passed to the browser: shadow roots that scripts or markup would close are open."""
        return CLOSED_ROOT.sub(rb"\1open", self.page.body)

    def end(self) -> None:
        """Record that the page has been read, so that later requests are not retried."""
        self.is_open = False
        for request in self.under_way:
            request.meta["dont_retry"] = True

    def remember(self, url: str, response: Response) -> None:
        """Keep a response if it may be requested again after fetching has ended."""
        if self.titles and sum(len(one.body) for one in self.known.values()) + len(response.body) <= MOST_KNOWN:
            self.known[url] = response

    def note(self, trouble: str) -> None:
        """Record a problem."""
        self.troubles[trouble] = None

    def is_own(self, url: str) -> bool:
        """True if a document is the page itself."""
        return urldefrag(url).url == urldefrag(self.page.url).url
