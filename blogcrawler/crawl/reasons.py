"""Why a fetched page is not used: the same few words for all such pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.downloader import NOT_CAPTURED
from blogcrawler.downloader.reasons import status_reason

if TYPE_CHECKING:
    from blogcrawler.items import Page

ALREADY_FETCHED = "already fetched"
LEADS_AWAY = "leads away from the blog"
NO_POST = "looks like a post's URL, but has no article"
COPY = "a copy of a post"
NO_WEB_PAGE = "no web page"
PART = "a part of a post"
TOO_SLOW = "takes too long to read"


def reason_missing(page: Page) -> str:
    """A few words why a page without content is missing."""
    return NOT_CAPTURED if page.is_not_captured else status_reason(page.status)
