"""Read the JSON-LD of a page as values with paths: `BlogPosting/author/name`.

A path begins with the type of the outermost object with a type, or of a member of its @graph. Lists add nothing to a
path; references to other objects of the page (@id) are followed once. See JSON-LD 1.1 (W3C) and schema.org.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from html import unescape
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from blogcrawler.dom import legal_text
from blogcrawler.wrapper.core.rules import LINKED, LINKED_SCRIPTS, select

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.html import HtmlElement

MAX_SIZE = 300_000
"""Maximum length, in characters, of a script that is read."""
LONGEST = 400
"""Maximum length, in characters, of a value; a longer one is an article or its description."""
MAX_DEPTH = 6
MAX_VALUES = 2000
"""Maximum number of values that are read, including empty ones."""
ENTITY = re.compile(r"&(?:#\d{2,6}|#[xX][0-9a-fA-F]{2,5}|[A-Za-z]{2,8}\d?);")
MOST_ESCAPED = 3
"""Maximum number of levels of escaping of a text."""
WRAPPING = " \t\r\n;"
COMMENT_MARKS = ("<!--", "-->", "//<![CDATA[", "//]]>", "<![CDATA[", "]]>")
Values = dict[str, list[str]]


def linked_data(tree: HtmlElement) -> Mapping[str, list[str]]:
    """All short values of a page's JSON-LD by path, in page order. O(n); never raises."""
    return _read(tuple(node.text for node in select(tree, LINKED_SCRIPTS) if node.text))


def linked_values(tree: HtmlElement, attribute: str) -> list[str]:
    """The values at a path, which is given as the attribute of a rule."""
    return linked_data(tree).get(attribute.removeprefix(LINKED), [])


def unescaped(text: str) -> str:
    """A text in the form meant for readers: many themes escape a text for HTML needlessly, or twice. O(n)."""
    for _ in range(MOST_ESCAPED):
        text = ENTITY.sub(lambda found: unescape(found[0]), text)
    return text


@lru_cache(maxsize=32)
def _read(scripts: tuple[str, ...]) -> Values:
    values: Values = {}
    things = [thing for script in scripts if len(script) <= MAX_SIZE for thing in _objects(_decode(script))]
    named = {thing["@id"]: thing for thing in things if isinstance(thing.get("@id"), str) and len(thing) > 1}
    everything = chain.from_iterable(_values(thing, _type_of(thing), named, MAX_DEPTH) for thing in things)
    for path, value in islice(everything, MAX_VALUES):
        if value:
            values.setdefault(path, []).append(value)
    return values


def _decode(script: str) -> Any:  # noqa: ANN401
    for mark in COMMENT_MARKS:
        script = script.replace(mark, " ")
    try:
        return json.loads(script.strip(WRAPPING), strict=False)
    except (ValueError, RecursionError):
        return None


def _objects(data: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    """The outermost objects of a list, of a graph, or a single object."""
    for item in data if isinstance(data, list) else [data]:
        graph = item.get("@graph") if isinstance(item, dict) else None
        for thing in graph if isinstance(graph, list) else [item]:
            if isinstance(thing, dict):
                yield thing


def _type_of(thing: dict[str, Any]) -> str:
    """The first type of an object, without the address of its vocabulary."""
    type_ = thing.get("@type")
    type_ = type_[0] if isinstance(type_, list) and type_ else type_
    return type_.rpartition("/")[2] if isinstance(type_, str) and type_ else "Thing"


# Yields an empty value if there is none, so that the bound on values is also a bound on steps.
def _values(data: Any, path: str, named: Mapping[str, Any], depth: int) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    if isinstance(data, dict) and depth:
        name = data.get("@id")
        if set(data) <= {"@id", "@type"} and isinstance(name, str) and name in named:
            data, depth = named[name], 1
        for key, value in data.items():
            if not key.startswith("@"):
                yield from _values(value, f"{path}/{key.rpartition(':')[2]}", named, depth - 1)
    elif isinstance(data, list) and depth:
        has_things = any(isinstance(item, dict) for item in data)
        for item in data:
            yield from _values(item, path, named, depth if isinstance(item, dict) else depth - 1)
            if has_things and isinstance(item, str):  # in a list with objects, a text is a name
                yield f"{path}/name", _text(item)
    else:
        yield path, _text(data)


def _text(data: Any) -> str:  # noqa: ANN401
    """A value in its stored form; empty for a long value or another type."""
    if not isinstance(data, str | int | float) or isinstance(data, bool):
        return ""
    text = " ".join(legal_text(unescaped(str(data)[: 2 * LONGEST])).encode(errors="ignore").decode().split())
    return text if len(text) <= LONGEST else ""
