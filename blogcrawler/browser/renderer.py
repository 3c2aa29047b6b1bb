"""The service that renders pages: one for each crawl, an extension of Scrapy's."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from scrapy import signals

from blogcrawler.browser.choices import NoBrowser, mode_of
from blogcrawler.browser.visit import Visit
from blogcrawler.component import Component

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler

    from blogcrawler.browser.showing import Screen
    from blogcrawler.items import Page

logger = logging.getLogger(__name__)

TRIES = 3
"""Number of attempts to render a page if the browser crashes."""
CRASHED = "crashed"
EXAMPLES = 3
"""Most example URLs for each kind of trouble."""


class Border(Protocol):
    """What pages lose when they come in, and need when they are shown again."""

    def outward(self, page: Page) -> Page:
        """A page that was kept, as its site would send it."""
        ...

    def inward(self, page: Page, asked: str) -> Page:
        """A page that was shown, as it is kept; it was asked for under an address."""
        ...


@dataclass(frozen=True)
class Rendition:
    """A rendered page."""

    page: Page
    #: hosts that failed to answer its requests
    unanswered: frozenset[str]


class Renderer(Component):
    """Renders pages of a crawl in a browser. Counts under `blogcrawler/rendering/`."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.mode = mode_of(crawler.settings["RENDER"])
        #: where addresses of the site carry what is of no meaning
        self.border: Border | None = None
        #: CSS selectors of controls that show more, regardless of their text
        self.controls = ""
        #: function that is True for URLs of frames of other sites that are loaded
        self.is_wanted_frame: Callable[[str], bool] = lambda _: False
        self._screen: Screen | None = None
        self._is_off = self.mode == "never"
        crawler.signals.connect(self.close, signals.spider_closed)
        crawler.signals.connect(self.close, signals.engine_stopped)

    @property
    def can_render(self) -> bool:
        """True unless rendering is off or no browser could be started."""
        return not self._is_off

    async def show(
        self,
        page: Page,
        check: Callable[[str], str | None] | None = None,
        *,
        is_kept: bool = False,
        with_frames: bool = False,
        is_list: bool = False,
        titles: tuple[str, ...] = (),
    ) -> Rendition | None:
        """The page as a reader sees it; None where it cannot be shown, so that it stays as it is.

        `check` says in a few words why a script may not lead on to an address, and None where it may. A page that
        `is_kept` goes out through the border, and comes in again. Frames of other sites are shown if they are wanted,
        or `with_frames`. Of a list more is clicked than of other pages; where posts with `titles` are in it, elements
        at the same places become links, if clicks tell the addresses.
        """
        border = self.border if is_kept else None
        sent = page if border is None else border.outward(page)
        rendition = await self._show(partial(Visit, sent, check, with_frames, is_list, titles))
        if rendition is None or border is None:
            return rendition
        return replace(rendition, page=border.inward(rendition.page, page.url))

    async def _show(self, begin: Callable[[], Visit]) -> Rendition | None:
        from blogcrawler.browser.showing import Lost, Screen  # imported late, since Playwright imports slowly

        for left in reversed(range(TRIES)):
            if self._is_off:
                return None
            self._screen = self._screen or Screen(
                self.crawler, controls=self.controls, is_wanted_frame=self.is_wanted_frame
            )
            visit = begin()
            try:
                html = await self._screen.show(visit)
            except NoBrowser as error:
                self._go_without(str(error))
            except Lost as error:
                logger.debug("%s was lost while it was shown: %s", visit.page.url, error)
                if error.is_final or not left:
                    self._count(visit, CRASHED)
                    return None
            else:
                self._count(visit)
                return Rendition(_shown(visit, html), frozenset(visit.unanswered)) if html is not None else None
        return None

    async def close(self) -> None:
        """Close the browser, if there is one."""
        self._is_off = True
        if self._screen is not None:
            screen, self._screen = self._screen, None
            await screen.close()

    def _go_without(self, sentence: str) -> None:
        if not self._is_off:
            logger.warning("%s", sentence, extra={"spider": self.crawler.spider})
            assert self.crawler.stats is not None
            self.crawler.stats.set_value("blogcrawler/rendering/no_browser", sentence)
        self._is_off = True

    def _count(self, visit: Visit, end: str | None = None) -> None:
        """Count a page, and what was odd about it; `end`, where it could not be shown for no other reason."""
        stats = self.crawler.stats
        assert stats is not None
        stats.inc_value("blogcrawler/rendering/pages")
        for trouble in visit.troubles or ([end] if end else []):
            stats.inc_value(f"blogcrawler/rendering/troubles/{trouble}")
            examples = stats.get_value("blogcrawler/rendering/examples") or {}
            urls = examples.setdefault(trouble, [])
            if len(urls) < EXAMPLES:
                urls.append(visit.page.url)
            stats.set_value("blogcrawler/rendering/examples", examples)


def _shown(visit: Visit, html: str) -> Page:
    return replace(
        visit.page,
        url=visit.url,
        body=html.encode("utf-8", "replace"),
        content_type="text/html; charset=utf-8",
        tree=None,
        is_rendered=True,
        screenshot=visit.screenshot,
    )
