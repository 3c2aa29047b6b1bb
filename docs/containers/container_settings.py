"""The settings of the image: those of blogcrawler, and what the environment says.

BLOGCRAWLER_NAME gives the setting NAME, and BLOGCRAWLER_NAME_FILE the file that has it. The password of PostgreSQL, for
DATABASE_URL and QUEUE_URL, is in the file that BLOGCRAWLER_DATABASE_PASSWORD_FILE names, so that it stands in no
command and in no variable.
"""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy import make_url

from blogcrawler.settings import *  # noqa: F403

_PREFIX, _FILE = "BLOGCRAWLER_", "_FILE"
_PASSWORD = f"{_PREFIX}DATABASE_PASSWORD{_FILE}"


def _given() -> dict[str, str]:
    """What the environment says, by the names of settings."""
    names = {name: value for name, value in os.environ.items() if name.startswith(_PREFIX) and name != _PASSWORD}
    found = {}
    for name, value in names.items():
        setting = name.removeprefix(_PREFIX)
        if setting.endswith(_FILE):
            found[setting.removesuffix(_FILE)] = Path(value).read_text("utf-8").strip()
        else:
            found[setting] = value
    return found


def _with_password(url: str) -> str:
    """An address of PostgreSQL that names a user and no password, with the password of the file."""
    parsed = make_url(url)
    if _PASSWORD not in os.environ or parsed.get_backend_name() != "postgresql" or parsed.password:
        return url
    password = Path(os.environ[_PASSWORD]).read_text("utf-8").strip()
    return parsed.set(password=password).render_as_string(hide_password=False)


globals().update(_given())
DATABASE_URL = _with_password(DATABASE_URL)  # noqa: F405
QUEUE_URL = QUEUE_URL and _with_password(QUEUE_URL)  # noqa: F405
