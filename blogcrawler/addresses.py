"""URLs of servers, databases and stores in a form for display: without passwords."""

from __future__ import annotations

import re

AT_IS_WRITTEN = "write an @ in a user name or password as %40"
"""Advice for a URL with an unescaped @."""
_SECRET = re.compile(r"(\b(?=\w*(?:password|secret|token))\w++\s*+=)[^&]*(?:&[^=&]*(?=&|$))*", re.IGNORECASE)
"""A secret parameter with its value, which may contain an unescaped &."""
_USER = re.compile(r"(?!/)(.*)@", re.DOTALL)
"""User name and password before the host.

The match is as long as possible, since characters such as / may not be escaped.
"""

_NO_PORT = re.compile(r"\A([^:/?\[]*:)(?!\d*(?:[,/?]|\Z))[^/?]+")
"""A password in place of a port, if the host is missing."""


def without_password(url: str) -> str:
    """Replace each password in a URL by ***. Other texts are accepted, too."""
    start = url.find("://") + len("://") if "://" in url else 0
    remaining = _SECRET.sub(r"\1***", url[start:])
    if (match := _USER.match(remaining)) is not None:
        remaining = f"{_user(match[1])}@{remaining[match.end() :]}"
    else:
        remaining = _NO_PORT.sub(r"\1***", remaining)
    return url[:start] + remaining


def _user(before_host: str) -> str:
    user, colon, _ = before_host.partition(":")
    if "@" in user:  # it is unknown where the password begins
        return "***"
    return f"{user}:***" if colon else user
