"""Choose among the captures of an address, and read the chosen one."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from blogcrawler.errors import DamagedCapture
from blogcrawler.sources.surt import cased_key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from blogcrawler.sources.capture import Capture, CapturedResponse, Captures
    from blogcrawler.sources.period import Period

MOST_TRIED = 10
"""Maximum number of captures of an address that are tried because those before do not show the blog."""


class CapturedBlog:
    """The captures of one blog in one place.

    The blog's feed shows when it was last alive: afterwards its addresses may have been parked, or taken over by
    others. So of several captures of a page, the one nearest to this time is used.
    """

    def __init__(self, captures: Captures, period: Period, home: str) -> None:
        self.name = captures.name
        self._captures = captures
        self._period = period
        self._home = home
        self._feeds: Sequence[Capture] = ()
        #: whether what was captured of an address is the blog's; if not, the next best capture is tried
        self.shows_blog: Callable[[str, CapturedResponse], bool] = lambda *_: True

    async def feeds(self) -> Sequence[Capture]:
        """The captures of the feeds in the folder of the blog's home page, or else in the next folder above it that has
        some, in the order of their times. Raises Unreachable."""
        folder: str | None = self._home
        while not self._feeds and folder is not None:
            feeds = self._period.of(await self._captures.feeds(folder))
            self._feeds = [capture for capture in feeds if _rank(capture) == 0]
            folder = _folder_above(folder)
        return self._feeds

    async def pages(self, home: str) -> Sequence[str]:
        """The addresses of captured web pages at and below a home page; empty if there are too many. Raises
        Unreachable."""
        return list(dict.fromkeys(capture.url for capture in self._period.of(await self._captures.pages(home))))

    async def versions(self, url: str) -> Sequence[Capture]:
        """The captures of an address that were answered with success, in the order of their times. Raises
        Unreachable."""
        return [capture for capture in self._period.of(await self._captures.find(url)) if _rank(capture) == 0]

    async def response(self, url: str) -> CapturedResponse | None:
        """What was captured of an address: the best capture that can be read and shows the blog, or else the best that
        can be read; None if there is none.

        A redirect to another spelling of the address, such as from http to https, has no other captures than these, so
        it counts as nothing. Raises Unreachable.
        """
        captures = await self._ranked(url)
        best: CapturedResponse | None = None
        tried: set[str] = set()
        for number, capture in enumerate(captures):
            if capture.digest in tried or len(tried) == MOST_TRIED:
                continue
            with suppress(DamagedCapture):
                response = await self.read(capture)
                if _redirects_to_itself(url, response):
                    continue
                is_last = best is None and number == len(captures) - 1
                if is_last or self.shows_blog(url, response):
                    return response
                best = best or response
                tried.add(capture.digest or capture.place)
        return best

    async def read(self, capture: Capture) -> CapturedResponse:
        """The response of a capture. Raises DamagedCapture and Unreachable."""
        return await self._captures.read(capture)

    def close(self) -> None:
        """Close the place."""
        self._captures.close()

    async def _ranked(self, url: str) -> list[Capture]:
        """The captures of an address, the best first."""
        captures = self._period.of(await self._captures.find(url))
        if len(captures) < 2:
            return captures
        feeds = await self.feeds()
        alive = feeds[-1].time if feeds else captures[-1].time
        return sorted(captures, key=lambda capture: (_rank(capture), abs(capture.time - alive)))


def _rank(capture: Capture) -> int:
    """The success of a capture; less is better: a page, an unknown status, a redirect, an error."""
    return {2: 0, 0: 1, 3: 2}.get(capture.status // 100, 3)


def _redirects_to_itself(url: str, response: CapturedResponse) -> bool:
    target = response.header("location") if response.status // 100 == 3 else None
    return target is not None and cased_key(urljoin(response.capture.url, target)) == cased_key(url)


def _folder_above(url: str) -> str | None:
    """The folder that a page or folder is in; None for the root of a site."""
    path = urlsplit(url).path.rstrip("/")
    return urljoin(url, f"{path.rpartition('/')[0]}/") if path else None
