"""What PostgreSQL says where it cannot be used, and what is to be done then: of an archive, and of a queue."""

from __future__ import annotations

import re

_REFUSED = (
    (r'database ".*" does not exist', "make it with createdb, or {other}"),
    (r"authentication failed|no password supplied", "check the user and password of its address, or of ~/.pgpass"),
    (r"role .* does not exist", "make it with createuser, or give another one in its address"),
    (
        r"permission denied for (table|sequence)",
        "the user of its address should be the one who made the tables, or be given rights to them: GRANT … TO …",
    ),
    (r"permission denied", "the user of its address should own the database: ALTER DATABASE … OWNER TO …"),
    (r"does not support SSL", "leave sslmode out of its address, or turn SSL on at the server"),
)
"""What is to be done where PostgreSQL says something that waiting will not change."""
_REMEDIES = (
    *_REFUSED,
    (r"Connection refused|No such file or directory", "check that the server runs there"),
    (r"failed to resolve host", "check the host of its address"),
)
"""The same where it may only be away."""


def is_refusal(said: str) -> bool:
    """Does a server say what it will say again?"""
    return any(re.search(sign, said) for sign, _ in _REFUSED)


def with_remedy(said: str, *, other: str) -> str:
    """What a server says, and behind it what is to be done, where that is known; `other`: how one gives another one."""
    remedies = (remedy.format(other=other) for sign, remedy in _REMEDIES if re.search(sign, said))
    return "; ".join([said.rstrip("."), *remedies][:2])
