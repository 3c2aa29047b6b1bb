"""Requests to comment systems: templates of systems.toml, filled in with what a page's source says of its thread."""

from __future__ import annotations

import json
import re
from html import unescape
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote, urljoin, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NUMBERS = ("page", "offset", "start", "least")
"""Parts that are numbers in a request's JSON."""
_TITLE = re.compile(r"<title[^>]{0,500}>([^<]{0,1000})", re.IGNORECASE)
_TAGS = re.compile(r"<(meta|link)\b([^<>]{1,1000})>", re.IGNORECASE)
_OG_TITLE = re.compile(r"""\bproperty\s{0,9}=\s{0,9}["']?og:title\b""", re.IGNORECASE)
_CANONICAL = re.compile(r"""\brel\s{0,9}=\s{0,9}["']?canonical\b""", re.IGNORECASE)
_EXTENSION = re.compile(r"\.\w+$")
_FIELD = re.compile(r"\{(\+?)(\w+)\}")
_RESERVED = ":/?#[]@!$&'()*+,;=%"
"""Characters that have a meaning in addresses (RFC 3986), and the one that escapes."""


class Question(NamedTuple):
    """A request for comments."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = MappingProxyType({})
    body: bytes = b""


def question(request: Mapping[str, Any], parts: Mapping[str, str]) -> Question:
    """A `request` of systems.toml with its parts filled in."""
    url = urljoin(parts["page_url"], _FIELD.sub(lambda field: _escaped(field, parts), request["url"]))
    templates = {"Referer": "{origin}/", "Accept": "application/json", **request.get("headers", {})}
    headers = {name: _fill(template, parts) for name, template in templates.items()}
    if "json" not in request:
        return Question(url, "GET", headers)
    body = json.dumps(_filled(request["json"], parts)).encode()
    return Question(url, "POST", {**headers, "Content-Type": "application/json"}, body)


def parts_of(specs: Mapping[str, Any], source: str, url: str) -> dict[str, str] | None:
    """The `parts` of an endpoint, with those that every page has; None where the page lacks a necessary one.

    O(n) in the source for each.
    """
    parts = _of_every_page(source, url)
    for name, spec in specs.items():
        value = _part(spec, source, parts)
        if value is None:
            return None
        parts[name] = value
    return parts


def _fill(template: str, parts: Mapping[str, str]) -> str:
    return _FIELD.sub(lambda field: parts[field[2]], template)


def _escaped(field: re.Match[str], parts: Mapping[str, str]) -> str:
    """The value of a field of a URL (RFC 6570)."""
    is_address, value = bool(field[1]), parts[field[2]]
    return quote(value.rstrip("/"), safe=_RESERVED) if is_address else quote(value, safe="")


def _filled(value: Any, parts: Mapping[str, str]) -> Any:  # noqa: ANN401
    """JSON types with their templates filled in; values that are not known yet are left out."""
    if isinstance(value, dict):
        return {name: _filled(one, parts) for name, one in value.items() if not _is_unknown(one, parts)}
    if not isinstance(value, str):
        return value
    return int(parts[value[1:-1]]) if value[1:-1] in NUMBERS else _fill(value, parts)


def _is_unknown(value: Any, parts: Mapping[str, str]) -> bool:  # noqa: ANN401
    return isinstance(value, str) and value[:1] == "{" and value[1:-1] not in parts


def _part(spec: Any, source: str, parts: Mapping[str, str]) -> str | None:  # noqa: ANN401
    if isinstance(spec, (str, list)):
        return _found(spec, source)
    searched = parts[spec["in"]] if "in" in spec else source
    found = _found(_attribute(spec["attribute"]) if "attribute" in spec else spec["match"], searched)
    if found is None:
        return _fill(spec["else"], parts) if "else" in spec else None
    for pattern, template in spec.get("as", ()):
        if (match := re.search(pattern, found)) is not None:
            return _fill(template, {**parts, "0": match[1] if match.lastindex else match[0]})
    return None if "as" in spec else found


def _attribute(name: str) -> str:
    """A pattern whose group is the value of an attribute, however it is written."""
    return rf"""\b{name}\s{{0,9}}=\s{{0,9}}(?:"([^"]{{1,2000}})"|'([^']{{1,2000}})'|([^\s"'>]{{1,2000}}))"""


def _found(patterns: str | Sequence[str], source: str) -> str | None:
    """The group of the first pattern that matches; of several groups the one that does."""
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        match = re.search(pattern, source)
        if match is not None and (value := (match[match.lastindex or 0]).strip()):
            return unescape(value)
    return None


def _of_every_page(source: str, url: str) -> dict[str, str]:
    """The parts that every page has. `name` is what the scripts of utterances and giscus make of a path."""
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
