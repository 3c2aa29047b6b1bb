"""What a page's source tells of the thread of comments on it: names, numbers and addresses that its script has."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urljoin, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["fill", "fill_url", "parts_of"]

_TITLE = re.compile(r"<title[^>]{0,500}>([^<]{0,1000})", re.IGNORECASE)
_TAGS = re.compile(r"<(meta|link)\b([^<>]{1,1000})>", re.IGNORECASE)
_OG_TITLE = re.compile(r"""\bproperty\s{0,9}=\s{0,9}["']?og:title\b""", re.IGNORECASE)
_CANONICAL = re.compile(r"""\brel\s{0,9}=\s{0,9}["']?canonical\b""", re.IGNORECASE)
_EXTENSION = re.compile(r"\.\w+$")
_FIELD = re.compile(r"\{(\+?)(\w+)\}")
_RESERVED = ":/?#[]@!$&'()*+,;=%"
"""Signs that have a meaning in addresses (RFC 3986), and the one that escapes."""


def parts_of(told: Mapping[str, Any], source: str, url: str) -> dict[str, str] | None:
    """The parts that `told` names (`parts` in data/endpoints.toml), and those that every page has.

    None where one is not in the page's source that must be. O(n) in the source for each.
    """
    parts = _of_every_page(source, url)
    for name, description in told.items():
        value = _part(description, source, parts)
        if value is None:
            return None
        parts[name] = value
    return parts


def fill(template: str, parts: Mapping[str, str]) -> str:
    """A template with its `{part}`s filled in."""
    return _FIELD.sub(lambda field: parts[field[2]], template)


def fill_url(template: str, parts: Mapping[str, str]) -> str:
    """The same for a URL: in `{part}` all signs are escaped, in `{+part}` those that have no meaning (RFC 6570)."""

    def escaped(field: re.Match[str]) -> str:
        is_address, value = bool(field[1]), parts[field[2]]
        return quote(value.rstrip("/"), safe=_RESERVED) if is_address else quote(value, safe="")

    return urljoin(parts["page_url"], _FIELD.sub(escaped, template))


def _part(description: Any, source: str, parts: Mapping[str, str]) -> str | None:  # noqa: ANN401
    if isinstance(description, (str, list)):
        return _found(description, source)
    searched = parts[description["in"]] if "in" in description else source
    patterns = _attribute(description["attribute"]) if "attribute" in description else description["match"]
    found = _found(patterns, searched)
    if found is None:
        return fill(description["else"], parts) if "else" in description else None
    for pattern, template in description.get("as", ()):
        if (match := re.search(pattern, found)) is not None:
            return fill(template, {**parts, "0": match[1] if match.lastindex else match[0]})
    return None if "as" in description else found


def _attribute(name: str) -> str:
    """A pattern whose group is the value of an attribute, however it is written."""
    return rf"""\b{name}\s{{0,9}}=\s{{0,9}}(?:"([^"]{{1,2000}})"|'([^']{{1,2000}})'|([^\s"'>]{{1,2000}}))"""


def _found(patterns: str | Sequence[str], source: str) -> str | None:
    """What the first pattern that is met has in its group, or in the one of several that is met."""
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        match = re.search(pattern, source)
        if match is not None and (value := (match[match.lastindex or 0]).strip()):
            return unescape(value)
    return None


def _of_every_page(source: str, url: str) -> dict[str, str]:
    """What data/endpoints.toml says that every page has.

    `name` is what the scripts of utterances and giscus make of a path: it is without an extension.
    """
    split = urlsplit(url)
    path = split.path or "/"
    title = _TITLE.search(source)
    tags = [(match[1].lower(), match[2]) for match in _TAGS.finditer(source)]
    og_title = next((marks for name, marks in tags if name == "meta" and _OG_TITLE.search(marks)), "")
    canonical = next((marks for name, marks in tags if name == "link" and _CANONICAL.search(marks)), "")
    return {
        "page_url": url.partition("#")[0],
        "origin": f"{split.scheme}://{split.netloc}",
        "host": split.netloc,
        "path": path,
        "decoded_path": unquote(path),
        "name": _EXTENSION.sub("", path[1:]) if len(path) > 1 else "index",
        "title": unescape(title[1]).strip() if title else "",
        "og_title": _found(_attribute("content"), og_title) or "",
        "canonical": _found(_attribute("href"), canonical) or url.partition("#")[0],
    }
