"""The log as JSON Lines, for programs that collect logs: LOG_FORMAT=json or `--log-format json`."""

from __future__ import annotations

import io
import json
import logging
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from blogcrawler.sentences import BEGINNING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import TextIO

JSON = "json"
"""The value of LOG_FORMAT for this format."""
TRACEBACK = "Traceback (most recent call last):"
"""The first line of a traceback."""


class JsonFormatter(logging.Formatter):
    """Formats a log record as a JSON object in one line. Its keys are `time` (ISO 8601, UTC), `level`, `logger`,
    `message`, the keys of `crawl` (spider and URL of the blog), and, after an error, `exception` with the traceback."""

    def __init__(self, crawl: Mapping[str, str]) -> None:
        super().__init__()
        self._crawl = dict(crawl)

    def format(self, record: logging.LogRecord) -> str:
        message, sign, traceback = record.getMessage().partition(TRACEBACK)  # some libraries put it into the message
        text = self.formatException(record.exc_info) if record.exc_info else sign + traceback
        error = {"exception": text.strip()} if text else {}
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        event = {"time": time, "level": record.levelname, "logger": record.name, "message": message.strip()}
        return json.dumps(event | self._crawl | error, ensure_ascii=False)


def log_uncaught(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """Log the error that ends a process or thread, as one log record."""
    logging.getLogger("blogcrawler").critical("The program failed: %s", error, exc_info=(kind, error, traceback))


class JsonStream(io.TextIOBase):
    """Standard error of a process that logs to it as JSON. Each line written to it becomes a log record of level ERROR.
    Writes are not buffered, so that signal handlers may write."""

    def __init__(self, stream: TextIO, formatter: JsonFormatter) -> None:
        self._descriptor = stream.fileno()
        self._formatter = formatter

    def fileno(self) -> int:
        return self._descriptor

    def write(self, text: str) -> int:
        for line in filter(str.strip, text.splitlines()):
            message = line.removeprefix(BEGINNING)
            record = logging.LogRecord("blogcrawler", logging.ERROR, __file__, 0, message, None, None)
            os.write(self._descriptor, f"{self._formatter.format(record)}\n".encode("utf-8", "replace"))
        return len(text)
