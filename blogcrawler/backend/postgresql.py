"""PostgreSQL for archives and queues: connection settings, and advice for errors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

_IDLE_S = 60
"""Seconds after which the server ends an idle transaction, so that others can have its locks."""

_NETWORK: dict[str, Any] = {
    "connect_timeout": 10,
    # an unreachable server is given up after about half a minute; the same timeouts apply to clients, on the server
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,
    "options": (
        "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4 -c tcp_user_timeout=30000 "
        f"-c idle_in_transaction_session_timeout={_IDLE_S}s"
    ),
}
"""Parameters of a connection, with libpq's names."""
_REFUSED = (
    (r'database ".*" does not exist', "create it with createdb, or {other}"),
    (r"authentication failed|no password supplied", "check the user and password in its URL, or in ~/.pgpass"),
    (r"role .* does not exist", "create it with createuser, or give another one in the URL"),
    (
        r"permission denied for (table|sequence)",
        "the user in the URL must own the tables, or needs permissions: GRANT … TO …",
    ),
    (r"permission denied", "the user in the URL must own the database: ALTER DATABASE … OWNER TO …"),
    (r"does not support SSL", "remove sslmode from its URL, or enable SSL on the server"),
)
"""Advice for permanent errors of PostgreSQL, by error text."""
_REMEDIES = (
    *_REFUSED,
    (r"Connection refused|No such file or directory", "check that the server runs there"),
    (r"failed to resolve host", "check the host in its URL"),
)
"""Advice for errors that may be temporary."""


def network(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Connection settings in addition to those in the URL, which take precedence.

    Its `options` are placed after ours, since the server uses the last of two equal settings.
    """
    options = parameters.get("options", ())
    url_options = (options,) if isinstance(options, str) else tuple(options)
    own_options = {name: value for name, value in _NETWORK.items() if name not in parameters}
    return own_options | {"options": " ".join((_NETWORK["options"], *url_options))}


def encoding_fault(connection: Connection, setting: str) -> str | None:
    """A message why a database cannot store and index web texts; None if it can."""
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding == "UTF8":
        return None
    return f"{setting} has the encoding {encoding}, which lacks letters; give one with ENCODING 'UTF8'."


def is_refusal(message: str) -> bool:
    """True if the error is permanent."""
    return any(re.search(sign, message) for sign, _ in _REFUSED)


def with_remedy(message: str, *, other: str) -> str:
    """The server's error text with advice, if there is any; `other` says how to give another database."""
    remedies = (remedy.format(other=other) for sign, remedy in _REMEDIES if re.search(sign, message))
    return "; ".join([message.rstrip("."), *remedies][:2])
