"""URLs: their canonical form, their identity, which of them belong to a blog, and what a user may type.

There are three forms. The *canonical* URL is fetched and recorded: the site's URL in a uniform spelling and without
noise (fragment, tracking parameters, session ids). Its *identity* is a key, not a URL: two URLs with the same identity
are the same page, and are fetched once. The *site* is the host without "www.". If fragments denote pages, `routed`
keeps them as paths: see `blogcrawler.routes`.
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache, lru_cache
from sys import intern
from typing import TYPE_CHECKING, NamedTuple, NoReturn, Self
from urllib.parse import quote, unquote, urljoin

import idna
from w3lib.url import canonicalize_url

from blogcrawler.errors import BadArgument
from blogcrawler.routes import into_path, is_routed, out_of_path
from blogcrawler.serialise import load_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tldextract import TLDExtract

#: characters; longer URLs are not fetched (the limit of Scrapy and of old browsers)
MAX_URL_LENGTH = 2083

#: size of the caches of URLs, since the pages of a blog have mostly the same links
_KEPT = 1 << 11

_DEFAULT_PORTS = {"http": 80, "https": 443}
_SCHEME = re.compile(r"(https?):[/\\]*", re.IGNORECASE)
_ABSOLUTE = re.compile(r"https?://[^/\\]")
_OTHER_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(?!\d+(?:[/?#]|$))", re.IGNORECASE)
_FEED_SCHEME = re.compile(r"feed:(?://)?(?=https?:)", re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_INVISIBLE = re.compile(r"[\t\n\r]")
_EDGES = "".join(map(chr, range(33))) + "\x7f\xa0\u200b\ufeff"
_PERCENT = re.compile(r"%(?:([0-9A-Fa-f]{2}))?")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_QUERY_SAFE = "%!$&'()*+,;=:@/?-._~[]|"
_UNCOMMON_PATH = re.compile(r"[^A-Za-z0-9/_~.-]|/\.")
_FOLDED = re.compile(r"[%;]")
_DEFAULT_PAGE = re.compile(r"/index\.(?:html?|php)(?=$|%23(?:!?%2F|!%23)/)", re.IGNORECASE)
_PAGE_EXTENSIONS = frozenset({"htm", "html", "jsonl", "toml", "yaml", "yml"})
_CREDENTIALS = re.compile(r"//[^/@]*@")
_TOKEN = re.compile(r"(?=[^0-9]*[0-9])[A-Za-z0-9,-]{16,}")


class _Parts(NamedTuple):
    """The parts of a URL: host in lower-case ASCII, port None if it is the scheme's default."""

    scheme: str
    host: str
    port: int | None
    path: str
    query: str


@lru_cache(_KEPT)
def canonicalise(url: str) -> str:
    """Return the uniform spelling of `url`, which is fetched and stored.

    Scheme and host are lower-case ASCII (IDNA 2008), without user name, default port and trailing dot. Percent-encoding
    is unified and dot segments are resolved (RFC 3986, section 6.2.2); reserved characters stay as written, encoded or
    not, since servers may distinguish them. Fragment, session ids, tracking parameters and empty parameters are removed
    (`data/tracking_parameters.txt`, `data/session_folders.txt`). Parameters keep their order and form, which matters to
    some servers; `identity` sorts them. A trailing slash is kept, since only the server knows its meaning. Idempotent,
    linear.

    Raises BadArgument if it is not an http(s) URL.
    """
    parts = _split(url)
    return f"{parts.scheme}://{_netloc(parts)}{_clean_path(parts.path)}{_clean_query(parts.query)}"


def routed(url: str) -> str:
    """The canonical URL in which a route, if any, is kept as a path, since two routes are two pages. O(n).

    Idempotent; equal to `canonicalise` for a URL without a route. Raises BadArgument if it is not an http(s) URL.
    """
    page, _, fragment = url.partition("#")
    return canonicalise(into_path(f"{canonicalise(page)}#{fragment}"))


def resolve(base: str, link: str, *, has_routes: bool = False) -> str | None:
    """The canonical URL of a link on the page `base`; None if it is not an http(s) URL.

    A route is kept if the blog `has_routes`, or if `base` has one: see `routed`.
    """
    try:
        link = link.strip(_EDGES)
        url = link if _ABSOLUTE.match(link) else urljoin(out_of_path(base), link)
        return routed(url) if has_routes or is_routed(base) else canonicalise(url)
    except (BadArgument, ValueError):
        return None


def leads_back(url: str, link: str) -> bool:
    """True if a link on the page `url` leads to the same page."""
    own, target = (key and identity(key) for key in (resolve(url, ""), resolve(url, link)))
    return bool(own and target) and target in (own, with_other_slash(own or ""))


