"""Decide which addresses a crawl may connect to: the public internet, the start URL's server, and allowed hosts.

A page may link to, redirect to or embed any address, and the owner of a public name may point it at 127.0.0.1 at any
moment. So a crawl reaches an address that is not public only if the user named it:

- The start URL opens its own host and port, nothing else. If its host is a name, the first look-up decides for the
  whole crawl whether the name is local, so that a public name cannot become local later (DNS rebinding).
- ALLOWED_PRIVATE_HOSTS opens hosts, host:port pairs and networks, for intranets.

Special-purpose ranges are those of the IANA registries (RFC 6890 and its updates). The standard library knows most of
them, but differently in each release, and it counts multicast and some translated addresses as global. This module
neither looks up names nor connects.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self
from urllib.parse import unquote, urlsplit

from blogcrawler.errors import BadArgument

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_DEFAULT_PORTS = {"http": 80, "https": 443}

_CLOSED_V4 = (
    ipaddress.IPv4Network("192.0.0.0/24"),  # IETF protocol assignments; a cloud's metadata service at .192
    ipaddress.IPv4Network("192.88.99.0/24"),  # 6to4 relays, deprecated by RFC 7526
    ipaddress.IPv4Network("168.63.129.16/32"),  # Azure's host agent: a public number that never leaves the data centre
)
_GLOBAL_UNICAST_V6 = ipaddress.IPv6Network("2000::/3")  # RFC 4291, the only range that IANA hands out
_CLOSED_V6 = (
    ipaddress.IPv6Network("2001::/23"),  # IETF protocol assignments, Teredo among them
    ipaddress.IPv6Network("2001:db8::/32"),  # documentation, RFC 3849
    ipaddress.IPv6Network("3fff::/20"),  # documentation, RFC 9637
)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052: the last 32 bits are the IPv4 address that is reached
_LOOPBACK = ipaddress.IPv4Address("127.0.0.1")


def is_public(address: Address) -> bool:
    """True if an address is on the public internet; mapped, NAT64 and 6to4 addresses are judged by their IPv4
    address."""
    address = unmapped(address)
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not address.is_multicast and not any(address in net for net in _CLOSED_V4)
    if address in _NAT64:
        return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    if address not in _GLOBAL_UNICAST_V6 or any(address in net for net in _CLOSED_V6):
        return False
    return is_public(address.sixtofour) if address.sixtofour else True


def unmapped(address: Address) -> Address:
    """The IPv4 address behind ::ffff:a.b.c.d; any other address unchanged, but without its zone."""
    if isinstance(address, ipaddress.IPv6Address):
        return address.ipv4_mapped or ipaddress.IPv6Address(int(address))
    return address


def literal_address(host: str) -> Address | None:
    """The address that a host denotes without a look-up; None for a name.

    Reads all notations of the system's resolver: 127.1, 2130706433, 0x7f.1, 0177.0.0.1, [::1], fe80::1%eth0.
    """
    host = host.strip("[]")
    try:
        return unmapped(ipaddress.ip_address(host))
    except ValueError:
        pass
    if not host[:1].isdigit() or not host.isascii() or any(space in host for space in " \t\r\n\v\f"):
        return None
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except OSError:
        return None


def canonical_host(host: str) -> str:
    """The canonical spelling of a host: lower case, no escapes, no final dot, addresses in their usual notation."""
    host = unquote(host).lower().rstrip(".")
    address = literal_address(host)
    return str(address) if address is not None else host


def is_localhost(host: str) -> bool:
    """True if a name denotes the loopback addresses by definition (RFC 6761, section 6.3)."""
    host = canonical_host(host)
    return host == "localhost" or host.endswith(".localhost")


@dataclass(frozen=True)
class Origin:
    """Where a URL's server listens: URLs of one server have equal origins, in whatever notation."""

    #: as `canonical_host` writes it
    host: str
    port: int

    @classmethod
    def of(cls, url: str) -> Self:
        """The origin of an http or https URL. Raises BadArgument for anything else."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise BadArgument(f"{url!r} is not a URL that can be fetched: {error}.", url=url) from error
        if parts.scheme not in _DEFAULT_PORTS or not host:
            raise BadArgument(f"{url!r} is not an http or https URL, so it cannot be fetched.", url=url)
        return cls(canonical_host(host), _DEFAULT_PORTS[parts.scheme] if port is None else port)

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True)
class AllowedHost:
    """An entry of ALLOWED_PRIVATE_HOSTS: a name or a network, with one port or all ports."""

    #: a name in canonical spelling; None if the entry is a network
    name: str | None
    network: ipaddress.IPv4Network | ipaddress.IPv6Network | None
    #: None for every port
    port: int | None

    @classmethod
    def parse(cls, text: str) -> AllowedHost:
        """Read "blog.intranet", "blog.intranet:8080", "[fd00::5]:80" or "10.0.0.0/8". Raises BadArgument."""
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
                f"ALLOWED_PRIVATE_HOSTS holds {text!r}, which is not a host, host:port or network such as 10.0.0.0/8."
            ) from error
        if (address := literal_address(host)) is not None:
            return cls(None, ipaddress.ip_network(address), port)
        return cls(canonical_host(host), None, port)

    def covers(self, origin: Origin, address: Address) -> bool:
        """True if the entry allows a connection to this address, requested under this host and port."""
        if self.port is not None and self.port != origin.port:
            return False
        return address in self.network if self.network is not None else origin.host == self.name


class AddressPolicy:
    """Decides which connections one crawl may make.

    `start_url` is the address that the user gave, if any; it opens its own server unless `private_start` is False.
    `allowed` are the entries of ALLOWED_PRIVATE_HOSTS.
    """

    def __init__(
        self, start_url: str | None = None, *, allowed: Iterable[str] = (), private_start: bool = True
    ) -> None:
        self._start: Origin | None = None
        if start_url and private_start:
            self._start = Origin.of(start_url if "://" in start_url else f"http://{start_url}")
        self._allowed = tuple(AllowedHost.parse(entry) for entry in allowed)
        self._start_is_private: bool | None = None

    def refusal(self, url: str) -> str | None:
        """The reason, as a sentence, why a URL must not be requested; None if it may be.

        Judges the scheme, and a host that is an address or localhost. `permitted` judges names once they are looked up,
        unless a proxy looks them up.
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
        """The addresses, among those that one look-up of `origin.host` returned, that may be connected to; in the same
        order."""
        addresses = [unmapped(address) for address in addresses]
        open_start = self._settle_start(origin, addresses)
        return [
            address
            for address in addresses
            if is_public(address) or open_start or any(entry.covers(origin, address) for entry in self._allowed)
        ]

    def _settle_start(self, origin: Origin, addresses: Sequence[Address]) -> bool:
        """True if this is the start URL's own server and it is not public."""
        if origin != self._start or not addresses:
            return False
        if self._start_is_private is None:
            self._start_is_private = not any(is_public(address) for address in addresses)
        return self._start_is_private

    def explain(self, origin: Origin) -> str:
        """The sentence that explains a connection for which `permitted` returned no address."""
        return (
            f"{origin} is not on the public internet, so a page of this crawl may not lead there; "
            f"if it should, add {str(origin)!r} to the setting ALLOWED_PRIVATE_HOSTS."
        )
