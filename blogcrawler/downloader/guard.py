"""Keep a crawl on the public internet: check each request before anything else is done with it.

The guard has three parts, which all must be in the settings. `GuardMiddleware` (before all other middlewares) refuses
requests by their URL, also redirect targets, robots.txt, media, and requests through a proxy. `GuardedDownloadHandler`
connects under the policy of its crawl. `GuardedResolver` drops addresses that the policy does not permit.

A spider must have the attribute `url`, the address that the user gave, before its first request: if that address is not
public, its host and port are opened to this crawl. The errback of a refused request receives AddressRefused, whose text
is a sentence for the user. Refused requests are counted under `blogcrawler/downloader/refused` and not retried.
"""

from __future__ import annotations

import logging
from functools import cached_property
from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest

from blogcrawler.component import Component
from blogcrawler.downloader.addresses import AddressPolicy

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class AddressRefused(IgnoreRequest):
    """A request that would leave the public internet or web protocols; `str()` gives the reason and the remedy."""


class GuardMiddleware(Component):
    """Refuses requests by their URL, and holds the crawl's policy for the download handler."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._allowed = crawler.settings.getlist("ALLOWED_PRIVATE_HOSTS")
        self._private_start = crawler.settings.getbool("ALLOW_PRIVATE_START", True)
        AddressPolicy(allowed=self._allowed)  # a bad entry ends the crawl before it begins

    @cached_property
    def policy(self) -> AddressPolicy:
        """The policy of this crawl. The spider must exist."""
        start_url = getattr(self.crawler.spider, "url", None)
        return AddressPolicy(start_url, allowed=self._allowed, private_start=self._private_start)

    def process_request(self, request: Request) -> None:
        sentence = self.policy.refusal(request.url)
        if sentence is not None:
            raise AddressRefused(sentence)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Count requests that this middleware or the download handler refused."""
        if isinstance(exception, AddressRefused):
            self.crawler.stats.inc_value("blogcrawler/downloader/refused")
            logger.info(
                "Refused %(request)s: %(sentence)s",
                {"request": request, "sentence": exception},
                extra={"spider": self.crawler.spider},
            )
