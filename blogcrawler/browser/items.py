"""Finds out where the items of a list lead that have no address in the markup, by clicking one after another.

What a click asks for is answered from what the page has asked for before, or not at all: the address is all that is
wanted. One goes back after each.
"""

from __future__ import annotations

from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError

from blogcrawler.browser.reading import script, settle

if TYPE_CHECKING:
    from playwright.async_api import Page

    from blogcrawler.browser.visit import Visit

MOST = 100
"""Items of a page that are clicked."""
IN_VAIN = 3
"""Items that lead nowhere, after which no other is clicked where none did lead anywhere."""
MOST_BACK = 2
"""Steps back to the list, which a click may have left in several."""
LONGEST_S = 30
"""Seconds that all clicks may take, and one may."""
CLICK_S = 2
GLANCE_S = 0.1
"""Seconds without change after which nothing more is expected of a click."""


async def write_addresses(page: Page, visit: Visit, clicks: int) -> None:
    """Make links of a list's items, which stand where some of the visit's titles do; with so many clicks at most."""
    end, home, troubles = monotonic() + LONGEST_S, page.url, dict(visit.troubles)
    found: dict[str, str] = {}
    with suppress(PlaywrightError):
        count: int = await _do(page, "find", titles=list(visit.titles))
        visit.is_offline = True
        for index in range(min(count, clicks)):
            if (index >= IN_VAIN and not found) or monotonic() > end or page.url != home:
                break
            said, address = await _click(page, visit, index, home)
            if address is not None:
                found.setdefault(said, address)
        await _do(page, "write", found=list(found.items()))
    visit.troubles = troubles  # those of clicks are not the page's


async def _click(page: Page, visit: Visit, index: int, home: str) -> tuple[str, str | None]:
    """Click an item; what it says, and the address that the page has then, or asks for. Go back to the list's own."""
    visit.refused.clear()
    said: str = await _do(page, "click", index=index)
    await settle(page, visit, CLICK_S, quiet_s=GLANCE_S)
    if page.url == home:
        return said, visit.refused[0] if visit.refused else None
    address = page.url
    for _ in range(MOST_BACK):
        if page.url != home:
            await page.evaluate("() => history.back()")
            await settle(page, visit, CLICK_S, quiet_s=GLANCE_S)
    return said, address


async def _do(page: Page, todo: str, **told: Any) -> Any:  # noqa: ANN401
    nothing = {"titles": [], "index": 0, "found": [], "most": MOST}
    return await page.evaluate(script("items"), {"todo": todo, **nothing, **told})
