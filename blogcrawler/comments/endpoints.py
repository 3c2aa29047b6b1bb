"""Endpoints of comment systems, as systems.toml describes them.

Requests are templates whose fields ("parts") are filled in from a page's source. JMESPath expressions read the comments
and the paging from the responses.
"""

from __future__ import annotations

import json
import re
from html import escape, unescape
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote, urljoin, urlsplit

from jmespath import search

from blogcrawler.feeds.texts import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

NUMBERS = ("page", "offset", "start", "least")
"""Template fields that are numbers in the JSON of a request."""
_TITLE = re.compile(r"<title[^>]{0,500}>([^<]{0,1000})", re.IGNORECASE)
_TAGS = re.compile(r"<(meta|link)\b([^<>]{1,1000})>", re.IGNORECASE)
_OG_TITLE = re.compile(r"""\bproperty\s{0,9}=\s{0,9}["']?og:title\b""", re.IGNORECASE)
_CANONICAL = re.compile(r"""\brel\s{0,9}=\s{0,9}["']?canonical\b""", re.IGNORECASE)
_EXTENSION = re.compile(r"\.\w+$")
_FIELD = re.compile(r"\{(\+?)(\w+)\}")
_RESERVED = ":/?#[]@!$&'()*+,;=%"
"""Characters that have a meaning in URLs (RFC 3986), and the percent sign."""


class CommentRequest(NamedTuple):
    url: str
    method: str = "GET"
    headers: Mapping[str, str] = MappingProxyType({})
    body: bytes = b""


def fill_request(request: Mapping[str, Any], parts: Mapping[str, str]) -> CommentRequest:
    """Fill in the fields of a `request` of systems.toml."""
    url = urljoin(parts["page_url"], _FIELD.sub(lambda field: _escaped(field, parts), request["url"]))
    templates = {"Referer": "{origin}/", "Accept": "application/json", **request.get("headers", {})}
    headers = {name: _fill(template, parts) for name, template in templates.items()}
    if "json" not in request:
        return CommentRequest(url, "GET", headers)
    body = json.dumps(_filled(request["json"], parts)).encode()
    return CommentRequest(url, "POST", {**headers, "Content-Type": "application/json"}, body)


def parts_of(specs: Mapping[str, Any], source: str, url: str) -> dict[str, str] | None:
    """The values of an endpoint's template fields, and of the fields that every page has. None if the page lacks one of
    them. O(n) in the source for each."""
    if any(isinstance(spec, (str, list)) and _found(spec, source) is None for spec in specs.values()):
        return None
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
    """The value of a template field, escaped for a URL (RFC 6570)."""
    is_address, value = bool(field[1]), parts[field[2]]
    return quote(value.rstrip("/"), safe=_RESERVED) if is_address else quote(value, safe="")


def _filled(value: Any, parts: Mapping[str, str]) -> Any:  # noqa: ANN401
    """Fill in the templates in JSON data; fields with unknown values are left out."""
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
    """A pattern for an HTML attribute in any notation; its group is the value."""
    return rf"""\b{name}\s{{0,9}}=\s{{0,9}}(?:"([^"]{{1,2000}})"|'([^']{{1,2000}})'|([^\s"'>]{{1,2000}}))"""


def _found(patterns: str | Sequence[str], source: str) -> str | None:
    """The matching group of the first pattern that matches."""
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        match = re.search(pattern, source)
        if match is not None and (value := (match[match.lastindex or 0]).strip()):
            return unescape(value)
    return None


def _of_every_page(source: str, url: str) -> dict[str, str]:
    """The template fields that every page has. `name` is the path in the form that the scripts of utterances and giscus
    use."""
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


def read_answer(body: bytes, within: str | None = None) -> Any:  # noqa: ANN401
    """Parse a response as JSON; None if it is invalid. If the JSON is inside a page, `within` is a pattern whose group
    is the JSON."""
    text = body.decode("utf-8", "replace")
    if within is not None:
        match = re.search(within, text, re.DOTALL)
        text = match[1] if match else ""
    return json_value(text)


