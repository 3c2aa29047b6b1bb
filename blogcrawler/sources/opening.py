"""Open a place of captures that a user names."""

from __future__ import annotations

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
    and body; it raises OSError without a complete answer. Its
    requests begin at least `interval_s` apart. Raises BadArgument and BackendUnavailable.
    """
    if is_http(name):
        from blogcrawler.sources.kept_answers import Answer
        from blogcrawler.sources.web_archive import WebArchive

        async def answer(url: str) -> Answer:
            return Answer(*await ask(url))

        return WebArchive(name, answer, folder, interval_s=interval_s)
    from blogcrawler.sources.local_captures import LocalCaptures  # fastwarc takes a while to import

    return LocalCaptures.open(Path(name), folder)
