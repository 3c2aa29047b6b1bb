"""What the pages show: an archive, its files, and what lies beside them."""

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
    """An archive, and all that belongs to it."""

    archive: Archive
    #: by which the archive can be opened once more, for work that takes long
    database_url: str
    files: Files
    #: the folder of WARC files, and that of reports of crawls; None where there is none
    warcs: Path | None = None
    reports: Path | None = None
    #: who hands posts over, in downloads that tell it
    sender: Sender = field(default_factory=Sender)
    #: confidence below which a field that is read again is left empty
    least: float = LEAST
    #: True if files of posts are kept
    keeps_files: bool = True

    def check(self) -> None:
        """Raise BackendUnavailable where the database is not there any more: an open file outlives its name."""
        if self.archive.file is not None and not self.archive.file.exists():
            raise BackendUnavailable(
                f"There is no archive at {self.archive.file} any more; put it back, or start anew."
            )

    def opened_again(self) -> Archive:
        """The archive once more, so that long work keeps no page waiting. Raises BackendUnavailable."""
        return Archive.open(self.database_url, make=False)
