"""Fetches pages that may not exist, through a function that the caller passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from blogcrawler.items import Page

    Fetch = Callable[[str], Awaitable[Page]]


async def page_at(url: str, fetch: Fetch) -> Page | None:
    """Fetch a page; None if the server does not return it."""
    try:
        page = await fetch(url)
    except Exception:  # noqa: BLE001  the next page may be there
        return None
    return page if page.status == 200 else None
