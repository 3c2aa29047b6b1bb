"""Runs the application on an address of this machine."""

from __future__ import annotations

import signal
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from blogcrawler.errors import BlogcrawlerError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from starlette.types import ASGIApp

_GRACE_S = 2
"""How long answers that are under way may take when the server is stopped."""


def listen(host: str, port: int) -> socket.socket:
    """Take an address; port 0 stands for any that is free. Raises BlogcrawlerError."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # asyncio sends at once (TCP_NODELAY) only where the protocol is named, as `socket.create_server` does not:
        # each answer would take 40 ms more
        listening = socket.socket(family, kind, socket.IPPROTO_TCP)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen()
        except BaseException:
            listening.close()
            raise
        return listening
    except OSError as error:
        reason = error.strerror or str(error)
        raise BlogcrawlerError(
            f"The pages cannot be served at {host}, port {port} ({reason}); give another with --port or --host, or "
            "--port 0 for any port that is free."
        ) from error


def address_of(listening: socket.socket) -> str:
    """What to open in a browser."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not listened on
        host = "localhost"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


class Server(uvicorn.Server):
    """A server that a signal ends in peace: the process goes on behind it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As uvicorn, which would end the process by the same signal once more."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A second signal does not wait for answers."""
        super().handle_exit(signal.SIGINT if self.should_exit else sig, frame)


def serve(app: ASGIApp, listening: socket.socket) -> None:
    """Answer until a signal comes (SIGINT, SIGTERM)."""
    server_of(app).run(sockets=[listening])


def server_of(app: ASGIApp) -> Server:
    """A server that tells nothing of itself."""
    return Server(
        uvicorn.Config(
            app,
            access_log=False,
            log_level="warning",
            server_header=False,
            date_header=True,
            lifespan="off",
            ws="none",
            proxy_headers=False,
            timeout_graceful_shutdown=_GRACE_S,
        )
    )
