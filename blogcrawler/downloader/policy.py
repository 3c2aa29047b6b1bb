"""What one crawl may connect to: the public internet, the start URL's own server, and what the settings allow besides.

A page may link, redirect or embed anything, and whoever runs a public name may let it point at 127.0.0.1 from one
moment to the next. So a crawl reaches addresses that are not public only where its user named them:

- the start URL opens its own host and port, nothing else. When its host is a name, the first look-up settles for the
  whole crawl whether that name is local, so that a public name cannot become local later (DNS rebinding);
- ALLOWED_PRIVATE_HOSTS opens hosts, host:port pairs and networks, for intranets.

The policy is plain Python: it neither looks names up nor connects. The resolver and the middleware ask it, and so can
anything else that opens connections for a crawl, such as a browser's proxy.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blogcrawler.downloader.addresses import (
    Address,
    Origin,
    canonical_host,
    is_localhost,
    is_public,
    literal_address,
    unmapped,
)
from blogcrawler.errors import BadArgument

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LOOPBACK = ipaddress.IPv4Address("127.0.0.1")


@dataclass(frozen=True)
class AllowedHost:
    """An entry of ALLOWED_PRIVATE_HOSTS: a name or a network, and a port or all ports."""

    #: a name in canonical spelling; None when it is a network
    name: str | None
    network: ipaddress.IPv4Network | ipaddress.IPv6Network | None
    #: None for every port
    port: int | None

    @classmethod
    def parse(cls, text: str) -> AllowedHost:
        """Read "blog.intranet", "blog.intranet:8080", "10.0.0.5", "[fd00::5]:80" or "10.0.0.0/8".

        Raises BadArgument for anything else.
        """
        text = text.strip()
        try:
            if "/" in text:
                return cls(None, ipaddress.ip_network(text, strict=False), None)
            if (address := literal_address(text)) is not None:
                return cls(None, ipaddress.ip_network(address), None)
            parts = urlsplit(f"//{text}")
            host, port = parts.hostname, parts.port
            if not host or parts.netloc != text or "@" in text or " " in text:
                raise ValueError
        except ValueError as error:
            raise BadArgument(
                f"ALLOWED_PRIVATE_HOSTS holds {text!r}, which is no host, host:port or network such as 10.0.0.0/8."
            ) from error
        if (address := literal_address(host)) is not None:
            return cls(None, ipaddress.ip_network(address), port)
        return cls(canonical_host(host), None, port)

    def covers(self, origin: Origin, address: Address) -> bool:
        """Whether a connection to this address, asked for under this host and port, is allowed by the entry."""
        if self.port is not None and self.port != origin.port:
            return False
        return address in self.network if self.network is not None else origin.host == self.name


def _start_origin(url: str) -> Origin:
    """The origin of what a user typed; without a scheme it is http, with either scheme the port is what counts."""
    return Origin.of(url if "://" in url else f"http://{url}")


class AddressPolicy:
    """Decides on connections of one crawl.

    Parameters: `start_url`, the address that the user asked for (None: there is none, only public addresses);
    `allowed`, the entries of ALLOWED_PRIVATE_HOSTS; `private_start`, whether a start URL opens its server when that is
    not public.
    """

    def __init__(
        self, start_url: str | None = None, *, allowed: Iterable[str] = (), private_start: bool = True
    ) -> None:
        self._start = _start_origin(start_url) if start_url and private_start else None
        self._allowed = tuple(AllowedHost.parse(entry) for entry in allowed)
        self._start_is_private: bool | None = None

    def refusal(self, url: str) -> str | None:
        """Why a URL must not be requested, as a sentence; None when nothing speaks against it so far.

        Judges what the URL shows without a look-up: its scheme, and a host that is an address or localhost. Names are
        judged by `permitted` once they are looked up, or by the proxy that looks them up.
        """
        try:
            origin = Origin.of(url)
        except BadArgument as error:
            return str(error)
        address = literal_address(origin.host) or (_LOOPBACK if is_localhost(origin.host) else None)
        if address is None or self.permitted(origin, [address]):
            return None
        return self.explain(origin)

    def permitted(self, origin: Origin, addresses: Sequence[Address]) -> list[Address]:
        """Those of a host's addresses that may be connected to, in their order.

        `addresses` are all that one look-up of `origin.host` gave.
        """
        addresses = [unmapped(address) for address in addresses]
        open_start = self._settle_start(origin, addresses)
        return [
            address
            for address in addresses
            if is_public(address) or open_start or any(entry.covers(origin, address) for entry in self._allowed)
        ]

    def _settle_start(self, origin: Origin, addresses: Sequence[Address]) -> bool:
        """Whether this is the start URL's own server, and not a public one."""
        if origin != self._start or not addresses:
            return False
        if self._start_is_private is None:
            self._start_is_private = not any(is_public(address) for address in addresses)
        return self._start_is_private

    def explain(self, origin: Origin) -> str:
        """The sentence for a connection that `permitted` left nothing of."""
        return (
            f"{origin} is not on the public internet, so a page of this crawl may not lead there; "
            f"if it should, add {str(origin)!r} to the setting ALLOWED_PRIVATE_HOSTS."
        )
