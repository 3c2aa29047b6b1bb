"""Writes the report of a crawl when it ends."""

from __future__ import annotations

import json
import logging
import re
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured

from blogcrawler.backend import Archive
from blogcrawler.component import Component
from blogcrawler.errors import BackendUnavailable
from blogcrawler.lazy import LazyModule
from blogcrawler.report.watch import Watch
from blogcrawler.reporting import Tally
from blogcrawler.reporting.logs import new_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Spider
    from scrapy.crawler import Crawler

    from blogcrawler.export import text
    from blogcrawler.report import facts as gathering
else:
    text, gathering = map(LazyModule, ("blogcrawler.export.text", "blogcrawler.report.facts"))  # at a crawl's end

logger = logging.getLogger(__name__)

FOLDER = "reports"
"""Folder below ARCHIVE."""
_NAME = re.compile(r"(?P<time>\d{8}T\d{6}Z)-(?P<spider>\w+)(?:-(?P<number>\d+))?")
"""Pattern of the name of a report, without its extension."""


class CrawlReport(Component):
    """Writes a report of each crawl below ARCHIVE. Settings: REPORTS, REPORTS_KEPT."""

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("REPORTS"):
            raise NotConfigured
        super().__init__(crawler)
        self._watch = Watch(crawler)
        self._started = datetime.now(UTC)
        #: path of the report, and why the crawl ended
        self._file: Path | None = None
        self._reason = ""
        crawler.signals.connect(self.spider_closed, signals.spider_closed)
        crawler.signals.connect(self.all_is_written, signals.engine_stopped)

    def spider_closed(self, spider: Spider, reason: str) -> None:
        """Choose the file name for the summary; none if the crawl ended before its blog was known."""
        ctx: Any = getattr(spider, "ctx", None)
        if ctx is None or not ctx.has_begun:
            return
        with self._logging_errors():
            folder = Path(self.crawler.settings["ARCHIVE"]) / FOLDER / text.blog_name(ctx.archive.blog(ctx.home))
            folder.mkdir(parents=True, exist_ok=True)
            self._file = new_file(folder, f"{self._started:%Y%m%dT%H%M%SZ}-{spider.name}", ".html")
            self._home, self._spider, self._reason = ctx.home, spider.name, reason
            self._tally.report = str(self._file)

    def all_is_written(self) -> None:
        """Write the report after the outcome of the crawl is stored."""
        if self._file is None:
            return
        with self._logging_errors(), Archive.open(self.crawler.settings["DATABASE_URL"], make=False) as archive:
            _write(self._file, self._facts(archive))
            drop_old(self._file.parent, self.crawler.settings.getint("REPORTS_KEPT"))
        with suppress(OSError):
            if not self._file.stat().st_size:
                _remove(self._file)

    @contextmanager
    def _logging_errors(self) -> Iterator[None]:
        """Log an error of writing the report, so that the crawl does not fail."""
        try:
            yield
        except (BackendUnavailable, OSError) as error:
            logger.warning("The report of the crawl cannot be written: %s", error)

    @property
    def _tally(self) -> Tally:
        assert self.crawler.stats is not None
        return Tally(self.crawler.stats)

    def _facts(self, archive: Archive) -> dict[str, Any]:
        now, blog = datetime.now(UTC), archive.blog(self._home)
        crawl = gathering.of_crawl(
            self._watch,
            self._tally,
            spider=self._spider,
            reason=self._reason,
            fatal=str(getattr(self.crawler.spider, "fatal", None) or ""),
            started=self._started,
            ended=now,
        )
        since = self._tally.goes_on_since
        goes_on = {"goes_on_since": since.isoformat(timespec="seconds") if since else None}
        return {**crawl, **goes_on, **gathering.of_archive(archive, blog, now=now)}


def _write(file: Path, facts: dict[str, Any]) -> None:
    """Write the HTML file, complete or empty, and the JSON file next to it."""
    from blogcrawler.report.page import page  # imported late: crawls without a report do not need the plotting library

    file.with_suffix(".json").write_bytes(text.encoded(json.dumps(facts, ensure_ascii=False) + "\n"))
    part = file.with_suffix(".part")
    part.write_bytes(text.encoded(page(facts)))
    part.replace(file)


def _remove(file: Path) -> None:
    """Delete a report and its JSON file."""
    for suffix in (".html", ".json", ".part"):
        file.with_suffix(suffix).unlink(missing_ok=True)


def drop_old(folder: Path, most: int) -> None:
    """Keep this number of the newest reports (0 keeps all). Other files are not touched."""
    reports = [(name, file) for file in folder.glob("*.html") if (name := _NAME.fullmatch(file.stem))]
    reports.sort(key=lambda one: (one[0]["time"], one[0]["spider"], int(one[0]["number"] or 1)))
    for _, old in reports[:-most] if most > 0 else ():
        _remove(old)
