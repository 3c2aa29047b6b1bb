"""Runs the application on a local address."""

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
"""Seconds that running responses may take when the server is stopped."""


def listen(host: str, port: int) -> socket.socket:
    """Listen on an address; port 0 selects any free port. Raises BlogcrawlerError."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # asyncio sets TCP_NODELAY only on sockets with a protocol number, which `socket.create_server` does not give:
        # without it, each response takes 40 ms more
        listening = socket.socket(family, kind, socket.IPPROTO_TCP)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen()
        except BaseException:
            listening.close()
            raise
        return listening
    except (OSError, UnicodeError) as error:  # Python cannot encode some host names
        reason = getattr(error, "strerror", None) or str(error)
        raise BlogcrawlerError(
            f"Cannot listen on {host}, port {port} ({reason}); give another with --port or --host, or "
            "--port 0 for any port that is free."
        ) from error


def address_of(listening: socket.socket) -> str:
    """Return the URL to open in a browser."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not listened on
        host = "localhost"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


class Server(uvicorn.Server):
    """A server that stops on a signal and lets the process continue."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals like uvicorn, but do not raise a signal again afterwards."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at a second signal without waiting for responses."""
        super().handle_exit(signal.SIGINT if self.should_exit else sig, frame)


def serve(app: ASGIApp, listening: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM."""
    server_of(app).run(sockets=[listening])


def server_of(app: ASGIApp) -> Server:
    """Return a server that sends no Server header."""
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
