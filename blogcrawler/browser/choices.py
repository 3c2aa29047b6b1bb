"""What the settings of rendering may be."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Literal

from blogcrawler.errors import BadArgument

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

Mode = Literal["auto", "always", "never"]
MORE_THAN_NOTHING = ("RENDER_CONCURRENCY", "RENDER_TIMEOUT", "RENDER_MEMORY")
BLOCKED = frozenset(
    {"image", "font", "media", "stylesheet", "script", "texttrack", "xhr", "fetch", "other", "tracker", "frame"}
)
"""What RENDER_BLOCKED may name: Chromium's kinds of requests, and two of ours."""


def mode_of(value: object) -> Mode:
    """What the setting RENDER says. Raises BadArgument for anything else."""
    modes: tuple[Mode, ...] = ("auto", "always", "never")
    for mode in modes:
        if str(value).strip().lower() == mode:
            return mode
    raise BadArgument(f"The setting RENDER must be one of {', '.join(modes)}, and not {value!r}.")


def check_rendering(settings: BaseSettings) -> None:
    """Raise BadArgument for what no page could be shown with: nothing of a need, unknown names, no such program."""
    mode_of(settings["RENDER"])
    for name in MORE_THAN_NOTHING:
        if settings.getfloat(name) <= 0:
            raise BadArgument(f"The setting {name} must be more than 0, and not {settings[name]!r}.")
    unknown = sorted(set(settings.getlist("RENDER_BLOCKED")) - BLOCKED)
    if unknown:
        known = ", ".join(sorted(BLOCKED))
        raise BadArgument(f"The setting RENDER_BLOCKED knows no {unknown[0]!r}; it may name: {known}.")
    program = settings["RENDER_BROWSER"]
    if program and shutil.which(program) is None:
        raise BadArgument(
            f"There is no program {program!r}, which RENDER_BROWSER names; name a Chromium, or none to look for one."
        )
