"""Errors of the program during a crawl.

Scrapy logs what a callback, a stage or a signal handler raises, and goes on as if nothing had been. What it logs is
reported here, so that the crawl ends, says why, and has an exit code of its own.
"""

from __future__ import annotations

import logging
import weakref
from typing import TYPE_CHECKING

from blogcrawler.errors import BlogcrawlerError, ProgramFault

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Spider

__all__ = ["fault", "watch_log"]

LOGGERS = ("scrapy.core.engine", "scrapy.core.scraper", "scrapy.utils.signal")
"""Through which Scrapy tells of errors that it has caught."""
OF_ONE_PAGE = "scrapy.core.scraper"
"""The one of them that tells of a page or post, without which the crawl can go on."""
OF_THE_NET = "Error downloading"


def fault(url: str, error: BaseException | None = None) -> ProgramFault:
    """The error that a crawl ends with because of an error of the program; None for one that the log tells."""
    named = "" if error is None else f" ({type(error).__name__}: {error})"
    return ProgramFault(
        f"The program broke in the crawl of {url}{named}. What was found is kept, and the log tells more; please "
        "report it.",
        url=url,
    )


def watch_log(spider: Spider, report: Callable[[BaseException, bool], None]) -> None:
    """Report errors of the program that Scrapy logs for a spider, and whether the crawl is over by them.

    `report` is a method of the spider, and forgotten with it.
    """
    handler = _Reporting(weakref.ref(spider), weakref.WeakMethod(report))
    for name in LOGGERS:
        logging.getLogger(name).addHandler(handler)
        weakref.finalize(spider, logging.getLogger(name).removeHandler, handler)


class _Reporting(logging.Handler):
    def __init__(
        self, spider: weakref.ref[Spider], report: weakref.WeakMethod[Callable[[BaseException, bool], None]]
    ) -> None:
        super().__init__(logging.ERROR)
        self._spider, self._report = spider, report

    def emit(self, record: logging.LogRecord) -> None:
        """Report a record that holds an error of the program."""
        error, report = record.exc_info[1] if record.exc_info else None, self._report()
        is_ours = getattr(record, "spider", None) in (None, self._spider())
        is_fault = error is not None and not isinstance(error, BlogcrawlerError)
        if is_ours and is_fault and report is not None and not str(record.msg).startswith(OF_THE_NET):
            assert error is not None
            report(error, record.name != OF_ONE_PAGE)
