"""References in a page (`href`, `src`, `srcset`) as absolute URLs, as browsers resolve them."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string

from blogcrawler.routes import is_routed, out_of_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

#: Longer URLs are ignored; Scrapy's own limit.
MAX_URL_LENGTH = 2_083

#: Control characters and the space: removed at the ends of a reference (URL Standard, section 4.4).
_ENDS = "".join(map(chr, range(0x21)))
#: Removed anywhere in a reference.
_LINE_ENDS = str.maketrans("", "", "\t\n\r")
#: A host, with a port that needs no check: up to 64999 and without a leading 0.
_SITE = r"https?://[a-z0-9][a-z0-9.-]*(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}))?"
_PLAIN = re.compile(_SITE + r"(?:[/?][\w/.~!$&'()*+,;=:@%?-]*)?(?:#[\w/.~!$&'()*+,;=:@%?-]*)?", re.ASCII)
_PATH = r"(?:/[\w/.~!$&'()*+,:=@%-]*)?"
_REST = r"(?:\?[\w/.~!$&'()*+,;=:@%?-]+)?(?:#[\w/.~!$&'()*+,;=:@%?-]+)?"
#: An absolute URL that resolving does not change: without empty query, fragment or parameters.
_RESOLVED = re.compile(_SITE + _PATH + _REST, re.ASCII)
#: The part of such a URL after the origin; its path has no dot segments.
_ROOTED = re.compile(r"(?!//)(?=/)(?!\S*/\.)" + _PATH + _REST, re.ASCII)
_ORIGIN = re.compile(_SITE + r"(?=[/?#]|\Z)", re.ASCII)
#: The origin and folders of a base without dot segments, and the `../` at the start of a plain reference.
_FOLDER = re.compile(r"(" + _SITE + r")((?:/(?!\.)[\w.~!$&'()*+,:=@%-]+)*)/[^/?#]*(?:[?#]|\Z)", re.ASCII)
_STEPS = re.compile(r"(?:\.\./)+(?=\w)(?!\S*/[./])", re.ASCII)
_HOST = re.compile(r"[^\s/?#@:\[\]<>\\^|%\"'`{}]+|[0-9a-f:.]+")
#: A scheme without anything after it, which urljoin resolves to the page itself.
_NOTHING = re.compile(r"[a-z][a-z0-9+.-]*:/*", re.IGNORECASE)
_PATH_END = re.compile(r"[?#]")
#: Maximum number of candidates that are read of one `srcset`.
_MAX_CANDIDATES = 30
#: A URL may contain commas, but not end with one.
_CANDIDATE = re.compile(r"([^ \t\n\f\r,](?:[^ \t\n\f\r]*[^ \t\n\f\r,])?)([^,]*)")
_DESCRIPTOR = re.compile(r"\s*+(?:(\d{1,6}(?:\.\d{1,6})?[wx])(?:\s++\d{1,6}h)?)?\s*+", re.ASCII)


def resolve(reference: str, base: str) -> str | None:
    """The absolute http or https URL of `reference` in a page at `base`; None for other references.

    Spaces, control characters and non-ASCII letters are percent-encoded as UTF-8, backslashes in the path become
    slashes, and the fragment is kept. Never raises. Routes that are written as paths (`blogcrawler.routes`) are first
    restored to the form that the blog uses, in `base` and in the result.
    """
    url = _resolve_plain(reference, base) or _resolve(reference, out_of_path(base))
    return out_of_path(url) if url is not None else None


def _resolve(reference: str, base: str) -> str | None:
    reference = reference.strip(_ENDS).translate(_LINE_ENDS)
    if len(reference) > MAX_URL_LENGTH or _NOTHING.fullmatch(reference):
        return None
    if "\\" in reference:
        end = _PATH_END.search(reference)
        path = reference[: end.start()] if end else reference
        reference = path.replace("\\", "/") + reference[len(path) :]
    try:
        url = urljoin(base, reference)
        if not _PLAIN.fullmatch(url):
            url = safe_url_string(url)
        return url if len(url) <= MAX_URL_LENGTH and url.isascii() and _has_host(url) else None
    except ValueError:
        return None


def _resolve_plain(reference: str, base: str) -> str | None:
    """A fast `resolve` for plain references, which are the most frequent; None for others."""
    if (steps := _STEPS.match(reference)) and (folder := _FOLDER.match(base)) and not is_routed(base):
        folders = folder[2].split("/")[: -(steps.end() // 3)]
        reference = f"{folder[1]}{'/'.join(folders or [''])}/{reference[steps.end() :]}"
    if reference.startswith("/") and _ROOTED.fullmatch(reference) and (origin := _ORIGIN.match(base)):
        reference = origin[0] + reference
    elif not _RESOLVED.fullmatch(reference):
        return None
    return reference if len(reference) <= MAX_URL_LENGTH else None


def _has_host(url: str) -> bool:
    """True for an http or https URL with a valid host. Raises `ValueError` for an invalid port."""
    parts = urlsplit(url)
    _ = parts.port
    return parts.scheme in ("http", "https") and bool(_HOST.fullmatch(parts.hostname or ""))


def candidates(value: str) -> Iterator[tuple[str, str]]:
    """The URLs of a `srcset`, not resolved, with their descriptors (`2x`, `300w`, or empty).

    Candidates with an invalid descriptor are ignored, as in browsers. O(n).
    """
    for match in islice(_CANDIDATE.finditer(value), _MAX_CANDIDATES):
        if descriptor := _DESCRIPTOR.fullmatch(match[2]):
            yield match[1], descriptor[1] or ""


def absolute_srcset(value: str, base: str) -> str:
    """A `srcset` with absolute URLs; empty if no candidate is valid."""
    resolved = ((resolve(url, base), descriptor) for url, descriptor in candidates(value))
    return ", ".join(f"{url} {descriptor}".rstrip() for url, descriptor in resolved if url)


def widest(value: str) -> str:
    """The URL of the widest candidate, or of the first one if no widths are given; empty without candidates."""
    return max(
        candidates(value), key=lambda pair: float(pair[1][:-1]) if pair[1].endswith("w") else 0.0, default=("",)
    )[0]


def largest(value: str) -> str:
    """The URL of the candidate with the greatest width or density (default 1); empty without candidates."""
    return max(candidates(value), key=lambda pair: float(pair[1][:-1] or 1), default=("",))[0]


def sizes_of(image: HtmlElement) -> list[str]:
    """The URLs of an `img` and of the sources of its `picture`; the largest of each `srcset` come first."""
    sets = [element.get("srcset") or "" for element in (image, *_sources(image))]
    urls = [*map(largest, sets), image.get("src") or "", *(url for srcset in sets for url, _ in candidates(srcset))]
    return [url for url in urls if url]


def drop_sizes(image: HtmlElement) -> None:
    """Remove all sources of an `img` except its `src`."""
    for source in _sources(image):
        source.drop_tree()
    for name in ("srcset", "sizes"):
        image.attrib.pop(name, None)


def _sources(image: HtmlElement) -> list[HtmlElement]:
    above = image.getparent()
    return list(above.iterchildren("source")) if above is not None and above.tag == "picture" else []
