"""`scrapy copy DATABASE`: a whole archive into another database, as from SQLite to PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from blogcrawler.backend import copy_archive, rows_of
from blogcrawler.reporting import advancing, interruptible, told

if TYPE_CHECKING:
    import argparse

__all__ = ["Command"]


class Command(ScrapyCommand):
    """Copies the archive's database."""

    requires_project = True
    requires_crawler_process = False

    def syntax(self) -> str:
        """The arguments."""
        return "[options] DATABASE"

    def short_desc(self) -> str:
        """One line of help."""
        return "Copy the archive into another database: blogcrawler copy postgresql://me@localhost/archive"

    def long_desc(self) -> str:
        """What is copied, and what is not."""
        return (
            "Copies all that the database of DATABASE_URL holds into another one, SQLite's or PostgreSQL's, that holds "
            "nothing yet: all of it, or nothing. Files of posts, WARC files and reports stay where they are."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Scrapy's options, under our name."""
        super().add_options(parser)
        parser.usage = f"blogcrawler copy {self.syntax()}"

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check what was given."""
        with told():
            super().process_options(args, opts)
            if len(args) != 1:
                raise UsageError(
                    "Name the database to copy to, as in: copy postgresql://me@localhost/archive", print_help=False
                )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Copy, and tell what was copied."""
        assert self.settings is not None
        url = self.settings["DATABASE_URL"]
        with (
            told(),
            interruptible("Interrupted; nothing was copied."),
            advancing("rows", rows_of(url)) as advance,
        ):
            copied = copy_archive(url, args[0], advance)
        print(
            f"Blogs: {copied['blog']}, posts: {copied['post']}; all is copied. Give the other database with "
            "DATABASE_URL from now on; this one can be deleted when you are sure of the other."
        )
