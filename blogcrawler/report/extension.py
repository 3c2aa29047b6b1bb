"""Writes the report of a crawl when it ends."""

from __future__ import annotations

import json
import logging
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured

from blogcrawler.backend import Archive
from blogcrawler.errors import BackendUnavailable
from blogcrawler.export.text import blog_name, encoded
from blogcrawler.report.facts import of_archive, of_crawl
from blogcrawler.report.watch import Watch
from blogcrawler.reporting import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from scrapy import Spider
    from scrapy.crawler import Crawler

__all__ = ["FOLDER", "CrawlReport"]

logger = logging.getLogger(__name__)

FOLDER = "reports"
"""Of ARCHIVE."""


class CrawlReport:
    """Leaves a report of each crawl below ARCHIVE. Settings: REPORTS, REPORTS_KEPT."""

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("REPORTS"):
            raise NotConfigured
        self.crawler = crawler
        self._watch = Watch(crawler)
        self._started = datetime.now(UTC)
        #: where the report is to stand, and why the crawl has ended
        self._file: Path | None = None
        self._reason = ""
        crawler.signals.connect(self.spider_closed, signals.spider_closed)
        crawler.signals.connect(self.all_is_written, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The report of one crawl. Raises NotConfigured where none is wanted."""
        return cls(crawler)

    def spider_closed(self, spider: Spider, reason: str) -> None:
        """Choose the file, which the summary names; none if the crawl ended before it knew its blog."""
        archive: Archive | None = getattr(spider, "archive", None)
        home: str | None = getattr(spider, "home", None)
        if archive is None or home is None or not hasattr(spider, "frontier"):
            return
        with self._telling():
            folder = Path(self.crawler.settings["ARCHIVE"]) / FOLDER / blog_name(archive.blog(home))
            folder.mkdir(parents=True, exist_ok=True)
            self._file = _new_file(folder, f"{self._started:%Y%m%dT%H%M%SZ}-{spider.name}")
            self._home, self._spider, self._reason = home, spider.name, reason
            self._tally.reported(str(self._file))

    def all_is_written(self) -> None:
        """Write the report, when the archive knows how the crawl has ended."""
        if self._file is None:
            return
        with self._telling(), Archive.open(self.crawler.settings["DATABASE_URL"], make=False) as archive:
            _write(self._file, self._facts(archive))
            _drop_old(self._file.parent, self.crawler.settings.getint("REPORTS_KEPT"))

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """A crawl does not fail for want of its report."""
        try:
            yield
        except (BackendUnavailable, OSError) as error:
            logger.warning("The report of the crawl cannot be written: %s", error)

    @property
    def _tally(self) -> Tally:
        assert self.crawler.stats is not None
        return Tally(self.crawler.stats)

    def _facts(self, archive: Archive) -> dict[str, Any]:
        crawl = of_crawl(
            self._watch,
            self._tally,
            spider=self._spider,
            reason=self._reason,
            started=self._started,
            ended=datetime.now(UTC),
        )
        return {**crawl, **of_archive(archive, archive.blog(self._home))}


def _write(file: Path, facts: dict[str, Any]) -> None:
    """The file for people; what programs read stands beside it."""
    from blogcrawler.report.page import page  # a crawl that leaves no report does without the plotting library

    file.with_suffix(".json").write_bytes(encoded(json.dumps(facts, ensure_ascii=False) + "\n"))
    file.write_bytes(encoded(page(facts)))


def _drop_old(folder: Path, most: int) -> None:
    """Keep so many of the newest reports; all for 0."""
    for old in sorted(folder.glob("*.html"))[:-most] if most > 0 else ():
        old.unlink(missing_ok=True)
        old.with_suffix(".json").unlink(missing_ok=True)


def _new_file(folder: Path, name: str) -> Path:
    """A file that was not there before."""
    for number in count(1):
        file = folder / (f"{name}-{number}.html" if number > 1 else f"{name}.html")
        try:
            file.touch(exist_ok=False)
        except FileExistsError:
            continue
        return file
    raise AssertionError
