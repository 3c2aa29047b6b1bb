"""Who is answered, and what browsers are told: the lock on a server that shows hostile pages on a machine of one's own.

A page of the web may ask a server on this machine for anything. It cannot read the answers unless it has a name for
this machine (DNS rebinding), so no other names are answered; and nothing is changed unless a page of this server asks.
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
"""Of what was archived as it is."""
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
"""Of all answers, unless a page has its own."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:@/?#\s]+)(?::[0-9]{1,5})?", re.IGNORECASE | re.ASCII)
_READING = frozenset({"GET", "HEAD"})


class Names:
    """The names by which the server may be called."""

    def __init__(self, host: str) -> None:
        self._names = _LOOPBACK | {host.lower()}
        #: one that listens on all addresses has any of them, and the name of the machine
        self._has_all = host in ("", "0.0.0.0", "::")  # noqa: S104 - compared, not listened on
        if self._has_all:
            self._names |= {socket.gethostname().lower(), socket.getfqdn().lower()}

    def __contains__(self, host: str) -> bool:
        """True if a value of the header Host is one of them."""
        found = _HOST.fullmatch(host)
        if found is None:
            return False
        name = found[1].strip("[]").lower().rstrip(".")
        return name in self._names or (self._has_all and _is_address(name))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """Stands before the application."""

    def __init__(self, app: ASGIApp, names: Names) -> None:
        self._app, self._names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or hand over and see to the headers of the answer."""
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
            if not is_sent:  # so that a download that breaks off does not pass for a whole one
                raise
            logger.exception("The page %s could not be made", scope["path"])

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str] | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self._names:
            return 400, "The archive is not at this address; use the one that blogcrawler browse has printed."
        if method in _READING:
            return None if _may_read(headers) else (403, "Pages of the web get nothing of the archive.")
        if method != "POST":
            return 405, "There is nothing here for such a request."
        return None if _is_own(headers, hosts[0]) else (403, "Only pages of the archive itself may change it.")


def _may_read(headers: Headers) -> bool:
    """True unless a page of another site asks for more than to follow a link."""
    if headers.get("sec-fetch-site") not in ("cross-site", "same-site"):
        return True
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


def _is_own(headers: Headers, host: str) -> bool:
    """True if a page of this server asks, as browsers say; other programs give an Origin."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site != "same-origin":
        return False
    if origin is None or origin == "null":  # the policy on referrers has browsers hide it
        return site == "same-origin"
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()
