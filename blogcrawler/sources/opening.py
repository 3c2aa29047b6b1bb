"""Open a place of captures that a user names."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from blogcrawler.urls import is_http

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from blogcrawler.sources.capture import Captures


def open_captures(
    name: str,
    folder: Path,
    ask: Callable[[str], Awaitable[tuple[int, Sequence[tuple[bytes, bytes]], bytes]]],
    interval_s: float,
) -> Captures:
    """The captures in a WARC or WACZ file, in a folder of them, or in a web archive at an http or https address.

    Indexes and answers are kept in `folder`. `ask` requests an address of a web archive and returns status, headers
    and body; it raises OSError without a complete answer. Requests of a web archive begin at least `interval_s` apart.
    Raises BadArgument and BackendUnavailable.
    """
    if is_http(name):
        from blogcrawler.sources.kept_answers import Answer
        from blogcrawler.sources.web_archive import WebArchive

        async def answer(url: str) -> Answer:
            return Answer(*await ask(url))

        return WebArchive(name, answer, folder, interval_s=interval_s)
    from blogcrawler.sources.local_captures import LocalCaptures  # fastwarc takes a while to import

    return LocalCaptures.open(Path(name), folder)


def forget_copies(folder: Path) -> None:
    """Delete the copies of captured pages in a folder of indexes: kept answers, and unpacked files. They are made again
    when they are needed. Raises OSError."""
    from blogcrawler.sources.kept_answers import FILE
    from blogcrawler.sources.local_captures import UNPACKED

    for file in folder.glob(f"{FILE}*"):
        file.unlink(missing_ok=True)
    shutil.rmtree(folder / UNPACKED, ignore_errors=True)