@lru_cache(_KEPT)
def identity(url: str) -> str:
    """A key that is equal for all URLs of the same page; not a URL itself.

    In addition to `canonicalise`: without scheme, site instead of host, reserved characters in the path decoded,
    parameters sorted, and without index.html and index.php, which servers return for a folder.

    Raises BadArgument if it is not an http(s) URL.
    """
    canonical = canonicalise(url)
    address, _, query = canonical.partition("?")
    _, _, rest = address.partition("://")
    netloc, _, path = rest.partition("/")
    path = _DEFAULT_PAGE.sub("/", _fold_reserved(f"/{path}"))
    key = f"{_site_of(netloc)}{path}" + (f"?{'&'.join(sorted(query.split('&')))}" if query else "")
    return intern(key)  # a crawl stores it in many places, so equal texts share one object


def identities(urls: Iterable[str]) -> list[str]:
    """The identities of URLs; invalid URLs are skipped."""
    return [identity(url) for url in urls if is_http(url)]


def slashless(url: str) -> str:
    """The identity of a page without a final slash."""
    return identity(url).rstrip("/")


def with_other_slash(key: str) -> str:
    """The key with a final slash added or removed, since servers redirect from one form to the other."""
    return key.removesuffix("/") if key.endswith("/") else f"{key}/"


@lru_cache(_KEPT)
def is_http(url: str) -> bool:
    """True for an absolute http(s) URL with a host."""
    try:
        _split(url)
    except BadArgument:
        return False
    return True


@lru_cache(_KEPT)
def site(url: str) -> str:
    """The host without "www.", with its port if it is not the default; equal for all countries of a mirrored platform.

    Raises BadArgument if it is not an http(s) URL.
    """
    return _site_of(_netloc(_split(url)))


def same_site(a: str, b: str) -> bool:
    """True if both URLs are on the same site; blog.example.org and example.org are different.

    False for invalid URLs.
    """
    try:
        return site(a) == site(b)
    except BadArgument:
        return False


def origin(url: str) -> str:
    """Scheme, host and port of an http(s) URL."""
    return "//".join(url.split("/", 3)[:3:2])


@cache
def server_of(host: str) -> str:
    """The registered domain of a host, whose hosts may all be one server; the host itself if there is none.

    For a.blogspot.com it is blogspot.com, though b.blogspot.com is another site.
    """
    return _public_suffixes()(host).top_domain_under_registry_suffix or host


@dataclass(frozen=True)
class Scope:
    """The sites that belong to a blog, not limited to its folder."""

    #: in the form of `site`; the home page's site comes first
    sites: tuple[str, ...]
    #: True for URLs of posts that were removed on request
    is_removed: Callable[[str], bool] | None = field(default=None, compare=False)

    @classmethod
    def of(cls, home: str, links: Iterable[str] = (), versions: Iterable[str] = ()) -> Self:
        """The scope of the blog at `home` with these `links` in its feed.

        Another site belongs to the blog if most of the links lead there. A site under the same registrable domain also
        belongs to it if at least a fifth of the links (and two) lead there, or if one of the `versions`, its pages in
        other languages, is there. Invalid links are skipped. Raises BadArgument if `home` is not an http(s) URL.
        """
        posts = [link for link in (resolve(home, link_found) for link_found in links) if link]
        home_site = site(home)
        counts = Counter(site(link) for link in posts)
        other_sites = [
            name
            for name, count in counts.most_common()
            if name != home_site
            and (
                2 * count > len(posts)
                or (count >= max(2, len(posts) / 5) and _domain_of(name) == _domain_of(home_site))
            )
        ]
        named = (site(link) for link_found in versions if (link := resolve(home, link_found)))
        other_sites += [name for name in named if _domain_of(name) == _domain_of(home_site)]
        return cls(tuple(dict.fromkeys((home_site, *other_sites))))

    def covers(self, url: str) -> bool:
        """True if `url` is on one of the blog's sites and is not a removed post."""
        try:
            return site(url) in self.sites and not (self.is_removed is not None and self.is_removed(url))
        except BadArgument:
            return False


