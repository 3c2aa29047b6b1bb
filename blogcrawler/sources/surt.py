"""SURT keys: the form of URLs by which web archives sort and find captures.

The host comes first, its labels reversed, so that all captures of a site, and all of a folder, are neighbours:
`http://www.Blog.example.org/2014/?b=2&a=1` is `org,example,blog)/2014?a=1&b=2`. The rules are those of the Internet
Archive's and pywb's indexes, which fold spellings of one address. A key is for look-ups, it cannot be turned back.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote_from_bytes, unquote_to_bytes

import idna

_PARTS = re.compile(
    r"(?:(?P<scheme>[a-z][a-z0-9+.-]*):)?//(?:[^/?#@]*@)*(?P<host>\[[^\]/?#]*\]|[^/?#:]*)(?::(?P<port>[0-9]*))?"
    r"(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?",
    re.IGNORECASE | re.DOTALL,
)
_DEFAULT_PORTS = {"http": "80", "https": "443"}
_PLAIN = re.compile(r"[!$&-~]*")  # without space, ", # and %
_SAFE = "".join(map(chr, range(33, 127))).replace("#", "").replace("%", "")
_WWW = re.compile(r"^www\d*\.")
_SESSION_FOLDER = re.compile(r"/(?:\((?:[a-z]\([0-9a-z]{24}\))+\)|\([0-9a-z]{24}\))(?=/)", re.IGNORECASE)
_SESSION_SUFFIX = re.compile(r";jsessionid=[0-9a-z.]{32,}$", re.IGNORECASE)
_SESSION_PARAMETER = re.compile(
    r"(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24}|cfid=.+|cftoken=.+", re.IGNORECASE
)


def surt_key(url: str) -> str:
    """The SURT key of a URL; a text that is no URL with a host is returned in lower case. O(n)."""
    return cased_key(url).lower()


def cased_key(url: str) -> str:
    """The SURT key with the letter case of path and query, which some servers distinguish. O(n)."""
    parts = _PARTS.match(url)
    if parts is None:
        return url
    scheme, host, port, path, query = parts.groups()
    where = _reversed_host(host)
    if port and port.lstrip("0") != _DEFAULT_PORTS.get((scheme or "http").lower()):
        where += f":{port}"
    return f"{where}){_path(path)}{_query(query) if query else ''}"


def key_ranges(url: str) -> list[tuple[str, str]]:
    """The ranges of keys, each from the first key to the first one after it, of the pages in the folder of `url`.

    They are the folder itself, its pages, and the folder with a query; for a home page at the root, one range.
    """
    key = surt_key(url.partition("?")[0])
    if key.endswith(")/"):
        return [(key, key[:-1] + "0")]
    return [(key, key + "\0"), (key + "/", key + "0"), (key + "?", key + "@")]


@lru_cache(1 << 12)
def _reversed_host(host: str) -> str:
    if host.startswith("["):
        return host.strip("[]").lower()
    name = unquote_to_bytes(host.strip().rstrip(".")).decode("utf-8", "replace").lower()
    if not name.isascii():
        try:
            name = idna.encode(name, uts46=True).decode("ascii")
        except UnicodeError:  # idna.IDNAError is a ValueError of this type
            name = quote_from_bytes(name.encode("utf-8", "replace"), _SAFE)
    return ",".join(reversed(_WWW.sub("", name).split(".")))


def _path(path: str) -> str:
    path = _unified(_SESSION_FOLDER.sub("", _SESSION_SUFFIX.sub("", path)))
    if "//" in path or "/." in path:
        kept: list[str] = []
        for segment in path.split("/"):
            if segment == "..":
                del kept[-1:]
            elif segment not in {"", "."}:
                kept.append(segment)
        path = "/".join(("", *kept))
    return path.rstrip("/") or "/"


def _query(query: str) -> str:
    kept = [part for part in _unified(query).split("&") if not _SESSION_PARAMETER.fullmatch(part)]
    text = "&".join(sorted(kept, key=str.lower))
    return f"?{text}" if text else ""


def _unified(text: str) -> str:
    """Decode what is percent-encoded, also twice, and encode again what has to be."""
    if _PLAIN.fullmatch(text):
        return text
    raw = text.encode("utf-8", "surrogatepass")
    for _ in range(4):
        raw, before = unquote_to_bytes(raw), raw
        if raw == before:
            break
    return quote_from_bytes(raw, _SAFE)
