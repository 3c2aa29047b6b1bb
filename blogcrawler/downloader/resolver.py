"""The name resolver that drops addresses which a crawl must not reach.

Every connection of Scrapy's downloader, also to a literal address, asks the reactor's name resolver with host and port,
and connects to exactly the addresses that it returns: no second look-up could give another answer.

A reactor has one resolver for all crawls of the process, so each connection sets its own judge while it connects
(`judged_by`). A look-up without a judge returns public addresses only.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from scrapy.resolver import CachingHostnameResolver
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer

from blogcrawler.downloader.addresses import Address, AddressPolicy, Origin, canonical_host, unmapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from twisted.internet.interfaces import IAddress, IHostResolution


Judge = Callable[[Origin, Sequence[Address]], list[Address]]
"""Returns the addresses of a host that may be connected to."""


class GuardedResolver(CachingHostnameResolver):
    """A caching resolver (setting TWISTED_DNS_RESOLVER) that ends a look-up after DNS_TIMEOUT seconds."""

    def __init__(self, reactor: Any, cache_size: int, timeout: float) -> None:  # noqa: ANN401
        super().__init__(reactor, cache_size)
        if isinstance(self.original_resolver, GuardedResolver):
            self.original_resolver = self.original_resolver.original_resolver
        self._timeout = timeout
        self._judge: Judge | None = None
        self._trusted: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> Self:  # noqa: ANN401
        settings = crawler.settings
        cache_size = settings.getint("DNSCACHE_SIZE") if settings.getbool("DNSCACHE_ENABLED") else 0
        return cls(reactor, cache_size, settings.getfloat("DNS_TIMEOUT"))

    @classmethod
    def installed_on(cls, reactor: Any, crawler: Any) -> GuardedResolver:  # noqa: ANN401
        """The reactor's guarded resolver; it is installed now if the reactor has another resolver.

        Scrapy installs TWISTED_DNS_RESOLVER only for a whole process, not for a CrawlerRunner inside another program.
        """
        if isinstance(reactor.nameResolver, GuardedResolver):
            return reactor.nameResolver
        resolver = cls.from_crawler(crawler, reactor)
        resolver.install_on_reactor()
        return resolver

    @contextmanager
    def judged_by(self, judge: Judge) -> Iterator[None]:
        """Judge look-ups that begin inside this block by `judge`. The block must not await anything."""
        before, self._judge = self._judge, judge
        try:
            yield
        finally:
            self._judge = before

    def trust(self, host: str) -> None:
        """Return any address of `host`, the name of a configured proxy, for look-ups without a judge.

        Twisted connects to the proxy of an https URL in a later turn of the reactor and without giving the port.
        """
        self._trusted.add(canonical_host(host))

    def resolveHostName(  # noqa: N802 - Twisted's name
        self,
        resolutionReceiver: IResolutionReceiver,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> IHostResolution:
        receiver: Any = _Receiver(
            resolutionReceiver,
            Origin(canonical_host(hostName), portNumber),
            self._judge or (_everything if canonical_host(hostName) in self._trusted else AddressPolicy().permitted),
            wanted=tuple(addressTypes) if addressTypes else (IPv4Address, IPv6Address),
        )
        if not (pool := self.reactor.getThreadPool()).workers:
            pool.startAWorker()  # raises if it fails; the look-up would hide the error
        resolution = super().resolveHostName(receiver, hostName, portNumber, addressTypes, transportSemantics)
        receiver.end_after(self.reactor, self._timeout)
        return resolution


def _everything(_: Origin, addresses: Sequence[Address]) -> list[Address]:
    """The judge of a connection to a proxy, which the operator configured."""
    return list(addresses)


@implementer(IResolutionReceiver)
class _Receiver:
    """Collects the addresses of a look-up, and passes on the permitted ones when it is complete."""

    def __init__(self, receiver: Any, origin: Origin, judge: Judge, *, wanted: tuple[type[Any], ...]) -> None:  # noqa: ANN401
        self._receiver, self._origin, self._judge, self._wanted = receiver, origin, judge, wanted
        self._found: list[Any] = []
        self._complete = False
        self._timer: Any = None

    def end_after(self, reactor: Any, seconds: float) -> None:  # noqa: ANN401
        if not self._complete and seconds > 0:
            self._timer = reactor.callLater(seconds, self.resolutionComplete)

    def resolutionBegan(self, resolution: IHostResolution) -> None:  # noqa: N802
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802
        if isinstance(address, self._wanted):
            self._found.append(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        if self._complete:
            return
        self._complete = True
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        hosts = [unmapped(ipaddress.ip_address(address.host)) for address in self._found]
        permitted = frozenset(self._judge(self._origin, hosts))
        for address, host in zip(self._found, hosts, strict=True):
            if host in permitted:
                self._receiver.addressResolved(address)
        self._receiver.resolutionComplete()
