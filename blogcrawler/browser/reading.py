"""Reads a page in the browser: waits until it is quiet, and serialises its DOM."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from time import monotonic
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

if TYPE_CHECKING:
    from playwright.async_api import FloatRect, Frame, Page

    from blogcrawler.browser.visit import Visit

LACKS_FRAMES = "had frames that did not answer"
NEVER_SETTLED = "kept changing"
OPENED_DIALOGS = "opened dialogs"
OPENED_POPUPS = "opened other windows"
QUIET_S = 0.4
"""Seconds without change after which a page counts as complete."""
HURRIED_S = 0.1
"""Seconds without change after which a page counts as complete if its delayed calls (timers) were run at once."""
POLLS = 2
"""Number of answers within that time after which a page counts as polling, if it shows nothing new."""
LOOK_S = 0.05
"""Seconds between two checks of a page."""
SCREENSHOT_S = 15
TALLEST = 16_000
"""Largest height of a screenshot, in pixels."""
QUALITY = 80
"""Quality of its JPEG."""
MOST_FRAMES = 30
FRAMES_S = 6
"""Seconds that serialising the frames may take; frames that take longer are left out."""
ERROR_PAGES = "chrome-error:"
MOST_DEPTH = 3
"""Deepest nesting of frames."""


@dataclass(frozen=True)
class Measure:
    """The amount of content in a page."""

    is_read: bool
    elements: int
    characters: int
    #: number of timers of its scripts
    waiting: int = field(default=0, compare=False)

    def exceeds(self, other: Measure | None) -> bool:
        """True if it has more content than another one."""
        return other is None or (self.elements, self.characters) > (other.elements, other.characters)


@cache
def script(name: str) -> str:
    """Return a script of this package without its leading comments."""
    text = files(__package__).joinpath(f"scripts/{name}.js").read_text("utf-8")
    return "\n".join(line for line in text.splitlines() if not line.startswith("//")).rstrip().rstrip(";")


async def measured(page: Page, visit: Visit) -> Measure | None:
    """Measure the content of a page; None during a navigation."""
    try:
        is_read, elements, characters, dialogs, popups, waiting = await page.evaluate(script("measure"))
    except PlaywrightError:
        if visit.is_lost or page.is_closed():
            raise
        return None
    if dialogs:
        visit.note(OPENED_DIALOGS)
    if popups:
        visit.note(OPENED_POPUPS)
    return Measure(bool(is_read), elements, characters, waiting)


async def settle(page: Page, visit: Visit, most_s: float, *, quiet_s: float = QUIET_S) -> Measure | None:
    """Wait until a page neither sends requests nor changes; return its content, or None if that takes too long.

    The page may take `most_s` seconds after each response. Time in which one of its requests waits to be sent does not
    count. As soon as the page is quiet, the delayed calls of its scripts are executed once.
    """
    end, answered = monotonic() + most_s, visit.answered
    last: Measure | None = None
    since, answered_then = monotonic(), answered
    is_hurried = False
    while monotonic() < end:
        now = await measured(page, visit)
        if visit.answered != answered or visit.is_queueing():
            end, answered = monotonic() + most_s, visit.answered
        if now is None or now != last or visit.pending or not now.is_read:
            last, since, answered_then = now, monotonic(), visit.answered
        elif monotonic() - since >= quiet_s:
            if is_hurried or not now.waiting:
                if visit.answered >= answered_then + POLLS:
                    visit.note(NEVER_SETTLED)
                return now
            is_hurried = True
            await _hurry(page)
            since, quiet_s = monotonic(), HURRIED_S
        await asyncio.sleep(LOOK_S)
    visit.note(NEVER_SETTLED)
    return None


async def _hurry(page: Page) -> None:
    with suppress(PlaywrightError):  # a navigation is in progress
        await page.evaluate(script("hurry"))


async def snapshot(page: Page, visit: Visit, most: int) -> str | None:
    """Return the page as HTML, including frames and shadow roots; None if it is longer than `most` characters."""
    try:
        async with asyncio.timeout(FRAMES_S):
            await _take_down_frames(page.main_frame, most, MOST_DEPTH)
    except TimeoutError:
        visit.note(LACKS_FRAMES)
    html: str | None
    try:
        html = await page.evaluate(script("snapshot"), {"isFrame": False, "most": most})
    except PlaywrightError:
        if page.is_closed():
            raise
        html = await page.content()
    return html if html is not None and len(html) <= most else None


async def screenshot(page: Page) -> bytes | None:
    """Return a screenshot of the page, up to the largest height; None if it fails."""
    with suppress(PlaywrightError, TimeoutError):
        async with asyncio.timeout(SCREENSHOT_S):
            width, height = await page.evaluate(
                "() => [innerWidth, Math.max(1, document.documentElement.scrollHeight)].map(Math.floor)"
            )
            part: FloatRect = {"x": 0, "y": 0, "width": width, "height": min(height, TALLEST)}
            return await page.screenshot(type="jpeg", quality=QUALITY, full_page=True, clip=part, animations="disabled")
    return None


async def _take_down_frames(frame: Frame, most: int, depth: int) -> None:
    """Insert the content of a document's frames next to them."""
    if not depth:
        return
    children = [child for child in frame.child_frames[:MOST_FRAMES] if not child.url.startswith(ERROR_PAGES)]
    await asyncio.gather(*(_take_down_frame(child, most, depth) for child in children))


async def _take_down_frame(frame: Frame, most: int, depth: int) -> None:
    """Insert the content of one frame next to it. A busy frame does not block the others."""
    await _take_down_frames(frame, most, depth - 1)
    with suppress(PlaywrightError):
        element = await frame.frame_element()
        html = await frame.evaluate(script("snapshot"), {"isFrame": True, "most": most})
        await element.evaluate("(frame, html) => { frame[Symbol.for('blogcrawler.frame')] = html; }", html)
