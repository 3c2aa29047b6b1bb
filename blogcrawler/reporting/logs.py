"""Where the logs of crawls go: files in the archive's folder."""

from __future__ import annotations

import re
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from blogcrawler.errors import LogsUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["check_logs", "new_log"]

MOST_OF_URL = 60
"""Characters of a blog's address in the name of its log."""


def check_logs(archive: str) -> None:
    """Make the folder of logs in the folder of ARCHIVE. Raises LogsUnavailable, also where it takes no file."""
    with _made(archive) as folder, TemporaryFile(dir=folder):
        return


def new_log(archive: str, spider: str, url: str) -> str:
    """A new file for the log of a crawl, in the folder of ARCHIVE. Raises LogsUnavailable."""
    name = re.sub(r"[^a-z0-9]+", "-", re.sub(r"^\w+://", "", url.lower())).strip("-")[:MOST_OF_URL]
    begin = f"{spider}-{name}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    with _made(archive) as folder:
        for number in count(1):
            file = folder / (f"{begin}-{number}.log" if number > 1 else f"{begin}.log")
            try:
                file.touch(exist_ok=False)
            except FileExistsError:
                continue
            return str(file)
    raise AssertionError


@contextmanager
def _made(archive: str) -> Iterator[Path]:
    """The folder of logs; what the system says of it is told as LogsUnavailable."""
    folder = Path(archive) / "logs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
    except OSError as error:
        raise LogsUnavailable(
            f"The folder {folder} for logs cannot be used ({error.strerror}); give another with ARCHIVE."
        ) from error
