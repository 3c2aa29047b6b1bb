"""Which addresses are public, in which notations hosts come."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.downloader.addresses import Origin, canonical_host, is_localhost, is_public, literal_address
from blogcrawler.errors import BadArgument

PUBLIC = ["8.8.8.8", "93.184.215.14", "1.1.1.1", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "::ffff:8.8.8.8",
          "64:ff9b::8.8.8.8", "2002:808:808::1"]  # fmt: skip
CLOSED = {
    "0.0.0.0": "unspecified", "0.1.2.3": "this network", "10.1.2.3": "private", "100.64.0.1": "carrier-grade NAT",
    "100.100.100.200": "a cloud's metadata", "127.0.0.1": "loopback", "127.255.255.254": "loopback",
    "168.63.129.16": "a cloud's host agent", "169.254.169.254": "link-local: metadata", "172.16.0.1": "private",
    "172.31.255.255": "private", "192.0.0.192": "protocol assignments", "192.0.2.1": "documentation",
    "192.88.99.1": "6to4 relay", "192.168.1.1": "private", "198.18.0.1": "benchmarks", "198.51.100.1": "documentation",
    "203.0.113.1": "documentation", "224.0.0.1": "multicast", "239.255.255.250": "multicast", "240.0.0.1": "reserved",
    "255.255.255.255": "broadcast", "::": "unspecified", "::1": "loopback", "::127.0.0.1": "IPv4-compatible",
    "::ffff:127.0.0.1": "mapped", "::ffff:10.0.0.1": "mapped", "::ffff:0:127.0.0.1": "SIIT",
    "64:ff9b::127.0.0.1": "NAT64", "64:ff9b::a9fe:a9fe": "NAT64", "64:ff9b:1::1": "local NAT64", "100::1": "discard",
    "2001::1": "Teredo", "2001:0:7f00:1::": "Teredo", "2001:db8::1": "documentation", "3fff::1": "documentation",
    "2002:7f00:1::1": "6to4", "2002:c0a8:101::1": "6to4", "fc00::1": "unique local", "fd00:ec2::254": "metadata",
    "fe80::1": "link-local", "fe80::1%eth0": "link-local", "fec0::1": "site-local", "ff02::1": "multicast",
    "5f00::1": "SRv6",
}  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_public(address):
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", CLOSED, ids=lambda address: f"{address} {CLOSED[address]}")
def test_not_public(address):
    assert not is_public(ipaddress.ip_address(address))


@given(st.ip_addresses(v=4))
def test_every_wrapping_of_an_address_is_judged_by_the_address(address):
    number = int(address)
    wrappings = [(0xFFFF << 32) | number, (0x64FF9B << 96) | number, (0x2002 << 112) | (number << 80)]
    assert {is_public(ipaddress.IPv6Address(wrapping)) for wrapping in wrappings} == {is_public(address)}


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "00000000177.0.0.1",
     "::ffff:127.0.0.1", "[::ffff:7f00:1]", "127.0.0.1.", "127%2e0%2e0%2e1"],
)  # fmt: skip
def test_notations_of_one_address(host):
    assert canonical_host(host) == "127.0.0.1"


@pytest.mark.parametrize(
    "host", ["example.org", "7.example", "1password.com", "0x.example", "a", "", "1.2.3.4.5", "café"]
)
def test_names_are_no_addresses(host):
    assert literal_address(host) is None


@pytest.mark.parametrize(
    ("host", "local"),
    [("localhost", True), ("LOCALHOST.", True), ("blog.localhost", True), ("localhost.example.org", False),
     ("notlocalhost", False)],
)  # fmt: skip
def test_localhost(host, local):
    assert is_localhost(host) is local


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://Example.ORG/a", Origin("example.org", 80)),
        ("https://example.org./", Origin("example.org", 443)),
        ("http://127.1:8805/", Origin("127.0.0.1", 8805)),
        ("http://[::1]:81/", Origin("::1", 81)),
        ("http://good.example@127.0.0.1/", Origin("127.0.0.1", 80)),
    ],
)
def test_origin(url, origin):
    assert Origin.of(url) == origin


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "javascript:1",
        "file:///etc/passwd",
        "ftp://a/",
        "data:text/html,x",
        "http://",
        "http://a:99999/",
        "http://[::1/",
    ],
)
def test_no_origin(url):
    with pytest.raises(BadArgument):
        Origin.of(url)


@given(st.text())
def test_any_text_is_an_origin_or_a_bad_argument(text):
    try:
        origin = Origin.of(text)
    except BadArgument:
        return
    assert canonical_host(origin.host) == origin.host
