"""Settings in environment variables, and passwords in files.

BLOGCRAWLER_NAME is the value of the setting NAME, and BLOGCRAWLER_NAME_FILE a file that contains it.
BLOGCRAWLER_DATABASE_PASSWORD_FILE names a file with the PostgreSQL password for DATABASE_URL and QUEUE_URL, and
BLOGCRAWLER_REDIS_PASSWORD_FILE one with the Redis password for GATE_URL and FRONTIER_URL, so that passwords appear in
no command and no variable.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from blogcrawler.errors import BadArgument

PREFIX, FILE_SUFFIX = "BLOGCRAWLER_", "_FILE"
DATABASE_PASSWORD = f"{PREFIX}DATABASE_PASSWORD{FILE_SUFFIX}"
REDIS_PASSWORD = f"{PREFIX}REDIS_PASSWORD{FILE_SUFFIX}"
SERVICE = re.compile(r"_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP|SCTP))(_|$)")
"""In names of variables that Kubernetes sets in each container for a service."""
REDIS_USER = "default"
"""User name for the password if the URL has none, as usual for Redis."""


def variables() -> dict[str, str]:
    """The variables for settings, by the name of the setting, which may be unknown.

    A variable with a value takes precedence over one with a file.

    Left out are the variables that Kubernetes sets for services whose names begin with `blogcrawler`.
    """
    given = sorted((name for name in os.environ if name.startswith(PREFIX)), key=lambda name: not _names_file(name))
    passwords = {DATABASE_PASSWORD, REDIS_PASSWORD}
    return {name.removeprefix(PREFIX).removesuffix(FILE_SUFFIX if _names_file(name) else ""): name
            for name in given if name not in passwords and not _is_of_service(name)}  # fmt: skip


def value_of(variable: str) -> str:
    """The value of a variable, or the content of the file that it names.

    Raises BadArgument if the file cannot be read.
    """
    return _content(variable) if _names_file(variable) else os.environ[variable]


def with_password(name: str, value: str) -> str:
    """The value of a setting; if it is a URL without its password, the password from the file is added."""
    if name in {"DATABASE_URL", "QUEUE_URL"}:
        return _with_password(value, DATABASE_PASSWORD, ("postgresql", "postgres"))
    if name in {"GATE_URL", "FRONTIER_URL"}:
        return _with_password(value, REDIS_PASSWORD, ("redis", "rediss"), REDIS_USER)
    return value


def _names_file(variable: str) -> bool:
    return variable.endswith(FILE_SUFFIX) and variable != f"{PREFIX}LOG{FILE_SUFFIX}"


def _is_of_service(variable: str) -> bool:
    """True for a variable that Kubernetes sets for a service; the value of NAME_PORT is then a URL."""
    is_url = "://" in os.environ[variable]
    return SERVICE.search(variable) is not None or (variable.endswith("_PORT") and is_url)


def _content(variable: str) -> str:
    file = Path(os.environ[variable])
    try:
        return file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise BadArgument(
            f"The file {file} that {variable} names cannot be read: {why}; name a file that the program may read."
        ) from error


def _with_password(url: str, variable: str, schemes: tuple[str, ...], user: str | None = None) -> str:
    """Add the password from a variable's file to a URL with a user name (or with this default) and without password.

    An invalid URL is returned unchanged: its user reports the error.
    """
    if variable not in os.environ or not url:
        return url
    from sqlalchemy import make_url  # the file is only read by commands that need it
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # a ValueError is raised for a port that is not a number
        return url
    if parsed.get_backend_name() not in schemes or parsed.password or "password" in parsed.query:
        return url
    named = parsed.set(username=parsed.username or user, password=_content(variable))
    return named.render_as_string(hide_password=False)
