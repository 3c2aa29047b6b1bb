"""Addresses of servers, databases and stores as people are shown them: without passwords."""

from __future__ import annotations

import re

AT_IS_WRITTEN = "an @ in a user or a password is written as %40"
"""What is said of an address that has one @ too many."""
_SECRET = re.compile(r"(\b(?=\w*(?:password|secret|token))\w++\s*+=)[^&]*(?:&[^=&]*(?=&|$))*", re.IGNORECASE)
"""A parameter that is secret, and what follows an & that was not escaped."""
_USER = re.compile(r"(?!/)(.*)@", re.DOTALL)
"""What stands before a host. It is taken for as long as it may be: characters such as / may not have been escaped."""

_NO_PORT = re.compile(r"\A([^:/?\[]*:)(?!\d*(?:[,/?]|\Z))[^/?]+")
"""Where a port belongs, a password whose host was forgotten."""


def without_password(url: str) -> str:
    """An address with *** for each password in it; any text, also what is no address."""
    start = url.find("://") + len("://") if "://" in url else 0
    rest = _SECRET.sub(r"\1***", url[start:])
    if (found := _USER.match(rest)) is not None:
        rest = f"{_user(found[1])}@{rest[found.end() :]}"
    else:
        rest = _NO_PORT.sub(r"\1***", rest)
    return url[:start] + rest


def _user(before_host: str) -> str:
    user, colon, _ = before_host.partition(":")
    if "@" in user:  # who is to tell where the password begins?
        return "***"
    return f"{user}:***" if colon else user
