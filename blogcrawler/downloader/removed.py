"""Keep crawls from requesting posts that were removed from the archive on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest

from blogcrawler.capture import removed_of
from blogcrawler.component import Component

if TYPE_CHECKING:
    from scrapy import Request

REMOVED = "removed from the archive on request"


class PostRemoved(IgnoreRequest):
    """A request for a post that was removed from the archive on request."""


class RemovedPostsMiddleware(Component):
    """Refuses requests for removed posts, also as targets of redirects."""

    def process_request(self, request: Request) -> None:
        removed = removed_of(self.crawler)
        if removed is not None and removed.has(request.url):
            raise PostRemoved(REMOVED)
