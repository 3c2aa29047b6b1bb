"""Wait for a server that is down, so that a crawl goes on when it is back and loses nothing.

A request without an answer may be the fault of its own address. So an address that the server has answered before is
requested: if it is answered, the request is given up; if not, the server is down, and its requests wait.
"""

from __future__ import annotations

import asyncio
import logging
from time import monotonic
from typing import TYPE_CHECKING

from scrapy import Request

from blogcrawler.component import Component
from blogcrawler.downloader.reasons import is_unanswered, reason_of
from blogcrawler.errors import Unreachable
from blogcrawler.purposes import Purpose
from blogcrawler.urls import origin

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

server_gone = object()
"""Signal, with an `error`, that a server was down for longer than a crawl waits."""
AWAY = frozenset({502, 503, 504, 521, 522, 523, 524})
"""Statuses by which a gateway says that the server behind it does not answer."""
WAITED_FOR = frozenset({Purpose.PAGE, Purpose.SOURCE})
PROBE = {"is_probe": True, "dont_retry": True, "dont_redirect": True, "download_timeout": 15, **Purpose.SOURCE.meta}
LONGEST_PAUSE_S, LOOK_S = 30.0, 0.25
"""Longest pause between two probes, and interval at which the wait checks whether the crawl is ending; seconds."""


class PatienceMiddleware(Component):
    """Probes after 1, 2, 4, … seconds whether a known server is back, for at most SERVER_PATIENCE seconds in all.

    Its order must be outside of the middlewares that retry at once.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._patience_s = crawler.settings.getfloat("SERVER_PATIENCE")
        #: by server: the last address that it answered, and whether the wait for it succeeded
        self._answered: dict[str, str] = {}
        self._waits: dict[str, asyncio.Future[bool]] = {}

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        """Note that a server answered; wait if the answer is that the server is down."""
        if "page" in request.meta:
            return response
        if response.status in AWAY:
            return await self._again(request) or response
        if Purpose.of(request.meta) in WAITED_FOR:
            self._answered[origin(request.url)] = request.url
        return response

    async def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """Wait after a request without an answer if the server is down."""
        return await self._again(request) if is_unanswered(reason_of(exception)) else None

    async def _again(self, request: Request) -> Request | None:
        """The request to send again after its server came back; None to give the request up."""
        server, is_waited_for = origin(request.url), Purpose.of(request.meta) in WAITED_FOR
        if server not in self._answered or "is_probe" in request.meta or not is_waited_for:
            return None
        if server not in self._waits:
            self._waits[server] = asyncio.ensure_future(self._is_back(server))
        is_back = await asyncio.shield(self._waits[server])
        return request.replace(dont_filter=True, meta={**request.meta, "retry_times": 0}) if is_back else None

    async def _is_back(self, server: str) -> bool:
        """Wait for a server. False if it was not down, or does not come back in time; later requests get the same
        result."""
        began, pause_s = monotonic(), 1.0
        while not self._is_ending() and not await self._answers(self._answered[server]):
            left_s = began + self._patience_s - monotonic()
            if left_s <= 0:
                self._give_up(server)
                return False
            if pause_s == 1:
                logger.warning("%s does not answer; the crawl waits up to %g seconds.", server, self._patience_s)
            until = monotonic() + min(pause_s, left_s)
            while not self._is_ending() and monotonic() < until:
                await asyncio.sleep(LOOK_S)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
        self._waits.pop(server)
        return pause_s > 1 and not self._is_ending()

    def _give_up(self, server: str) -> None:
        error = Unreachable(
            f"{server} has not answered for {self._patience_s:g} seconds (SERVER_PATIENCE). What was found is "
            "kept; run the same command again later to continue.",
            url=server,
        )
        self.crawler.signals.send_catch_log(server_gone, error=error)

    def _is_ending(self) -> bool:
        is_ending = getattr(self.crawler.spider, "is_ending", None)
        return is_ending is not None and is_ending()

    async def _answers(self, url: str) -> bool:
        """True if a server answers at this address."""
        try:
            probe = Request(url, dont_filter=True, meta=dict(PROBE))
            return (await self.crawler.engine.download_async(probe)).status not in AWAY
        except Exception as error:  # noqa: BLE001 - any other error shows that the server answers
            return not is_unanswered(reason_of(error))
