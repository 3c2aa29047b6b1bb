"""`blogcrawler demo`: crawls a small blog that comes with the package, on this machine, and shows the records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from blogcrawler.backend import Archive
from blogcrawler.command import ArchiveCommand
from blogcrawler.commands.crawl import check_ending, start
from blogcrawler.demo import DemoServer
from blogcrawler.reporting import FAILED, end, exit_on_error, leave_out_set_up, start_log, table
from blogcrawler.setting_checks import check_settings

if TYPE_CHECKING:
    import argparse

FOLDER = "blogcrawler-demo"


class Command(ArchiveCommand):
    """Serves the example blog and crawls it."""

    requires_crawler_process = True

    def check(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Set the options of a crawl of this machine into one folder."""
        check_settings(self.settings)
        self._folder = Path(args[0] if args else FOLDER)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            end(f"The folder {self._folder} cannot be created: {error.strerror}.", FAILED)
        self._records = self._folder / "posts.jsonl"
        for name, value in {
            "DATABASE_URL": f"sqlite:///{self._folder / 'archive' / 'archive.db'}",
            "ARCHIVE": str(self._folder / "archive"),
            "FEEDS": {str(self._records): {"format": "jsonlines", "overwrite": True}},
            "AUTOTHROTTLE_ENABLED": False,
            "DOWNLOAD_DELAY": 0.02,
            "HTTPCACHE_ENABLED": False,  # the next run uses another port
            "HTTPPROXY_ENABLED": False,
            "LOG_FILE": str(self._folder / "demo.log"),
            "LOG_FILE_APPEND": False,
        }.items():
            self.settings.set(name, value, "cmdline")
        leave_out_set_up(self.settings)
        start_log(self.settings, {"spider": "newcrawl"})

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Serve the blog, crawl it and show the records."""
        assert self.crawler_process is not None
        with exit_on_error():
            Archive.open(self.settings["DATABASE_URL"]).close()
        console = Console()
        with DemoServer() as server:
            console.print(Text(f"The example blog is at {server.url} during the crawl."))
            crawler = self.crawler_process.create_crawler("newcrawl")
            crawling = self.crawler_process.crawl(crawler, url=server.url)
            stop = start(self.crawler_process)
        with exit_on_error():
            check_ending(crawler, crawling, stop)
        show(self._records, console)
        console.print(Text(f"Records: {self._records}; archive: {self._folder / 'archive'}"))
        console.print(Text(f"To browse the archive: cd {self._folder} && blogcrawler browse"))


def show(records: Path, console: Console) -> None:
    """Print the records as a table, the oldest first."""
    posts = [json.loads(line) for line in records.read_text(encoding="utf-8").splitlines()]
    rows = [
        (
            (post["published"] or "")[:10],
            ", ".join(post["authors"]),
            post["title"] or "",
            str(len((post["content_text"] or "").split())),
        )
        for post in sorted(posts, key=lambda post: post["published"] or "")
    ]
    headings = ("published", "author", "title", "words")
    console.print(table(headings, rows, numbers={"words"}, title=Text("Records")))
