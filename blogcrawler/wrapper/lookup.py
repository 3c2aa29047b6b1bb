"""What rules select in a page that many rules are tried on, and which stand for its nodes.

Some hundred expressions are asked of each page, most of them more than once: so answers are kept, and elements are
found by the ids and class tokens that nearly all rules begin with.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.wrapper.rules import HTML_SPACE, TOKEN_TEST, rules_of, select

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.rules import Rule

#: //tag[test]/children, where the test has no bracket inside
FORM = re.compile(r"//([\w-]+)\[([^\[\]]+)\]((?:/[\w-]+(?:\[\d+\])?)*)")
ID_TEST = re.compile(r"""@id=(["'])([^"']*)\1""")
CLASS = "class"


class _Parts(NamedTuple):
    """An expression of the form `//tag[names]/children`."""

    tag: str
    #: (attribute, name) of all ids and class tokens that the element must have; at least one
    names: tuple[tuple[str, str], ...]
    #: relative path to the selected node; empty: the element itself
    children: str


class Lookup:
    """Selects nodes in one page, as `rules.select` does, as long as the page does not change. O(n) in its nodes."""

    def __init__(self, positions: Mapping[HtmlElement, int]) -> None:
        """`positions`: the elements of the page in document order, the root first, each with its number."""
        self._positions = positions
        self._root = next(iter(positions))
        self._known: dict[str, Sequence[HtmlElement]] = {}
        self._rules: dict[tuple[HtmlElement, str], tuple[Rule, ...]] = {}
        self._named: dict[tuple[str, str, str], list[HtmlElement]] | None = None

    def select(self, xpath: str) -> Sequence[HtmlElement]:
        """The nodes that an expression selects, in document order."""
        found = self._known.get(xpath)
        if found is None:
            found = self._known[xpath] = self._find(xpath)
        return found

    def rules_of(self, node: HtmlElement, attribute: str = "") -> tuple[Rule, ...]:
        """The rules that might stand for a node, as `rules.rules_of` gives them."""
        found = self._rules.get((node, attribute))
        if found is None:
            found = self._rules[node, attribute] = tuple(rules_of(node, attribute))
        return found

    def _find(self, xpath: str) -> Sequence[HtmlElement]:
        parts = _parts(xpath)
        if parts is None:
            return select(self._root, xpath)
        nodes = self._having(parts)
        if not parts.children or not nodes:
            return nodes
        below = [node for above in nodes for node in select(above, parts.children)]
        return sorted(below, key=self._positions.__getitem__) if len(nodes) > 1 else below

    def _having(self, parts: _Parts) -> Sequence[HtmlElement]:
        if self._named is None:
            self._named = self._index()
        first, *others = (self._named.get((parts.tag, *name), []) for name in parts.names)
        for other in others:
            wanted = set(other)
            first = [node for node in first if node in wanted]
        return first

    def _index(self) -> dict[tuple[str, str, str], list[HtmlElement]]:
        """The elements of each tag with each id and class token."""
        index: defaultdict[tuple[str, str, str], list[HtmlElement]] = defaultdict(list)
        for node in self._positions:
            if identity := node.get("id"):
                index[node.tag, "id", identity].append(node)
            if classes := node.get(CLASS):
                for token in dict.fromkeys(HTML_SPACE.split(classes)):
                    index[node.tag, CLASS, token].append(node)
        return dict(index)


@lru_cache(maxsize=4096)
def _parts(xpath: str) -> _Parts | None:
    form = FORM.fullmatch(xpath)
    if form is None:
        return None
    tag, tests, children = form.groups()
    names = [_name(test) for test in tests.split(" and ")]
    told = tuple(name for name in names if name is not None)
    return _Parts(tag, told, f".{children}" if children else "") if len(told) == len(names) else None


def _name(test: str) -> tuple[str, str] | None:
    if token := TOKEN_TEST.fullmatch(test):
        return (CLASS, token[3]) if token[1] == CLASS else None
    identity = ID_TEST.fullmatch(test)
    return ("id", identity[2]) if identity and identity[2] else None
