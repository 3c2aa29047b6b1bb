"""No crawl gets to a server that its user did not name."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from scrapy.resolver import HostResolution, dnscache
from scrapy.utils.defer import deferred_f_from_coro_f
from scrapy.utils.test import get_crawler
from twisted.internet.address import IPv4Address, IPv6Address

from blogcrawler.downloader import AddressPolicy
from blogcrawler.downloader.addresses import literal_address
from blogcrawler.downloader.guard import AddressRefused
from blogcrawler.downloader.resolver import GuardedResolver
from tests.downloader.crawling import fetch, project_settings
from tests.site import LocalSite, RawSite, Reply

if TYPE_CHECKING:
    from aiohttp import web

CRAWLER = get_crawler(settings_dict=project_settings().copy_to_dict())
HAS_IPV6 = socket.has_ipv6
try:
    socket.create_server(("::1", 0), family=socket.AF_INET6).close()
except OSError:
    HAS_IPV6 = False


@contextmanager
def names(**addresses: str | list[str]):
    """While open, names resolve as told (`_` stands for a dot): from a list, each look-up takes the next."""
    from twisted.internet import reactor

    table = {name.replace("_", "."): value for name, value in addresses.items()}

    resolver = GuardedResolver.installed_on(reactor, CRAWLER)
    before = resolver.original_resolver

    class Names:
        def resolveHostName(self, receiver, hostName, portNumber=0, *args, **kwargs):  # noqa: N802, N803
            if literal_address(hostName) is not None:
                return before.resolveHostName(receiver, hostName, portNumber, *args, **kwargs)
            receiver.resolutionBegan(HostResolution(hostName))
            value = table.get(hostName, [])
            for address in [value.pop(0)] if isinstance(value, list) and value else [value] if value else []:
                kind = IPv6Address if ":" in address else IPv4Address
                receiver.addressResolved(kind("TCP", address, portNumber))
            receiver.resolutionComplete()
            return HostResolution(hostName)

    resolver.original_resolver = Names()
    dnscache.clear()
    try:
        yield
    finally:
        resolver.original_resolver = before
        dnscache.clear()


@deferred_f_from_coro_f
async def test_a_start_on_loopback_works():
    with LocalSite({"/": "home", "/a": "page"}) as site:
        fetched = await fetch(f"{site.url}/", f"{site.url}/a")
    assert sorted(fetched.bodies) == [b"home", b"page"]


@deferred_f_from_coro_f
async def test_a_start_by_name_works():
    with LocalSite({"/": "home"}) as site, names(blog_intranet="127.0.0.1"):
        fetched = await fetch(f"http://blog.intranet:{site.port}/")
    assert fetched.bodies == [b"home"]


@pytest.mark.skipif(not HAS_IPV6, reason="no IPv6 here")
@deferred_f_from_coro_f
async def test_a_start_on_ipv6_works():
    with LocalSite({"/": "home"}, host="::1") as site:
        fetched = await fetch(f"{site.url}/")
    assert fetched.bodies == [b"home"]


OTHER_PORT = ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
              "0.0.0.0", "0", "localhost", "LOCALHOST", "sub.localhost", "127.0.0.2", "loop.example", "mapped.example",
              "nat64.example"]  # fmt: skip


@pytest.mark.parametrize("host", OTHER_PORT)
@deferred_f_from_coro_f
async def test_no_way_leads_to_another_port(host):
    """By a link, or by a redirect from the start."""
    with RawSite() as secret, LocalSite({}) as site:
        target = f"http://{host}:{secret.port}/"
        site.routes["/"] = Reply(status=302, headers={"Location": target})
        with names(loop_example="127.0.0.1", mapped_example="::ffff:127.0.0.1", nat64_example="64:ff9b::7f00:1",
                   localhost="127.0.0.1", sub_localhost="127.0.0.1"):  # fmt: skip
            fetched = await fetch(target, f"{site.url}/", start=site.url, meta={"redirect": True})
        assert secret.connections == 0
    assert not fetched.pages
    assert [type(error) for error in fetched.errors.values()] == [AddressRefused, AddressRefused]
    assert fetched.stats["blogcrawler/downloader/refused"] == 2
    assert "retry/count" not in fetched.stats


@deferred_f_from_coro_f
async def test_no_other_name_leads_to_the_start():
    """DNS rebinding: a page of evil.example must not be read as one of the local server, nor the reverse."""
    with LocalSite({"/": "home"}) as site, names(evil_example="127.0.0.1"):
        fetched = await fetch(f"http://evil.example:{site.port}/", start=site.url)
        assert site.log == []
    assert isinstance(*fetched.errors.values(), AddressRefused)


def test_a_public_start_cannot_turn_local():
    from twisted.internet import reactor

    found: list[str] = []

    class Receiver:
        def resolutionBegan(self, resolution): ...  # noqa: N802
        def resolutionComplete(self): ...  # noqa: N802
        def addressResolved(self, address):  # noqa: N802
            found.append(address.host)

    policy = AddressPolicy("http://evil.example/")
    with names(evil_example=["93.184.215.14", "127.0.0.1", "93.184.215.14"]):
        resolver = GuardedResolver.installed_on(reactor, CRAWLER)
        for _ in range(3):
            dnscache.clear()
            with resolver.judged_by(policy.permitted):
                resolver.resolveHostName(Receiver(), "evil.example", 80)
    assert found == ["93.184.215.14", "93.184.215.14"]


@deferred_f_from_coro_f
async def test_redirects_to_other_schemes_are_not_followed():
    with LocalSite({}) as site:
        for number, target in enumerate(("file:///etc/hostname", "data:text/html,secret", "ftp://127.0.0.1/")):
            site.routes[f"/{number}"] = Reply("moved", status=302, headers={"Location": target})
        fetched = await fetch(*(f"{site.url}/{number}" for number in range(3)), meta={"redirect": True})
    assert not any(b"secret" in body for body in fetched.bodies)
    assert not any(page.status == 200 for page in fetched.pages)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "data:text/html,secret", "ftp://127.0.0.1/", "s3://a/b"])
@deferred_f_from_coro_f
async def test_other_schemes_are_refused(url):
    fetched = await fetch(url, start="http://blog.example/")
    assert isinstance(fetched.errors[url], AddressRefused)


@deferred_f_from_coro_f
async def test_meta_refresh_passes_the_guard():
    with RawSite() as secret:
        page = f'<meta http-equiv="refresh" content="0; url=http://127.0.0.1:{secret.port}/">'
        with LocalSite({"/": page}) as site:
            fetched = await fetch(f"{site.url}/", meta={"redirect": True})
        assert secret.connections == 0
    assert isinstance(*fetched.errors.values(), AddressRefused)


@deferred_f_from_coro_f
async def test_an_allowed_host_is_reached():
    with LocalSite({"/": "intranet"}) as other:
        allowed = f"localhost,127.0.0.1:{other.port}"  # as -s gives it
        fetched = await fetch(f"{other.url}/", start="http://blog.example/", ALLOWED_PRIVATE_HOSTS=allowed)
    assert fetched.bodies == [b"intranet"]


@deferred_f_from_coro_f
async def test_crawls_of_one_process_do_not_open_hosts_to_each_other():
    import asyncio

    with LocalSite({"/": "one"}) as one, LocalSite({"/": "two"}) as two, names(a_lan="127.0.0.1", b_lan="127.0.0.1"):
        a, b = f"http://a.lan:{one.port}/", f"http://b.lan:{two.port}/"
        of_a, of_b = await asyncio.gather(fetch(a, b, start=a), fetch(b, a, start=b))
        assert (len(one.log), len(two.log)) == (1, 1)
    assert (of_a.bodies, of_b.bodies) == ([b"one"], [b"two"])
    assert isinstance(of_a.errors[b], AddressRefused)
    assert isinstance(of_b.errors[a], AddressRefused)


@deferred_f_from_coro_f
async def test_a_connection_that_the_server_closed_is_made_again():
    """The pool replaces it by itself, and that connection is the crawl's as well."""
    body = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"  # promises to stay, and closes
    with RawSite(body) as site:
        urls = [f"{site.url}/{number}" for number in range(4)]
        fetched = await fetch(*urls, CONCURRENT_REQUESTS=1, DOWNLOAD_DELAY=0.05, DOWNLOAD_DELAY_JITTER=0)
    assert len(fetched.pages) == 4
    assert "blogcrawler/downloader/refused" not in fetched.stats


