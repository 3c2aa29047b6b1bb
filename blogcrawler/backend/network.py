"""What both ends of a connection to PostgreSQL do about a network that is cut, which tells nothing by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def network(said: Mapping[str, Any]) -> dict[str, Any]:
    """What a connection is made with beside what its address says, which holds where it says otherwise.

    Its `options` go to the server behind ours: of two that set the same, the server takes the last.
    """
    options = said.get("options", ())
    theirs = (options,) if isinstance(options, str) else tuple(options)
    ours = {name: value for name, value in _NETWORK.items() if name not in said}
    return ours | {"options": " ".join((_NETWORK["options"], *theirs))}
