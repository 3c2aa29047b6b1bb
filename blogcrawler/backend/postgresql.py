"""PostgreSQL as archives and queues use it: how connections are made, and what is to be done where it refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

_IDLE_S = 60
"""Seconds after which a server ends a transaction whose client asks for nothing, and lets others have its locks."""

_NETWORK: dict[str, Any] = {
    "connect_timeout": 10,
    # a server that is cut off is given up after about half a minute; the same of a client, by the server
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,
    "options": (
        "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4 -c tcp_user_timeout=30000 "
        f"-c idle_in_transaction_session_timeout={_IDLE_S}s"
    ),
}
"""Parameters of a connection, as libpq has them."""
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


def network(said: Mapping[str, Any]) -> dict[str, Any]:
    """What a connection is made with beside what its address says, which holds where it says otherwise.

    Its `options` go to the server behind ours: of two that set the same, the server takes the last.
    """
    options = said.get("options", ())
    theirs = (options,) if isinstance(options, str) else tuple(options)
    ours = {name: value for name, value in _NETWORK.items() if name not in said}
    return ours | {"options": " ".join((_NETWORK["options"], *theirs))}


def encoding_fault(connection: Connection, shown: str) -> str | None:
    """Why a database cannot keep and index what blogs say; None where it can."""
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding == "UTF8":
        return None
    return f"{shown} has the encoding {encoding}, which lacks letters; give one that was made with ENCODING 'UTF8'."


def is_refusal(said: str) -> bool:
    """True if a server says what it will say again."""
    return any(re.search(sign, said) for sign, _ in _REFUSED)


def with_remedy(said: str, *, other: str) -> str:
    """What a server says, and behind it what is to be done, where that is known; `other`: how one gives another one."""
    remedies = (remedy.format(other=other) for sign, remedy in _REMEDIES if re.search(sign, said))
    return "; ".join([said.rstrip("."), *remedies][:2])
