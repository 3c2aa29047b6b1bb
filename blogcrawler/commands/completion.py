"""`blogcrawler completion SHELL`: print the completion script for a shell."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from blogcrawler.command import ArchiveCommand
from blogcrawler.usage.completion import completion

if TYPE_CHECKING:
    import argparse


class Command(ArchiveCommand):
    """Prints the script."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        sys.stdout.write(completion(args[0]))
