"""The settings of one crawl, read once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from blogcrawler.frontier import StopRules
from blogcrawler.frontier.stop_rules import PATIENCE

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


@dataclass(frozen=True)
class CrawlOptions:
    """What a crawl keeps, where it looks for posts, and when it stops."""

    #: the spider's name
    kind: str
    stop_rules: StopRules
    #: whether it looks at all posts of the blog, as a new crawl does, or at the newest, as an update does
    looks_at_all: bool = True
    comments: bool = True
    media: bool = True
    #: whether the outputs are overwritten, so that they hold only the records of this run
    outputs_begin_anew: bool = False

    @classmethod
    def from_settings(cls, settings: BaseSettings, kind: str, *, looks_at_all: bool) -> Self:
        """The options defined by Scrapy's settings and the kind of crawl."""
        outputs, window = settings.getdict("FEEDS").values(), settings.getint("HARVEST_WINDOW") or None
        return cls(
            kind,
            StopRules(
                page_limit=settings.getint("PAGE_LIMIT") or None,
                time_limit_s=settings.getfloat("TIME_LIMIT") or None,
                harvest_window=window,
                patience=PATIENCE if window else None,
            ),
            looks_at_all,
            comments=settings.getbool("COMMENTS"),
            media=settings.getbool("MEDIA"),
            outputs_begin_anew=bool(outputs) and all(output.get("overwrite") for output in outputs),
        )
