"""A small HTTP server: `/metrics` for Prometheus, and `/healthz` for process supervisors."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from http import HTTPStatus
from socketserver import TCPServer, ThreadingMixIn
from typing import TYPE_CHECKING
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import make_wsgi_app

from blogcrawler.errors import BlogcrawlerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from wsgiref.types import StartResponse, WSGIEnvironment

    from prometheus_client import CollectorRegistry

SILENT_S = 30
"""Seconds without data after which a client is disconnected."""
METHODS = {"GET", "HEAD"}


class Endpoint:
    """HTTP endpoint of one process. `is_well` returns True while the process does its work; it must return at once."""

    def __init__(self, registry: CollectorRegistry, is_well: Callable[[], bool]) -> None:
        self._metrics = make_wsgi_app(registry)
        self._is_well = is_well

    @contextmanager
    def serving(self, host: str, port: int) -> Iterator[str]:
        """Serve in background threads inside the `with` block, and yield the address. Raises BlogcrawlerError."""
        try:
            family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
            kind: type[_Server] = type("_OfFamily", (_Server,), {"address_family": family})
            server: WSGIServer = make_server(host, port, self, server_class=kind, handler_class=_Handler)
        except OSError as error:
            raise BlogcrawlerError(
                f"Metrics cannot be served at {host}, port {port} ({error.strerror or error}); choose another port, or "
                "another address with METRICS_ADDRESS."
            ) from error
        with server:
            thread = threading.Thread(target=server.serve_forever, name="metrics", daemon=True)
            thread.start()
            try:
                yield (
                    f"http://[{host}]:{server.server_port}/" if ":" in host else f"http://{host}:{server.server_port}/"
                )
            finally:
                server.shutdown()
                thread.join()

    def __call__(self, environment: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """Answer a request (WSGI interface)."""
        if environment["REQUEST_METHOD"] not in METHODS:
            return _text(start, HTTPStatus.METHOD_NOT_ALLOWED, "Only GET is supported.")
        if environment["PATH_INFO"] == "/metrics":
            answer: Iterable[bytes] = self._metrics(environment, start)
            return answer
        if environment["PATH_INFO"] != "/healthz":
            return _text(start, HTTPStatus.NOT_FOUND, "Available paths: /metrics and /healthz.")
        if self._is_well():
            return _text(start, HTTPStatus.OK, "ok")
        return _text(start, HTTPStatus.SERVICE_UNAVAILABLE, "The process no longer does its work.")


class _Server(ThreadingMixIn, WSGIServer):
    """A server with one thread per connection; open connections do not keep the process alive."""

    daemon_threads = True

    def server_bind(self) -> None:
        """Bind without a reverse DNS lookup of our host name."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])
        self.setup_environ()


class _Handler(WSGIRequestHandler):
    """A request handler without a request log."""

    timeout = SILENT_S

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing."""


def _text(start: StartResponse, status: HTTPStatus, sentence: str) -> Iterable[bytes]:
    body = f"{sentence}\n".encode()
    headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
    start(f"{status.value} {status.phrase}", headers)
    return [body]
