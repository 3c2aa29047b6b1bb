"""What is known of one page while it is in the browser."""

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
"""A shadow root in markup that no script can read."""

MOST_KNOWN = 16 * 1024 * 1024
"""Bytes of answers that are kept of one visit."""


@dataclass
class Visit:
    """A page that is being rendered, what it asks for, and what was odd about it."""

    page: Page
    #: says in a few words why the page may not lead on to an address; None where it may
    check: Callable[[str], str | None] | None = None
    #: True if other sites' frames are wanted, whatever they hold
    with_frames: bool = False
    #: True if it is a list of posts, as far as is known
    is_list: bool = False
    #: of posts in it, to which no link leads: their addresses are to be found out
    titles: tuple[str, ...] = ()
    #: True if nothing is requested any more but what was requested before
    is_offline: bool = False
    #: answers to what its scripts asked for, where they may ask again
    known: dict[str, Response] = field(default_factory=dict)
    #: documents that its scripts would have led on to
    refused: list[str] = field(default_factory=list)
    #: of the document that is shown
    url: str = ""
    #: addresses that were asked for and have not answered yet
    pending: list[str] = field(default_factory=list)
    #: True if one of them waits for its turn, before it is sent
    is_queueing: Callable[[], bool] = lambda: False
    #: the same, as they were given to the downloader
    under_way: list[Request] = field(default_factory=list)
    #: what the browser has of cookies for an address, by name
    cookies: Callable[[str], Awaitable[dict[str, str]]] | None = None
    #: requests that were answered
    answered: int = 0
    #: requests that were answered or wait
    requests: int = 0
    #: documents that scripts have led on to
    led_on: int = 0
    #: True until it is read: scripts may lead on to another document
    is_open: bool = True
    #: True if its process has crashed
    is_lost: bool = False
    #: what was odd, in a few words each, the same for all pages
    troubles: dict[str, None] = field(default_factory=dict)
    #: the page as a picture, where that is asked for
    screenshot: bytes | None = None
    #: hosts that did not answer, answered with an error, or must not be asked
    unanswered: set[str] = field(default_factory=set)
    #: documents that were fetched under another address than the one that they have
    waiting: dict[str, Response] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.url = self.url or self.page.url

    @property
    def document(self) -> bytes:
        """The page as it is given to the browser: roots that scripts open are open, and so are those of markup."""
        return CLOSED_ROOT.sub(rb"\1open", self.page.body)

    def end(self) -> None:
        """The page has been read: what it still asks for is not tried again."""
        self.is_open = False
        for request in self.under_way:
            request.meta["dont_retry"] = True

    def remember(self, url: str, response: Response) -> None:
        """Keep an answer, where it may be asked for again when nothing is fetched any more."""
        if self.titles and sum(len(one.body) for one in self.known.values()) + len(response.body) <= MOST_KNOWN:
            self.known[url] = response

    def note(self, trouble: str) -> None:
        """Remember what was odd."""
        self.troubles[trouble] = None

    def is_own(self, url: str) -> bool:
        """True if a document is the page itself."""
        return urldefrag(url).url == urldefrag(self.page.url).url