def number(value: Any) -> int | None:  # noqa: ANN401
    """A number of comments or pages, which some servers send as text; None for other values."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value) if isinstance(value, str) and value.isdecimal() else None


def comments_in(items: list[Any], answer: Any, spec: Mapping[str, Any]) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    """Yield the fields of a response's comments, each comment before its replies. The additional field `is_top` is True
    for a comment that is no reply, `is_short` if a comment announces more replies than the response has."""
    waiting: list[tuple[Any, str | None]] = [(item, None) for item in reversed(items)]
    while waiting:
        item, above = waiting.pop()
        if "skip" in spec and search(spec["skip"], item):
            continue
        fields = {name: _field(item, answer, field) for name, field in spec["fields"].items()}
        values: dict[str, Any] = {name: value for name, value in fields.items() if value}
        values["parent"] = values.get("parent") or above or ""
        replies = search(spec["replies"], item) if "replies" in spec else None
        replies = replies if isinstance(replies, list) else []
        announced = number(search(spec["announced"], item)) if "announced" in spec else None
        waiting += [(reply, values.get("id")) for reply in reversed(replies)]
        yield {**values, "is_top": above is None, "is_short": (announced or 0) > len(replies)}


class Paging:
    """Decides whether a thread has a next page, and which values its request needs (`paging` in systems.toml)."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self._spec = spec
        self._page, self._comments = 1, 0
        self._parts: dict[str, str] = {}
        self.is_at_end = False

    @property
    def parts(self) -> dict[str, str]:
        """The template fields for the next request: `page` and `start` count from 1, `offset` from 0; `cursor`,
        `least`."""
        offset = self._comments
        return {"page": str(self._page), "offset": str(offset), "start": str(offset + 1), "cursor": "", **self._parts}

    def advance(self, answer: Any, items: Sequence[Any], comments: int, total: int | None) -> None:  # noqa: ANN401
        """Process a response with these `items`. `comments` is the number of comments known so far, `total` the
        announced one."""
        spec = self._spec
        adds_nothing, self._comments = comments == self._comments, comments
        if "pages" in spec:
            is_last = self._page >= (number(search(spec["pages"], answer)) or 1)
        elif "size" in spec:
            is_last = len(items) < spec["size"]
        elif "more" in spec:
            is_last = search(spec["more"], answer) is not True
        else:
            is_last = not spec.get("to_total") or comments >= (total or 0)
        self.is_at_end = is_last or adds_nothing
        self._page += 1
        if "cursor" in spec:
            self._parts["cursor"] = str(search(spec["cursor"], answer))
        if "least" in spec:
            counted = [item for item in items if "unless" not in spec or not search(spec["unless"], item)]
            values = [value for item in counted if (value := number(search(spec["least"], item))) is not None]
            self._parts["least"] = str(min(values, default=0))


def _field(item: Any, answer: Any, spec: Any) -> str:  # noqa: ANN401
    """A field of a comment; "" if it is missing."""
    if isinstance(spec, str):
        value = search(spec, item)
        return "" if value is None or isinstance(value, (dict, list)) else str(value)
    if isinstance(spec, list):
        return next(filter(None, (_field(item, answer, path) for path in spec)), "")
    value = _field(item, answer, spec["at"])
    if "table" in spec:
        value = _field(_entry(search(spec["table"], answer), value), answer, spec["value"])
    if "match" in spec:
        match = re.search(spec["match"], value)
        value = match[1] if match else ""
    if value in ("", spec.get("none")):
        return ""
    return _paragraphs(value) if spec.get("is_text") else value + spec.get("suffix", "")


def _entry(table: Any, key: str) -> Any:  # noqa: ANN401
    """The entry for a key in a table, which is a list of entries with an `id`, or an object with the keys."""
    if isinstance(table, list):
        return next((entry for entry in table if str(search("id", entry)) == key), None)
    return table.get(key) if isinstance(table, dict) else None


def _paragraphs(text: str) -> str:
    parts = (escape(part.strip()).replace("\n", "<br>") for part in re.split(r"\n\s*\n", text.strip()))
    return "".join(f"<p>{part}</p>" for part in parts if part)
