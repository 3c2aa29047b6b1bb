"""The purpose of a request, stored in its meta for the crawl's report.

Without a purpose, it fetches a page of the blog.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEY = "purpose"


class Purpose(StrEnum):
    PAGE = "pages"
    #: feeds, sitemaps and APIs, and the search for them
    SOURCE = "sources"
    COMMENTS = "comments"
    FILE = "files"
    #: requests of pages in the browser
    BROWSER = "browser"
    ROBOTS = "robots.txt"

    @property
    def meta(self) -> dict[str, str]:
        """The meta entry of a request with this purpose."""
        return {_KEY: self.value}

    @classmethod
    def of(cls, meta: Mapping[str, Any]) -> Purpose:
        """The purpose in a request's meta."""
        return cls(meta.get(_KEY, cls.PAGE))
