"""The served archive: its database, files, WARC files and reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blogcrawler.backend import Archive
from blogcrawler.errors import BackendUnavailable
from blogcrawler.export import Sender
from blogcrawler.reextraction import LEAST

if TYPE_CHECKING:
    from pathlib import Path

    from blogcrawler.backend import Files


@dataclass(frozen=True)
class Holdings:
    """An archive with everything that belongs to it."""

    archive: Archive
    #: the database URL, for opening a second connection for long tasks
    database_url: str
    files: Files
    #: the folders of WARC files and of crawl reports; None if there is none
    warcs: Path | None = None
    reports: Path | None = None
    #: the sender named in exports
    sender: Sender = field(default_factory=Sender)
    #: confidence below which a field stays empty when posts are extracted again
    least: float = LEAST
    #: True if media files are saved
    keeps_files: bool = True

    def check(self) -> None:
        """Raise BackendUnavailable if the database file was deleted; the open connection would not notice."""
        if self.archive.file is not None and not self.archive.file.exists():
            raise BackendUnavailable(
                f"There is no archive at {self.archive.file} any more; put it back, or start again."
            )

    def opened_again(self) -> Archive:
        """Open the archive a second time, so that long tasks do not delay other pages. Raises BackendUnavailable."""
        return Archive.open(self.database_url, make=False)
