"""Where the fields of a record are in its page, to show this to people."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from lxml import etree

from blogcrawler.dom import inline_text
from blogcrawler.similarity import fold
from blogcrawler.wrapper.core.metadata import nodes_of
from blogcrawler.wrapper.core.names import bare
from blogcrawler.wrapper.core.rules import BEFORE_CHILD, BEHIND_CHILD, LINKED, OWN_TEXT, select
from blogcrawler.wrapper.corrections.marked_elements import SEVERAL
from blogcrawler.wrapper.fallback.extract import extract_main_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.items import FieldSource, Record
    from blogcrawler.wrapper.wrapper import Wrapper

SHOWN_FIELDS = ("title", "authors", "published", "updated", "tags", "content")
MOST_NODES = 60
"""Maximum number of elements of one field."""
RULE = re.compile(
    rf"(?P<xpath>.*?)(?:/(?:@[\w:-]+|{re.escape(OWN_TEXT)}|(?:{BEFORE_CHILD}|{BEHIND_CHILD})[^/]*))?", re.DOTALL
)
HEAD = "head"


@dataclass(frozen=True)
class Place:
    """A field of a record, and the elements of the page that hold it."""

    field: str
    #: empty if the page does not show it, or only in its head
    nodes: tuple[HtmlElement, ...]
    #: the XPath rule, or the name of the metadata; None if nothing of the page was used
    rule: str | None
    #: whether readers do not see it
    is_unseen: bool = False


def find_places(tree: HtmlElement, record: Record, wrapper: Wrapper | None) -> list[Place]:
    """The place of each field of `SHOWN_FIELDS`; for values from the feed, where the rules find the same. O(n) for
    each."""
    return [_place(tree, record, name, wrapper) for name in SHOWN_FIELDS]


def _place(tree: HtmlElement, record: Record, name: str, wrapper: Wrapper | None) -> Place:
    source = record.provenance.fields.get(name)
    values = _values(record, name)
    for rule in _rules(source, name, wrapper):
        nodes = _choose(list(_nodes(tree, rule, name, wrapper)), name, values)
        if nodes:
            unseen = all(_is_unseen(node) for node in nodes)
            return Place(name, () if unseen else tuple(nodes), rule, unseen)
    rule_of_source = source.rule if source is not None else None
    return Place(name, (), rule_of_source, rule_of_source is not None and rule_of_source.startswith(LINKED))


def _values(record: Record, name: str) -> list[str]:
    if name == "content":
        return []
    value = getattr(record, name)
    return [bare(item) for item in (value if isinstance(value, list) else [value]) if item]


def _rules(source: FieldSource | None, name: str, wrapper: Wrapper | None) -> Iterator[str]:
    if source is not None and source.rule is not None:
        yield source.rule
    elif source is not None and source.source == "feed" and wrapper is not None:
        for part in (wrapper, *wrapper.templates, *wrapper.older):
            yield from map(str, _learned(part, name))


def _learned(wrapper: Wrapper, name: str) -> Iterator[object]:
    if name == "content":
        yield from (rule.rule for rule in wrapper.article.rules)
        return
    rules: Sequence[object] = {
        "title": wrapper.title,
        "authors": wrapper.authors.rules,
        "published": wrapper.dates.rules,
        "updated": wrapper.dates.updates.rules,
        "tags": wrapper.tags,
    }[name]
    yield from (rule.learned.rule for rule in rules)  # type: ignore[attr-defined]


def _nodes(tree: HtmlElement, rule: str, name: str, wrapper: Wrapper | None) -> Iterator[HtmlElement]:
    """The elements that a rule selects; for an article found by its lines, their container."""
    if name == "content" and not rule.startswith("/"):
        text = extract_main_text(tree, wrapper.lines) if wrapper is not None else None
        if text is not None:
            yield text.container
        return
    match = RULE.fullmatch(rule)
    if rule.startswith(LINKED) or match is None:
        return
    try:
        nodes = select(tree, match["xpath"])
    except (etree.XPathError, ValueError):
        nodes = nodes_of(tree, rule)
    for node in nodes if isinstance(nodes, list) else ():
        if isinstance(node, etree.ElementBase):
            yield node


def _choose(nodes: list[HtmlElement], name: str, values: Sequence[str]) -> list[HtmlElement]:
    """The elements that show the values; for a field with one value, the first of these, or else the first element."""
    if name in SEVERAL:
        return [node for node in nodes if any(value in _text_of(node) for value in values)][:MOST_NODES]
    saying = [node for node in nodes if name == "title" and any(value in _text_of(node) for value in values)]
    holding = [node for node in nodes if inline_text(node).strip() or len(node) or node.attrib]
    return list(chain(saying, holding))[:1]


def _text_of(node: HtmlElement) -> str:
    return f"{bare(inline_text(node))} {fold(node.get('content') or '')}"


def _is_unseen(node: HtmlElement) -> bool:
    return node.tag in ("meta", "link", "script", "title") or any(above.tag == HEAD for above in node.iterancestors())
