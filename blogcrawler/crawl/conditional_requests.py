"""Asks for feeds that were read before, and for no more than the news that they have not changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy import Request

from blogcrawler.backend import FeedState
from blogcrawler.crawl.feed_discovery import header
from blogcrawler.downloader import ending_without_gate
from blogcrawler.downloader.reasons import sentence_of, status_reason
from blogcrawler.errors import Unreachable
from blogcrawler.purposes import Purpose

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from blogcrawler.crawl.session_tokens import Sessions

REFUSALS = frozenset({400, 412, 431})
"""What servers answer that cannot take a conditional request."""
NOT_MODIFIED = 304
FOR_GOOD = frozenset({301, 308})
"""Redirects after which the new address is to be used (RFC 9110, sections 15.4.2 and 15.4.9)."""


@dataclass(frozen=True)
class FeedAsker:
    """Asks a blog's server (RFC 9110, section 13)."""

    crawler: Crawler
    sessions: Sessions
    #: whether feeds are wanted although they have not changed
    is_unconditional: bool = False

    async def ask(self, state: FeedState) -> Response | None:
        """The answer to a request for a feed; None where it is as it was. Raises Unreachable."""
        told = {"If-None-Match": state.etag, "If-Modified-Since": state.last_modified}
        headers = {name: value for name, value in told.items() if value and not self.is_unconditional}
        engine = self.crawler.engine
        assert engine is not None
        try:
            url = self.sessions.renewed(state.url)
            request = Request(url, headers=headers, dont_filter=True, meta={"dont_cache": True, **Purpose.SOURCE.meta})
            with ending_without_gate():
                response = await engine.download_async(request)
                if headers and response.status in REFUSALS:
                    response = await engine.download_async(request.replace(headers={}))
        except Exception as error:
            raise Unreachable(f"{state.url} cannot be fetched: {sentence_of(error)}", url=state.url) from error
        if response.status >= 500 or response.status == 429:
            raise Unreachable(f"{state.url} answered {status_reason(response.status)}; try again later.", url=state.url)
        return self.sessions.received(response, state.url) if response.status != NOT_MODIFIED else None


def state_of(response: Response, url: str) -> FeedState:
    """What is to be kept of an answer, to be asked with the next time; where it has moved to for good."""
    reasons = response.meta.get("redirect_reasons", []) if response.request is not None else []
    url = response.url if reasons and FOR_GOOD.issuperset(reasons) else url
    return FeedState(url, header(response, "ETag"), header(response, "Last-Modified"))
