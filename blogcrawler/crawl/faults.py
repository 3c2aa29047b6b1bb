"""Program errors during a crawl.

Scrapy logs an exception of a callback, a pipeline stage or a signal handler, and goes on. Here such log records are
reported to the spider, so that the crawl ends with a message and its own exit code.
"""

from __future__ import annotations

import logging
import weakref
from typing import Any

from blogcrawler.errors import BlogcrawlerError, ProgramFault

OF_ONE_PAGE = "scrapy.core.scraper"
"""The logger for errors of one page or post, without which the crawl can go on."""
LOGGERS = ("scrapy.core.engine", "scrapy.utils.signal", OF_ONE_PAGE)
OF_THE_NET = "Error downloading"


def fault(url: str, error: BaseException | None = None) -> ProgramFault:
    """The error of a crawl in which the program failed; without `error`, the log holds the details."""
    named = "" if error is None else f" ({type(error).__name__}: {error})"
    advice = "What was found is kept; see the log. Please report it."
    return ProgramFault(f"The program failed in the crawl of {url}{named}. {advice}", url=url)


def watch_log(spider: Any) -> None:  # noqa: ANN401
    """Report exceptions that Scrapy logs, other than BlogcrawlerError, to `spider.outcome` while the spider exists."""
    handler = _Reporting(logging.ERROR)
    handler.spider = weakref.ref(spider)
    for logger in map(logging.getLogger, LOGGERS):
        logger.addHandler(handler)
        weakref.finalize(spider, logger.removeHandler, handler)


class _Reporting(logging.Handler):
    spider: weakref.ref[Any]

    def emit(self, record: logging.LogRecord) -> None:
        error, spider = record.exc_info[1] if record.exc_info else None, self.spider()
        is_fault = error is not None and not isinstance(error, BlogcrawlerError)
        is_ours = getattr(record, "spider", None) in (None, spider) and not str(record.msg).startswith(OF_THE_NET)
        if spider is not None and is_fault and is_ours:
            spider.outcome.note_fault(error, is_over=record.name != OF_ONE_PAGE)
