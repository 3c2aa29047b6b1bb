"""`blogcrawler archive URL…`: a new crawl of each blog, or an update where the archive has it. With captures instead of
the web (`--from`) or an export of the blog (`--entries`), it is always a new crawl.

Exit codes are those of `crawl`. With several blogs: 1 if a crawl failed, else 75 if a crawl had to stop for a reason
outside its blog; 130 or 143 if a signal stopped the command before it came to all blogs.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from blogcrawler.backend import Archive
from blogcrawler.command import blog_url
from blogcrawler.commands import crawl
from blogcrawler.commands.monitor import passed_on
from blogcrawler.downloader import check_capture_arguments
from blogcrawler.monitor import Signals
from blogcrawler.reporting import FAILED, TEMPORARY_FAILURE, leave_out_set_up, say, start_log
from blogcrawler.setting_checks import check_settings
from blogcrawler.urls import parse_start_url

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

LOOK_S = 0.1
"""Seconds between two checks for a signal to pass on to the crawl."""


class Command(crawl.Command):
    """Runs newcrawl for a new blog and updatecrawl for a known one."""

    def prepare(self, args: list[str], opts: argparse.Namespace) -> None:
        captured = {"source": opts.source, "at": opts.at, "entries": opts.entries}
        opts.spargs = [f"url={args[0]}", *(f"{name}={value}" for name, value in captured.items() if value)]
        super().prepare(args, opts)

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check all URLs before the first crawl. A single blog is crawled in this process."""
        for address in args:
            blog_url(address)
        if len(args) == 1:
            is_new = opts.source or opts.entries
            self._spider = "newcrawl" if is_new else _spider_for(args[0], self.settings["DATABASE_URL"])
            super().check([self._spider], opts)
        else:
            check_capture_arguments({name: value for name, value in opts.spargs.items() if name != "url"})
            check_settings(self.settings)
            leave_out_set_up(self.settings)
            start_log(self.settings, {})

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl a single blog in this process, or each of several in its own process."""
        if len(args) == 1:
            super().run([self._spider], opts)
            return
        settings, options = passed_on(opts)
        options += ["--verbose"] if opts.verbose else []
        options += ["--from", opts.source] if opts.source else []
        options += ["--at", opts.at] if opts.at else []
        options += [part for setting in settings for part in ("-s", setting)]
        options += ["-s", f"LOG_FILE={opts.logfile}"] if opts.logfile else []
        codes = _one_after_the_other([[address, "--allow-unknown", *options] for address in args])
        raise SystemExit(next((code for code in (FAILED, TEMPORARY_FAILURE) if code in codes), max(codes)))


def _spider_for(address: str, database_url: str) -> str:
    with Archive.open(database_url) as archive:
        return archive.register.spider_for(archive.find_blog(parse_start_url(address)))


def _one_after_the_other(calls: Sequence[Sequence[str]]) -> set[int]:
    """Run one `archive` process for each call and return their exit codes. A signal is passed to the running process;
    then no further one starts."""
    signals, codes = Signals(ends_at_once=True), set()  # the crawl answers it
    with signals.heeding():
        for number, call in enumerate(calls):
            if signals.count:
                say(
                    f"Not crawled yet: {', '.join(arguments[0] for arguments in calls[number:])}. Run the same command "
                    "again."
                )
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
