"""The web server of the demonstration blog. It uses only the loopback interface and the standard library."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Self
from urllib.parse import parse_qs, quote, unquote

from blogcrawler.demo.content import last_change, load
from blogcrawler.demo.pages import Pages
from blogcrawler.demo.site import NOT_FOUND, build, redirects

if TYPE_CHECKING:
    from datetime import date
    from types import TracebackType

_IDLE_S = 30
_SAFE = "/-._~!$&'()*+,;=:@"
_SOUGHT_CHARACTERS = 200
_POSTED_DIGITS = 6
_HTML = "text/html; charset=utf-8"
_PLAIN = "text/plain; charset=utf-8"


@dataclass(frozen=True)
class _Answer:
    status: HTTPStatus
    content_type: str
    body: bytes
    location: str | None = None


class DemoServer:
    """Serves the demonstration blog on 127.0.0.1 inside a `with` block, in a thread of its own.

    `port` 0 selects a free port. `until` and `sitemap` are passed to `site.build`: a second server on the same port
    with a later `until` shows the same blog some time later. Entering the block raises OSError if the port is in use,
    and ValueError if the blog had no post yet.
    """

    def __init__(self, *, port: int = 0, until: date | None = None, sitemap: bool = True) -> None:
        self._port = port
        self._until = until
        self._sitemap = sitemap
        self._http: _Http | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """URL of the home page, such as `http://127.0.0.1:40123/`; only known while the server runs."""
        return self._running().base + "/"

    @property
    def requests(self) -> list[tuple[str, str]]:
        """Method and target of every request so far, in order."""
        return list(self._running().requests)

    def __enter__(self) -> Self:
        self._http = _Http(self._port, self._until, sitemap=self._sitemap)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), name="demo-blog", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._http and self._thread:
            self._http.shutdown()
            self._http.server_close()
            self._thread.join()
        self._http = self._thread = None

    def _running(self) -> _Http:
        if self._http is None:
            raise RuntimeError("The demonstration server is not running: use it in a with statement.")
        return self._http


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    # On some systems, two servers can share a port and would answer alternately.
    allow_reuse_port = False

    def __init__(self, port: int, until: date | None, *, sitemap: bool) -> None:
        posts = load(until)
        super().__init__(("127.0.0.1", port), _Handler)
        self.base = f"http://127.0.0.1:{self.server_port}"
        self.requests: list[tuple[str, str]] = []
        self.last_modified = last_change(posts).astimezone(UTC)
        self._pages = Pages(posts, self.base)
        self._resources = build(self.base, until=until, sitemap=sitemap)
        self._redirects = redirects(until=until)

    def answer(self, target: str) -> _Answer:
        """Return the response for a request target: a resource, a redirect, or the "not found" page."""
        raw_path, _, query = target.partition("?")
        path = quote(unquote(raw_path), safe=_SAFE)
        fields = parse_qs(query) if path == "/" else {}
        address = f"/?p={fields['p'][0]}" if "p" in fields else path
        moved = self._redirects.get(address)
        if moved is None and address + "/" in self._resources:
            moved = address + "/" + (f"?{query}" if query else "")
        if moved is not None:
            return _Answer(HTTPStatus.MOVED_PERMANENTLY, _PLAIN, b"Moved.\n", location=moved)
        if "s" in fields:
            return _Answer(HTTPStatus.OK, _HTML, self._pages.search(fields["s"][0][:_SOUGHT_CHARACTERS]).encode())
        if address in self._resources and address != NOT_FOUND:
            return _Answer(HTTPStatus.OK, *self._resources[address])
        return _Answer(HTTPStatus.NOT_FOUND, *self._resources[NOT_FOUND])

    def handle_error(self, request: object, client_address: object) -> None:
        """Report an error in a request, unless the client closed the connection."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    protocol_version = "HTTP/1.1"
    server_version = "blogcrawler-demo"
    sys_version = ""
    timeout = _IDLE_S
    # Send head and body in one packet.
    wbufsize = -1

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_POST(self) -> None:
        """Reject comments: the comment form is only for show."""
        length = self.headers.get("Content-Length", "0")
        if length.isdecimal() and len(length) < _POSTED_DIGITS:
            # If unread bytes remain when the connection is closed, the client gets a reset before it reads the
            # response.
            self.rfile.read(int(length))
        body = b"This blog is a demonstration and takes no replies.\n"
        self.send_response(HTTPStatus.METHOD_NOT_ALLOWED)
        self.send_header("Allow", "GET, HEAD")
        self.send_header("Content-Type", _PLAIN)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        """Close the connection after each response: an open connection would outlive the server and continue to
        serve its blog."""
        self.send_header("Connection", "close")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing: standard error belongs to the crawl."""

    def _answer(self, *, with_body: bool) -> None:
        self.server.requests.append((self.command, self.path))
        answer = self.server.answer(self.path)
        tag = f'"{sha256(answer.body).hexdigest()[:16]}"'
        if answer.status is HTTPStatus.OK and self._is_fresh(tag):
            self.send_response(HTTPStatus.NOT_MODIFIED)
            self._send_validators(tag)
            self.end_headers()
            return
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        if answer.location is not None:
            self.send_header("Location", answer.location)
        if answer.status is HTTPStatus.OK:
            self._send_validators(tag)
        self.end_headers()
        if with_body:
            self.wfile.write(answer.body)

    def _send_validators(self, tag: str) -> None:
        self.send_header("ETag", tag)
        self.send_header("Last-Modified", format_datetime(self.server.last_modified, usegmt=True))

    def _is_fresh(self, tag: str) -> bool:
        """True if the client's copy is still valid. The ETag takes precedence over the date (RFC 9110, 13.2.2)."""
        tags = self.headers.get("If-None-Match")
        if tags is not None:
            return tags.strip() == "*" or tag in {known.strip().removeprefix("W/") for known in tags.split(",")}
        since = _http_date(self.headers.get("If-Modified-Since"))
        return since is not None and self.server.last_modified <= since


def _http_date(value: str | None) -> datetime | None:
    """The time in an HTTP header; None if it is invalid and therefore ignored (RFC 9110, 13.1.3)."""
    if value is None:
        return None
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
