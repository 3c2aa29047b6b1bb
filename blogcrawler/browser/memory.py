"""Kills processes of the browser that use too much memory."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import CDPSession

INTERVAL_S = 0.5
PROCESSES = Path("/proc")


async def watch(browser: CDPSession, most: int, on_kill: Callable[[], None]) -> None:
    """Kill each page process that uses more than `most` bytes, and call `on_kill`. Does nothing where memory use is
    unknown."""
    while True:
        await asyncio.sleep(INTERVAL_S)
        with suppress(PlaywrightError):
            processes = await browser.send("SystemInfo.getProcessInfo")
            for process in processes["processInfo"]:
                if process["type"] == "renderer" and resident_bytes(process["id"]) > most:
                    on_kill()
                    with suppress(ProcessLookupError):
                        os.kill(process["id"], signal.SIGKILL)


def resident_bytes(process: int) -> int:
    """Return the memory of a process in bytes; 0 if it is unknown."""
    try:
        pages = (PROCESSES / str(process) / "statm").read_text("ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
