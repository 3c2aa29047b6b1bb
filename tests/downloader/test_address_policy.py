"""What one crawl may reach."""

from __future__ import annotations

import ipaddress

import pytest

from blogcrawler.downloader import AddressPolicy
from blogcrawler.downloader.addresses import Origin
from blogcrawler.errors import BadArgument

LOOPBACK, PRIVATE, PUBLIC = (ipaddress.ip_address(text) for text in ("127.0.0.1", "10.0.0.5", "93.184.215.14"))


def test_nothing_private_without_a_start():
    policy = AddressPolicy()
    assert policy.permitted(Origin("blog.example", 80), [LOOPBACK, PUBLIC, PRIVATE]) == [PUBLIC]


def test_a_private_start_opens_its_own_port_alone():
    policy = AddressPolicy("http://127.0.0.1:8805/blog/")
    assert policy.refusal("http://127.0.0.1:8805/other") is None
    assert policy.refusal("http://2130706433:8805/") is None
    for url in ("http://127.0.0.1:8806/", "http://127.0.0.1/", "https://127.0.0.1/", "http://localhost:8805/"):
        assert "ALLOWED_PRIVATE_HOSTS" in (policy.refusal(url) or ""), url


def test_the_name_of_the_start_must_be_the_same():
    policy = AddressPolicy("http://blog.intranet:8080/")
    assert policy.permitted(Origin("blog.intranet", 8080), [PRIVATE]) == [PRIVATE]
    assert policy.permitted(Origin("blog.intranet", 8081), [PRIVATE]) == []
    assert policy.permitted(Origin("evil.example", 8080), [PRIVATE]) == []


def test_a_public_start_does_not_become_private():
    policy = AddressPolicy("http://evil.example/")
    assert policy.permitted(Origin("evil.example", 80), [PUBLIC]) == [PUBLIC]
    assert policy.permitted(Origin("evil.example", 80), [LOOPBACK]) == []


def test_a_start_with_public_and_private_addresses_is_public():
    policy = AddressPolicy("http://evil.example/")
    assert policy.permitted(Origin("evil.example", 80), [LOOPBACK, PUBLIC]) == [PUBLIC]


def test_a_failed_look_up_settles_nothing():
    policy = AddressPolicy("http://blog.intranet/")
    assert policy.permitted(Origin("blog.intranet", 80), []) == []
    assert policy.permitted(Origin("blog.intranet", 80), [PRIVATE]) == [PRIVATE]


def test_a_start_without_a_scheme_is_read_as_http():
    assert AddressPolicy("127.0.0.1:8805/blog").refusal("https://127.0.0.1:8805/") is None


def test_private_starts_can_be_forbidden():
    assert AddressPolicy("http://127.0.0.1:8805/", private_start=False).refusal("http://127.0.0.1:8805/")


@pytest.mark.parametrize(
    ("entry", "url", "open_"),
    [
        ("127.0.0.1", "http://127.0.0.1:81/", True),
        ("127.0.0.1:81", "http://127.0.0.1:81/", True),
        ("127.0.0.1:81", "http://127.0.0.1:82/", False),
        ("127.0.0.0/8", "http://127.8.8.8/", True),
        ("127.0.0.0/8", "http://localhost/", True),
        ("10.0.0.0/8", "http://127.0.0.1/", False),
        ("localhost:81", "http://localhost:81/", True),
        ("localhost:81", "http://127.0.0.1:81/", False),
        ("[::1]:81", "http://[::1]:81/", True),
        ("::1", "http://[::1]:81/", True),
        ("fd00::/8", "http://[fd12::1]/", True),
    ],
)
def test_allowed_hosts(entry, url, open_):
    assert (AddressPolicy(allowed=[entry]).refusal(url) is None) is open_


def test_an_allowed_name_with_a_port():
    policy = AddressPolicy(allowed=["Blog.Intranet:8080"])
    assert policy.permitted(Origin("blog.intranet", 8080), [PRIVATE]) == [PRIVATE]
    assert policy.permitted(Origin("blog.intranet", 80), [PRIVATE]) == []


@pytest.mark.parametrize("entry", ["", "10.0.0.0/99", "http://a/", "a:b", "a b", "user@a", "a:80/x"])
def test_entries_that_mean_nothing(entry):
    with pytest.raises(BadArgument, match="ALLOWED_PRIVATE_HOSTS"):
        AddressPolicy(allowed=[entry])


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "data:text/html,x", "ftp://example.org/", "javascript:1", "s3://b/k"]
)
def test_only_the_web(url):
    assert AddressPolicy("http://example.org/").refusal(url)
