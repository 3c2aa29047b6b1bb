"""`blogcrawler browse`: serve the archive to a web browser on this machine."""

from __future__ import annotations

import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from blogcrawler.backend import Archive
from blogcrawler.backend.warc import WARC_FOLDER
from blogcrawler.browse import Holdings, address_of, application, listen, serve
from blogcrawler.command import ArchiveCommand
from blogcrawler.export import Sender
from blogcrawler.file_store import file_store
from blogcrawler.report import FOLDER
from blogcrawler.reporting import exit_on_error, interruptible, say

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import BaseSettings

_OWN = ("127.0.0.1", "::1", "localhost")


class Command(ArchiveCommand):
    """Serves the archive."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Serve the pages until a signal comes."""
        with interruptible(None), exit_on_error(), Archive.open(self.settings["DATABASE_URL"], make=False) as archive:
            app = application(_holdings(self.settings, archive), opts.host)
            with listen(opts.host, opts.port) as listening:
                address = address_of(listening)
                if opts.host not in _OWN:
                    say(f"Anyone who can connect to {address} can read and correct the whole archive.")
                print(f"The archive is at {address}; press Ctrl-C to stop.")
                sys.stdout.flush()
                if not opts.no_open:
                    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
                serve(app, listening)


def _holdings(settings: BaseSettings, archive: Archive) -> Holdings:
    folder = Path(settings["ARCHIVE"])
    warcs = folder / WARC_FOLDER
    return Holdings(
        archive,
        settings["DATABASE_URL"],
        file_store(settings),
        warcs if warcs.is_dir() else None,
        folder / FOLDER,
        Sender.of(settings),
        settings.getfloat("CONFIDENCE_MINIMUM"),
        settings.getbool("MEDIA"),
    )