def _relay(request: web.BaseRequest) -> str:
    return f"by proxy: {request.raw_path}"


@deferred_f_from_coro_f
async def test_a_proxy_is_reached_and_private_targets_are_still_refused():
    with LocalSite({}, default=_relay) as proxy:
        good, bad = "http://blog.example/", "http://127.1:22/"
        fetched = await fetch(good, bad, start=good, meta={"proxy": proxy.url})
        assert proxy.paths == [good]
    assert fetched.bodies == [b"by proxy: http://blog.example/"]
    assert isinstance(fetched.errors[bad], AddressRefused)


@pytest.mark.parametrize("proxy_host", ["127.0.0.1", "proxy.lan"])
@deferred_f_from_coro_f
async def test_https_through_a_proxy_reaches_the_proxy(proxy_host):
    with RawSite(b"HTTP/1.1 502 no\r\n\r\n") as proxy, names(proxy_lan="127.0.0.1"):
        meta = {"proxy": f"http://{proxy_host}:{proxy.port}"}
        fetched = await fetch("https://blog.example/", meta=meta, RETRY_TIMES=0)
        assert [head.split(b"\r\n")[0] for head in proxy.heads] == [b"CONNECT blog.example:443 HTTP/1.1"]
        refused = await fetch(f"http://{proxy_host}:{proxy.port}/", start="http://blog.example/")
        assert proxy.connections == 1
    assert not isinstance(*fetched.errors.values(), AddressRefused)
    assert isinstance(*refused.errors.values(), AddressRefused)


