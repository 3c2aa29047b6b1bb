"""What a host in a URL is, an address in any notation or a name, and which addresses are on the public internet.

Special-purpose ranges are those of the IANA registries (RFC 6890 and its updates). The standard library knows most of
them, but not the same ones in every release, and counts multicast and some translated addresses as global.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from typing import Self
from urllib.parse import unquote, urlsplit

from blogcrawler.errors import BadArgument

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


def is_public(address: Address) -> bool:
    """Whether an address is reached over the public internet.

    Addresses that carry an IPv4 address (mapped, NAT64, 6to4) are judged by that one.
    """
    address = unmapped(address)
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not address.is_multicast and not any(address in net for net in _CLOSED_V4)
    if address in _NAT64:
        return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    if address not in _GLOBAL_UNICAST_V6 or any(address in net for net in _CLOSED_V6):
        return False
    return is_public(address.sixtofour) if address.sixtofour else True


def unmapped(address: Address) -> Address:
    """The IPv4 address behind ::ffff:a.b.c.d, and any other address as it is, without its zone."""
    if isinstance(address, ipaddress.IPv6Address):
        return address.ipv4_mapped or ipaddress.IPv6Address(int(address))
    return address


def literal_address(host: str) -> Address | None:
    """The address that a host stands for without any look-up, or None for a name.

    Reads what the system's resolver reads: 127.0.0.1, 127.1, 2130706433, 0x7f.1, 0177.0.0.1, ::1, [::1], fe80::1%eth0.
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
    """One spelling for all of a host: lower case, no escapes, no final dot, addresses in their usual notation."""
    host = unquote(host).lower().rstrip(".")
    address = literal_address(host)
    return str(address) if address is not None else host


def is_localhost(host: str) -> bool:
    """Whether a name stands for the loopback addresses by definition (RFC 6761, section 6.3)."""
    host = canonical_host(host)
    return host == "localhost" or host.endswith(".localhost")


@dataclass(frozen=True)
class Origin:
    """Where a URL's server listens: two URLs of one server have equal origins, whatever notation they use."""

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
            raise BadArgument(f"{url!r} is no URL that can be fetched: {error}.", url=url) from error
        if parts.scheme not in _DEFAULT_PORTS or not host:
            raise BadArgument(f"{url!r} is no http or https URL, so it cannot be fetched.", url=url)
        return cls(canonical_host(host), _DEFAULT_PORTS[parts.scheme] if port is None else port)

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
