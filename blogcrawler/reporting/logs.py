"""Log files of crawls, in the folder of the archive."""

from __future__ import annotations

import logging
import os
import re
import sys
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from scrapy.utils.log import TopLevelFormatter

from blogcrawler.errors import LogsUnavailable
from blogcrawler.reporting.json_log import JSON, JsonFormatter, JsonStream, log_uncaught
from blogcrawler.sentences import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from scrapy.settings import BaseSettings

LOGS = "logs"
"""Name of the folder of logs below ARCHIVE."""
_BEGIN = re.compile(r"[a-z]+-(?P<name>.*)-\d{8}T\d{6}Z(-\d+)?\.log$")
"""Name of the log file of a crawl."""
MOST_OF_URL = 60
"""Longest part of a blog's URL in the name of its log file, in characters."""


def check_logs(archive: str) -> None:
    """Create the folder of logs below `archive`. Raises LogsUnavailable, also if no file can be written in it."""
    with _log_folder(archive) as folder, TemporaryFile(dir=folder):
        return


def new_log(archive: str, spider: str, url: str) -> str:
    """Create a file for the log of a crawl and return its path. Raises LogsUnavailable."""
    begin = f"{spider}-{_name_of(url)}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    with _log_folder(archive) as folder:
        return str(new_file(folder, begin, ".log"))


def logs_of(archive: Path, keys: Iterable[str]) -> list[Path]:
    """The logs of crawls that were started by URLs with these keys."""
    names = {_name_of(f"{prefix}{key}") for key in keys for prefix in ("", "www.")}
    files = sorted((archive / LOGS).glob("*.log"))
    return [file for file in files if (begin := _BEGIN.match(file.name)) and begin["name"] in names]


def _name_of(url: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"^\w+://", "", url.lower())).strip("-")[:MOST_OF_URL]


def new_file(folder: Path, begin: str, ending: str) -> Path:
    """Create a file and return its path. If the name exists, a number is added to it. Raises OSError."""
    for number in count(1):
        file = folder / (f"{begin}-{number}{ending}" if number > 1 else f"{begin}{ending}")
        with suppress(FileExistsError):
            file.touch(exist_ok=False)
            return file
    raise AssertionError


class LogFile(logging.FileHandler):
    """Log handler for a file. Lines that cannot be written, as on a full disk, are dropped with one message."""

    def __init__(self, file: str, mode: str = "a", encoding: str | None = None) -> None:
        super().__init__(file, mode, encoding, delay=True)
        self._is_told = False

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, or report that it cannot be written."""
        try:
            super().emit(record)
        except OSError as error:  # it cannot be opened
            self._report(error)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - Python's name
        """Report an error in one line instead of Python's traceback."""
        error = sys.exc_info()[1]
        if isinstance(error, OSError):
            self._report(error)
        else:
            super().handleError(record)

    def close(self) -> None:
        """Close the file; lines that cannot be written are lost."""
        with suppress(OSError):
            super().close()

    def _report(self, error: OSError) -> None:
        if not self._is_told:
            self._is_told = True
            say(f"The log cannot be written to {self.baseFilename} ({error.strerror}). The crawl continues without it.")


def start_log(settings: BaseSettings, crawl: Mapping[str, str]) -> None:
    """Log a crawl to LOG_FILE or, as JSON, to standard error; Scrapy itself logs text to standard error.

    Scrapy's handler for a file ends the crawl when the disk is full; this one does not. `crawl` holds additional values
    of each JSON record: the spider and the blog.
    """
    is_json = settings["LOG_FORMAT"] == JSON
    formatter = (
        JsonFormatter(crawl) if is_json else logging.Formatter(settings["LOG_FORMAT"], settings["LOG_DATEFORMAT"])
    )
    if not settings.getbool("LOG_INSTALL_ROOT_HANDLER"):
        return
    if settings["LOG_FILE"]:
        handler = _file_handler(settings)
    elif isinstance(formatter, JsonFormatter) and settings.getbool("LOG_ENABLED"):
        handler = logging.StreamHandler(sys.stderr)
        sys.stderr = JsonStream(sys.stderr, formatter)
        sys.excepthook = log_uncaught
    else:
        return
    handler.setFormatter(formatter)
    handler.setLevel(settings["LOG_LEVEL"])
    if settings.getbool("LOG_SHORT_NAMES"):
        handler.addFilter(TopLevelFormatter(["scrapy"]))
    logging.root.setLevel(logging.NOTSET)
    logging.root.addHandler(handler)
    settings.set("LOG_INSTALL_ROOT_HANDLER", False, "cmdline")


def _file_handler(settings: BaseSettings) -> logging.Handler:
    if not settings.getbool("LOG_FILE_APPEND"):  # Scrapy closes the handler once; with mode "w" it would not open again
        with suppress(OSError):
            os.truncate(settings["LOG_FILE"], 0)
    return LogFile(settings["LOG_FILE"], "a", settings["LOG_ENCODING"])


def leave_out_set_up(settings: BaseSettings) -> None:
    """Hide the messages about Scrapy's versions, settings and components, and about the start and stop of its engine,
    unless LOG_LEVEL is DEBUG. They are dozens of lines."""
    if str(settings["LOG_LEVEL"]).upper() != "DEBUG":
        for name in ("scrapy.addons", "scrapy.core.engine", "scrapy.crawler", "scrapy.middleware", "scrapy.utils.log"):
            logging.getLogger(name).addFilter(_is_warning)  # Scrapy's own configuration would overwrite a level


def _is_warning(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING


@contextmanager
def _log_folder(archive: str) -> Iterator[Path]:
    """Create the folder of logs and yield its path. Raises LogsUnavailable for errors of the file system."""
    folder = Path(archive) / LOGS
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
    except OSError as error:
        raise LogsUnavailable(
            f"The folder {folder} for logs cannot be used ({error.strerror}). Set ARCHIVE to another folder."
        ) from error
