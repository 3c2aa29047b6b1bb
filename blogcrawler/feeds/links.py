"""Resolves the URLs in feeds, which may be relative or damaged by the feed's generator.

A damaged URL is repaired if only one reading is possible; else it is dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urljoin, urlsplit

from w3lib.url import safe_url_string

from blogcrawler.serialise import load_file

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_URL = 2_083
_MAX_HEADER = 8_000
_HEADER_LINK = re.compile(r"<([^<>]{1,2083})>((?:\s{0,9};[^,;<>]{0,300}){0,12})")
_BREAK = re.compile(r"(?<![ \t\r\n]) *+[\r\n\t][ \t\r\n]*+")
_SCHEME = re.compile(r"(https?):(/*)", re.IGNORECASE)
_OTHER_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}:(?!\d)")
_SLASHES = re.compile(r"(?<!:)/{2,}")
_HOST = re.compile(r"(?:[^\s/?#:@.]+\.)+[^\s/?#:@.\d][^\s/?#:@.]+", re.IGNORECASE)
_TEMPLATE = re.compile(r"(?:\{\{[^{}]{0,60}\}\}|%7B%7B.{0,60}?%7D%7D)", re.IGNORECASE)


@dataclass(frozen=True)
class LinkBase:
    """The base for resolving the links of a feed: `feed_url` is the URL of the feed, `home` the page that it names."""

    feed_url: str
    home: str | None = None

    def absolute(self, link: str | None) -> str | None:
        """Resolve a link of the feed to a percent-encoded URL; None if it is not a web URL. O(n)."""
        text = _BREAK.sub("", (link or "")[: 2 * _MAX_URL].strip())
        text = _TEMPLATE.sub("", text, count=1) if text[:3].lower() in ("{{", "%7b") or text.startswith("{{") else text
        if not text:
            return None
        try:
            url = self._placed(self._resolved(self._with_scheme(text)))
            safe = safe_url_string(url, encoding="utf-8") if url else ""
            parts = urlsplit(safe)
            is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 80) > 0
        except (ValueError, UnicodeError):
            return None
        return safe if is_usable and safe.isascii() and len(safe) <= _MAX_URL else None

    def _with_scheme(self, text: str) -> str:
        """Add the missing scheme to `example.org/x`, `http:/example.org/x` and `http://http://example.org/x`."""
        matched = _SCHEME.match(text)
        schemes = 0
        while matched and schemes < 3:
            rest, scheme, slashes = text[matched.end() :], matched[1].lower(), matched[2]
            schemes += 1
            inner = _SCHEME.match(rest)
            if inner is None:
                return f"{scheme}://{rest}" if len(slashes) == 2 or self._begins_with_host(rest) else f"/{rest}"
            text, matched = rest, inner
        if not text.startswith("/") and self._begins_with_host(text):
            return f"{urlsplit(self.feed_url).scheme}://{text}"
        return text

    def _begins_with_host(self, text: str) -> bool:
        first = re.split(r"[/?#:]", text, maxsplit=1)[0].lower()
        known = {_bare(urlsplit(url).hostname or "") for url in (self.feed_url, self.home) if url}
        if _bare(first) in known or first in _placeholders()["hosts"]:
            return True
        return first.startswith("www.") and bool(_HOST.fullmatch(first))

    def _resolved(self, text: str) -> str | None:
        if _OTHER_SCHEME.match(text) and not _SCHEME.match(text):
            return None
        return urljoin(self.home or self.feed_url, text)

    def _placed(self, url: str | None) -> str | None:
        """Replace a generator's placeholder host, such as localhost or undefined, by the feed's own host."""
        if not url:
            return None
        parts, feed = urlsplit(url), urlsplit(self.feed_url)
        if (
            parts.path.strip("/").partition("/")[0].lower() in _placeholders()["values"]
            and parts.hostname == feed.hostname
        ):
            parts = parts._replace(path=parts.path.lstrip("/").partition("/")[2])
        if _is_placeholder(parts) and parts.hostname != feed.hostname and not is_proxy(self.feed_url):
            parts = parts._replace(scheme=feed.scheme, netloc=feed.netloc)
        path = "/" + _SLASHES.sub("/", parts.path).lstrip("/")
        return parts._replace(path=path).geturl()


def header_links(header: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The links in a `Link` header with their parameters in lower case (RFC 8288). O(n)."""
    for target, parameters in _HEADER_LINK.findall(header[:_MAX_HEADER]):
        values: dict[str, str] = {}
        for part in parameters.split(";"):
            key, _, value = part.partition("=")
            values.setdefault(key.strip().lower(), value.strip().strip("\"'"))
        yield target, values


def is_proxy(url: str) -> bool:
    """True for a host that serves feeds of other sites."""
    host = urlsplit(url).hostname or ""
    return any(host == name or host.endswith(f".{name}") for name in _placeholders()["proxies"])


def same_site(one: str, other: str) -> bool:
    """True if two URLs have the same host, or one host is a subdomain of the other; www is ignored."""
    first, second = _bare(urlsplit(one).hostname or ""), _bare(urlsplit(other).hostname or "")
    if not first or not second:
        return False
    return first == second or first.endswith(f".{second}") or second.endswith(f".{first}")


def _bare(host: str) -> str:
    return host.lower().removeprefix("www.")


def _is_placeholder(parts: SplitResult) -> bool:
    host = (parts.hostname or "").lower()
    return host in _placeholders()["hosts"] or host in _placeholders()["values"]


@cache
def _placeholders() -> dict[str, frozenset[str]]:
    return load_file(dict[str, frozenset[str]], __package__, "hosts.json")
