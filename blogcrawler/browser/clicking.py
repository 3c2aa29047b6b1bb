"""Clicks in a page: on controls that load more, and on list items without links, to find out their URLs.

After a click on an item, requests are answered from earlier responses or not at all, since only the URL is wanted.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError

from blogcrawler.browser.phrases import labels_of_lists, never, phrases
from blogcrawler.browser.reading import QUIET_S, script, settle

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from playwright.async_api import Page

    from blogcrawler.browser.reading import Measure
    from blogcrawler.browser.visit import Visit

TOO_MUCH_TO_SHOW = "has more content than was loaded"
MOST_KEPT = 4 * 1024 * 1024
"""Most characters of HTML replaced by clicks that are kept for one document."""
FRAME_S = 5
"""Seconds that clicking in one frame, or scrolling the page, may take."""
GLANCE_S = 0.15
"""Seconds without change after which a page without clicks counts as complete."""
MOST_ITEMS = 100
"""Most items of a page that are clicked."""
IN_VAIN = 3
"""Number of items without a target after which clicking stops, if none had a target."""
MOST_BACK = 2
"""Most history steps back to the list after a click."""
ITEMS_S, CLICK_S = 30, 2
"""Seconds that all clicks on items may take, and that one click may take."""
ITEM_GLANCE_S = 0.1
"""Seconds without change after which a click on an item counts as finished."""


async def show_all(page: Page, visit: Visit, before: Measure, *, controls: str, clicks: int, most_s: float) -> None:
    """Scroll and click until nothing more appears, with at most this many `clicks`.

    `before` is the content of the page so far. `controls` are CSS selectors of controls that show more, whatever their
    text is. After each step the page may take `most_s` seconds. Content that a click replaces or removes is kept for
    the snapshot.
    """
    while True:
        await _in_time(page.evaluate(script("scroll")))
        clicked = await _click(page, clicks, controls, is_list=visit.is_list)
        clicks -= clicked
        now = await settle(page, visit, most_s, quiet_s=QUIET_S if clicked else GLANCE_S)
        is_new = bool(clicked) and await _keep(page)
        if now is None or (not clicked and not now.exceeds(before)):
            return
        if clicks <= 0:
            if is_new or not clicked:
                visit.note(TOO_MUCH_TO_SHOW)
            return
        before = now


async def _click(page: Page, most: int, controls: str, *, is_list: bool) -> int:
    """Click the controls that load more, in the page and its frames; return their number."""
    done = 0
    arguments = {"selectors": controls or "no-control", "phrases": phrases(), "never": never()}
    arguments["whole"] = labels_of_lists() if is_list else ()
    for frame in page.frames:
        done += await _in_time(frame.evaluate(script("click"), {**arguments, "most": most - done})) or 0
    return done


async def _keep(page: Page) -> bool:
    """Save content that clicks removed, in the page and its frames; return True if there is new content."""
    has_new = [await _in_time(frame.evaluate(script("keep"), {"most": MOST_KEPT})) for frame in page.frames]
    return any(has_new)


async def _in_time(step: Awaitable[Any]) -> int | None:
    """Return the result of a script in the page; None if it does not finish in time."""
    with suppress(PlaywrightError, TimeoutError):
        async with asyncio.timeout(FRAME_S):
            return int(await step)
    return None


async def write_addresses(page: Page, visit: Visit, clicks: int) -> None:
    """Click list items that contain titles of the visit's posts, and add links to their URLs; with at most this many
    `clicks`."""
    end, home, troubles = monotonic() + ITEMS_S, page.url, dict(visit.troubles)
    addresses: dict[str, str] = {}
    with suppress(PlaywrightError):
        count: int = await _do(page, "find", titles=list(visit.titles))
        visit.is_offline = True
        for index in range(min(count, clicks)):
            if (index >= IN_VAIN and not addresses) or monotonic() > end or page.url != home:
                break
            text, address = await _click_item(page, visit, index, home)
            if address is not None:
                addresses.setdefault(text, address)
        await _do(page, "write", found=list(addresses.items()))
    visit.troubles = troubles  # requests caused by clicks do not belong to the page


async def _click_item(page: Page, visit: Visit, index: int, home: str) -> tuple[str, str | None]:
    """Click an item and go back to the list; return the item's text and the URL that the page then has or requests."""
    visit.refused.clear()
    text: str = await _do(page, "click", index=index)
    await settle(page, visit, CLICK_S, quiet_s=ITEM_GLANCE_S)
    if page.url == home:
        return text, visit.refused[0] if visit.refused else None
    address = page.url
    for _ in range(MOST_BACK):
        if page.url != home:
            await page.evaluate("() => history.back()")
            await settle(page, visit, CLICK_S, quiet_s=ITEM_GLANCE_S)
    return text, address


async def _do(page: Page, todo: str, **arguments: Any) -> Any:  # noqa: ANN401
    nothing = {"titles": [], "index": 0, "found": [], "most": MOST_ITEMS}
    return await page.evaluate(script("items"), {"todo": todo, **nothing, **arguments})
