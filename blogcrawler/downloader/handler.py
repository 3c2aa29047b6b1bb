"""The download handler for http and https that connects only to addresses that the crawl's policy permits.

It is Scrapy's handler with another connection pool: while a new connection is made, the reactor's resolver uses the
policy of this crawl. Connections to a proxy are not judged, because the operator configured it; GuardMiddleware has
checked the URLs requested through it. Each request waits for its turn among those of all crawls of the process
(`hosts`), and of the fleet if there is one (`gate`).

Relies on private parts of Scrapy 2.19 (`_pool` and the keys of its connections), which the tests of this package check.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import NotConfigured
from scrapy.utils._download_handlers import wrap_twisted_exceptions
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.url import add_http_if_no_scheme
from twisted.internet.interfaces import IStreamClientEndpoint
from twisted.web.client import HTTPConnectionPool
from zope.interface import implementer

from blogcrawler.downloader.exchanges import NotingAgent, NotingFactory
from blogcrawler.downloader.gate import FleetGate
from blogcrawler.downloader.guard import AddressRefused, GuardMiddleware
from blogcrawler.downloader.hosts import HOSTS
from blogcrawler.downloader.resolver import GuardedResolver

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.defer import Deferred
    from twisted.python.failure import Failure

    from blogcrawler.downloader.addresses import Address, AddressPolicy, Origin


class GuardedDownloadHandler(HTTP11DownloadHandler):
    """Scrapy's HTTP/1.1 handler under the policy of the crawl's GuardMiddleware."""

    lazy = True  # created for the first request, when the middlewares exist

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._crawler = crawler
        guard = crawler.get_downloader_middleware(GuardMiddleware)
        if guard is None:
            raise NotConfigured("GuardedDownloadHandler needs GuardMiddleware in DOWNLOADER_MIDDLEWARES.")
        from twisted.internet import reactor  # importing it installs one

        self._resolver: Callable[[], GuardedResolver] = lambda: GuardedResolver.installed_on(reactor, crawler)
        pool = _GuardedPool(reactor, guard.policy, self._resolver)
        pool.maxPersistentPerHost = self._pool.maxPersistentPerHost
        self._is_noting = crawler.settings.getbool("WARC")
        pool._factory = NotingFactory if self._is_noting else self._pool._factory
        self._pool = pool

    async def download_request(self, request: Request) -> Response:
        if proxy := request.meta.get("proxy"):
            self._resolver().trust(urlsplit(add_http_if_no_scheme(proxy)).hostname or "")
        downloader = self._crawler.engine.downloader
        key = downloader.get_slot_key(request)
        slot = downloader.slots.get(key)
        if slot is None:  # requested without the downloader
            return await self._download(request)
        fleet = self._crawler.get_extension(FleetGate)
        gate = None if fleet is None else partial(fleet.turn, key, slot)
        async with HOSTS.turn(key, id(self._crawler), delay=slot.delay, most=slot.concurrency, gate=gate):
            return await self._download(request)

    async def _download(self, request: Request) -> Response:
        """Download like Scrapy's handler, but with an agent that records heads; a body that breaks off is no error
        here."""
        if not self._is_noting:
            return await super().download_request(request)
        agent = NotingAgent(
            contextFactory=self._contextFactory,
            bindAddress=self._bind_address,
            pool=self._pool,
            maxsize=self._default_maxsize,
            warnsize=self._default_warnsize,
            fail_on_dataloss=self._fail_on_dataloss,
            crawler=self._crawler,
            tls_verbose_logging=self._tls_verbose_logging,
        )
        with wrap_twisted_exceptions():
            return await maybe_deferred_to_future(agent.download_request(request))


class _GuardedPool(HTTPConnectionPool):
    """A pool whose new connections are judged by `policy`."""

    def __init__(self, reactor: Any, policy: AddressPolicy, resolver: Callable[[], GuardedResolver]) -> None:  # noqa: ANN401
        super().__init__(reactor, persistent=True)  # type: ignore[no-untyped-call]
        self._policy = policy
        self._resolver = resolver

    def getConnection(self, key: Any, endpoint: Any) -> Deferred[Any]:  # noqa: ANN401, N802 - Twisted's name
        policy = None if key[0] == b"http-proxy" else self._policy
        guarded: Any = _GuardedEndpoint(endpoint, policy, self._resolver)
        return super().getConnection(key, guarded)


@implementer(IStreamClientEndpoint)
class _GuardedEndpoint:
    """Connects through another endpoint, as far as `policy` permits; without a policy, to any address."""

    def __init__(self, endpoint: Any, policy: AddressPolicy | None, resolver: Callable[[], GuardedResolver]) -> None:  # noqa: ANN401
        self._endpoint = endpoint
        self._policy = policy
        self._resolver = resolver

    def __repr__(self) -> str:
        return repr(self._endpoint)

    def connect(self, factory: Any) -> Deferred[Any]:  # noqa: ANN401
        refusals: list[str] = []

        def judge(origin: Origin, addresses: Sequence[Address]) -> list[Address]:
            if self._policy is None:
                return list(addresses)
            permitted = self._policy.permitted(origin, addresses)
            if addresses and not permitted:
                refusals.append(self._policy.explain(origin))
            return permitted

        def explain(failure: Failure) -> Failure:
            if refusals:
                raise AddressRefused(refusals[-1]) from failure.value
            return failure

        # The endpoint begins its look-up before connect() returns.
        with self._resolver().judged_by(judge):
            connected: Deferred[Any] = self._endpoint.connect(factory)
        return connected.addErrback(explain)
