"""`scrapy crawl SPIDER -a url=URL`: Scrapy's command, with exit codes and messages for people.

Exit codes: 0 success (single pages may have failed; the summary names them); 1 failure, with one sentence on standard
error; 75 failure for a reason outside the blog, such as a full disk; 130 or 143 if Ctrl-C or SIGTERM ended the crawl;
2 wrong usage. Arguments, settings, the database, the file store and the files of -o and -O are checked before the
crawl.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.exceptions import UsageError
from scrapy.spiderloader import get_spider_loader
from scrapy.utils.python import without_none_values

from blogcrawler import settings as defaults
from blogcrawler.backend import Archive
from blogcrawler.choices import SPIDERS
from blogcrawler.command import ArchiveCommand, blog_url
from blogcrawler.errors import BlogcrawlerError, OutOfMemory, ProgramFault, is_lack_of_memory
from blogcrawler.file_store import check_store
from blogcrawler.reporting import (
    FAILED,
    TEMPORARY_FAILURE,
    acknowledge,
    answer,
    end,
    exit_on_error,
    leave_out_set_up,
    new_log,
    start_log,
)
from blogcrawler.setting_checks import check_settings
from blogcrawler.shared import has_queue
from blogcrawler.urls import parse_start_url
from blogcrawler.usage.suggestion import did_you_mean

if TYPE_CHECKING:
    import argparse
    from collections.abc import Awaitable, Iterable, Mapping
    from types import FrameType

    from scrapy.crawler import Crawler, CrawlerProcessBase
    from scrapy.settings import BaseSettings
    from scrapy.spiderloader import SpiderLoaderProtocol

logger = logging.getLogger(__name__)


class Command(ArchiveCommand, ScrapyCrawl):
    """Runs one of the project's spiders."""

    requires_crawler_process = True
    temporary = TEMPORARY_FAILURE

    def prepare(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        _check_formats([*(opts.output or []), *(opts.overwrite_output or [])], self.settings)

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check arguments and settings, and load the named spider only. On a terminal, send the log to a file, since
        the terminal shows the progress."""
        blog_url(opts.spargs["url"])
        if args[0] in SPIDERS and self.settings["SPIDER_MODULES"] == defaults.SPIDER_MODULES:
            self.settings.set("SPIDER_MODULES", [f"{defaults.SPIDER_MODULES[0]}.{args[0]}"], "project")
        _check_spider(args[0], opts, get_spider_loader(self.settings))
        check_settings(self.settings)
        if opts.verbose:
            self.settings.set("VERBOSE", True, "cmdline")
        _check_outputs(self.settings.getdict("FEEDS"))
        if sys.stderr.isatty() and not self.settings["LOG_FILE"] and self.settings.getbool("LOG_ENABLED"):
            file = new_log(self.settings["ARCHIVE"], args[0], opts.spargs["url"])
            self.settings.set("LOG_FILE", file, "cmdline")
        start_log(self.settings, {"spider": args[0], "blog": opts.spargs["url"]})
        leave_out_set_up(self.settings)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.crawler_process is not None
        with exit_on_error(temporary=TEMPORARY_FAILURE):
            may_share = getattr(self.crawler_process.spider_loader.load(args[0]), "may_share", False)
            with Archive.open(self.settings["DATABASE_URL"]) as archive:
                if not self.settings["CLAIM"]:
                    _check_free(archive, opts.spargs["url"], self.settings if may_share else None)
            check_store(self.settings)
        crawler = self._create_crawler(args[0])
        crawling = self.crawler_process.crawl(crawler, **opts.spargs)
        stop = start(self.crawler_process)
        with exit_on_error(temporary=TEMPORARY_FAILURE):
            check_ending(crawler, crawling, stop)


def _check_spider(name: str, opts: argparse.Namespace, loader: SpiderLoaderProtocol) -> None:
    given: Mapping[str, str] = opts.spargs
    if name not in loader.list():
        known_spiders = f" Spiders: {', '.join(loader.list())}."
        raise UsageError(f"There is no spider {name!r}.{did_you_mean(name, loader.list()) or known_spiders}")
    spider = loader.load(name)
    known = getattr(spider, "arguments", None)
    unknown = sorted(set(given) - known) if known is not None and not opts.allow_unknown else []
    if known is not None and unknown:
        meant = did_you_mean(unknown[0], known) or f" Arguments: {', '.join(sorted(known))}."
        raise UsageError(f"{name} has no argument {unknown[0]!r}.{meant}")
    empty = sorted(name for name, value in given.items() if not value.strip())
    if empty:
        raise UsageError(f"The argument {empty[0]!r} of {name} is empty. Give it a value, or leave it out.")
    if (check := getattr(spider, "check_arguments", None)) is not None:
        check(dict(given))


def _check_free(archive: Archive, address: str, shared: BaseSettings | None) -> None:
    """Raise BeingCrawled if another process crawls the blog. This runs before output files are opened, since they may
    belong to that process. `shared` holds the settings if this crawl may work for that process (a shared frontier)."""
    url = parse_start_url(address)
    blog = archive.find_blog(url) or url
    lease = archive.leases.find(archive.key_of(blog))
    if lease is None or not lease.holds(datetime.now(UTC)):
        return
    if shared is None or not (redis := shared["FRONTIER_URL"]):
        raise lease.refusal(blog)
    with closing(asyncio.new_event_loop()) as loop:
        asked = has_queue(redis, lease.owner, patience_s=shared.getfloat("BACKEND_PATIENCE"))
        if not loop.run_until_complete(asked):
            raise lease.refusal(blog)


def _check_formats(outputs: Iterable[str], settings: BaseSettings) -> None:
    """Raise UsageError for an output without a known format (FILE.FORMAT or FILE:FORMAT)."""
    known = without_none_values(settings.getwithbase("FEED_EXPORTERS"))
    for output in outputs:
        given = output.rpartition(":")[2]
        name = given if "/" not in given and ":" in output else PurePath(output).suffix.removeprefix(".")
        if not name:
            example = "-:jsonl, or a file" if output == "-" else f"a file such as {output}.jsonl, or {output}:jsonl"
            raise UsageError(f"{output} has no format in its name. Give {example}.")
        if name not in known:
            raise UsageError(
                f"-o and -O cannot write {name!r}. They write {', '.join(known)}. For other formats: blogcrawler "
                "export --help"
            )


def _check_outputs(feeds: Iterable[str]) -> None:
    for uri in map(str, feeds):
        parts = urlsplit(uri)
        if parts.scheme not in {"", "file"} or "%(" in uri:
            continue
        file = Path(unquote(parts.path) if parts.scheme else uri)
        folder = next(folder for folder in [*file.parents, Path("/")] if folder.exists())
        if file.is_dir() or not folder.is_dir() or not os.access(file if file.exists() else folder, os.W_OK):
            end(f"The records cannot be written to {file}. Give a file in a folder that is writable.", FAILED)


def start(process: CrawlerProcessBase) -> int | None:
    """Run the crawls of a process to their end, and acknowledge a signal at once. Return its number; None without
    one. A second signal ends the process with 128 plus its number, such as 130 for Ctrl-C."""
    end_in_order, end_now = process._signal_shutdown, process._signal_kill
    received: list[int] = []

    def shut_down(number: int, frame: FrameType | None) -> None:
        acknowledge()
        received.append(number)
        end_in_order(number, frame)

    def kill(number: int, frame: FrameType | None) -> None:
        answer("Stopped. Run the same command again to continue.")
        received.append(number)
        end_now(number, frame)

    process._signal_shutdown = shut_down  # type: ignore[assignment, method-assign]
    process._signal_kill = kill  # type: ignore[assignment, method-assign]
    process.start()
    if len(received) > 1:
        raise SystemExit(128 + received[1])
    return received[0] if received else None


def check_ending(crawler: Crawler, crawling: Awaitable[None], stop: int | None) -> None:
    """Return if a crawl came to its end. Raise its error, or SystemExit with 128 plus the number of the signal `stop`
    if that ended the crawl."""
    for error in (_error_of(crawling), *(getattr(crawler.spider, name, None) for name in ("fatal", "fault"))):
        if isinstance(error, BlogcrawlerError):
            raise error
    reason = crawler.stats.get_value("finish_reason")
    if stop is not None and reason is None:
        end("Stopped. Run the same command again to continue.", 128 + stop)
    if stop is not None and reason == "shutdown":
        raise SystemExit(128 + stop)
    if reason is None:
        raise ProgramFault("The crawl could not be started; see the log. Please report it.")


def _error_of(crawling: Awaitable[None]) -> BlogcrawlerError | None:
    """Return the error that kept a crawl from starting, and log it unless it is a BlogcrawlerError."""
    if not isinstance(crawling, asyncio.Future) or not crawling.done() or crawling.cancelled():
        return None
    error = crawling.exception()
    if error is not None and is_lack_of_memory(error):
        return OutOfMemory()
    if error is None or isinstance(error, BlogcrawlerError):
        return error
    logger.error("The crawl could not be started.", exc_info=error)
    named = f"{type(error).__name__}: {error}"
    return ProgramFault(f"The crawl could not be started ({named}); see the log. Please report it.")
