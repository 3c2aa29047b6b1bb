"""The service that renders pages: one per crawl, as a Scrapy extension."""

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
    """Interface for removing session data from pages that come in, and restoring them for rendering."""

    def outward(self, page: Page) -> Page:
        """Restore a stored page to the form in which its site sends it."""
        ...

    def inward(self, page: Page, asked: str) -> Page:
        """Convert a rendered page to the form in which it is stored; `url` was requested."""
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
        #: removes and restores session data in URLs of the site
        self.border: Border | None = None
        #: CSS selectors of controls that show more, regardless of their text
        self.controls = ""
        #: function that is True for URLs of other sites' frames to be loaded
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
        """Render a page; None if that fails, so that the page is used as sent.

        `check` returns a short reason why a script must not navigate to a URL, or None. If `is_kept` is True, the page
        comes from storage: session data are restored before rendering and removed afterwards. Frames of other sites are
        loaded if they are wanted, or with `with_frames`. For a list, more clicks are allowed; if it contains posts with
        these `titles`, elements at the same positions become links, if clicks reveal their URLs.
        """
        border = self.border if is_kept else None
        sent = page if border is None else border.outward(page)
        rendition = await self._show(partial(Visit, sent, check, with_frames, is_list, titles))
        if rendition is None or border is None:
            return rendition
        return replace(rendition, page=border.inward(rendition.page, page.url))

    async def _show(self, begin: Callable[[], Visit]) -> Rendition | None:
        from blogcrawler.browser.showing import Lost, Screen  # imported late, since Playwright is slow to import

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
                logger.debug("%s could not be rendered: %s", visit.page.url, error)
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
        """Count a page and its problems. `end` is the problem that ended its rendering, if it has no other."""
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
