"""`scrapy crawl SPIDER -a url=URL`: Scrapy's command, with exit codes and messages for people.

Exit codes: 0 the crawl did its job (single pages may have failed, the summary names them); 1 it could not, and one
sentence on standard error says why; 2 wrong usage.
"""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.exceptions import UsageError

from blogcrawler.errors import BadArgument
from blogcrawler.urls import parse_start_url

if TYPE_CHECKING:
    import argparse

    from scrapy.crawler import Crawler

__all__ = ["Command"]


class Command(ScrapyCrawl):
    """Runs one of the project's spiders."""

    def short_desc(self) -> str:
        """One line of help."""
        return "Archive a blog: scrapy crawl newcrawl -a url=http://blog.example.org/ -O posts.jsonl"

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the arguments, and send the log to a file when the terminal is for people."""
        super().process_options(args, opts)
        check(self, args, opts.spargs)
        assert self.settings is not None
        if sys.stderr.isatty() and not self.settings["LOG_FILE"] and self.settings.getbool("LOG_ENABLED"):
            self.settings.set("LOG_FILE", log_file(self.settings["ARCHIVE"], args[0], opts.spargs["url"]), "cmdline")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the crawl."""
        assert self.crawler_process is not None
        crawler = self._create_crawler(args[0])
        self.crawler_process.crawl(crawler, **opts.spargs)
        self.crawler_process.start()
        message = trouble(crawler, bootstrap_failed=self.crawler_process.bootstrap_failed)
        if message:
            print(f"blogcrawler: {message}", file=sys.stderr)
            self.exitcode = 1


def check(command: ScrapyCrawl, args: list[str], spider_arguments: dict[str, str]) -> None:
    """Raise UsageError for what cannot be a crawl."""
    if len(args) != 1:
        raise UsageError("Name one spider, as in: crawl newcrawl -a url=http://blog.example.org/", print_help=False)
    process = command.crawler_process
    if process is not None and args[0] not in process.spider_loader.list():
        known = ", ".join(process.spider_loader.list())
        raise UsageError(f"There is no spider {args[0]!r}; there is: {known}.", print_help=False)
    if not spider_arguments.get("url"):
        raise UsageError(f"Say which blog, as in: crawl {args[0]} -a url=http://blog.example.org/", print_help=False)
    try:
        parse_start_url(spider_arguments["url"])
    except BadArgument as error:
        raise UsageError(str(error), print_help=False) from error


def log_file(archive: str, spider: str, url: str) -> str:
    """A new file for the log of a crawl, in the archive's folder."""
    folder = Path(archive) / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^a-z0-9]+", "-", re.sub(r"^\w+://", "", url.lower())).strip("-")[:60]
    return str(folder / f"{spider}-{name}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.log")


def trouble(crawler: Crawler, *, bootstrap_failed: bool) -> str | None:
    """Why a crawl did not do its job; None where it did."""
    fatal = getattr(crawler.spider, "fatal", None)
    if fatal:
        return str(fatal)
    if bootstrap_failed:
        return "The crawl could not be started; the log tells why."
    reason = crawler.stats.get_value("finish_reason") if crawler.stats is not None else None
    if reason in {"start_error", None}:
        return "The crawl broke off by an error of the program; the log has it. Please report it."
    return None
