"""Where the logs of crawls go: files in the archive's folder."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from blogcrawler.reporting.sentences import FAILED, end

__all__ = ["new_log"]

MOST_OF_URL = 60
"""Characters of a blog's address in the name of its log."""


def new_log(archive: str, spider: str, url: str) -> str:
    """A new file for the log of a crawl, in the folder of ARCHIVE; ends the process where none can be made there."""
    folder = Path(archive) / "logs"
    name = re.sub(r"[^a-z0-9]+", "-", re.sub(r"^\w+://", "", url.lower())).strip("-")[:MOST_OF_URL]
    begin = f"{spider}-{name}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            file = folder / (f"{begin}-{number}.log" if number > 1 else f"{begin}.log")
            try:
                file.touch(exist_ok=False)
            except FileExistsError:
                continue
            return str(file)
    except OSError as error:
        end(f"The folder {folder} for logs cannot be used ({error.strerror}); give another with ARCHIVE.", FAILED)
    raise AssertionError
