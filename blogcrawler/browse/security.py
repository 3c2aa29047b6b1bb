"""Access control and security headers of the local server, which shows untrusted pages.

Any web page can send requests to a server on this machine. With DNS rebinding it could also read the responses, so
requests with other host names are refused. Changes are accepted only from pages of this server.
"""

from __future__ import annotations

import ipaddress
import logging
import re
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger(__name__)

POLICY = (
    "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
FILE_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"
"""Content security policy of archived files."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-DNS-Prefetch-Control": "off",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "private, no-cache",
}
"""Headers of all responses; a page may override them."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:@/?#\s]+)(?::[0-9]{1,5})?", re.IGNORECASE | re.ASCII)
_READING = frozenset({"GET", "HEAD"})


class Names:
    """The host names that the server accepts."""

    def __init__(self, host: str) -> None:
        self._names = _LOOPBACK | {host.lower()}
        #: True if it listens on all addresses: then any IP address and the machine's name are accepted
        self._has_all = host in ("", "0.0.0.0", "::")  # noqa: S104 - compared, not listened on
        if self._has_all:
            self._names |= {socket.gethostname().lower(), socket.getfqdn().lower()}

    def __contains__(self, host: str) -> bool:
        """True if a value of the Host header is accepted."""
        parts = _HOST.fullmatch(host)
        if parts is None:
            return False
        name = parts[1].strip("[]").lower().rstrip(".")
        return name in self._names or (self._has_all and _is_address(name))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """ASGI middleware that checks requests and adds security headers."""

    def __init__(self, app: ASGIApp, names: Names) -> None:
        self._app, self._names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on and add headers to the response."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        is_sent = False

        async def send_guarded(message: Message) -> None:
            nonlocal is_sent
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)
            is_sent = message["type"] == "http.response.body" and not message.get("more_body")

        refusal = self._refusal(scope["method"], Headers(scope=scope))
        app = self._app if refusal is None else PlainTextResponse(f"{refusal[1]}\n", refusal[0])
        try:
            await app(scope, receive, send_guarded)
        except Exception:
            if not is_sent:  # so that a truncated download is not taken for a complete one
                raise
            logger.exception("The page %s could not be created", scope["path"])

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str] | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self._names:
            return 400, "The archive is not at this address. Use the one that blogcrawler browse printed."
        if method in _READING:
            return None if _may_read(headers) else (403, "Requests from other web pages are refused.")
        if method != "POST":
            return 405, "This request method is not supported here."
        return (
            None if _is_own(headers, hosts[0]) else (403, "Changes are accepted only from pages of the archive itself.")
        )


def _may_read(headers: Headers) -> bool:
    """True unless another site's page requests more than a navigation."""
    if headers.get("sec-fetch-site") not in ("cross-site", "same-site"):
        return True
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


def _is_own(headers: Headers, host: str) -> bool:
    """True if the request comes from a page of this server, by Sec-Fetch-Site or Origin."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site != "same-origin":
        return False
    if origin is None or origin == "null":  # browsers hide it because of the referrer policy
        return site == "same-origin"
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()
