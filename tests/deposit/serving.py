"""A real HTTP server on loopback whose answers can be made to fail, or to get lost."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit


@dataclass
class Reply:
    """An answer; a value is sent as JSON."""

    status: int = 200
    value: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Request:
    """What was asked."""

    method: str
    path: str
    query: dict[str, str]
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body or b"null")


@dataclass
class Fault:
    """What goes wrong with requests that fit `pattern` ("POST /api/records"), from the `first` on, so many `times`.

    `reply` is answered and nothing is done; without one, the connection is cut: before anything is done, or `after`.
    """

    pattern: str
    reply: Reply | None = None
    after: bool = False
    first: int = 1
    times: int = 1
    seen: int = 0

    def strikes(self, line: str) -> bool:
        if not re.fullmatch(self.pattern, line):
            return False
        self.seen += 1
        return self.first <= self.seen < self.first + self.times


class Server:
    """Serves `routes`: a pattern of method and path, and what answers; the pattern's groups are its arguments."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        #: "METHOD /path" of all requests
        self.log: list[str] = []
        #: values of the header Authorization
        self.secrets: list[str | None] = []
        #: called with each line of the log before anything is done
        self.on_request: Callable[[str], None] = lambda line: None
        self.routes: list[tuple[str, Callable[..., Reply]]] = []
        self._lock = threading.RLock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_: object) -> None:
                pass

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except ConnectionError:  # who asked was killed
                    self.close_connection = True

            def _serve(self) -> None:
                server._serve(self)

            do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _serve  # noqa: N815

        class Threads(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 50

            def handle_error(self, *_: object) -> None:
                server.broken = True

        self.broken = False
        self._http = Threads(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)
        assert not self.broken, "the stand-in broke"

    def fail(self, pattern: str, reply: Reply | None = None, **more: Any) -> Fault:
        fault = Fault(pattern, reply, **more)
        self.faults.append(fault)
        return fault

    def _serve(self, handler: Any) -> None:
        parts = urlsplit(handler.path)
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        if len(body) < int(handler.headers.get("Content-Length") or 0):  # who asked was killed
            handler.close_connection = True
            return
        request = Request(handler.command, parts.path, dict(parse_qsl(parts.query)), handler.headers, body)
        line = f"{request.method} {request.path}"
        self.on_request(line)
        with self._lock:
            self.log.append(line)
            self.secrets.append(handler.headers.get("Authorization"))
            fault = next((fault for fault in self.faults if fault.strikes(line)), None)
            if fault is not None and fault.reply is None and not fault.after:
                self._cut(handler)
                return
            reply = fault.reply if fault is not None and fault.reply is not None else self.answer(request)
            if fault is not None and fault.reply is None:
                self._cut(handler)
                return
        self._send(handler, reply)

    def answer(self, request: Request) -> Reply:
        line = f"{request.method} {request.path}"
        for pattern, route in self.routes:
            if found := re.fullmatch(pattern, line):
                return route(request, *found.groups())
        return Reply(404, {"status": 404, "message": "The requested URL was not found on the server."})

    def _cut(self, handler: Any) -> None:
        handler.close_connection = True
        handler.connection.shutdown(socket.SHUT_RDWR)

    def _send(self, handler: Any, reply: Reply) -> None:
        content = b"" if reply.value is None else json.dumps(reply.value).encode()
        handler.send_response(reply.status)
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        if content:
            handler.send_header("Content-Type", "application/json")
        if reply.status != 204:
            handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)
