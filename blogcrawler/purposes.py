"""What a request is for, as its meta says for the report of a crawl; without a word it is for a page of the blog."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEY = "purpose"


class Purpose(StrEnum):
    """Why something is asked for."""

    PAGE = "pages"
    #: feeds, sitemaps, interfaces, and looking for them
    SOURCE = "sources"
    COMMENTS = "comments"
    FILE = "files"
    #: what pages ask for in the browser
    BROWSER = "browser"
    ROBOTS = "robots.txt"

    @property
    def meta(self) -> dict[str, str]:
        """What the meta of a request holds that has this purpose."""
        return {_KEY: self.value}

    @classmethod
    def of(cls, meta: Mapping[str, Any]) -> Purpose:
        """The purpose of a request with this meta."""
        return cls(meta.get(_KEY, cls.PAGE))
