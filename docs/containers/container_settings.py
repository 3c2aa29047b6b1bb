"""The settings of the image: those of blogcrawler, and what the environment says.

BLOGCRAWLER_NAME gives the setting NAME, and BLOGCRAWLER_NAME_FILE the file that has it. The password of PostgreSQL, for
DATABASE_URL and QUEUE_URL, is in the file that BLOGCRAWLER_DATABASE_PASSWORD_FILE names, so that it stands in no
command and in no variable.
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


def _given() -> dict[str, str]:
    """What the environment says, by the names of settings."""
    names = {name: value for name, value in os.environ.items() if name.startswith(_PREFIX) and name != _PASSWORD}
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


def _with_password(url: str) -> str:
    """An address of PostgreSQL that names a user and no password, with the password of the file.

    One that cannot be read stays as it is: whoever uses it tells what is wrong.
    """
    if _PASSWORD not in os.environ:
        return url
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # the latter for a port that is no number
        return url
    if parsed.get_backend_name() not in _SCHEMES or parsed.password or "password" in parsed.query:
        return url
    return parsed.set(password=_content(_PASSWORD)).render_as_string(hide_password=False)


globals().update(_given())
DATABASE_URL = _with_password(DATABASE_URL)  # noqa: F405
QUEUE_URL = QUEUE_URL and _with_password(QUEUE_URL)  # noqa: F405
