"""SURT: addresses as indexes of web archives sort them, the host from its end, so that what is near stands together."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_WWW = re.compile(r"(https?://)www\d*\.", re.IGNORECASE)
_HTTP = re.compile(r"https?://", re.IGNORECASE)
_UNSAFE = re.compile(r"[\s\x00-\x20\x7f]")
_PORTS = {"http": 80, "https": 443}


def surt(url: str) -> str:
    """The key of an address: `org,example)/a?b&c` for `http://www.Example.org/A?c&b#d`; other than http(s) as it is.

    It is that by which ReplayWeb.page looks addresses up in an index. O(n log n), for the parameters are sorted.
    """
    url = _UNSAFE.sub(lambda found: f"%{ord(found[0]):02x}" if ord(found[0]) < 128 else "", url)
    if not _HTTP.match(url):
        return url
    try:
        parts = urlsplit(_WWW.sub(r"\1", url).lower())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return url
    name = f"[{host}]" if ":" in host else ",".join(reversed(host.split(".")))
    end = "" if port is None or port == _PORTS[parts.scheme] else f":{port}"
    query = f"?{'&'.join(sorted(parts.query.split('&')))}" if parts.query else ""
    return f"{name}{end}){parts.path or '/'}{query}"