@deferred_f_from_coro_f
async def test_a_look_up_without_a_crawl_finds_public_addresses_only():
    from twisted.internet import reactor
    from twisted.internet.endpoints import HostnameEndpoint
    from twisted.internet.error import DNSLookupError
    from twisted.internet.protocol import Factory

    with RawSite() as secret, names(loop_example="127.0.0.1"):
        with pytest.raises(DNSLookupError):
            await HostnameEndpoint(reactor, "loop.example", secret.port).connect(Factory())
        assert secret.connections == 0


@deferred_f_from_coro_f
async def test_a_look_up_that_hangs_ends():
    class Silence:
        def resolveHostName(self, receiver, hostName, *args, **kwargs):  # noqa: N802, N803
            receiver.resolutionBegan(HostResolution(hostName))
            return HostResolution(hostName)

    from twisted.internet import reactor

    with names():
        resolver = GuardedResolver.installed_on(reactor, CRAWLER)
        resolver.original_resolver, resolver._timeout = Silence(), 0.1
        fetched = await fetch("http://slow.example/", RETRY_TIMES=0)
        resolver._timeout = 15.0
    assert type(*fetched.errors.values()).__name__ == "CannotResolveHostError"


def test_a_resolver_takes_the_place_of_another():
    """Scrapy installs one when the process starts; a crawl may have begun with another."""
    from twisted.internet import reactor

    first = GuardedResolver.installed_on(reactor, CRAWLER)
    second = GuardedResolver.from_crawler(CRAWLER, reactor)
    assert second.original_resolver is first.original_resolver


def test_importing_the_room_installs_no_reactor():
    code = (
        "import sys, blogcrawler.downloader, blogcrawler.settings; sys.exit('twisted.internet.reactor' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


PROGRAM = """
import sys
from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from tests.downloader.crawling import project_settings

class Probe(Spider):
    name = "probe"
    async def start(self):
        for number, address in enumerate((self.url, self.other)):
            yield Request(address, dont_filter=True, errback=self.failed, cb_kwargs={"number": number})
    def parse(self, response, number):
        print(number, response.text)
    def failed(self, failure):
        print(failure.request.cb_kwargs["number"], type(failure.value).__name__)

process = AsyncCrawlerProcess(project_settings(LOG_ENABLED=False))
process.crawl(Probe, url=sys.argv[1], other=sys.argv[2])
process.start()
"""


def test_a_process_of_its_own_is_guarded():
    with RawSite() as secret, LocalSite({"/": "home"}) as site:
        arguments = [f"http://localhost:{site.port}/", f"http://localhost.:{secret.port}/"]
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True, timeout=30
        )
        assert secret.connections == 0
    assert sorted(done.stdout.splitlines()) == ["0 home", "1 AddressRefused"]
