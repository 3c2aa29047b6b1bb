"""`blogcrawler copy DATABASE`: copy the archive into another database, such as PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.backend import copy_archive, rows_of
from blogcrawler.command import ArchiveCommand
from blogcrawler.reporting import advancing, exit_on_error, interruptible

if TYPE_CHECKING:
    import argparse


class Command(ArchiveCommand):
    """Copies the archive's database."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Copy the database and print the numbers of blogs and posts."""
        url = self.settings["DATABASE_URL"]
        with (
            exit_on_error(),
            interruptible("Interrupted. Nothing was copied."),
            advancing("rows", rows_of(url)) as advance,
        ):
            copied = copy_archive(url, args[0], advance)
        print(
            f"Copied all blogs ({copied['blog']}) and posts ({copied['post']}). Set DATABASE_URL to the new database "
            "from now on. The old one can be deleted once you have checked the new one."
        )
