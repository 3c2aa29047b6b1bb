"""Settings that variables of the environment give, and passwords that stand in files.

BLOGCRAWLER_NAME gives the setting NAME, and BLOGCRAWLER_NAME_FILE the file that has it. The password of PostgreSQL, for
DATABASE_URL and QUEUE_URL, is in the file that BLOGCRAWLER_DATABASE_PASSWORD_FILE names, and that of Redis, for
GATE_URL and FRONTIER_URL, in the one that BLOGCRAWLER_REDIS_PASSWORD_FILE names, so that they stand in no command and
in no variable.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from blogcrawler.errors import BadArgument

if TYPE_CHECKING:
    from collections.abc import Container

PREFIX, FILE_SUFFIX = "BLOGCRAWLER_", "_FILE"
DATABASE_PASSWORD = f"{PREFIX}DATABASE_PASSWORD{FILE_SUFFIX}"
REDIS_PASSWORD = f"{PREFIX}REDIS_PASSWORD{FILE_SUFFIX}"
REDIS_USER = "default"
"""Whose password it is where an address names nobody, as Redis has it."""


def variables(known: Container[str]) -> dict[str, str]:
    """What variables give: their names by those of the known settings. One that gives a value rules over a file's.

    Others that begin alike are none of ours: Kubernetes names the address of a service `blogcrawler` in this way.
    """
    given = sorted((name for name in os.environ if name.startswith(PREFIX)), key=lambda name: not _names_file(name))
    passwords = {DATABASE_PASSWORD, REDIS_PASSWORD}
    found = {name.removeprefix(PREFIX).removesuffix(FILE_SUFFIX if _names_file(name) else ""): name
            for name in given if name not in passwords}  # fmt: skip
    return {setting: variable for setting, variable in found.items() if setting in known}


def value_of(variable: str) -> str:
    """What a variable gives, or the file that it names. Raises BadArgument for one that cannot be read."""
    return _content(variable) if _names_file(variable) else os.environ[variable]


def with_password(name: str, value: str) -> str:
    """The value of a setting; of an address that lacks its password, with the one of the file for it."""
    if name in {"DATABASE_URL", "QUEUE_URL"}:
        return _with_password(value, DATABASE_PASSWORD, ("postgresql", "postgres"))
    if name in {"GATE_URL", "FRONTIER_URL"}:
        return _with_password(value, REDIS_PASSWORD, ("redis", "rediss"), REDIS_USER)
    return value


def _names_file(variable: str) -> bool:
    return variable.endswith(FILE_SUFFIX) and variable != f"{PREFIX}LOG{FILE_SUFFIX}"


def _content(variable: str) -> str:
    file = Path(os.environ[variable])
    try:
        return file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise BadArgument(
            f"The file {file} that {variable} names cannot be read: {why}; name a file that the program may read."
        ) from error


def _with_password(url: str, variable: str, schemes: tuple[str, ...], user: str | None = None) -> str:
    """An address that names a user (else it gets this one) and no password, with that of the file of a variable.

    One that cannot be read stays as it is: whoever uses it tells what is wrong.
    """
    if variable not in os.environ or not url:
        return url
    from sqlalchemy import make_url  # not every command needs it
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # the latter for a port that is no number
        return url
    if parsed.get_backend_name() not in schemes or parsed.password or "password" in parsed.query:
        return url
    named = parsed.set(username=parsed.username or user, password=_content(variable))
    return named.render_as_string(hide_password=False)
