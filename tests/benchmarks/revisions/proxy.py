"""A proxy that answers for a blog in one of several modes, and records every request."""

from __future__ import annotations

import http.client
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from tests.benchmarks.revisions.messages import Answer, Request
from tests.benchmarks.revisions.modes import change

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

_OF_THE_CONNECTION = {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}
_BODY_MAXIMUM = 64 * 1024 * 1024
_TIMEOUT_S = 120


class RecordingProxy:
    """An HTTP proxy on loopback inside a `with` block; `answer` answers for all hosts."""

    def __init__(self, answer: Callable[[Request], Answer], mode: str = "full") -> None:
        self.answer, self.mode = answer, mode
        self.requests: list[Request] = []
        #: called with the number of each request before it is answered
        self.before_answer: Callable[[int], None] = lambda number: None
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def respond(self, request: Request) -> Answer:
        """Record a request and answer it."""
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
        self.before_answer(number)
        if request.method == "CONNECT":
            return Answer(502, {"Content-Type": "text/plain"}, b"This proxy speaks plain HTTP only.")
        return change(self.answer(request), self.mode)

    def take_requests(self) -> list[Request]:
        """The requests since the last call."""
        with self._lock:
            taken, self.requests = self.requests, []
        return taken


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, proxy: RecordingProxy) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.proxy = proxy

    def handle_error(self, request: object, client_address: object) -> None:
        """Keep quiet: a killed crawl leaves broken connections."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    timeout = _TIMEOUT_S

    def handle_any(self) -> None:
        """Answer any method."""
        length = int(self.headers.get("Content-Length") or 0)
        answer = self.server.proxy.respond(
            Request(self.command, self.path, dict(self.headers.items()), self.rfile.read(length))
        )
        self.send_response_only(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in {*_OF_THE_CONNECTION, "content-length"}:
                self.send_header(name, value)
        if answer.status not in (204, 304):
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD" and answer.status not in (204, 304):
            self.wfile.write(answer.body)

    do_GET = do_HEAD = do_POST = do_PUT = do_OPTIONS = do_CONNECT = handle_any  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Write no log."""


def forward(request: Request, proxy: str | None = None) -> Answer:
    """Ask the server that a request names, or a proxy; 502 where it does not answer."""
    parts = urlsplit(request.url)
    server = urlsplit(proxy) if proxy else parts
    target = request.url if proxy else request.url.partition(parts.netloc)[2].partition("#")[0] or "/"
    headers = {
        name: value
        for name, value in request.headers.items()
        if name.lower() not in {*_OF_THE_CONNECTION, "accept-encoding", "host"}
    }
    connection = http.client.HTTPConnection(server.hostname or "", server.port or 80, timeout=_TIMEOUT_S)
    try:
        connection.request(request.method, target, request.body or None, {**headers, "Host": parts.netloc})
        response = connection.getresponse()
        return Answer(response.status, dict(response.getheaders()), response.read(_BODY_MAXIMUM))
    except (OSError, http.client.HTTPException) as error:
        return Answer(502, {"Content-Type": "text/plain"}, f"{type(error).__name__}: {error}".encode())
    finally:
        with suppress(OSError):
            connection.close()