@lru_cache(_KEPT // 4)  # the links that all pages have
def is_page_like(url: str) -> bool:
    """False if the file extension is certainly not that of a page (`data/no_page_extensions.txt`)."""
    path = re.split(r"[?#]", url, maxsplit=1)[0]
    segment = path.rpartition("/")[2]
    if "://" in path and path.count("/") < 3:
        return True
    return segment.rpartition(".")[2].lower() not in _no_page_extensions() if "." in segment else True


def is_path(typed: str) -> bool:
    """True if a user typed the path of a file, or a name with a file's extension that is under no public suffix."""
    if typed.startswith(("/", "./", "../", "~/")):
        return not typed.startswith("//")
    extension = typed.rpartition(".")[2].lower()
    if {"/", ":"}.intersection(typed) or (extension not in _PAGE_EXTENSIONS and is_page_like(typed)):
        return False
    return "." in typed and not _public_suffixes()(typed).suffix


def parse_start_url(text: str) -> str:
    """The canonical URL for a user's input: "example.org", "Example.org/blog", " HTTPS://example.org ".

    The default scheme is http. Raises BadArgument with advice for the user.
    """
    typed = _FEED_SCHEME.sub("", text.strip(_EDGES + "<>\"'"))
    if not typed:
        raise BadArgument("No address was given; give the blog's home page, such as example.org.")
    typed = _with_scheme(typed)
    authority = re.split(r"[/?#\\]", _SCHEME.sub("", typed, count=1), maxsplit=1)[0]
    if "@" in authority:
        _refuse(text, "a user name is not allowed; remove the text before the @")
    return canonicalise(typed)


def _with_scheme(typed: str) -> str:
    if typed.lower().startswith("feed://"):
        return f"http://{typed[7:]}"
    scheme = _OTHER_SCHEME.match(typed)
    if scheme and scheme[1].lower() in _DEFAULT_PORTS:
        return typed
    if scheme:
        _refuse(typed, f'"{scheme[1]}:" cannot be crawled; give an address that begins with http:// or https://')
    address = typed.removeprefix("//")
    host = re.split(r"[/?#:\\]", address, maxsplit=1)[0]
    if "." not in host.strip(".") and host.lower() != "localhost" and not host.startswith("["):
        _refuse(typed, "it has no host name; give the blog's home page, such as example.org")
    return f"http://{address}"


def _split(url: str) -> _Parts:
    """Split a URL as browsers do (WHATWG URL). Raises BadArgument."""
    text = _INVISIBLE.sub("", url.strip(_EDGES))
    scheme = _SCHEME.match(text)
    if not scheme:
        _refuse(url, "it does not begin with http:// or https://")
    rest = text[scheme.end() :].partition("#")[0]
    address, _, query = rest.partition("?")
    authority, slash, path = address.replace("\\", "/").partition("/")
    host, port = _host_and_port(authority.rpartition("@")[2], url)
    name = scheme[1].lower()
    return _Parts(name, host, None if port == _DEFAULT_PORTS[name] else port, slash + path or "/", query)


def _host_and_port(netloc: str, url: str) -> tuple[str, int | None]:
    host, colon, port = netloc.rpartition(":") if not netloc.endswith("]") else (netloc, "", "")
    if not colon:
        host, port = netloc, ""
    if port and not (port.isascii() and port.isdigit() and len(port) < 9 and 0 < int(port) < 65536):
        _refuse(url, f'"{port[:20]}" is not a port; ports are numbers from 1 to 65535')
    return _ascii_host(host, url), int(port) if port else None


def _ascii_host(host: str, url: str) -> str:
    if host.startswith("["):
        try:
            return f"[{ipaddress.IPv6Address(host.strip('[]'))}]"
        except ValueError:
            _refuse(url, f'"{host[:60]}" is not an IPv6 address')
    name = unquote(host).rstrip(".").lower()
    if not name:
        _refuse(url, "it has no host name; give the blog's home page, such as example.org")
    if re.search(r"\s", name):
        _refuse(url, f'there is a space in the host name "{name[:60]}"; leave it out')
    if not name.isascii():
        name = _to_idna(name, url)
    if len(name) > 253 or not _HOST.fullmatch(name):
        _refuse(url, f'"{name[:60]}" is not a host name')
    return name


def _to_idna(name: str, url: str) -> str:
    """Convert a host to IDNA 2008 as browsers do; the older rules apply to what it does not allow (pictographs)."""
    if len(name) > 253:
        _refuse(url, f'"{name[:60]}" is not a host name')
    try:
        return idna.encode(name, uts46=True).decode("ascii").rstrip(".").lower()
    except UnicodeError:  # idna.IDNAError is a ValueError
        pass
    try:
        return name.encode("idna").decode("ascii").lower()
    except UnicodeError:
        _refuse(url, f'"{name[:60]}" is not a host name')


def _refuse(url: str, reason: str) -> NoReturn:
    printed = _CREDENTIALS.sub("//…@", "".join(filter(str.isprintable, url[:200])).strip())
    printed = f"{printed[:100]}…" if len(printed) > 100 else printed
    raise BadArgument(f'The address "{printed}" cannot be used: {reason}.', url=url)


def _domain_of(site_name: str) -> str:
    """The registrable domain, or the site itself if there is none (IP addresses, hosts of one word)."""
    return _public_suffixes()(site_name).top_domain_under_public_suffix or site_name


def _netloc(parts: _Parts) -> str:
    return parts.host if parts.port is None else f"{parts.host}:{parts.port}"


def _site_of(netloc: str) -> str:
    bare = netloc.removeprefix("www.")
    mirrored = _mirrored_host().fullmatch(bare)
    return f"{mirrored[1]}.com" if mirrored else bare


def _unify_percent(text: str, safe: str) -> str:
    """Normalise percent-encoding: unreserved characters plain, hexadecimal digits in upper case, a stray % as %25."""

    def spell(match: re.Match[str]) -> str:
        if not match[1]:
            return "%25"
        character = chr(int(match[1], 16))
        return character if character in _UNRESERVED else match[0].upper()

    return quote(_PERCENT.sub(spell, text).encode("utf-8", "replace"), safe=safe)


def _clean_path(path: str) -> str:
    if not _UNCOMMON_PATH.search(path):
        return path
    if ";" in path:
        path = "/".join(_without_session(segment) for segment in path.split("/"))
    if "(" in path or "%28" in path:
        path = "/".join(segment for segment in path.split("/") if not _session_folder().fullmatch(unquote(segment)))
    return _without_dots(_unify_percent(path, "%!$&'()*+,;=:@/-._~[]|")) or "/"


def _without_dots(path: str) -> str:
    """The path without `.` and `..` (RFC 3986, section 5.2.4)."""
    if "/." not in path:
        return path
    segments: list[str] = []
    for segment in path[1:].split("/"):
        if segment == "..":
            del segments[-1:]
        elif segment != ".":
            segments.append(segment)
    if path.endswith(("/.", "/..")):
        segments.append("")
    return f"/{'/'.join(segments)}"


def _fold_reserved(path: str) -> str:
    """Decode reserved characters in a path, except those that separate parts of a URL (w3lib)."""
    return canonicalize_url(f"http://h{path}").removeprefix("http://h") if _FOLDED.search(path) else path


def _without_session(segment: str) -> str:
    name, *parameters = segment.split(";")
    return ";".join([name, *(parameter for parameter in parameters if not _is_noise(parameter))])


def _clean_query(query: str) -> str:
    if not query:
        return ""
    spelled = _unify_percent(query.replace("&amp;", "&"), _QUERY_SAFE)
    parameters = [parameter for parameter in spelled.split("&") if parameter and not _is_noise(parameter)]
    return f"?{'&'.join(parameters)}" if parameters else ""


def _is_noise(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    name = unquote(name).lower()
    exact, prefixes = _noise()
    if name.startswith(prefixes):
        return True
    return any(_fits(value, pattern) for pattern in exact.get(name, ()))


def _fits(value: str, pattern: str) -> bool:
    """True if a parameter's value matches `*`, `<token>`, `start*` or an exact value."""
    if pattern == "<token>":
        return _TOKEN.fullmatch(value) is not None
    if pattern.endswith("*"):
        return value.lower().startswith(pattern[:-1])
    return value.lower() == pattern


@cache
def _public_suffixes() -> TLDExtract:
    """The public suffix list in tldextract's package; nothing is fetched or written."""
    from tldextract import TLDExtract  # importing it loads an HTTP client that is not used

    return TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)


@cache
def _noise() -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Value patterns by parameter name, and the prefixes of names."""
    exact: dict[str, tuple[str, ...]] = {}
    prefixes = []
    for line in load_lines("blogcrawler", "tracking_parameters.txt"):
        name, equals, value = line.partition("=")
        if name.endswith("*"):
            prefixes.append(name[:-1])
        else:
            exact[name] = (*exact.get(name, ()), value if equals else "*")
    return exact, tuple(prefixes)


@cache
def _no_page_extensions() -> frozenset[str]:
    return frozenset(word for line in load_lines("blogcrawler", "no_page_extensions.txt") for word in line.split())


@cache
def _session_folder() -> re.Pattern[str]:
    return re.compile("|".join(load_lines("blogcrawler", "session_folders.txt")))


@cache
def _mirrored_host() -> re.Pattern[str]:
    platforms = "|".join(map(re.escape, load_lines("blogcrawler", "mirrored_hosts.txt")))
    return re.compile(rf"([a-z0-9.-]+\.(?:{platforms}))\.(?:com?\.)?[a-z]{{2,3}}")
