"""Renders pages in the browser one after another and returns their HTML."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

from blogcrawler.browser.clicking import show_all, write_addresses
from blogcrawler.browser.pool import Pool
from blogcrawler.browser.reading import screenshot, settle, snapshot
from blogcrawler.browser.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler

    from blogcrawler.browser.pool import Tab
    from blogcrawler.browser.visit import Visit

MOST_CLICKS = 100
"""Most clicks on controls of one page that show more comments or posts."""
SETTLE_S = 10
"""Seconds that a page may take until it neither changes nor sends requests."""
SNAPSHOT_S = 15
LONGEST_QUEUE = 10
"""A page may wait this many times its time limit for its requests to be sent."""
TICK_S = 0.5
ENDED_S = 3
"""Seconds within which the end of a page's process is noticed."""
TOOK_MEMORY = "took too much memory"
TOOK_LONG = "took too long"
TOO_LARGE = "became too large"


class Lost(Exception):
    """The browser or the page has crashed. `is_final`: another attempt would crash, too."""

    def __init__(self, reason: str, *, is_final: bool) -> None:
        super().__init__(reason)
        self.is_final = is_final


class Screen:
    """The browser of one crawl, with the limits of its settings."""

    def __init__(self, crawler: Crawler, *, controls: str, is_wanted_frame: Callable[[str], bool]) -> None:
        settings = crawler.settings
        self._timeout_s = settings.getfloat("RENDER_TIMEOUT")
        self._most = settings.getint("DOWNLOAD_MAXSIZE")
        self._takes_pictures = settings.getbool("SCREENSHOTS")
        self._traffic = Traffic(crawler, is_wanted_frame=is_wanted_frame)
        self._controls = controls
        self.pool = Pool(settings, self._traffic.answer)

    async def show(self, visit: Visit) -> str | None:
        """Return the rendered page as HTML; None if it is too large. Raises NoBrowser or Lost."""
        try:
            async with self.pool.tab() as tab:
                tab.visit = visit
                visit.is_queueing = lambda: self._traffic.is_queueing(visit)
                visit.cookies = tab.cookies
                try:
                    await self._read_in_time(tab, visit)
                    return await self._taken_down(tab, visit)
                finally:
                    visit.end()
        except (PlaywrightError, TimeoutError) as error:
            was_ended = monotonic() - self.pool.ended_at < ENDED_S
            if was_ended:
                visit.note(TOOK_MEMORY)
            raise Lost(str(error), is_final=was_ended) from error

    async def close(self) -> None:
        await self.pool.close()

    async def _read_in_time(self, tab: Tab, visit: Visit) -> None:
        try:
            async with asyncio.timeout(self._timeout_s) as limit:
                extending = asyncio.ensure_future(_extend(limit, visit, self._timeout_s * LONGEST_QUEUE))
                try:
                    await self._read(tab, visit)
                finally:
                    extending.cancel()
        except TimeoutError:
            visit.note(TOOK_LONG)
            async with asyncio.timeout(SNAPSHOT_S):
                await tab.freeze()

    async def _read(self, tab: Tab, visit: Visit) -> None:
        await tab.page.goto(visit.page.url, wait_until="commit", timeout=self._timeout_s * 1000)
        most_s = min(SETTLE_S, self._timeout_s / 2)
        first = await settle(tab.page, visit, most_s)
        visit.is_open = False
        if first is not None:
            await show_all(tab.page, visit, first, controls=self._controls, clicks=MOST_CLICKS, most_s=most_s)
            if visit.titles:
                await write_addresses(tab.page, visit, MOST_CLICKS)

    async def _taken_down(self, tab: Tab, visit: Visit) -> str | None:
        if self._takes_pictures:
            visit.screenshot = await screenshot(tab.page)
        async with asyncio.timeout(SNAPSHOT_S):
            html = await snapshot(tab.page, visit, self._most)
        if html is None:
            visit.note(TOO_LARGE)
        return html


async def _extend(limit: asyncio.Timeout, visit: Visit, most_s: float) -> None:
    """Extend a page's time limit while its requests wait for their turn, by up to `most_s` seconds."""
    for _ in range(int(most_s / TICK_S)):
        await asyncio.sleep(TICK_S)
        end = limit.when()
        if end is not None and visit.is_queueing():
            limit.reschedule(end + TICK_S)
