"""Valid values of the rendering settings, and the choice of the browser.

The browser is the one in RENDER_BROWSER, Playwright's own, or the system's.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from blogcrawler.errors import BadArgument, BlogcrawlerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

Mode = Literal["auto", "always", "never"]
BLOCKED = frozenset(
    {"image", "font", "media", "stylesheet", "script", "texttrack", "xhr", "fetch", "other", "tracker", "frame"}
)
"""Allowed values of RENDER_BLOCKED: Chromium's resource types, and two of ours."""
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


def mode_of(value: object) -> Mode:
    """Return the value of the setting RENDER. Raises BadArgument if it is invalid."""
    modes: tuple[Mode, ...] = ("auto", "always", "never")
    for mode in modes:
        if str(value).strip().lower() == mode:
            return mode
    raise BadArgument(f"The setting RENDER must be one of {', '.join(modes)}, and not {value!r}.")


def check_rendering(settings: BaseSettings) -> None:
    """Check the rendering settings. Raises BadArgument for unknown names in RENDER_BLOCKED, or a missing browser."""
    unknown = sorted(set(settings.getlist("RENDER_BLOCKED")) - BLOCKED)
    if unknown:
        known = ", ".join(sorted(BLOCKED))
        raise BadArgument(f"The setting RENDER_BLOCKED does not know {unknown[0]!r}; allowed values: {known}.")
    program = settings["RENDER_BROWSER"]
    if program and shutil.which(program) is None:
        raise BadArgument(
            f"There is no program {program!r}, which RENDER_BROWSER names; give a Chromium, or leave it empty."
        )


class NoBrowser(BlogcrawlerError):
    """No browser can be started."""


def browsers(setting: str) -> Iterator[str | None]:
    """Return the browsers to try, in order; None is Playwright's own. RENDER_BROWSER overrides them."""
    if setting:
        yield shutil.which(setting) or setting
        return
    yield None
    yield from filter(None, map(shutil.which, SYSTEMS))


def is_installed(own: str) -> bool:
    """True if Playwright's browser or its headless shell is installed; an incomplete folder does not count."""
    return Path(own).exists() or any(Path(own).parents[2].glob("chromium_headless_shell-*"))
