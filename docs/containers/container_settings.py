"""The settings of the image: those of blogcrawler, and what the environment says.

BLOGCRAWLER_NAME gives the setting NAME, and BLOGCRAWLER_NAME_FILE the file that has it. The password of PostgreSQL, for
DATABASE_URL and QUEUE_URL, is in the file that BLOGCRAWLER_DATABASE_PASSWORD_FILE names, and that of Redis, for
GATE_URL and FRONTIER_URL, in the one that BLOGCRAWLER_REDIS_PASSWORD_FILE names, so that they stand in no command and
in no variable.
"""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from blogcrawler.reporting import WRONG_USAGE, end
from blogcrawler.settings import *  # noqa: F403

_PREFIX, _FILE = "BLOGCRAWLER_", "_FILE"
_PASSWORD = f"{_PREFIX}DATABASE_PASSWORD{_FILE}"
_SCHEMES = ("postgresql", "postgres")
_REDIS_PASSWORD = f"{_PREFIX}REDIS_PASSWORD{_FILE}"
_REDIS_SCHEMES = ("redis", "rediss")
_REDIS_USER = "default"
"""Whose password it is where an address names nobody, as Redis has it."""


def _given() -> dict[str, str]:
    """What the environment says, by the names of settings."""
    passwords = {_PASSWORD, _REDIS_PASSWORD}
    names = {name: value for name, value in os.environ.items() if name.startswith(_PREFIX) and name not in passwords}
    found = {}
    for name, value in names.items():
        setting = name.removeprefix(_PREFIX)
        if setting.endswith(_FILE):
            found[setting.removesuffix(_FILE)] = _content(name)
        else:
            found[setting] = value
    return found


def _content(variable: str) -> str:
    """What the file holds that a variable names. Ends the process with a sentence where it cannot be read."""
    file = Path(os.environ[variable])
    try:
        return file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        end(
            f"The file {file} that {variable} names cannot be read: {why}; name a file that the program may read.",
            WRONG_USAGE,
        )


def _with_password(url: str, variable: str, schemes: tuple[str, ...], user: str | None = None) -> str:
    """An address that names a user (else it gets this one) and no password, with that of the file of a variable.

    One that cannot be read stays as it is: whoever uses it tells what is wrong.
    """
    if variable not in os.environ:
        return url
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # the latter for a port that is no number
        return url
    if parsed.get_backend_name() not in schemes or parsed.password or "password" in parsed.query:
        return url
    named = parsed.set(username=parsed.username or user, password=_content(variable))
    return named.render_as_string(hide_password=False)


globals().update(_given())
DATABASE_URL = _with_password(DATABASE_URL, _PASSWORD, _SCHEMES)  # noqa: F405
QUEUE_URL = QUEUE_URL and _with_password(QUEUE_URL, _PASSWORD, _SCHEMES)  # noqa: F405
GATE_URL = GATE_URL and _with_password(GATE_URL, _REDIS_PASSWORD, _REDIS_SCHEMES, _REDIS_USER)  # noqa: F405
FRONTIER_URL = FRONTIER_URL and _with_password(FRONTIER_URL, _REDIS_PASSWORD, _REDIS_SCHEMES, _REDIS_USER)  # noqa: F405
