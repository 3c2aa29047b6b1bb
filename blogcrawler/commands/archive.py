"""`blogcrawler archive URL…`: a new crawl of each blog, or an update where the archive has it.

Exit codes are those of `crawl`; of several blogs 1 where a crawl failed, and else 75 where one could not go on for no
fault of its blog; 130 or 143 where a signal has kept some from being crawled.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from blogcrawler.backend import Archive
from blogcrawler.commands import crawl
from blogcrawler.commands.monitor import passed_on
from blogcrawler.errors import BadArgument
from blogcrawler.monitor import Signals
from blogcrawler.reporting import FAILED, TEMPORARY_FAILURE, leave_out_set_up, say
from blogcrawler.urls import parse_start_url

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

LOOK_S = 0.1
"""Seconds between two looks whether a signal has come for a crawl."""


class Command(crawl.Command):
    """Runs the spider that a blog needs."""

    def prepare(self, args: list[str], opts: argparse.Namespace) -> None:
        opts.spargs = [f"url={args[0]}"]
        super().prepare(args, opts)

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check all addresses before the first crawl; one blog is crawled by this process."""
        for address in args:
            _check_address(address)
        if len(args) == 1:
            self._spider = _spider_for(args[0], self.settings["DATABASE_URL"])
            super().check([self._spider], opts)
        else:
            crawl.check_settings(self.settings)
            leave_out_set_up(self.settings)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl the blog, or each in a process of its own."""
        if len(args) == 1:
            super().run([self._spider], opts)
            return
        settings, options = passed_on(opts)
        options += ["--verbose"] if opts.verbose else []
        options += [part for setting in settings for part in ("-s", setting)]
        options += ["-s", f"LOG_FILE={opts.logfile}"] if opts.logfile else []
        codes = _one_after_the_other([[address, "--allow-unknown", *options] for address in args])
        raise SystemExit(next((code for code in (FAILED, TEMPORARY_FAILURE) if code in codes), max(codes)))


def _check_address(address: str) -> None:
    """Raise BadArgument where an address is none, or names a file."""
    if Path(address).is_file():
        raise BadArgument(
            f"{address} is a file, not a blog's address. To archive all blogs of an OPML file: "
            f"blogcrawler blogs --opml {shlex.quote(address)} and then blogcrawler monitor"
        )
    parse_start_url(address)


def _spider_for(address: str, database_url: str) -> str:
    with Archive.open(database_url) as archive:
        return archive.register.spider_for(archive.find_blog(parse_start_url(address)))


def _one_after_the_other(calls: Sequence[Sequence[str]]) -> set[int]:
    """The exit codes of calls of this command; after a signal, which the one under way gets, no further one begins."""
    signals, codes = Signals(ends_at_once=True), set()  # the crawl answers it
    with signals.heeding():
        for number, call in enumerate(calls):
            if signals.count:
                say(f"Not begun: {', '.join(one[0] for one in calls[number:])}; run the same command again.")
                codes.add(128 + signals.last)
                break
            print(call[0], flush=True)
            codes.add(_code_of(call, signals))
    return codes


def _code_of(call: Sequence[str], signals: Signals) -> int:
    process = subprocess.Popen(  # noqa: S603 - ourselves
        [sys.executable, "-m", "blogcrawler", "archive", *call], start_new_session=True
    )
    passed = 0
    while True:
        try:
            code = process.wait(LOOK_S)
        except subprocess.TimeoutExpired:
            while passed < signals.count:
                process.send_signal(signals.last)
                passed += 1
        else:
            return code if code >= 0 else 128 - code
