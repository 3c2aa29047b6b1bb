"""How a search asks for pages that need not be there: through a function that it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from blogcrawler.items import Page

    Fetch = Callable[[str], Awaitable[Page]]


async def page_at(url: str, fetch: Fetch) -> Page | None:
    """The page at an address; None where the server does not give it."""
    try:
        page = await fetch(url)
    except Exception:  # noqa: BLE001  the next page may be there
        return None
    return page if page.status == 200 else None
