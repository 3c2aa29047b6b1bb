"""Which browser is used: the one that a setting names, Playwright's own, or the system's."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from blogcrawler.errors import BlogcrawlerError

if TYPE_CHECKING:
    from collections.abc import Iterator

SYSTEMS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)
INSTALL = "playwright install --with-deps chromium"


class NoBrowser(BlogcrawlerError):
    """No browser can be started."""


def browsers(setting: str) -> Iterator[str | None]:
    """The programs to be tried, in order; None stands for Playwright's own. A setting leaves no choice."""
    if setting:
        yield shutil.which(setting) or setting
        return
    yield None
    yield from filter(None, map(shutil.which, SYSTEMS))


def is_installed(own: str) -> bool:
    """Is Playwright's own browser there, or the one beside it without windows? Starts in vain leave folders behind."""
    return Path(own).exists() or any(Path(own).parents[2].glob("chromium_headless_shell-*"))
